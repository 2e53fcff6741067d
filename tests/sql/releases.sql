-- The register: releases are entered, warned about, and dropped again.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA releases;
SET search_path = releases;
CREATE TABLE person (id int, age int, sex text, height int, illness text);
INSERT INTO person SELECT i, 20 + i % 60, (ARRAY['F', 'M'])[1 + i % 2], 150 + i * 7 % 50, 'illness ' || i % 8 FROM generate_series(1, 240) AS i;
SELECT setval('sdc.release_id_seq', 100) \gset

-- one call, one entry; the parameters say everything but the seed
SELECT id, source, target, method, parameters, rows, groups, suppressed, achieved, published_by = current_user AS mine, published_at = now() AS now
FROM sdc.publish_anatomy('person', 'anatomised', '{age,sex}', 'illness', 4, seed => 12345);
SELECT id, target, method, parameters FROM sdc.releases;
SELECT count(*) AS mentions_seed FROM sdc.release r WHERE r::text LIKE '%12345%';
-- an anatomy is drawn once: what was released does not change with the source
SELECT sum(weight) AS rows FROM anatomised;
DELETE FROM person WHERE id > 200;
SELECT sum(weight) AS rows FROM anatomised;

-- a second release is warned about, and said is what both give away together
SET client_min_messages = warning;
SELECT id FROM sdc.publish_anatomy('person', 'again', '{age,sex}', 'illness', 4, seed => 1);
-- the same draw gives nothing away
TRUNCATE person;
INSERT INTO person SELECT i, i, (ARRAY['F', 'M'])[1 + i % 2], 150 + i * 7 % 50, 'illness ' || i % 8 FROM generate_series(1, 40) AS i;
SELECT sdc.drop_release(101);
SELECT sdc.drop_release(102);
SELECT id FROM sdc.publish_anatomy('person', 'first', '{age,sex}', 'illness', 4, seed => 5);
SELECT id FROM sdc.publish_anatomy('person', 'same', '{age,sex}', 'illness', 4, seed => 5);
-- another draw leaves fewer than l values to every person whose keys are unique
SELECT id FROM sdc.publish_anatomy('person', 'other', '{age,sex}', 'illness', 4, seed => 6);
-- counted by hand: candidates in all three releases
SELECT count(DISTINCT grp) FROM (
    SELECT o.grp, (SELECT count(*) FROM (SELECT illness FROM first_st s JOIN first_qit q USING (grp) WHERE q.age = o.age
                               INTERSECT SELECT illness FROM same_st s JOIN same_qit q USING (grp) WHERE q.age = o.age
                               INTERSECT SELECT illness FROM other_st s JOIN other_qit q USING (grp) WHERE q.age = o.age) c) AS left_over
    FROM other_qit o) p WHERE left_over < 4;
-- by permutation, with other keys, and of another sensitive column, which has nothing to intersect
SELECT id FROM sdc.publish_permutation('person', 'permuted', '{age,height}', 'illness', 4, seed => 7);
SELECT id FROM sdc.publish_anatomy('person', 'of_height', '{age,sex}', 'height', 4, seed => 8);
-- what cannot be read or compared any more is passed over
ALTER TABLE person ALTER age TYPE bigint;
SELECT id FROM sdc.publish_anatomy('person', 'after', '{sex}', 'illness', 4, seed => 9);
SET client_min_messages = error;

-- tables and view go together with the entry
SELECT sdc.drop_release(103);
SELECT to_regclass('first'), to_regclass('first_qit'), to_regclass('first_st'), count(*) FROM sdc.releases WHERE id = 103;
SELECT sdc.drop_release(103);
SELECT sdc.drop_release(NULL);
-- a microaggregated release is one table
SELECT id FROM sdc.publish_microaggregated('person', 'averaged', '{age}', 3) \gset
SELECT sdc.drop_release(:id);
SELECT to_regclass('averaged');
-- only what the release created: not a table that has taken the name since
DROP VIEW same;
CREATE TABLE same (mine int);
SET client_min_messages = notice;
SELECT sdc.drop_release(104);
SET client_min_messages = error;
SELECT to_regclass('same'), to_regclass('same_qit'), count(*) FROM sdc.releases WHERE id = 104;
DROP TABLE same;
-- nor what others built upon it
CREATE VIEW mine AS SELECT count(*) FROM other;
SELECT sdc.drop_release(105);
SELECT to_regclass('other'), to_regclass('other_qit'), count(*) FROM sdc.releases WHERE id = 105;
-- all or nothing, as any statement
BEGIN;
SELECT sdc.drop_release(106);
SELECT id FROM sdc.publish_anatomy('person', 'rolled_back', '{sex}', 'illness', 4);
ROLLBACK;
SELECT to_regclass('permuted'), to_regclass('rolled_back_qit'), count(*) FROM sdc.releases WHERE id = 106;

-- a release belongs to who published it
CREATE ROLE sdc_steward;
GRANT USAGE, CREATE ON SCHEMA releases TO sdc_steward;
GRANT SELECT ON person, permuted TO sdc_steward;
SET ROLE sdc_steward;
SELECT id, published_by FROM sdc.publish_anatomy('person', 'stewarded', '{sex}', 'illness', 4);
SELECT target, published_by = current_user AS mine FROM sdc.releases ORDER BY id;
SELECT sdc.drop_release(106);
SELECT max(id) AS id FROM sdc.releases \gset
SELECT sdc.drop_release(:id);
SELECT target FROM sdc.releases ORDER BY id;
RESET ROLE;

