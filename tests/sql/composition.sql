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

-- what two masked releases show together is measured before the second leaves
\set VERBOSITY default
CREATE TABLE patient AS SELECT i AS id, 20 + i * 37 % 50 AS age, 150 + i * 53 % 40 AS height, 'illness ' || i * 7 % 5 AS illness, 'z' || i % 4 AS zip FROM generate_series(1, 200) AS i;
CREATE VIEW tall AS SELECT * FROM patient WHERE height > 160;
SELECT rows FROM sdc.publish_microaggregated('patient', 'by_age', '{age}', 3, '{illness}', 2, method => 'p_first', entity => 'id');
SELECT rows FROM sdc.publish_microaggregated('patient', 'by_height', '{height}', 3, '{illness}', 2, method => 'p_first', entity => 'id');
SELECT sdc.publish_microaggregated('patient', 'refused', '{age,height}', 3, '{illness}', 2, method => 'p_first', composition => 'error');
SELECT to_regclass('refused') IS NULL AS nothing_left, count(*) AS releases FROM sdc.releases WHERE source = 'composed.patient';
-- with a view over the table: persons are told apart by the column that both name
SELECT rows FROM sdc.publish_microaggregated('tall', 'of_tall', '{age,height}', 3, '{illness}', 2, method => 'p_first', entity => 'id');
-- an anatomy is compared with masked releases, too
SELECT rows FROM sdc.publish_anatomy('patient', 'dissected', '{age,height}', 'illness', 3, seed => 1);
-- the same groups once more give nothing more away, so that even an error passes
CREATE TABLE again AS TABLE patient;
SELECT rows FROM sdc.publish_microaggregated('again', 'again_1', '{age}', 3, '{illness}', 2, method => 'p_first');
SELECT rows FROM sdc.publish_microaggregated('again', 'again_2', '{age}', 3, '{illness}', 2, method => 'p_first', composition => 'error');
-- generalizations, one coarser than the other
SELECT FROM sdc.prefix_hierarchy('again', 'zip', 'zips');
CREATE TABLE coarse AS TABLE patient;
SELECT rows FROM sdc.publish_generalized('coarse', 'coarse_1', '{"zip": "zips"}', 3, '{illness}', 2, levels => '{"zip": 1}');
SELECT rows FROM sdc.publish_generalized('coarse', 'coarse_2', '{"zip": "zips"}', 3, '{illness}', 2, levels => '{"zip": 0}', composition => 'error');
-- methods whose groups cannot be found again are not compared, and refused
SELECT sdc.publish_mondrian('coarse', 'refused', '{age}', 3, '{illness}', 2, composition => 'error');
DELETE FROM sdc.release;
DROP SCHEMA composed CASCADE;
RESET search_path;
