-- Roles and policies as labels: declared once, used by every call.
SET client_min_messages = error;
CREATE SCHEMA roles;
SET search_path = roles;
CREATE TABLE patient (id int PRIMARY KEY, name text, patient_no int, age int, zip text, sex int, ward text, illness text);
INSERT INTO patient
SELECT i, 'name ' || i, i / 2, 20 + i % 30, 'z' || i % 8, i % 2, 'ward ' || i % 3, 'illness ' || i % 6
FROM generate_series(1, 240) AS i;
SELECT FROM sdc.prefix_hierarchy('patient', 'zip', 'zips');

-- labels: what they may say
SECURITY LABEL FOR sdc ON COLUMN patient.age IS 'key';
SECURITY LABEL FOR sdc ON COLUMN patient.zip IS 'key hierarchy=roles.zips';
SECURITY LABEL FOR sdc ON COLUMN patient.sex IS '  key   categorical ';
SECURITY LABEL FOR sdc ON TABLE patient IS 'k=5 p=2 l=2.5 t=0.3 entity="patient_no"';
SELECT * FROM sdc.roles WHERE relation = 'patient'::regclass;
SECURITY LABEL FOR sdc ON COLUMN patient.age IS 'quay';
SECURITY LABEL FOR sdc ON COLUMN patient.age IS 'keep hierarchy=zips';
SECURITY LABEL FOR sdc ON COLUMN patient.age IS 'key hierarchy=';
SECURITY LABEL FOR sdc ON COLUMN patient.age IS 'key hierarchy=zips';
SECURITY LABEL FOR sdc ON COLUMN patient.age IS 'key hierarchy="a.b"';
SECURITY LABEL FOR sdc ON COLUMN patient.age IS 'key hierarchy="a b"."c"';
SECURITY LABEL FOR sdc ON COLUMN patient.age IS '';
SECURITY LABEL FOR sdc ON TABLE patient IS 'k=1';
SECURITY LABEL FOR sdc ON TABLE patient IS 'k=5 k=6';
SECURITY LABEL FOR sdc ON TABLE patient IS 'k=5, p=2';
SECURITY LABEL FOR sdc ON TABLE patient IS 'k=five';
SECURITY LABEL FOR sdc ON TABLE patient IS 't=1.5';
SECURITY LABEL FOR sdc ON TABLE patient IS 'k=2 p=3';
SECURITY LABEL FOR sdc ON TABLE patient IS 'entity=patient_no';
SECURITY LABEL FOR sdc ON TABLE patient IS 'secret';
SECURITY LABEL FOR sdc ON SCHEMA roles IS 'key';
SECURITY LABEL FOR sdc ON TABLE patient IS NULL;
SECURITY LABEL FOR sdc ON COLUMN patient.age IS NULL;
SECURITY LABEL FOR sdc ON COLUMN patient.zip IS NULL;
SECURITY LABEL FOR sdc ON COLUMN patient.sex IS NULL;
SELECT count(*) FROM sdc.roles;

-- what the data suggest
SELECT "column", role, distinct_values, distinct_share, null_share, reason FROM sdc.suggest('patient');
CREATE TABLE visit (visit_id bigint, patient_id int REFERENCES patient, ward_id int, "dateOfBirth" date, weight numeric,
                    fnlwgt int, salary int, marital_status int, notes text, extra jsonb, empty text, constant int, city text);
INSERT INTO visit
SELECT i, 1 + i % 80, i % 7, date '1950-01-01' + i * 31, 50 + i * 0.1, 1000 + i % 50, 20000 + i * 13, i % 5 - 1,
       repeat('the patient said ', 4) || i, '{}', NULL, 7, CASE WHEN i % 4 = 0 THEN 'city ' || i % 12 END
FROM generate_series(1, 200) AS i;
SELECT "column", role, reason FROM sdc.suggest('visit');
SELECT * FROM sdc.suggest(NULL);

-- declared once
SELECT sdc.declare('patient', keys => '{age,zip,sex}', categorical => '{sex}', hierarchies => '{"zip": "zips"}',
                   sensitive => '{illness}', identifiers => '{id,name}', keep => '{ward}', policy => 'k=5 p=2');
