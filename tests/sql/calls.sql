-- One way to call: tables by name, one sensitive column as a name or an array, rows or a share.
SET client_min_messages = error;
CREATE SCHEMA calls;
SET search_path = calls;
CREATE TABLE patient AS SELECT i AS id, i / 2 AS person, 20 + i % 30 AS age, 'z' || i % 8 AS zip, 'illness ' || i % 6 AS illness FROM generate_series(1, 240) AS i;
SELECT FROM sdc.prefix_hierarchy('patient', 'zip', 'zips');

-- risk_utility by name, by regclass and by row type
SELECT k, p, groups FROM sdc.risk_utility('patient', '{age}', '{3,5}');
SELECT k, p, groups FROM sdc.risk_utility('calls.patient', '{age}', '{3}');
SELECT k, p, groups FROM sdc.risk_utility('patient'::regclass, '{age}', '{3}');
SELECT k, p, groups FROM sdc.risk_utility(NULL::patient, '{age}', '{3}');
SELECT k, p, groups FROM sdc.risk_utility(source => 'patient', keys => '{age}', ks => '{3}', sensitive => '{illness}', p => 2);
SELECT * FROM sdc.risk_utility('nothing', '{age}');
SELECT * FROM sdc.risk_utility(NULL::text, '{age}');
SELECT * FROM sdc.risk_utility(7, '{age}');
SELECT * FROM sdc.risk_utility('patient');

-- max_suppressed: rows, or a share of them below 1
CREATE TABLE odd AS SELECT zip, illness FROM patient UNION ALL SELECT 'other', 'illness 0' FROM generate_series(1, 4);
CREATE TABLE odd_zips AS SELECT * FROM zips UNION ALL SELECT 'other', 'other', 'other';
SELECT suppressed, satisfied FROM sdc.lattice('odd', '{"zip": "odd_zips"}', 5, max_suppressed => 3) ORDER BY height LIMIT 1;
SELECT suppressed, satisfied FROM sdc.lattice('odd', '{"zip": "odd_zips"}', 5, max_suppressed => 4) ORDER BY height LIMIT 1;
SELECT suppressed, satisfied FROM sdc.lattice('odd', '{"zip": "odd_zips"}', 5, max_suppressed => 0.01) ORDER BY height LIMIT 1;
SELECT suppressed, satisfied FROM sdc.lattice('odd', '{"zip": "odd_zips"}', 5, max_suppressed => 0.02) ORDER BY height LIMIT 1;
SELECT suppressed, parameters->'max_suppressed' AS max_suppressed FROM sdc.publish_generalized('odd', 'odd_public', '{"zip": "odd_zips"}', 5, max_suppressed => 0.02);
SELECT count(*) > 0 AS nodes FROM sdc.minimal_generalizations('odd', '{"zip": "odd_zips"}', 5, max_suppressed => 0.02);
SELECT sdc.publish_generalized('odd', 'never', '{"zip": "odd_zips"}', 5, max_suppressed => -1);
SELECT sdc.publish_generalized('odd', 'never', '{"zip": "odd_zips"}', 5, max_suppressed => 1.5);
SELECT sdc.publish_generalized('odd', 'never', '{"zip": "odd_zips"}', 5, max_suppressed => 'NaN');
SELECT sdc.publish_generalized('odd', 'never', '{"zip": "odd_zips"}', 5, max_suppressed => NULL);

-- reports by name and by number
SELECT sdc.report('patient', '{age}', k => 5) ~ 'calls.patient' AS report;
SELECT sdc.report(max(id)) ~ 'odd_public' AS report FROM sdc.releases;
SELECT sdc.report(max(id)::text) ~ 'odd_public' AS report FROM sdc.releases;
SELECT sdc.report('patient');
SELECT sdc.report(NULL::text);

-- a policy that counts persons
SELECT sdc.declare('patient', keys => '{age,zip}', sensitive => '{illness}', entity => 'person', policy => 'k=3 entity=person');
SELECT k, p, groups FROM sdc.risk_utility('patient', ks => '{3,5}');
SELECT count(*) FROM sdc.microaggregate(NULL::patient);
SELECT parameters->'entity' AS entity, achieved->'k' AS k, achieved->'persons' AS persons FROM sdc.publish_microaggregated('patient', 'by_person');
SELECT sdc.publish_microaggregated('patient', 'never', entity => 'id');
SELECT sdc.publish_anatomy('patient', 'never', '{age,zip}', l => 3);
-- persons cannot be counted over a column that is kept as it is
ALTER TABLE patient ADD COLUMN floor int DEFAULT 1;
SELECT sdc.publish_microaggregated('patient', 'never', keep => '{floor}');
SELECT sdc.declare('patient', keep => '{floor}');
SELECT parameters->'keep' AS keep FROM sdc.publish_microaggregated('patient', 'with_floor');
CREATE VIEW without AS SELECT age, zip, illness FROM patient;
SELECT sdc.publish_microaggregated('without', 'never');
CREATE VIEW renamed AS SELECT person AS who, age, zip, illness FROM patient;
SELECT parameters->'entity' AS entity FROM sdc.publish_microaggregated('renamed', 'by_who');
ALTER TABLE patient RENAME COLUMN person TO human;
SELECT sdc.publish_microaggregated('patient', 'never');
SELECT to_regclass('never');

SELECT sdc.drop_release(id) FROM sdc.releases WHERE target LIKE 'calls.%';
DROP SCHEMA calls CASCADE;
