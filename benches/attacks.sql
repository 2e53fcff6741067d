-- Attacks beside what they attack: inference on 500,000 rows, linkage beside MDAV, five releases intersected.
-- Illnesses follow ages, and keys of the first table repeat, so that there is something to learn.
CREATE TABLE person AS
SELECT i AS id, 20 + abs(hashint4(i)) % 60 AS age, (ARRAY['F', 'M'])[1 + abs(hashint4(i + 1000001)) % 2] AS sex,
       (10000 + abs(hashint4(i + 2000003)) % 40)::text AS zip, abs(hashint4(i + 3000017)) % 5 AS marital,
       abs(hashint4(i + 4000037)) % 16 AS education, abs(hashint4(i + 5000011)) % 9 AS job,
       CASE WHEN abs(hashint4(i + 6000011)) % 3 = 0 THEN abs(hashint4(i)) % 60 / 2 ELSE abs(hashint4(i + 7000003)) % 30 END AS illness
FROM   generate_series(1, 500000) AS i;
CREATE TABLE million AS
SELECT i AS id, hashint4(i) / 2e9::float8 AS a, hashint4(i + 1000001) / 2e9::float8 AS b, hashint4(i + 2000003) / 2e9::float8 AS c, hashint4(i + 3000017) / 2e9::float8 AS d,
       abs(hashint4(i + 6000011)) % 30 AS illness
FROM   generate_series(1, 1000000) AS i;
VACUUM ANALYZE person;
VACUUM ANALYZE million;
SET client_min_messages = error;
SELECT id AS anatomy FROM sdc.publish_anatomy('person', 'person_a', '{age,sex,zip,marital,education,job}', 'illness', 10, seed => 1) \gset
SELECT id AS masked FROM sdc.publish_microaggregated('million', 'million_m', '{a,b,c,d}', 5) \gset
SELECT array_agg((sdc.publish_anatomy('million', 'million_' || s, '{id}', 'illness', 5, seed => s)).id) AS five FROM generate_series(1, 5) s \gset
-- what a query costs this process, whatever else the machine does
CREATE FUNCTION cpu_ms(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE before numeric;
BEGIN
    before := worked();
    PERFORM ms(query, 1);
    RETURN round(worked() - before);
END $$;
CREATE FUNCTION worked() RETURNS numeric LANGUAGE sql AS
$$ SELECT 10 * (f[12]::numeric + f[13]::numeric) FROM (SELECT string_to_array(substring(pg_read_file('/proc/self/stat') FROM '\) (.*)'), ' ')) s (f) $$;
CREATE TABLE candidate (task text, who text, query text, ms numeric);
INSERT INTO candidate (task, who, query) VALUES
    ('inference, 500,000 rows, 6 keys, l = 10', 'sdc', format('SELECT persons FROM sdc.attack_inference(%s, seed => 1)', :anatomy)),
    ('linkage, 1,000,000 rows, 4 keys', 'MDAV', 'SELECT sdc.mdav(5, a, b, c, d) OVER () FROM million'),
    ('linkage, 1,000,000 rows, 4 keys', 'sdc', format('SELECT persons FROM sdc.attack_linkage(%s)', :masked)),
    ('intersection, 5 releases of 1,000,000 rows', 'sdc', format('SELECT persons FROM sdc.attack_intersection(%L)', :'five'));
UPDATE candidate SET ms = cpu_ms(query);
INSERT INTO candidate VALUES
    ('inference, 500,000 rows, 6 keys, l = 10', 'limit', NULL, 30000),
    ('intersection, 5 releases of 1,000,000 rows', 'limit', NULL, 10000);

\echo 'Milliseconds of processor time; a limit is what was asked for, linkage may take 3 times as long as MDAV.'
SELECT task, who, ms, round(ms / min(ms) FILTER (WHERE who <> 'sdc') OVER (PARTITION BY task), 2) AS ratio
FROM   candidate ORDER BY task, who <> 'sdc';
SELECT memory_kb() / 1024 AS most_mb;