SELECT "column", role, hierarchy, policy FROM sdc.roles WHERE relation = 'patient'::regclass;
-- an argument that is given replaces its role, one left out changes nothing; keys stay codes
SELECT sdc.declare('patient', keys => '{zip,sex}');
SELECT "column", role, hierarchy FROM sdc.roles WHERE relation = 'patient'::regclass AND role LIKE 'key%';
SELECT sdc.declare('patient', keys => '{age,zip,sex}');
SELECT sdc.declare('patient', keys => '{age}', sensitive => '{age}');
SELECT sdc.declare('patient', categorical => '{ward}');
SELECT sdc.declare('patient', keys => '{nothing}');
SELECT sdc.declare('patient', hierarchies => '{"zip": "nothing"}');
SELECT sdc.declare('patient', hierarchies => '{"ward": "zips"}');
SELECT sdc.declare('patient', hierarchies => '[]');
SELECT sdc.declare('patient', policy => 'k=5 entity=nobody');
SELECT sdc.declare(NULL);

-- and used by every call
SELECT property, attribute, required, actual FROM sdc.check_anonymity('patient', k => 6);
SELECT property, attribute, required FROM sdc.check_anonymity('patient', '{age}');
SELECT parameters - 'method' AS parameters, (achieved->'k')::int >= 6 AS kept FROM sdc.publish_microaggregated('patient', 'patient_public', k => 6);
SELECT * FROM patient_public LIMIT 0;
SELECT parameters->'k' AS k, parameters->'p' AS p FROM sdc.publish_microaggregated('patient', 'patient_by_policy');
-- a column that the call gives another role leaves its own
SELECT parameters->'keys' AS keys, parameters->'keep' AS keep FROM sdc.publish_microaggregated('patient', 'patient_ward', '{age,ward}', 6);
SELECT parameters->'hierarchies' AS hierarchies FROM sdc.publish_generalized('patient', 'patient_zips', keep => '{}', hierarchies => '{"zip": "zips"}');
SELECT sdc.declare('patient', keys => '{zip,sex}');
SELECT parameters->'hierarchies' AS hierarchies, achieved FROM sdc.publish_generalized('patient', 'patient_labelled', keep => '{}');
SELECT count(*) FROM sdc.lattice('patient');
SELECT sdc.declare('patient', keys => '{age,zip,sex}', categorical => '{sex}');
SELECT * FROM sdc.feasibility('patient', p => 2);
SELECT * FROM sdc.histogram('patient', width => 10);
SELECT sdc.report('patient') ~ 'k-anonymity' AS report;
SELECT sdc.report(max(id)::text) ~ 'All columns' AS report FROM sdc.release;
SELECT sdc.report('nothing');
-- no label, no argument
CREATE TABLE bare AS SELECT * FROM patient;
SELECT sdc.publish_microaggregated('bare', 'bare_public', '{age}');
SELECT sdc.publish_microaggregated('bare', 'bare_public', k => 3);
SELECT sdc.publish_anatomy('bare', 'bare_public', '{age}', l => 3);
SELECT sdc.publish_anatomy('bare', 'bare_public', '{age}', 'illness');
-- one sensitive column as a name or as an array
SELECT parameters->'sensitive' AS sensitive FROM sdc.publish_anatomy('bare', 'bare_array', '{age,zip}', '{illness}', 3);
SELECT parameters->'sensitive' AS sensitive FROM sdc.publish_permutation('bare', 'bare_name', '{age,zip}', 'illness', 3);
SELECT sdc.publish_anatomy('bare', 'bare_two', '{age}', '{illness,ward}', 3);

-- a policy binds
SELECT sdc.publish_microaggregated('patient', 'weak', k => 4);
SELECT sdc.publish_microaggregated('patient', 'weak', p => 1);
SELECT sdc.publish_microaggregated('patient', 'weak', k => 5, sensitive => '{}', keep => '{illness}');
SELECT sdc.publish_anatomy('patient', 'weak', '{age,zip}', 'illness', 3);
-- a column without a label that is kept as it is counts as a key
SELECT sdc.declare('patient', keep => '{}');
SELECT sdc.publish_microaggregated('patient', 'weak', '{age}', 5, keep => '{ward,zip}');
SELECT sdc.declare('patient', policy => 'l=3');
SELECT achieved FROM sdc.publish_anatomy('patient', 'strong', '{age,zip}', 'illness', 3);
SELECT parameters->'l' AS l FROM sdc.publish_anatomy('patient', 'by_policy', '{age,zip}');
SELECT sdc.publish_anatomy('patient', 'weak', '{age,zip}', 'illness', 2);
SELECT parameters->'l' AS l FROM sdc.publish_microaggregated('patient', 'masked_by_policy', '{age,zip,sex}', 3);
SELECT to_regclass('weak');