-- published, shown and dropped in one statement
SELECT length(sdc.report(r.id)) > 1000 AS page, sdc.drop_release(r.id) FROM sdc.publish_anatomy('person', 'brief', '{age}', 'illness', 2) AS r;
SELECT to_regclass('brief') IS NULL AND to_regclass('brief_qit') IS NULL AND to_regclass('brief_st') IS NULL AS gone;

-- renamed and moved, a release stays known: listed under its new name, compared, reported, dropped
CREATE SCHEMA elsewhere;
TRUNCATE person;
INSERT INTO person SELECT i, i, (ARRAY['F', 'M'])[1 + i % 2], 150 + i * 7 % 50, 'illness ' || i % 8 FROM generate_series(1, 40) AS i;
SELECT id AS named FROM sdc.publish_anatomy('person', 'named', '{age,sex}', 'illness', 4, seed => 5) \gset
ALTER VIEW named RENAME TO renamed;
ALTER VIEW renamed SET SCHEMA elsewhere;
ALTER TABLE named_qit RENAME TO renamed_keys;
ALTER TABLE named_st SET SCHEMA elsewhere;
SELECT target FROM sdc.releases WHERE id = :named;
SELECT sdc.report(:named) ~ 'elsewhere.renamed' AS reported;
SELECT relation, unchanged, note FROM sdc.verify_release(:named);
SET client_min_messages = warning;
SELECT rows FROM sdc.publish_anatomy('person', 'other_draw', '{age,sex}', 'illness', 4, seed => 6);
SET client_min_messages = error;
ALTER TABLE person RENAME TO people;
SELECT source FROM sdc.releases WHERE id = :named;
ALTER TABLE people RENAME TO person;
SELECT sdc.drop_release(:named);
SELECT to_regclass('elsewhere.renamed'), to_regclass('renamed_keys'), to_regclass('elsewhere.named_st');
-- the entry is history
SELECT target, dropped_at IS NOT NULL AS dropped FROM sdc.release_history WHERE id = :named;
-- what was published, and what became of it
SELECT id AS kept FROM sdc.publish_microaggregated('person', 'kept', '{age}', 4, '{illness}', 2) \gset
SELECT relation, unchanged, note FROM sdc.verify_release(:kept);
CREATE INDEX kept_age ON kept (age);
CLUSTER kept USING kept_age;
SELECT relation, unchanged, note FROM sdc.verify_release(:kept);
UPDATE kept SET illness = 'illness 99' WHERE ctid = (SELECT min(ctid) FROM kept);
SELECT relation, unchanged, note FROM sdc.verify_release(:kept);
UPDATE sdc.release SET checksums = NULL WHERE id = :kept;
SELECT relation, unchanged, note FROM sdc.verify_release(:kept);
DROP TABLE kept;
SELECT relation, unchanged, note FROM sdc.verify_release(:kept);
-- texts of names and of money depend on settings, checksums do not
CREATE TABLE typed AS SELECT age, (age % 3)::money AS cost, 'person'::regclass AS origin FROM person;
SELECT id AS typed FROM sdc.publish_microaggregated('typed', 'of_typed', '{age}', 4, keep => '{cost,origin}') \gset
SELECT current_setting('search_path') AS path \gset
SET search_path = pg_catalog;
SELECT relation, unchanged FROM sdc.verify_release(:typed);
SELECT substring(sdc.report(:typed) FROM 'SET search_path[^;]*;') AS recipe;
SELECT set_config('search_path', :'path', false) \g /dev/null
SELECT sdc.drop_release(:typed) \g /dev/null
DROP TABLE typed;
-- wherever its table is missed, it is said how to remove the entry
SELECT sdc.report(:kept);
SELECT * FROM sdc.attack_linkage(:kept);
SELECT sdc.verify_release(0);
SELECT sdc.verify_release(NULL);
-- the view over two tables is what readers use; a standby can verify, too
SELECT id AS torn FROM sdc.publish_permutation('person', 'torn', '{age,sex}', 'illness', 4, seed => 5) \gset
ALTER VIEW torn RENAME TO seen;
ALTER TABLE torn_pqt RENAME TO torn_keys;
BEGIN READ ONLY;
SELECT relation, unchanged, note FROM sdc.verify_release(:torn);
COMMIT;
CREATE OR REPLACE VIEW seen AS SELECT age, sex, 'illness 1'::text AS illness, 1::numeric AS weight FROM torn_keys;
SELECT relation, unchanged, note FROM sdc.verify_release(:torn);
ALTER TABLE torn_pst RENAME illness TO sickness;
SELECT relation, unchanged FROM sdc.verify_release(:torn);
DROP VIEW seen;
SELECT relation, unchanged, note FROM sdc.verify_release(:torn);
SELECT sdc.drop_release(:torn);
-- a release whose source is gone is still there
CREATE TABLE passing AS TABLE person;
SELECT id AS orphan FROM sdc.publish_microaggregated('passing', 'orphan', '{age}', 4) \gset
DROP TABLE passing;
SELECT * FROM sdc.attack_linkage(:orphan);
SELECT sdc.drop_release(:orphan);
-- a second drop has nothing to drop
SELECT sdc.drop_release(:kept);
SELECT sdc.drop_release(:kept);

DELETE FROM sdc.release;
DROP SCHEMA releases, elsewhere CASCADE;
DROP ROLE sdc_steward;
RESET search_path;
