-- Privilege escalation: what an ordinary user plants must not run, read or drop anything with a
-- steward's rights. sdc_eve may create tables, sdc_anna publishes, the superuser too.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
SELECT setval('sdc.release_id_seq', 400) \gset
CREATE ROLE sdc_anna;
CREATE ROLE sdc_eve;
CREATE SCHEMA shared;
GRANT USAGE, CREATE ON SCHEMA shared TO sdc_anna, sdc_eve;
SET search_path = shared;
CREATE TABLE booty (who name DEFAULT current_user);
GRANT INSERT ON booty TO PUBLIC;
SET ROLE sdc_anna;
CREATE TABLE patient (age int, zip text, illness text);
INSERT INTO patient SELECT i % 10, 'z' || i % 7, 'illness ' || i % 5 FROM generate_series(1, 100) AS i;

-- an entry, forged as version 0.2 allowed, that points at views and policies: their functions would run as
-- whoever publishes
SET ROLE sdc_eve;
CREATE FUNCTION rob(int) RETURNS int LANGUAGE plpgsql VOLATILE AS $$ BEGIN IF current_user <> 'sdc_eve' THEN INSERT INTO shared.booty DEFAULT VALUES; END IF; RETURN $1; END $$;
CREATE TABLE loot (age int, illness text, grp int, count bigint, weight numeric);
INSERT INTO loot VALUES (1, 'illness 1', 1, 1, 1), (2, 'illness 2', 1, 1, 1);
CREATE VIEW bait AS SELECT age, illness, weight FROM loot;
CREATE VIEW bait_qit AS SELECT rob(age) AS age, rob(grp) AS grp FROM loot;
CREATE VIEW bait_st AS SELECT rob(grp) AS grp, illness, count FROM loot;
CREATE TABLE hook (age int, illness text, weight numeric);
CREATE TABLE hook_qit AS SELECT age, grp FROM loot;
CREATE TABLE hook_st AS SELECT grp, illness, count FROM loot;
ALTER TABLE hook_qit ENABLE ROW LEVEL SECURITY;
ALTER TABLE hook_st ENABLE ROW LEVEL SECURITY;
CREATE POLICY rob ON hook_qit USING (rob(1) = 1);
CREATE POLICY rob ON hook_st USING (rob(1) = 1);
GRANT SELECT ON bait, bait_qit, bait_st, hook, hook_qit, hook_st TO PUBLIC;
COMMENT ON VIEW bait IS 'release 401 of sdc.releases';
COMMENT ON VIEW bait_qit IS 'release 401 of sdc.releases';
COMMENT ON VIEW bait_st IS 'release 401 of sdc.releases';
COMMENT ON TABLE hook_qit IS 'release 402 of sdc.releases';
COMMENT ON TABLE hook_st IS 'release 402 of sdc.releases';
RESET ROLE;
INSERT INTO sdc.release (source, target, method, parameters, rows, groups, achieved, loss, published_by)
SELECT 'shared.patient', 'shared.' || name, 'anatomy', '{"keys": ["age"], "sensitive": "illness", "l": 2}', 1, 1, '{}', '{}', 'sdc_eve' FROM unnest('{bait,hook}'::text[]) AS name;
SET ROLE sdc_anna;
SELECT rows FROM sdc.publish_anatomy('patient', 'anna', '{age}', 'illness', 2);
SELECT rows FROM sdc.publish_permutation('patient', 'anna_too', '{age}', 'illness', 2);
RESET ROLE;
SELECT rows FROM sdc.publish_anatomy('patient', 'root', '{age}', 'illness', 2);
SELECT count(*) AS robbed FROM booty;

