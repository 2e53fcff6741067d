-- Row-level security and column privileges, through every function that reads a table: each one
-- sees the rows and columns that its caller may see. (Checks: checks_privileges. Anatomy: leaks.)
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE ROLE sdc_ward;
CREATE SCHEMA clinic;
GRANT USAGE, CREATE ON SCHEMA clinic TO sdc_ward;
SET search_path = clinic;
CREATE TABLE patient (id int, age int, zip text, illness text, ward text);
INSERT INTO patient SELECT i, 20 + i % 40, 'z' || i % 9, 'illness ' || i % 5, CASE WHEN i <= 60 THEN 'a' ELSE 'b' END FROM generate_series(1, 200) AS i;
CREATE TABLE ages (level0 text, level1 text);
INSERT INTO ages SELECT i::text, 'any' FROM generate_series(20, 60) AS i;
GRANT SELECT (age, zip, illness) ON patient TO sdc_ward;
GRANT SELECT ON ages TO sdc_ward;
ALTER TABLE patient ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_ward ON patient FOR SELECT TO sdc_ward USING (ward = 'a');
ALTER TABLE ages ENABLE ROW LEVEL SECURITY;
CREATE POLICY young ON ages FOR SELECT TO sdc_ward USING (level0 <> '60');
SET ROLE sdc_ward;

-- 60 rows of ward a, and no other column than the granted ones
SELECT count(*) FROM sdc.publish_microaggregated('patient', 'microaggregated', '{age}', 3, '{illness}', 2) AS r WHERE r.rows = 60;
SELECT rows FROM sdc.publish_generalized('patient', 'generalized', '{"age": "ages"}', 3, '{illness}', 2);
SELECT rows FROM sdc.publish_anatomy('patient', 'anatomised', '{age}', 'illness', 2);
SELECT rows FROM sdc.publish_permutation('patient', 'permuted', '{age}', 'illness', 2);
SELECT rows FROM sdc.publish_p_alpha('patient', 'categorised', '{age}', 'illness', '[["illness 0", "illness 1"], ["illness 2", "illness 3", "illness 4"]]', 3, 2, 1);
SELECT sdc.publish_p_alpha('patient', 'all_of_it', '{id}', 'illness', '[["illness 0"], ["illness 1"]]', 3, 2, 1);
SELECT sum(rows) AS rows FROM sdc.histogram('patient', '{age}');
SELECT sum(rows) AS rows FROM sdc.histogram('patient', '{ward}');
SELECT sdc.report('patient', '{age}', '{illness}', ks => NULL) ~ '\m60 rows' AS sixty_rows;
SELECT sdc.report('patient', '{age}', '{ward}');
SELECT k, groups > 0 AS grouped FROM sdc.risk_utility(NULL::patient, '{age}', '{2}');
SELECT count(*) FROM sdc.risk_utility(NULL::patient, '{id}', '{2}');
SELECT sdc.publish_microaggregated('patient', 'all_of_it', '{age}', 3, keep => '{ward}');
SELECT sdc.publish_microaggregated('patient', 'all_of_it', '{id}', 3);
SELECT sdc.publish_generalized('patient', 'all_of_it', '{"age": "ages"}', 3, '{ward}');
SELECT sdc.publish_anatomy('patient', 'all_of_it', '{id}', 'illness', 2);
SELECT sdc.publish_permutation('patient', 'all_of_it', '{age}', 'ward', 2);
-- microaggregate returns whole rows, so it needs all columns
SELECT count(*) FROM sdc.microaggregate(NULL::patient, '{age}', 3);
SELECT sum(groups) AS groups, sum(suppressed) AS suppressed FROM sdc.lattice('patient', '{"age": "ages"}', 3);
SELECT sdc.prefix_hierarchy('patient', 'zip', 'zips');
SELECT sdc.prefix_hierarchy('patient', 'ward', 'wards');
SELECT count(*) AS rows, count(g) AS grouped FROM (SELECT sdc.mdav(3, age) OVER () AS g FROM patient) AS s;
SELECT count(*) FROM (SELECT sdc.mdav(3, id) OVER () FROM patient) AS s;
-- a hierarchy's hidden rows are missing, which is an error and no way around the policy
SELECT sdc.generalize(60, 'ages', 1);
SELECT sdc.generalize(59, 'ages', 1);
-- row_security = off: an error rather than fewer rows, as everywhere in PostgreSQL
SET row_security = off;
SELECT sdc.publish_microaggregated('patient', 'off', '{age}', 3);
SELECT sdc.k_anonymity(age) FROM patient;
RESET row_security;
-- the release belongs to its publisher; the policy's table stays closed
SELECT tableowner, tablename FROM pg_tables WHERE schemaname = 'clinic' AND tableowner = 'sdc_ward' ORDER BY tablename COLLATE "C";
RESET ROLE;
-- a plan made for one role does not serve another
PREPARE checked AS SELECT actual FROM sdc.check_anonymity('clinic.patient', '{age}');
EXECUTE checked;
SET ROLE sdc_ward;
EXECUTE checked;
RESET ROLE;
DELETE FROM sdc.release WHERE source LIKE 'clinic.%';
DROP SCHEMA clinic CASCADE;
DROP OWNED BY sdc_ward;
DROP ROLE sdc_ward;
