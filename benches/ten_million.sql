-- Ten million rows on one node, k = 5: exact MDAV and blocks through SQL, and how their time grows.
-- Milliseconds are processor time unless said otherwise. ROWS=1000000 in the environment takes fewer.
SET max_parallel_workers_per_gather = 0;
SET sdc.max_memory = '4GB';
\set rows `echo ${ROWS:-10000000}`
SELECT setseed(0.1) \g /dev/null
CREATE TABLE points AS
SELECT i AS id, random() AS a, random() AS b, random() AS c, random() AS d, random() AS e, random() AS f, random() AS g, random() AS h
FROM generate_series(1, :rows) AS i;
CREATE TABLE tenth AS SELECT * FROM points WHERE id <= :rows / 10;
VACUUM ANALYZE points;
VACUUM ANALYZE tenth;
-- On a machine that does other work, too, the clock runs on while a backend waits: processor time, that of threads included.
CREATE FUNCTION cpu() RETURNS numeric LANGUAGE sql VOLATILE AS
$$ SELECT 10 * (f[12]::int + f[13]::int) FROM string_to_array(substring(pg_read_file('/proc/self/stat') FROM '\) (.*)'), ' ') AS f $$;
CREATE FUNCTION cpu_ms(query text, runs int) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    began numeric;
    best numeric;
BEGIN
    FOR run IN 1 .. runs LOOP
        began := cpu();
        PERFORM ms(query, 1);
        best := least(best, cpu() - began);
    END LOOP;
    RETURN best;
END $$;
CREATE FUNCTION mdav(source text, keys text) RETURNS numeric LANGUAGE sql AS
$$ SELECT cpu_ms(format('SELECT sdc.mdav(5, %s) OVER () FROM %I', keys, source), 1) $$;
CREATE FUNCTION masked(source text, keys text, arguments text) RETURNS numeric LANGUAGE sql AS
$$ SELECT cpu_ms(format('SELECT x.a FROM sdc.microaggregate(NULL::%I, ''{%s}'', 5, %s) AS x', source, keys, arguments), 1) $$;
\set four 'a, b, c, d'
\set eight 'a, b, c, d, e, f, g, h'

\echo 'a tenth of the rows, ms, and times sum() OVER (); the target of four keys is 5 times'
WITH measured AS MATERIALIZED (
    SELECT cpu_ms('SELECT sum(a) OVER () FROM tenth', 3) AS base, mdav('tenth', :'four') AS four, mdav('tenth', :'eight') AS eight)
SELECT what, ms, round(ms / base, 2) AS "times sum() OVER ()"
FROM measured, LATERAL (VALUES ('sum(a) OVER ()', base), ('mdav of 4 keys', four), ('mdav of 8 keys', eight)) AS v (what, ms);

\echo 'exact MDAV of 4 keys from a tenth of the rows to all of them; the target is an exponent of 1.2'
WITH measured AS MATERIALIZED (SELECT mdav('tenth', :'four') AS tenth, mdav('points', :'four') AS whole)
SELECT tenth AS "tenth, ms", whole AS "all, ms", round(log(whole / tenth), 2) AS exponent FROM measured;

\echo 'blocks of all rows; the target of 8 keys is 3 times that of 4 keys'
WITH measured AS MATERIALIZED (
    SELECT masked('points', :'four', 'method => ''blocks''') AS four, masked('points', :'eight', 'method => ''blocks''') AS eight)
SELECT four AS "4 keys, ms", eight AS "8 keys, ms", round(eight / four, 2) AS ratio FROM measured;

\echo 'a tenth of the rows, 8 keys: exact MDAV, blocks, and blocks on two threads'
WITH measured AS MATERIALIZED (
    SELECT masked('tenth', :'eight', 'method => ''mdav''') AS exact, masked('tenth', :'eight', 'method => ''blocks''') AS blocks)
SELECT exact AS "exact, ms", blocks AS "blocks, ms", round(blocks / exact, 2) AS ratio FROM measured;
\echo 'the same by the clock: blocks on one thread, and on two'
SELECT ms($$SELECT x.a FROM sdc.microaggregate(NULL::tenth, '{a,b,c,d,e,f,g,h}', 5, method => 'blocks') AS x$$, 1) AS "one, ms";
SET sdc.threads = 2;
SELECT ms($$SELECT x.a FROM sdc.microaggregate(NULL::tenth, '{a,b,c,d,e,f,g,h}', 5, method => 'blocks') AS x$$, 1) AS "two, ms";