-- nobody enters, changes or deletes what is another's
SET ROLE sdc_eve;
INSERT INTO sdc.release (source, target, method, parameters, rows, groups, achieved, loss, published_by) VALUES ('shared.patient', 'shared.x', 'anatomy', '{}', 1, 1, '{}', '{}', 'sdc_anna');
-- number, publisher and date are not theirs to choose: numbers taken in advance would stop all others
INSERT INTO sdc.release (id, source, target, method, parameters, rows, groups, achieved, loss) OVERRIDING SYSTEM VALUE SELECT i, 'a', 'b', 'c', '{}', 1, 1, '{}', '{}' FROM generate_series(500, 600) AS i;
INSERT INTO sdc.release (published_at, source, target, method, parameters, rows, groups, achieved, loss) VALUES ('2000-01-01', 'a', 'b', 'c', '{}', 1, 1, '{}', '{}');
UPDATE sdc.release SET rows = 0;
DELETE FROM sdc.release WHERE target = 'shared.anna';
SELECT count(*) AS seen FROM sdc.releases WHERE published_by <> current_user;
TRUNCATE sdc.release;
SELECT nextval('sdc.release_id_seq');
RESET ROLE;
SELECT count(*) AS of_anna FROM sdc.release WHERE published_by = 'sdc_anna';
-- a report of a forged entry reads nothing that would run its author's code: views, policies, casts of types
SET ROLE sdc_eve;
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE FUNCTION rob(mood) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM shared.rob(1); RETURN 'x'; END $$;
CREATE CAST (mood AS text) WITH FUNCTION rob(mood);
CREATE TABLE moody (age int, illness mood);
INSERT INTO moody SELECT 1, 'good' FROM generate_series(1, 4);
CREATE TABLE plain AS SELECT 1 AS age, 'illness' AS illness FROM generate_series(1, 4);
CREATE VIEW robbing AS SELECT rob(age) AS age, illness FROM plain;
GRANT SELECT ON moody, plain, robbing TO PUBLIC;
RESET ROLE;
INSERT INTO sdc.release (source, target, method, parameters, rows, groups, achieved, loss, published_by)
SELECT 'shared.' || source, 'shared.' || target, 'microaggregation', '{"keys": ["age"], "sensitive": ["illness"], "k": 2, "p": 1}', 4, 1, '{}', '{}', 'sdc_eve'
FROM (VALUES ('patient', 'robbing'), ('patient', 'moody'), ('robbing', 'plain'), ('moody', 'plain'), ('patient', 'hook_st')) AS t (source, target);
RESET ROLE;
\set VERBOSITY terse
SELECT sdc.report((SELECT id FROM sdc.releases WHERE target = 'shared.robbing'));
SELECT sdc.report((SELECT id FROM sdc.releases WHERE target = 'shared.moody'));
SELECT sdc.report((SELECT id FROM sdc.releases WHERE target = 'shared.bait'));
SELECT source, sdc.report(id) LIKE '%not yours to read%' AS source_left_out FROM sdc.releases WHERE target = 'shared.plain' ORDER BY source;
SET ROLE sdc_anna;
SELECT sdc.report((SELECT id FROM sdc.releases WHERE target = 'shared.hook_st'));
RESET ROLE;
\set VERBOSITY default
SELECT count(*) AS robbed FROM booty;
DELETE FROM sdc.release WHERE published_by = 'sdc_eve';
-- an entry that names another's tables does not drop them, whoever is talked into it
CREATE TABLE treasure (age int);
INSERT INTO sdc.release (source, target, method, parameters, rows, groups, achieved, loss, published_by)
SELECT 'shared.patient', name, 'microaggregation', '{}', 1, 1, '{}', '{}', 'sdc_eve' FROM unnest('{shared.patient,shared.treasure}'::text[]) AS name;
SELECT target, sdc.drop_release(id) FROM sdc.releases WHERE target IN ('shared.patient', 'shared.treasure');
SELECT count(*) AS still_there FROM patient;
SELECT count(*) AS still_there FROM pg_class WHERE oid = to_regclass('treasure');
-- nor can a release be published over another's table, or where its publisher may not create
SET ROLE sdc_eve;
GRANT SELECT ON loot TO sdc_anna;
SELECT sdc.publish_anatomy('loot', 'patient', '{age}', 'illness', 2);
SELECT sdc.publish_microaggregated('loot', 'sdc.loot', '{age}', 2);
SELECT sdc.publish_microaggregated('loot', 'pg_catalog.loot', '{age}', 2);
SELECT sdc.publish_microaggregated('loot', 'pg_temp.loot', '{age}', 2);
SET search_path = pg_temp, shared;
SELECT sdc.publish_microaggregated('loot', 'loot2', '{age}', 2);
SET search_path = shared;
-- reading another's tables through the functions that take a relation
SELECT sdc.publish_microaggregated('patient', 'stolen', '{age}', 2);
SELECT sdc.publish_generalized('patient', 'stolen', '{"age": "loot"}', 2);
SELECT sdc.publish_permutation('patient', 'stolen', '{age}', 'illness', 2);
SELECT sdc.publish_p_alpha('patient', 'stolen', '{age}', 'illness', '[["a"], ["b"]]', 2, 1, 0);
SELECT sdc.report('patient', '{age}');
SELECT sdc.histogram('patient', '{age}');
SELECT sdc.risk_utility(NULL::patient, '{age}');
SELECT sdc.mondrian(2, 1, ROW(zip), ROW(1), '{patient}') OVER () FROM (VALUES ('z1')) AS v (zip);
SELECT sdc.interval_hierarchy('patient', 'age', 'stolen', '{10}');
SELECT sdc.prefix_hierarchy('patient', 'zip', 'stolen');
SELECT sdc.grouping_hierarchy('patient', 'zip', 'stolen', '[{"a": ["z1"]}]');
SELECT sdc.generalize('z1', 'patient', 1);
SELECT sdc.lattice('loot', '{"age": "patient"}', 2);
SELECT sdc.microaggregate(NULL::patient, '{age}', 2) LIMIT 1;
SELECT sdc.estimate_count('anna', 'age = 1');
SELECT to_regclass('stolen') IS NULL AS nothing_left;
-- who may not read a table does not come to lock it: a hierarchy that takes its time is never asked
CREATE FUNCTION slow(value text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'the hierarchy is read'; RETURN value; END $$;
CREATE VIEW sleeper AS SELECT slow('1') AS level0, '*' AS level1;
SELECT sdc.lattice('patient', '{"age": "sleeper"}', 2);
SELECT sdc.minimal_generalizations('patient', '{"age": "sleeper"}', 2);
SELECT sdc.publish_generalized('patient', 'stolen', '{"age": "sleeper"}', 2);
SELECT sdc.publish_p_alpha('patient', 'stolen', '{age}', 'illness', '[["a"], ["b"]]', 2, 1, 0, hierarchies => '{"age": "sleeper"}');
-- the functions run as their caller, and none is SECURITY DEFINER
SELECT proname FROM pg_proc WHERE pronamespace = 'sdc'::regnamespace AND (prosecdef OR NOT has_function_privilege(oid, 'EXECUTE'));
-- what clears up after an entry of the register cannot be made to clear up after rows of another table
CREATE TRIGGER forgets AFTER DELETE ON loot FOR EACH ROW EXECUTE FUNCTION sdc.forget_release();
RESET ROLE;
CREATE TRIGGER forgets AFTER DELETE ON loot FOR EACH ROW EXECUTE FUNCTION sdc.forget_release();
DELETE FROM loot;
DROP TRIGGER forgets ON loot;
-- nobody learns what is in the register, or who is in whose sequence, from how many rows meet a condition
SET ROLE sdc_anna;
CREATE TABLE visit AS SELECT 'patient-' || i AS id, 20 + i * 7 % 40 AS age, 'illness ' || i % 7 AS illness FROM generate_series(1, 200) AS i;
SELECT rows FROM sdc.publish_anatomy('visit', 'visits', '{age}', 'illness', 3, entity => 'id', continues => 0);
SET ROLE sdc_eve;
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE 'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) ' || query;
END $$;
CREATE FUNCTION tells_apart(query text, one text, other text) RETURNS bool LANGUAGE sql AS $$
    SELECT (SELECT string_agg(regexp_replace(line, 'Filter: .*|Memory: .*', ''), E'\n') FROM plan(format(query, one)) AS line)
        IS DISTINCT FROM (SELECT string_agg(regexp_replace(line, 'Filter: .*|Memory: .*', ''), E'\n') FROM plan(format(query, other)) AS line)
$$;
SELECT tells_apart('SELECT FROM sdc.memberships WHERE person = %L', 'patient-77', 'patient-999') AS persons,
       tells_apart('SELECT FROM sdc.memberships WHERE starts_with(person, %L)', 'patient-7', 'nobody') AS names,
       tells_apart('SELECT FROM sdc.releases WHERE rows = %L', '200', '201') AS releases,
       tells_apart('SELECT FROM sdc.release_history WHERE rows = %L', '200', '201') AS history;
RESET ROLE;
DELETE FROM sdc.release WHERE source LIKE 'shared.%';
DROP SCHEMA shared CASCADE;
DROP OWNED BY sdc_anna, sdc_eve;
DROP ROLE sdc_anna, sdc_eve;
