-- MDAV and p-sensitive microaggregation through SQL: time, growth, memory.
SET max_parallel_workers_per_gather = 0;
SELECT setseed(0.1) \g /dev/null
CREATE TABLE points AS
SELECT i AS id, random() AS a, random() AS b, random() AS c, random() AS d,
       random() AS e, random() AS f, random() AS g, random() AS h, (random() * random() * 10)::int AS s
FROM generate_series(1, 1000000) AS i;
VACUUM ANALYZE points;
CREATE FUNCTION columns(d int) RETURNS text LANGUAGE sql RETURN array_to_string((ARRAY['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])[1:d], ', ');

\echo 'MDAV through SQL, seconds; growth: exponent of n from 100,000 to 1,000,000 rows'
CREATE TABLE timed AS
SELECT d, k, n, ms(format('SELECT sdc.mdav(%s, %s) OVER (ORDER BY id) FROM points WHERE id <= %s', k, columns(d), n),
                   CASE WHEN n > 100000 THEN 1 ELSE 3 END) / 1000 AS seconds
FROM unnest('{2,4,8}'::int[]) AS d, unnest('{3,10}'::int[]) AS k, unnest('{10000,100000,1000000}'::int[]) AS n;
SELECT d, k, round(max(seconds) FILTER (WHERE n = 10000), 3) AS "10^4", round(max(seconds) FILTER (WHERE n = 100000), 2) AS "10^5",
       round(max(seconds) FILTER (WHERE n = 1000000), 1) AS "10^6",
       round(log(max(seconds) FILTER (WHERE n = 1000000) / max(seconds) FILTER (WHERE n = 100000)), 2) AS growth
FROM timed GROUP BY d, k ORDER BY d, k;

\echo 'p_first (k = 5, p = 3, one sensitive column of 10 values) against MDAV, d = 4; the target is 4 times'
WITH measured AS MATERIALIZED (
    SELECT n, ms(format('SELECT sdc.mdav(5, a, b, c, d) OVER (ORDER BY id) FROM points WHERE id <= %s', n), 1) AS mdav,
           ms(format('SELECT sdc.p_sensitive(5, 3, ROW(a, b, c, d), ROW(s)) OVER (ORDER BY id) FROM points WHERE id <= %s', n), 1) AS p_first
    FROM unnest('{100000,1000000}'::int[]) AS n)
SELECT n, mdav AS "mdav ms", p_first AS "p_first ms", round(p_first / mdav, 2) AS ratio FROM measured;

-- Rows on their way in and out are kept in work_mem and then on disk, as in any query.
\echo 'memory of a backend for 1,000,000 rows, d = 4, in bytes a row beyond reading them; work_mem is 4 MB, the target is 300'
\c
SET work_mem = '4MB';
SELECT count(x) FROM (SELECT sum(a) OVER () AS x FROM points) s \g /dev/null
SELECT memory_kb() AS before \gset
SELECT count(x) FROM (SELECT sdc.mdav(5, a, b, c, d) OVER () AS x FROM points) s \g /dev/null
SELECT round((memory_kb() - :before) * 1024.0 / 1000000) AS "window function";
\c
SET work_mem = '4MB';
SELECT count(x) FROM (SELECT sum(a) OVER () AS x FROM points) s \g /dev/null
SELECT memory_kb() AS before \gset
SELECT count(*) FROM sdc.microaggregate(NULL::points, '{a,b,c,d}', 5) \g /dev/null
SELECT round((memory_kb() - :before) * 1024.0 / 1000000) AS "sdc.microaggregate";

\echo 'other methods at 100,000 rows, d = 4, k = 5, whole calls; the target for refine is 10 times MDAV'
CREATE TABLE hundred_thousand AS SELECT a, b, c, d FROM points WHERE id <= 100000;
SELECT option, ms AS "ms", round(ms / min(ms) FILTER (WHERE option = 'mdav') OVER (), 1) AS "times mdav"
FROM  (SELECT option, ms(format('SELECT x.a FROM sdc.microaggregate(NULL::hundred_thousand, ''{a,b,c,d}'', 5, %s) x', arguments)) AS ms
       FROM (VALUES ('mdav', 'method => ''mdav'''), ('v_mdav', 'method => ''v_mdav'''), ('refine', 'refine => true, seed => 1')) AS o (option, arguments)) t;

\set needed census.csv
\ir data.psql
\if :present
\else
    \quit
\endif
CREATE TABLE census (afnlwgt int, agi int, emcontrb int, fedtax int, ptotval int, statetax int, taxinc int,
                     pothval int, intval int, pearnval int, fica int, wsalval int, ernval int);
\copy census FROM 'census.csv' CSV HEADER
\echo '100 SSE/SST of Census, 13 columns, and ms; the targets are 5.30, 8.09 and 12.45 within two seconds, then towards 4.80, 7.40 and 11.53'
CREATE FUNCTION loss(k int, arguments text, OUT loss numeric, OUT ms numeric) LANGUAGE plpgsql AS $$
DECLARE
    began timestamptz := clock_timestamp();
    release sdc.release;
BEGIN
    EXECUTE format('SELECT * FROM sdc.publish_microaggregated(''census'', ''masked'', (SELECT array_agg(attname) FROM pg_attribute '
        'WHERE attrelid = ''census''::regclass AND attnum > 0), %s, %s)', k, arguments) INTO release;
    ms := round(1000 * extract(epoch FROM clock_timestamp() - began));
    loss := round((release.loss ->> 'information_loss')::numeric, 4);
    PERFORM sdc.drop_release(release.id);
END $$;
SELECT option, max(loss) FILTER (WHERE k = 3) AS "k = 3", max(ms) FILTER (WHERE k = 3) AS ms, max(loss) FILTER (WHERE k = 5) AS "k = 5",
       max(ms) FILTER (WHERE k = 5) AS ms, max(loss) FILTER (WHERE k = 10) AS "k = 10", max(ms) FILTER (WHERE k = 10) AS ms
FROM  (VALUES (1, 'mdav', 'method => ''mdav'''), (2, 'v_mdav', 'method => ''v_mdav'''), (3, 'refine, effort 0', 'refine => true, effort => 0'),
              (4, 'refine, effort 1', 'refine => true, effort => 1, seed => 1'), (5, 'refine', 'refine => true, seed => 1'),
              (6, 'refine, effort 2000', 'refine => true, effort => 2000, seed => 1')) AS o (place, option, arguments),
      unnest('{3,5,10}'::int[]) AS k, loss(k, arguments)
GROUP BY place, option ORDER BY place;
