-- Attacks through the register: what an entry names must not run a stranger's code with the reader's
-- privileges, whoever made the entry, and an entry that nobody can have made must not break a report.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
DELETE FROM sdc.release;
SELECT setval('sdc.release_id_seq', 700) \gset
CREATE ROLE sdc_anna;
CREATE ROLE sdc_eve;
CREATE ROLE sdc_ward;
CREATE SCHEMA register;
GRANT USAGE, CREATE ON SCHEMA register TO sdc_anna, sdc_eve, sdc_ward;
SET search_path = register;
CREATE TABLE booty (who name DEFAULT current_user, how text);
GRANT INSERT ON booty TO PUBLIC;
CREATE FUNCTION failure(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN 'none';
EXCEPTION WHEN OTHERS THEN
    RETURN format('%s: %s', SQLSTATE, SQLERRM);
END $$;

-- nobody writes into the register, or reads it but through its views
SET ROLE sdc_eve;
SELECT failure($$INSERT INTO sdc.release (source, target, method, parameters, rows, groups, achieved, loss) VALUES ('a', 'b', 'anatomy', '{}', 1, 1, '{}', '{}')$$);
SELECT failure('UPDATE sdc.release SET rows = 0'), failure('DELETE FROM sdc.release'), failure('TABLE sdc.release'), failure('TABLE sdc.registered');
SELECT failure('INSERT INTO sdc.release_relation VALUES (1, 1)'), failure('TABLE sdc.release_relation'), failure('TABLE sdc.release_end'), failure($$SELECT nextval('sdc.release_id_seq')$$);

-- code in whatever reading or planning a query on a table runs: eve publishes, and plants it afterwards
CREATE FUNCTION rob_now(how text) RETURNS void LANGUAGE sql VOLATILE AS 'INSERT INTO register.booty (how) VALUES (how)';
CREATE FUNCTION rob(how text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF current_user <> 'sdc_eve' THEN PERFORM register.rob_now(how); END IF;
    RETURN 1;
END $$;
CREATE TABLE patient (id int, age int, illness text);
INSERT INTO patient SELECT i, i % 10, 'illness ' || i % 5 FROM generate_series(1, 60) AS i;
GRANT SELECT ON patient TO PUBLIC;
SELECT target FROM unnest('{indexed,counted,ruled,guarded,child,domained,viewed}'::text[]) AS t, sdc.publish_microaggregated('patient', 'register.' || t, '{age}', 3, '{illness}', 2);
GRANT SELECT ON indexed, counted, ruled, guarded, child, domained, viewed TO PUBLIC;
CREATE INDEX ON indexed (age) WHERE rob('predicate') = 1;
CREATE INDEX ON indexed ((rob('expression') + age));
CREATE STATISTICS planted ON (rob('statistics') + age), illness FROM counted;
ANALYZE counted;
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY planted ON guarded USING (rob('policy') = 1);
CREATE TABLE heir (CHECK (age < 0)) INHERITS (child);
CREATE INDEX ON heir (age) WHERE rob('child') = 1;
CREATE DOMAIN planted AS int CHECK (rob('domain') = VALUE - VALUE + 1);
ALTER TABLE domained ALTER age TYPE planted;
DROP TABLE viewed;
CREATE VIEW viewed AS SELECT age + rob('view') - 1 AS age, illness FROM patient;
GRANT SELECT ON viewed TO PUBLIC;
-- and in the source of a release that is plain itself
SELECT target FROM sdc.publish_microaggregated('patient', 'plain', '{age}', 3, '{illness}', 2);
GRANT SELECT ON plain TO PUBLIC;
CREATE INDEX robbing ON patient (age) WHERE rob('source') = 1;
RESET ROLE;
SELECT target, failure(format('SELECT sdc.report(%s)', id)) AS report, failure(format('SELECT sdc.report_release(%s, ''public'')', id)) AS public,
       failure(format('SELECT * FROM sdc.verify_release(%s)', id)) AS verify
FROM sdc.releases WHERE source = 'register.patient' ORDER BY id;
SELECT count(*) AS robbed FROM booty;
-- the trap works: somebody who names the table runs it
SELECT count(*) AS rows FROM patient WHERE age = 3;
SELECT count(*) > 0 AS robbed FROM booty;
DELETE FROM booty;
-- a superuser is not a member of every role; somebody who is a member trusts the owner
GRANT sdc_eve TO sdc_ward;
SET ROLE sdc_ward;
SELECT failure(format('SELECT sdc.report(%s)', id)) AS report FROM sdc.releases WHERE target = 'register.plain';
RESET ROLE;
DROP INDEX robbing;
DELETE FROM booty;

-- the relation's owner decides, not the entry's: somebody else puts a view in the place of a release,
-- or of the source
CREATE SCHEMA lent AUTHORIZATION sdc_eve;
SET ROLE sdc_eve;
GRANT USAGE, CREATE ON SCHEMA lent TO sdc_anna;
CREATE TABLE lent.ward AS SELECT * FROM patient;
GRANT SELECT ON lent.ward TO sdc_anna;
SET ROLE sdc_anna;
SELECT id AS swapped FROM sdc.publish_microaggregated('lent.ward', 'lent.swapped', '{age}', 3, '{illness}', 2) \gset
SELECT id AS anatomised FROM sdc.publish_anatomy('lent.ward', 'lent.anatomised', '{age}', 'illness', 2) \gset
SET ROLE sdc_eve;
DROP TABLE lent.swapped;
CREATE VIEW lent.swapped AS SELECT age + rob('swapped') - 1 AS age, illness FROM patient;
DROP VIEW lent.anatomised;
DROP TABLE lent.anatomised_qit, lent.anatomised_st;
CREATE VIEW lent.anatomised_qit AS SELECT rob('qit') AS grp, age FROM patient;
CREATE VIEW lent.anatomised_st AS SELECT rob('st') AS grp, illness, 1::bigint AS count FROM patient;
GRANT SELECT ON lent.swapped, lent.anatomised_qit, lent.anatomised_st TO sdc_anna;
DROP TABLE lent.ward;
CREATE VIEW lent.ward AS SELECT rob('ward') AS age, illness FROM patient;
GRANT SELECT ON lent.ward TO sdc_anna;
SET ROLE sdc_anna;
SELECT failure(format('SELECT sdc.report(%s)', :swapped)) AS report, failure(format('SELECT sdc.report(%s)', :anatomised)) AS apart;
RESET ROLE;
SELECT count(*) AS robbed FROM booty;

-- after DROP TABLE whoever creates that name does not read the entry
SET ROLE sdc_anna;
CREATE TABLE secret AS SELECT * FROM patient;
SELECT id AS of_secret FROM sdc.publish_microaggregated('secret', 'register.fallen', '{age}', 3) \gset
DROP TABLE fallen;
SET ROLE sdc_eve;
CREATE TABLE fallen (age int);
SELECT format('COMMENT ON TABLE fallen IS ''release %s of sdc.releases''', :of_secret) \gexec
SELECT count(*) AS seen FROM sdc.releases WHERE id = :of_secret;
SET ROLE sdc_anna;
SELECT target, source FROM sdc.releases WHERE id = :of_secret;
SELECT failure(format('SELECT sdc.report(%s)', :of_secret)) AS report;
SELECT sdc.drop_release(:of_secret);
RESET ROLE;
SELECT to_regclass('fallen') AS still_there;
-- a role dropped and created again inherits nothing
CREATE ROLE sdc_short;
GRANT USAGE, CREATE ON SCHEMA register TO sdc_short;
GRANT SELECT ON patient TO sdc_short;
SET ROLE sdc_short;
SELECT id AS of_short FROM sdc.publish_anatomy('patient', 'register.brief', '{age}', 'illness', 2) \gset
SELECT count(*) AS own FROM sdc.releases WHERE id = :of_short;
RESET ROLE;
REASSIGN OWNED BY sdc_short TO sdc_anna;
DROP OWNED BY sdc_short;
DROP ROLE sdc_short;
CREATE ROLE sdc_short;
GRANT USAGE ON SCHEMA register TO sdc_short;
SET ROLE sdc_short;
SELECT count(*) AS inherited FROM sdc.releases WHERE id = :of_short;
SELECT count(*) AS inherited FROM sdc.release_history WHERE id = :of_short;
SELECT failure(format('SELECT sdc.drop_release(%s)', :of_short));
RESET ROLE;
-- a restored entry is found by comment and name, but not among tables of strangers
SELECT id AS mine FROM sdc.publish_microaggregated('patient', 'register.moved', '{age}', 3) \gset
SET ROLE sdc_eve;
CREATE TABLE forged (age int);
SELECT format('COMMENT ON TABLE forged IS ''release %s of sdc.releases''', :mine) \gexec
RESET ROLE;
ALTER TABLE moved RENAME TO moved_on;
DELETE FROM sdc.release_relation WHERE release = :mine;
SELECT target FROM sdc.releases WHERE id = :mine;
COMMENT ON TABLE moved_on IS NULL;
SELECT count(*) AS of_eve FROM sdc.registered WHERE id = :mine AND target IS NOT NULL;
ALTER TABLE moved_on RENAME TO moved;
SELECT count(*) AS by_name FROM sdc.registered r WHERE id = :mine AND r.target = 'moved'::regclass;

-- losses: all digits for the publisher, three for others
SET ROLE sdc_eve;
CREATE TABLE figures AS SELECT (i * 7919 % 101)::float8 AS a, (i * 31 % 17)::float8 AS b FROM generate_series(1, 50) AS i;
SELECT id AS exact FROM sdc.publish_microaggregated('figures', 'register.means', '{a,b}', 3) \gset
GRANT SELECT ON means TO sdc_anna;
SELECT length(loss ->> 'information_loss') > 8 AS all_digits, checksums IS NOT NULL AS checksums FROM sdc.releases WHERE id = :exact;
SET ROLE sdc_anna;
SELECT loss, checksums FROM sdc.releases WHERE id = :exact;
RESET ROLE;
SELECT sdc.rounded_loss('{"a": 0, "b": -0.00012345, "c": 98765.4, "d": {"e": 1e-9, "f": "text"}, "g": []}');
SET ROLE sdc_eve;
SELECT sdc.report_release(:exact, 'public') ~ 'Checksum' AS for_the_public, sdc.report(:exact) ~ 'Checksum' AS for_the_steward;
RESET ROLE;

-- entries that no publishing function wrote do not break a report, nor a loop over all of them
CREATE TABLE averaged AS SELECT 10 * (i % 2) AS age, 'illness ' || i % 5 AS illness FROM generate_series(1, 20) AS i;
CREATE TABLE averaged_2 AS TABLE averaged;
INSERT INTO sdc.release (source, target, method, parameters, rows, groups, achieved, loss)
SELECT 'register.patient', 'register.averaged', method, parameters::jsonb, 20, 2, '{}', '{}'
FROM (VALUES
    ('p_alpha', '{"keys": ["age"], "k": 2, "categories": [["a"], ["b"]]}'),
    ('p_alpha', '{"keys": ["age"], "sensitive": "illness", "k": 2, "categories": []}'),
    ('p_alpha', '{"keys": ["age"], "sensitive": "illness", "k": 2, "alpha": 1, "categories": [["a"]]}'),
    ('p_alpha', '{"keys": ["age"], "sensitive": "illness", "k": 2, "categories": [["a", "a"], []]}'),
    ('p_alpha', '{"keys": ["age"], "sensitive": "illness", "k": 2, "categories": {"a": 1}}'),
    ('p_alpha', '{"keys": ["age"], "sensitive": "illness", "k": 2, "publish": "all", "categories": [["a"], ["b"]]}'),
    ('microaggregation', '{"keys": [], "k": 2}'),
    ('microaggregation', '{"k": 2}'),
    ('microaggregation', '[]'),
    ('microaggregation', '{"keys": ["age"], "k": -1}'),
    ('microaggregation', '{"keys": ["age"], "k": "two"}'),
    ('microaggregation', '{"keys": ["age"], "k": 1e300}'),
    ('microaggregation', '{"keys": ["age; DROP TABLE averaged"], "k": 2}'),
    ('microaggregation', '{"keys": ["age"], "sensitive": ["nothing"], "k": 2}'),
    ('microaggregation', repeat('{"a":', 2000) || '1' || repeat('}', 2000)),
    ('generalization', '{"hierarchies": {}, "k": 2}'),
    ('generalization', '{"hierarchies": 3, "k": 2}'),
    ('anatomy', '{"keys": ["age"], "l": 2}'),
    ('anatomy', '{"keys": ["age"], "sensitive": ["age", "illness"], "l": 2}'),
    ('made up', '{"keys": ["age"], "k": 2}')) AS t (method, parameters);
SELECT method, left(parameters::text, 60) AS parameters, failure(format('SELECT sdc.report(%s)', id)) AS report
FROM sdc.releases WHERE target = 'register.averaged' ORDER BY id;

-- somebody's 20,000 entries do not slow anybody else down
INSERT INTO sdc.release (source, target, method, parameters, rows, groups, achieved, loss, published_by)
SELECT 'register.patient', 'register.none_' || i, 'anatomy', '{"keys": ["age"], "sensitive": "illness", "l": 2}', 60, 30, '{}', '{}', 'sdc_eve'
FROM generate_series(1, 20000) AS i;
INSERT INTO sdc.release_relation SELECT id, 'sdc_eve'::regrole, 'patient'::regclass, 4000000000 + id FROM sdc.release WHERE published_by = 'sdc_eve' AND target LIKE '%none\_%';
SET ROLE sdc_anna;
BEGIN;
SELECT rows FROM sdc.publish_anatomy('patient', 'register.quick', '{age}', 'illness', 2);
SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) < 4 * 20000 AS each_entry_a_few_times
FROM   pg_stat_xact_all_tables WHERE relid = 'sdc.release'::regclass;
COMMIT;
RESET ROLE;
-- nor do they where their relations are known by name alone, as after an upgrade or a restore
DELETE FROM sdc.release_relation WHERE release IN (SELECT id FROM sdc.release WHERE published_by = 'sdc_eve' AND target LIKE '%none\_%');
SET ROLE sdc_anna;
SET statement_timeout = '4s';
SELECT rows FROM sdc.publish_anatomy('patient', 'register.quick_too', '{age}', 'illness', 2);
SELECT count(*) FROM sdc.releases WHERE target LIKE '%none%';
RESET statement_timeout;
RESET ROLE;

-- a role that was granted TRIGGER on a release puts code there, which replacing would run as the publisher
CREATE SCHEMA eves AUTHORIZATION sdc_eve;
SELECT rows FROM sdc.publish_microaggregated('patient', 'register.nightly', '{age}', 3);
GRANT USAGE ON SCHEMA register, eves TO sdc_eve;
GRANT TRIGGER ON register.nightly TO sdc_eve;
SET ROLE sdc_eve;
CREATE FUNCTION eves.spring() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'this ran as %', current_user; END$$;
CREATE TRIGGER spring BEFORE DELETE ON register.nightly EXECUTE FUNCTION eves.spring();
RESET ROLE;
SELECT rows FROM sdc.publish_microaggregated('patient', 'register.nightly', '{age}', 3, replace => true);
DROP TRIGGER spring ON register.nightly;
SELECT rows FROM sdc.publish_microaggregated('patient', 'register.nightly', '{age}', 3, replace => true);

-- a hierarchy is gone, and somebody else puts a view in a schema where its name is looked for: attacking the
-- release must not run it
CREATE TABLE visits AS TABLE patient;
CREATE TABLE bands AS SELECT DISTINCT age, '*' AS level1 FROM patient;
SELECT rows FROM sdc.publish_generalized('visits', 'register.banded', '{"age": "bands"}', 3, '{illness}');
DROP TABLE bands;
SET ROLE sdc_eve;
CREATE FUNCTION eves.watch() RETURNS bool LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'this ran as %', current_user; END$$;
CREATE VIEW eves.bands AS SELECT age::text, '*' AS level1 FROM generate_series(0, 99) AS age WHERE eves.watch();
GRANT SELECT ON eves.bands TO PUBLIC;
RESET ROLE;
SET search_path = register, eves;
SELECT failure(format('SELECT count(*) FROM sdc.attack_inference(%s)', id)) FROM sdc.releases WHERE target = 'register.banded';
SET search_path = register;

-- a release that is called as a column of the register can be attacked
CREATE SCHEMA r;
SELECT rows FROM sdc.publish_microaggregated('visits', 'r.method', '{age}', 3, '{illness}');
SELECT count(*) > 0 AS attacked FROM sdc.releases AS e, sdc.attack_linkage(e.id) WHERE e.target = 'r.method';

-- k = 1 publishes rows as they are
SELECT sdc.publish_microaggregated('patient', 'register.raw', '{age}', 1);
CREATE TABLE ages AS SELECT DISTINCT age, '*' AS level1 FROM patient;
SELECT failure($$SELECT sdc.publish_generalized('patient', 'register.raw', '{"age": "ages"}', 1)$$);
SELECT failure($$SELECT sdc.publish_p_alpha('patient', 'register.raw', '{age}', 'illness', '[["a"], ["b"]]', 1, 1, 0)$$);
SELECT achieved - 'l' AS achieved FROM sdc.publish_anatomy('patient', 'register.sized', '{age}', 'illness', 2);

DELETE FROM sdc.release;
VACUUM sdc.release, sdc.release_relation;
DROP SCHEMA register, lent, eves, r CASCADE;
DROP OWNED BY sdc_anna, sdc_eve, sdc_ward;
DROP ROLE sdc_anna, sdc_eve, sdc_ward, sdc_short;
RESET search_path;
