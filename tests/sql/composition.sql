-- Earlier releases of the same persons: of the same table, of views over it, of its parts.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
DELETE FROM sdc.release;
CREATE SCHEMA composed;
SET search_path = composed;
CREATE TABLE person (id int, age int, sex text, illness text) PARTITION BY RANGE (id);
CREATE TABLE person_low PARTITION OF person FOR VALUES FROM (1) TO (101);
CREATE TABLE person_high PARTITION OF person FOR VALUES FROM (101) TO (1000);
INSERT INTO person SELECT i, i % 60, (ARRAY['F', 'M'])[1 + i % 2], 'illness ' || i % 8 FROM generate_series(1, 200) AS i;
CREATE VIEW women AS SELECT * FROM person WHERE sex = 'F';
CREATE VIEW young_women AS SELECT age, illness FROM women WHERE age < 40;
CREATE MATERIALIZED VIEW copied AS SELECT * FROM person;
CREATE TABLE unrelated AS SELECT * FROM person;
SET client_min_messages = warning;
SELECT rows FROM sdc.publish_microaggregated('person', 'first', '{age}', 3);
-- through two views, and for every method
SELECT rows FROM sdc.publish_microaggregated('young_women', 'second', '{age}', 3);
SELECT rows FROM sdc.publish_anatomy('women', 'third', '{age}', 'illness', 3, seed => 1);
SELECT rows FROM sdc.publish_microaggregated('copied', 'fourth', '{age}', 3);
-- of a part, which is in the whole and in the views; but not in the other part
SELECT rows FROM sdc.publish_microaggregated('person_low', 'low', '{age}', 3);
SELECT rows FROM sdc.publish_microaggregated('person_high', 'high', '{age}', 3);
-- a copy is another table
SELECT rows FROM sdc.publish_microaggregated('unrelated', 'fifth', '{age}', 3);
-- an anatomy of the table is compared with one of a view
SELECT rows FROM sdc.publish_anatomy('person', 'sixth', '{age}', 'illness', 3, seed => 2);
-- as an error, before anything is done
SELECT sdc.publish_microaggregated('women', 'refused', '{age}', 3, composition => 'error');
\set VERBOSITY terse
SELECT sdc.publish_permutation('women', 'refused', '{age}', 'illness', 3, composition => 'error', seed => 3);
SELECT to_regclass('refused') IS NULL AND to_regclass('refused_pqt') IS NULL AS nothing_left;
-- the first release, and one that gives nothing more away, pass
SELECT rows FROM sdc.publish_anatomy('unrelated', 'alone', '{id}', 'illness', 3, composition => 'error', seed => 4, allow_identifiers => true);
CREATE TABLE once AS TABLE unrelated;
SELECT rows FROM sdc.publish_anatomy('once', 'drawn', '{id}', 'illness', 3, composition => 'error', seed => 4, allow_identifiers => true);
SELECT rows FROM sdc.publish_anatomy('once', 'drawn_again', '{id}', 'illness', 3, composition => 'error', seed => 4, allow_identifiers => true);
-- beside one that cannot be compared nothing is known
CREATE TABLE twice AS TABLE unrelated;
SELECT rows FROM sdc.publish_microaggregated('twice', 'averaged', '{age}', 3);
SELECT rows FROM sdc.publish_anatomy('twice', 'of_twice', '{id}', 'illness', 3, seed => 4, allow_identifiers => true);
SELECT rows FROM sdc.publish_anatomy('twice', 'of_twice_again', '{id}', 'illness', 3, composition => 'error', seed => 4, allow_identifiers => true);
SELECT rows FROM sdc.publish_anatomy('once', 'drawn_anew', '{id}', 'illness', 3, composition => 'error', seed => 5, allow_identifiers => true);
SELECT rows FROM sdc.publish_microaggregated('once', 'drawn_anew', '{age}', 3, composition => 'error');
SELECT rows FROM sdc.publish_microaggregated('once', 'x', '{age}', 3, composition => 'ignore');
DELETE FROM sdc.release;
DROP SCHEMA composed CASCADE;
RESET search_path;
