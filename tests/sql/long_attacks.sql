-- Attacks answer statement_timeout within a second, at any moment, and keep to sdc.max_memory.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA long;
CREATE TABLE long.large AS
SELECT i AS id, sin(i) AS a, cos(i * 1.3) AS b, 20 + i % 60 AS age, i % 7 AS job, (i * 31 % 97) % 8 AS kind FROM generate_series(1, 100000) AS i;
CREATE TABLE long.ages AS SELECT a::text AS level0, (a / 5)::text AS level1, (a / 20)::text AS level2, '*' AS level3 FROM generate_series(20, 79) a;
SELECT id AS first FROM sdc.publish_anatomy('long.large', 'long.first', '{age,job}', 'kind', 4, seed => 1) \gset
SELECT id AS second FROM sdc.publish_anatomy('long.large', 'long.second', '{age,job}', 'kind', 4, seed => 2) \gset
SELECT id AS permuted FROM sdc.publish_permutation('long.large', 'long.permuted', '{age,job}', 'kind', 4, seed => 2) \gset
SELECT id AS masked FROM sdc.publish_microaggregated('long.large', 'long.masked', '{a,b}', 5, '{kind}', 2) \gset
SELECT id AS general FROM sdc.publish_generalized('long.large', 'long.general', '{"age": "long.ages", "job": null}', 5, '{kind}', 2) \gset
CREATE FUNCTION pg_temp.worked() RETURNS interval LANGUAGE sql AS
$$ SELECT (f[12]::int + f[13]::int) * interval '10 ms' FROM string_to_array(substring(pg_read_file('/proc/self/stat') FROM '\) (.*)'), ' ') AS f $$;
-- processor time counts where it is less than the clock's: the machine may be busy
CREATE FUNCTION pg_temp.in_time(query text, milliseconds int) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE began timestamptz := clock_timestamp();
        before interval := pg_temp.worked();
BEGIN
    BEGIN
        EXECUTE query;
    EXCEPTION WHEN query_canceled THEN NULL;
    END;
    RETURN least(clock_timestamp() - began, pg_temp.worked() - before) < interval '1 s' + milliseconds * interval '1 ms';
END $$;
-- what is run holds numbers of releases
\set ECHO none
SELECT format('SET statement_timeout = %s', moment),
       format('SELECT pg_temp.in_time(%L, %s) AS inference', format('SELECT count(*) FROM sdc.attack_inference(%s)', :first), moment),
       format('SELECT pg_temp.in_time(%L, %s) AS permutation', format('SELECT count(*) FROM sdc.attack_inference(%s)', :permuted), moment),
       format('SELECT pg_temp.in_time(%L, %s) AS intersection', format('SELECT count(*) FROM sdc.attack_intersection(ARRAY[%s, %s]::bigint[])', :first, :second), moment),
       format('SELECT pg_temp.in_time(%L, %s) AS linkage', format('SELECT count(*) FROM sdc.attack_linkage(%s)', :masked), moment),
       format('SELECT pg_temp.in_time(%L, %s) AS minimality', format('SELECT count(*) FROM sdc.attack_minimality(%s)', :masked), moment),
       format('SELECT pg_temp.in_time(%L, %s) AS recoding', format('SELECT count(*) FROM sdc.attack_minimality(%s)', :general), moment),
       format('SELECT pg_temp.in_time(%L, %s) AS presence', format('SELECT count(*) FROM sdc.attack_membership(%s, ''long.large'')', :permuted), moment),
       format('SELECT pg_temp.in_time(%L, %s) AS dominance', 'SELECT count(*) FROM sdc.dominance(''long.large'', ''{a,b}'', 5)', moment)
FROM   unnest('{20,150,400}'::int[]) AS moment \gexec
\set ECHO all
SET statement_timeout = 0;

-- less memory than is needed is an error, not the end of the server
\set VERBOSITY sqlstate
SET sdc.max_memory = '2MB';
SELECT count(*) FROM sdc.attack_inference(:first);
SELECT count(*) FROM sdc.attack_inference(:permuted);
SELECT count(*) FROM sdc.attack_intersection(ARRAY[:first, :second]::bigint[]);
SELECT count(*) FROM sdc.attack_linkage(:masked);
SELECT count(*) FROM sdc.attack_minimality(:masked);
SELECT count(*) FROM sdc.attack_membership(:permuted, 'long.large');
RESET sdc.max_memory;
SELECT count(sdc.drop_release(id)) FROM sdc.releases WHERE target ~ '^long[.]';
DROP SCHEMA long CASCADE;