-- through views, unions, CTEs and partitions
SELECT sdc.declare('patient', policy => 'k=5');
CREATE VIEW adults AS
    WITH a AS (SELECT p.id::text AS label, p.age, p.zip, p.illness FROM patient AS p WHERE age >= 18)
    SELECT * FROM a UNION ALL SELECT name, age, zip, illness FROM patient WHERE age < 18;
CREATE VIEW named AS SELECT a.label AS who, a.age, a.zip, a.illness, p AS whole FROM adults AS a LEFT JOIN patient AS p ON p.id::text = a.label;
CREATE MATERIALIZED VIEW stored AS SELECT * FROM named;
SELECT sdc.publish_microaggregated('adults', 'weak', k => 4);
SELECT sdc.publish_microaggregated('named', 'weak', k => 5, keep => '{who}');
SELECT sdc.publish_microaggregated('stored', 'weak', k => 5, keep => '{whole}');
SELECT parameters->'keys' AS keys, parameters->'sensitive' AS sensitive FROM sdc.publish_microaggregated('named', 'named_public', k => 5);
-- a view's own label hides no identifier
SECURITY LABEL FOR sdc ON COLUMN named.who IS 'keep';
SELECT sdc.publish_microaggregated('named', 'weak', k => 5, keep => '{who}', allow_identifiers => true);
CREATE TABLE parted (id int, age int) PARTITION BY RANGE (id);
CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (1000);
INSERT INTO parted SELECT i, i % 9 FROM generate_series(1, 90) AS i;
SELECT sdc.declare('parted', keys => '{age}', identifiers => '{id}', policy => 'k=3');
SELECT sdc.publish_microaggregated('parted_low', 'weak', k => 2);
SELECT sdc.publish_microaggregated('parted_low', 'weak', k => 3, keep => '{id}');
SELECT parameters->'keys' AS keys FROM sdc.publish_microaggregated('parted_low', 'parted_public');

-- identifiers, labelled or not
SELECT sdc.publish_microaggregated('patient', 'weak', k => 5, keep => '{id}', allow_identifiers => true);
SELECT sdc.publish_microaggregated('patient', 'weak', '{age,name}', 5);
SELECT sdc.publish_microaggregated('patient', 'weak', k => 5, sensitive => '{name}');
CREATE TABLE loose (id int PRIMARY KEY, code text, note text, age int);
INSERT INTO loose SELECT i, 'c' || i, 'note ' || i, i % 20 FROM generate_series(1, 100) AS i;
SELECT sdc.publish_microaggregated('loose', 'weak', '{age}', 5, keep => '{id}');
SELECT sdc.publish_microaggregated('loose', 'weak', '{age,id}', 5);
SELECT sdc.publish_microaggregated('loose', 'weak', '{age}', 5, keep => '{code}');
SET client_min_messages = warning;
SELECT rows FROM sdc.publish_anatomy('loose', 'loose_apart', '{code}', 'age', 3);
SET client_min_messages = error;
SELECT rows FROM sdc.publish_microaggregated('loose', 'loose_all', '{age}', 5, keep => '{id,code}', allow_identifiers => true);
SET client_min_messages = warning;
SELECT rows FROM sdc.publish_microaggregated('loose', 'loose_note', '{age}', 5, sensitive => '{note}');
SET client_min_messages = error;
-- the owner's word
SELECT sdc.declare('loose', keep => '{code}');
SELECT rows FROM sdc.publish_microaggregated('loose', 'loose_code', '{age}', 5);

SELECT sdc.drop_release(id) FROM sdc.releases WHERE target LIKE 'roles.%';
DROP SCHEMA roles CASCADE;
