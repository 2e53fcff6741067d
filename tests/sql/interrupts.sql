-- Long work answers statement_timeout at once, frees what it took, and shows its progress.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
CREATE TABLE large AS
SELECT i AS id, sin(i) AS a, cos(i * 1.3) AS b, sin(i * 0.7) AS c, cos(i * 2.1) AS d, (i % 4)::text AS kind FROM generate_series(1, 150000) AS i;
CREATE TABLE kinds AS SELECT i::text AS level0, '*' AS level1 FROM generate_series(0, 3) AS i;

-- how long a statement ran after it should have stopped, and the backend's memory in kB. On a machine
-- that is busy the clock runs on while the backend waits for its turn, so that the processor's time counts
-- where it is less.
CREATE FUNCTION pg_temp.worked() RETURNS interval LANGUAGE sql AS
$$ SELECT (f[12]::int + f[13]::int) * interval '10 ms' FROM string_to_array(substring(pg_read_file('/proc/self/stat') FROM '\) (.*)'), ' ') AS f $$;
CREATE FUNCTION pg_temp.overrun(query text) RETURNS interval LANGUAGE plpgsql AS $$
DECLARE began timestamptz := clock_timestamp();
        before interval := pg_temp.worked();
BEGIN
    EXECUTE query;
    RAISE 'not cancelled';
EXCEPTION WHEN query_canceled THEN
    RETURN least(clock_timestamp() - began, pg_temp.worked() - before) - interval '20 ms';
END $$;
CREATE FUNCTION pg_temp.memory() RETURNS int LANGUAGE sql AS
$$ SELECT substring(pg_read_file('/proc/self/status') FROM 'VmRSS:\s*(\d+) kB')::int $$;

