-- What only reads needs no transaction number, so that it works on a standby and within parallel plans.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA still;
SET search_path = still;
CREATE TABLE patient AS SELECT i AS id, 20 + i % 30 AS age, 'z' || i % 8 AS zip, 'illness ' || i % 6 AS illness FROM generate_series(1, 480) AS i;
SELECT sdc.interval_hierarchy('patient', 'age', 'ages', '{10}');
SELECT rows FROM sdc.publish_anatomy('patient', 'anatomised', '{age,zip}', 'illness', 3);
SELECT rows FROM sdc.publish_permutation('patient', 'permuted', '{age,zip}', 'illness', 3);
SELECT id AS release FROM sdc.publish_microaggregated('patient', 'averaged', '{age}', 3) \gset
BEGIN READ ONLY;
SELECT count(*) FROM sdc.check_anonymity('patient', '{age}', '{illness}', categories => '[["illness 0"], ["illness 1", "illness 2", "illness 3", "illness 4", "illness 5"]]');
SELECT count(*) FROM sdc.violations('patient', '{age,zip}', '{illness}', k => 3, t => 0.1);
SELECT sdc.assert_anonymity('patient', '{age}', k => 2);
SELECT * FROM sdc.feasibility('patient', '{illness}', 2);
SELECT count(*) FROM sdc.histogram('patient', '{age}');
SELECT count(*) FROM sdc.lattice('patient', '{"age": "ages"}', 3);
SELECT count(*) > 0 AS nodes FROM sdc.minimal_generalizations('patient', '{"age": "ages"}', 3);
SELECT sdc.generalize(35, 'ages', 1);
SELECT count(*) FROM sdc.microaggregate(NULL::patient, '{age}', 3);
SELECT count(*) FROM sdc.risk_utility(NULL::patient, '{age}', '{2,3}');
SELECT sdc.estimate_count('anatomised', 'age < 30') > 0 AS estimated, sdc.estimate_count('permuted', 'age < 30', 'illness = ''illness 1''') > 0 AS estimated;
SELECT length(sdc.report('patient', '{age}', '{illness}', k => 3, ks => '{2}')) > 1000 AS page, length(sdc.report(:release)) > 1000 AS page;
SELECT pg_current_xact_id_if_assigned() IS NULL AS no_number;
COMMIT;
-- within a parallel plan the leader calls it
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(*) FROM patient WHERE age < 25 AND sdc.estimate_count('anatomised', 'age = ' || age) > 0;
SELECT count(*) FROM patient WHERE id < 10 AND sdc.generalize(age, 'ages', 1) LIKE '[%';
-- one check is of one moment, after changes of the same transaction, too
BEGIN;
DELETE FROM patient WHERE id % 30 = 7;
SELECT property, actual FROM sdc.check_anonymity('patient', '{zip}', '{age}', t => 1) WHERE property IN ('p-sensitivity', 't-closeness');
ROLLBACK;
-- processes of a parallel plan each see rows of their own: that records differ shows when they meet
CREATE TABLE short (a char(4));
CREATE TABLE money (a money);
INSERT INTO short SELECT i % 7 FROM generate_series(1, 20000) AS i;
INSERT INTO money SELECT i % 5 FROM generate_series(1, 20000) AS i;
ANALYZE;
\set SHOW_CONTEXT never
SET parallel_leader_participation = off;
SET max_parallel_workers_per_gather = 4;
SELECT sdc.k_anonymity(r) FROM (SELECT ROW(a) AS r FROM short UNION ALL SELECT ROW(a) FROM money) AS s;
SELECT sdc.recursive_l_diversity(ROW(1), a, CASE WHEN a < '3' THEN 1.0 ELSE 2.0 END) FROM short;
DELETE FROM sdc.release WHERE source LIKE 'still.%';
DROP SCHEMA still CASCADE;
