-- Out of memory is an error, for every function, and the session goes on: sdc.max_memory at its
-- least, 1 MB, against 200,000 rows with as many values.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA scarce;
SET search_path = scarce;
CREATE TABLE large AS SELECT i AS id, (i::int8 * 7919 % 100003)::float8 AS a, (i::int8 * 104729 % 99991)::numeric AS b, 'value ' || i AS t, i % 50 AS s, i / 2 AS grp FROM generate_series(1, 200000) AS i;
CREATE TABLE hierarchy AS SELECT t AS level0, left(t, 8) AS level1 FROM large;
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    IF SQLSTATE <> '53400' THEN RETURN SQLSTATE || ' ' || SQLERRM; END IF;
    RETURN SQLERRM;
END $$;
CREATE TABLE call (number int GENERATED ALWAYS AS IDENTITY, statement text);
INSERT INTO call (statement) VALUES
    ($$SELECT sum(g) FROM (SELECT sdc.mdav(3, a, b) OVER () AS g FROM large) AS s$$),
    ($$SELECT sum(g) FROM (SELECT sdc.mdav(3, t) OVER () AS g FROM large) AS s$$),
    ($$SELECT sum(g) FROM (SELECT sdc.p_sensitive(3, 2, ROW(a, b), ROW(s)) OVER () AS g FROM large) AS s$$),
    ($$SELECT sum(g) FROM (SELECT sdc.mondrian(3, ROW(a, b)) OVER () AS g FROM large) AS s$$),
    ($$SELECT sum(g) FROM (SELECT sdc.anatomy(3, t) OVER () AS g FROM large) AS s$$),
    ($$SELECT sum(g) FROM (SELECT sdc.permutation(3, ROW(a), s) OVER () AS g FROM large) AS s$$),
    ($$SELECT count(v) FROM (SELECT sdc.permute(t) OVER () AS v FROM large) AS s$$),
    ($$SELECT count(*) FROM sdc.microaggregate(NULL::large, '{a,b}', 3)$$),
    ($$SELECT sdc.publish_microaggregated('large', 'released', '{a,b}', 3)$$),
    ($$SELECT sdc.publish_generalized('large', 'released', '{"t": "hierarchy"}', 3)$$),
    ($$SELECT sdc.publish_anatomy('large', 'released', '{a,b}', 's', 3)$$),
    ($$SELECT sdc.publish_permutation('large', 'released', '{a,b}', 's', 3)$$),
    ($$SELECT count(*) FROM sdc.minimal_generalizations('large', '{"t": "hierarchy"}', 3)$$),
    ($$SELECT count(*) FROM sdc.lattice('large', '{"t": "hierarchy"}', 3)$$),
    ($$SELECT count(sdc.generalize(t, 'hierarchy', 1)) FROM large$$),
    ($$SELECT sdc.prefix_hierarchy('large', 't', 'prefixes', 4)$$),
    ($$SELECT sdc.k_anonymity(t) FROM large$$),
    ($$SELECT sdc.k_anonymity(a, b) FROM large$$),
    ($$SELECT sdc.p_sensitivity(ROW(s), t) FROM large$$),
    ($$SELECT sdc.l_diversity(ROW(t), s) FROM large$$),
    ($$SELECT sdc.t_closeness(ROW(s), b) FROM large$$),
    ($$SELECT max(k) FROM (SELECT sdc.k_anonymity(t) AS k FROM large GROUP BY s) AS g$$),
    ($$SELECT sdc.sse(grp, a, b) FROM large$$),
    ($$SELECT sdc.ncp(grp, t) FROM large$$),
    ($$SELECT sdc.reconstruction_error(grp, ROW(a), s, true) FROM large$$),
    ($$SELECT sdc.discernibility(grp) FROM large$$),
    ($$SELECT count(*) FROM sdc.violations('large', '{t}', k => 2)$$),
    ($$SELECT count(*) FROM sdc.check_anonymity('large', '{s}', '{t}', t => 0.1)$$),
    ($$SELECT count(*) FROM sdc.feasibility('large', '{t}', 2)$$),
    ($$SELECT sum(g) FROM (SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW(a, b), 1 + s, 50) OVER () AS g FROM large) AS s$$),
    ($$SELECT sdc.publish_p_alpha('large', 'released', '{a,b}', 's', (SELECT jsonb_agg(jsonb_build_array(i::text)) FROM generate_series(0, 49) AS i), 3, 2, 1)$$),
    ($$SELECT count(*) FROM sdc.risk_utility(NULL::large, '{a,b}', '{5}')$$),
    ($$SELECT length(sdc.report('large', '{a,b}', '{s}', k => 2, ks => '{5}'))$$),
    ($$SELECT count(*) FROM sdc.histogram('large', '{s}')$$),
    ($$SELECT sum(g) FROM (SELECT sdc.mondrian(3, 1, ROW(t), ROW(s), '{hierarchy}') OVER () AS g FROM large) AS s$$);
-- serial plans: what a parallel worker holds would depend on their number
SET max_parallel_workers_per_gather = 0;
SET sdc.max_memory = '1MB';
SELECT number, said(statement) FROM call ORDER BY number;
-- nothing is left, nothing is held
SELECT count(*) AS released FROM pg_class WHERE relnamespace = 'scarce'::regnamespace AND relname LIKE 'released%';
SELECT sdc.k_anonymity(s) FROM large;
RESET sdc.max_memory;
SELECT number, said(statement) FROM call WHERE number IN (1, 5, 15, 17, 23, 29) ORDER BY number;
-- no room on disk is an error, too: stores that spill end in the middle of a row
SET work_mem = '64kB';
SET temp_file_limit = '1MB';
SELECT number, replace(regexp_replace(said(statement), '\d+kB', '…'), '"', '') AS said FROM call WHERE number IN (8, 9, 10, 11, 12, 31) ORDER BY number;
RESET temp_file_limit;
SELECT count(*) AS released FROM pg_class WHERE relnamespace = 'scarce'::regnamespace AND relname LIKE 'released%';
-- a text so long that its levels alone would fill the memory
CREATE TABLE long AS SELECT repeat('x', 50000000) AS t;
SELECT said($$SELECT sdc.prefix_hierarchy('long', 't', 'levels')$$);
DROP SCHEMA scarce CASCADE;