SET statement_timeout = '20ms';
SELECT pg_temp.overrun('SELECT count(g) FROM (SELECT sdc.mdav(50, a, b, c, d) OVER () AS g FROM large) s') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT count(g) FROM (SELECT sdc.p_sensitive(50, 2, ROW(a, b, c, d), ROW(id % 3), ''random_rows'') OVER () AS g FROM large) s') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT count(*) FROM sdc.microaggregate(NULL::large, ''{a,b,c,d}'', 50)') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT sdc.publish_microaggregated(''large'', ''released'', ''{a,b,c,d}'', 50)') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT count(*) FROM sdc.microaggregate(NULL::large, ''{a,b,c,d}'', 3, refine => true, effort => 100)') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT count(*) FROM sdc.microaggregate(NULL::large, ''{a,b,c,d}'', 3, method => ''v_mdav'')') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT count(g) FROM (SELECT sdc.permutation(2, ROW(a, b, c, d), id % 3, 50) OVER () AS g FROM large) s') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT count(g) FROM (SELECT sdc.p_alpha_sensitive(3, 2, 1.5, ROW(a, b, c, d), 1 + id % 4, 4) OVER () AS g FROM large) s') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT sdc.publish_anatomy(''large'', ''released'', ''{a,b,c}'', ''id'', 2)') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT sdc.publish_permutation(''large'', ''released'', ''{a,b,c}'', ''id'', 2)') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT sdc.publish_p_alpha(''large'', ''released'', ''{a,b,c,d}'', ''kind'', ''[["0"], ["1"], ["2"], ["3"]]'', 3, 2, 1.5)') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT sdc.publish_generalized(''large'', ''released'' || i, ''{"kind": "kinds"}'', 3, keep => ''{a,b,c,d}'', allow_identifiers => true) FROM generate_series(1, 100) AS i') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT count(g) FROM (SELECT sdc.mondrian(3, ROW(a, b, c, d)) OVER () AS g FROM large, generate_series(1, 4)) s') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT count(*) FROM sdc.risk_utility(NULL::large, ''{a,b,c,d}'')') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT sdc.report(''large'', ''{a,b,c,d}'', ''{kind}'', k => 2)') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT count(*) FROM sdc.check_anonymity(''large'', ''{a,b,c,d}'', ''{id,kind}'', t => 0.1)') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT sdc.t_closeness(ROW(a, b, c), d) FROM large, generate_series(1, 4)') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT sdc.k_anonymity(id, n) FROM large, generate_series(1, 4) AS n') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT sdc.ncp(id, a, b, kind) FROM large, generate_series(1, 4)') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT sdc.information_loss(id, a, b, kind) FROM large, generate_series(1, 4)') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT sdc.reconstruction_error(id / 3, ROW(a, b), kind, true) FROM large, generate_series(1, 4)') < interval '1 s' AS stopped;
-- many columns, few rows: correlations and their eigenvalues, associations
SET statement_timeout = 0;
DO $$
BEGIN
    EXECUTE (SELECT format('CREATE TABLE broad AS SELECT %s FROM generate_series(1, 30) AS i', string_agg(format('sin(i * %s)::float4 AS c%s', i + 1, i), ',')) FROM generate_series(1, 600) AS i);
    EXECUTE (SELECT format('CREATE TABLE codes AS SELECT %s FROM generate_series(1, 1009) AS i', string_agg(format('''v'' || i * %s %% 1009 AS c%s', i + 1, i), ',')) FROM generate_series(1, 60) AS i);
END $$;
SET statement_timeout = '200ms';
SELECT pg_temp.overrun('SELECT count(*) FROM sdc.compare(''broad'', ''broad'')') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT count(*) FROM sdc.compare(''codes'', ''codes'')') < interval '1 s' AS stopped;
SET statement_timeout = 0;
SELECT to_regclass('released') IS NULL AND to_regclass('released_qit') IS NULL AND to_regclass('released_pqt') IS NULL AS nothing_left,
       (SELECT count(*) FROM sdc.releases WHERE target LIKE '%released') AS registered;

-- at any moment: while rows are read, grouped, refined, written and checked
CREATE FUNCTION pg_temp.in_time(query text, milliseconds int) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE began timestamptz := clock_timestamp();
        before interval := pg_temp.worked();
BEGIN
    -- the timeout may also come when the query has just ended
    BEGIN
        EXECUTE query;
        RETURN least(clock_timestamp() - began, pg_temp.worked() - before) < interval '1 s' + milliseconds * interval '1 ms';
    EXCEPTION WHEN query_canceled THEN
        RETURN least(clock_timestamp() - began, pg_temp.worked() - before) < interval '1 s' + milliseconds * interval '1 ms';
    END;
END $$;
SET statement_timeout = 0;
-- how many of these calls end in time differs from machine to machine, and with it what they warn of
SET client_min_messages = error;
SELECT format('SET statement_timeout = %s', moment),
       format('SELECT pg_temp.in_time(%L, %s) AS in_time', 'SELECT count(*) FROM sdc.microaggregate(NULL::large, ''{a,b,c,d}'', 3, ''{kind}'', 2, refine => true)', moment),
       format('SELECT pg_temp.in_time(%L, %s) AS in_time', 'SELECT sdc.reconstruction_error(id / 3, ROW(a, b), kind, true) FROM large, generate_series(1, 4)', moment),
       format('SELECT pg_temp.in_time(%L, %s) AS in_time', 'SELECT sdc.publish_permutation(''large'', ''released_' || moment || ''', ''{a,b,c}'', ''kind'', 2)', moment)
FROM   unnest('{50,200,400,700,1100}'::int[]) AS moment \gexec
SET statement_timeout = 0;
SELECT sdc.drop_release(id) FROM sdc.releases WHERE source = 'public.large' \g /dev/null
SELECT count(*) AS left FROM sdc.releases WHERE source = 'public.large';
RESET client_min_messages;

-- columns are followed through views once, however many levels there are and however often each is used
SET statement_timeout = '20s';
CREATE TABLE c0 AS SELECT * FROM (SELECT i % 3 AS c1 FROM generate_series(1, 9) AS i) AS t CROSS JOIN LATERAL
    (SELECT 1 AS c2, 1 AS c3, 1 AS c4, 1 AS c5, 1 AS c6, 1 AS c7, 1 AS c8, 1 AS c9, 1 AS c10, 1 AS c11, 1 AS c12, 1 AS c13, 1 AS c14, 1 AS c15, 1 AS c16, 1 AS c17, 1 AS c18, 1 AS c19, 1 AS c20) AS u;
SELECT sdc.declare('c0', identifiers => '{c1}');
SELECT format('CREATE VIEW nested AS WITH %s SELECT * FROM w8', string_agg(format('w%s AS (SELECT * FROM %s)', i, CASE i WHEN 1 THEN 'c0' ELSE 'w' || i - 1 END), ', ' ORDER BY i))
FROM generate_series(1, 8) AS i \gexec
SELECT format('CREATE VIEW doubled AS WITH %s SELECT * FROM w20', string_agg(format('w%1$s AS (SELECT * FROM %2$s UNION ALL SELECT * FROM %2$s WHERE false)', i, CASE i WHEN 1 THEN 'c0' ELSE 'w' || i - 1 END), ', ' ORDER BY i))
FROM generate_series(1, 20) AS i \gexec
SELECT actual FROM sdc.check_anonymity('nested', '{c2}');
SELECT sdc.publish_microaggregated('nested', 'leaked', '{c2}', 3, keep => '{c1}', allow_identifiers => true);
SELECT sdc.publish_microaggregated('doubled', 'leaked', '{c2}', 3, keep => '{c1}', allow_identifiers => true);
DROP VIEW nested, doubled;
-- ... nor through views that are each read twice by the next
CREATE VIEW v0 AS SELECT c1, c2 FROM c0;
SELECT format('CREATE VIEW %s%s AS %s', part, i, CASE part WHEN 'v' THEN format('SELECT * FROM a%1$s UNION ALL SELECT * FROM b%1$s', i) ELSE format('SELECT * FROM v%s', i - 1) END) AS made
FROM generate_series(1, 24) AS i, unnest('{a,b,v}'::text[]) AS part ORDER BY i, part \gexec
SELECT sdc.publish_microaggregated('v24', 'leaked', '{c2}', 3, keep => '{c1}', allow_identifiers => true);
SET client_min_messages = error;
DROP TABLE c0 CASCADE;
RESET client_min_messages;

-- many patterns of NULLs among keys
SET statement_timeout = 0;
CREATE TABLE gaps AS SELECT i FROM generate_series(1, 40000) AS i;
SELECT format('ALTER TABLE gaps %s', string_agg(format('ADD k%s int', k), ', ')) FROM generate_series(1, 12) AS k \gexec
SELECT format('UPDATE gaps SET %s', string_agg(format('k%1$s = CASE WHEN hashint4(i * 12 + %1$s) %% 2 = 0 THEN hashint4(i + %1$s) %% 3 END', k), ', ')) FROM generate_series(1, 12) AS k \gexec
SELECT format('SET statement_timeout = %s', moment),
       format('SELECT pg_temp.in_time(%L, %s) AS in_time', 'SELECT sdc.publish_suppressed(''gaps'', ''released_gaps'', ''{k1,k2,k3,k4,k5,k6,k7,k8,k9,k10,k11,k12}'', 2, reading => ''wildcard'')', moment)
FROM   unnest('{300,2000}'::int[]) AS moment \gexec
SET statement_timeout = 0;
DROP TABLE gaps;

-- a lattice of 823,543 nodes
SET statement_timeout = 0;
CREATE TABLE wide AS
SELECT i % 61 AS a, i * 7 % 59 AS b, i * 11 % 53 AS c, i * 13 % 47 AS d, i * 17 % 43 AS e, i * 19 % 41 AS f, i * 23 % 37 AS g, i % 5 AS s
FROM generate_series(1, 20000) AS i;
SELECT count(sdc.interval_hierarchy('wide', name, 'wide_' || name, '{2,4,8,16,32}')) FROM unnest('{a,b,c,d,e,f,g}'::name[]) AS name;
SET statement_timeout = '20ms';
\set hierarchies '(SELECT jsonb_object_agg(name, \'wide_\' || name) FROM unnest(\'{a,b,c,d,e,f,g}\'::text[]) AS name)'
SELECT pg_temp.overrun(format('SELECT count(*) FROM sdc.lattice(''wide'', %s, 5, ''{s}'', 2, 1000)', :'hierarchies')) < interval '1 s' AS stopped;
SELECT pg_temp.overrun(format('SELECT count(*) FROM sdc.minimal_generalizations(''wide'', %s, 5, ''{s}'', 2, 1000)', :'hierarchies')) < interval '1 s' AS stopped;
SET client_min_messages = warning;
DROP TABLE wide, wide_a, wide_b, wide_c, wide_d, wide_e, wide_f, wide_g;
RESET client_min_messages;

-- 200 cancelled calls leave the memory flat, and what is left counts for no other call
SET statement_timeout = 0;
SET sdc.max_memory = '16MB';
CREATE FUNCTION pg_temp.cancel_often(times int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE cancelled int := 0;
BEGIN
    FOR i IN 1 .. times LOOP
        BEGIN
            PERFORM sdc.mdav(50, a, b, CASE WHEN id = 20000 AND pg_cancel_backend(pg_backend_pid()) THEN c ELSE d END)
                    OVER (ORDER BY id) FROM large WHERE id <= 20000;
        EXCEPTION WHEN query_canceled THEN cancelled := cancelled + 1;
        END;
    END LOOP;
    RETURN cancelled;
END $$;
SELECT pg_temp.cancel_often(20);
SELECT pg_temp.memory() AS before \gset
SELECT pg_temp.cancel_often(200);
SELECT pg_temp.memory() - :before < 10000 AS flat;
RESET sdc.max_memory;

-- nobody is at work now; the view is there for everybody
CREATE ROLE sdc_anybody;
SET ROLE sdc_anybody;
SELECT count(*) FROM sdc.progress;
RESET ROLE;
DROP ROLE sdc_anybody;
\d sdc.progress
DROP TABLE broad, codes;
DROP TABLE large, kinds;
