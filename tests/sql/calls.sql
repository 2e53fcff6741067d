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
-- as any type of number, and as the parameter of a prepared statement
CREATE FUNCTION suppressed_as(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE found text; answer text := ''; typed text;
BEGIN
    FOREACH typed IN ARRAY '{4,0.02,0.02::float8,0.02::float4,0.02::numeric,4::bigint,4::int2,''0.02'',NULL::int}'::text[] LOOP
        BEGIN
            EXECUTE replace(call, '?', typed) INTO found;
            answer := answer || coalesce(typed, 'NULL') || ': ' || found || '; ';
        EXCEPTION WHEN OTHERS THEN answer := answer || coalesce(typed, 'NULL') || ': ' || SQLERRM || '; ';
        END;
    END LOOP;
    RETURN answer;
END $$;
SELECT suppressed_as($$SELECT min(suppressed) FROM sdc.lattice('odd', '{"zip": "odd_zips"}', 5, max_suppressed => ?) WHERE satisfied$$);
SELECT suppressed_as($$SELECT count(*) FROM sdc.minimal_generalizations('odd', '{"zip": "odd_zips"}', 5, max_suppressed => ?)$$);
SELECT suppressed_as($$SELECT suppressed FROM sdc.publish_generalized('odd', 'as_typed', '{"zip": "odd_zips"}', 5, max_suppressed => ?, replace => true)$$);
CREATE TABLE typed AS SELECT i % 40 AS age, i % 7 AS height, 'v' || i % 6 AS illness, CASE WHEN i <= 4 THEN 'few' ELSE 'many' END AS region FROM generate_series(1, 200) AS i;
SELECT format('%s: %s', name, suppressed_as(format('SELECT %s', call))) FROM (VALUES
  ('microaggregate', $$count(*) FROM sdc.microaggregate(NULL::typed, '{age,height}', 5, strata => '{region}', max_suppressed => ?)$$),
  ('microaggregated', $$suppressed FROM sdc.publish_microaggregated('typed', 'as_masked', '{age,height}', 5, strata => '{region}', max_suppressed => ?, replace => true)$$),
  ('mondrian', $$suppressed FROM sdc.publish_mondrian('typed', 'as_mondrian', '{age,height}', 5, strata => '{region}', max_suppressed => ?, replace => true)$$),
  ('p_alpha', $$suppressed FROM sdc.publish_p_alpha('typed', 'as_p_alpha', '{age,height}', 'illness', '[["v0","v1","v2"],["v3","v4","v5"]]', 5, 1, 0, strata => '{region}', max_suppressed => ?, replace => true)$$),
  ('anatomy', $$suppressed FROM sdc.publish_anatomy('typed', 'as_anatomy', '{age,height}', 'illness', 5, strata => '{region}', max_suppressed => ?, replace => true)$$),
  ('permutation', $$suppressed FROM sdc.publish_permutation('typed', 'as_permutation', '{age,height}', 'illness', 5, strata => '{region}', max_suppressed => ?, replace => true)$$)) AS c (name, call);
PREPARE of_float(float8) AS SELECT min(suppressed) FROM sdc.lattice('odd', '{"zip": "odd_zips"}', 5, max_suppressed => $1) WHERE satisfied;
PREPARE of_rows(bigint) AS SELECT min(suppressed) FROM sdc.lattice('odd', '{"zip": "odd_zips"}', 5, max_suppressed => $1) WHERE satisfied;
PREPARE of_any AS SELECT min(suppressed) FROM sdc.lattice('odd', '{"zip": "odd_zips"}', 5, max_suppressed => $1) WHERE satisfied;
EXECUTE of_float(0.02);
EXECUTE of_rows(4);
EXECUTE of_any(0.02);
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'of_any';
DEALLOCATE ALL;
-- 0.29 of 100 rows are 29
CREATE TABLE hundred AS SELECT CASE WHEN i <= 29 THEN 'few' ELSE 'many' END AS region, i % 40 AS age FROM generate_series(1, 100) AS i;
SELECT suppressed FROM sdc.publish_microaggregated('hundred', 'of_hundred', '{age}', 30, strata => '{region}', max_suppressed => 0.29);
SELECT sdc.drop_release(id) FROM sdc.releases WHERE target LIKE 'calls.as\_%' OR target = 'calls.of_hundred' ORDER BY id;
SELECT sdc.publish_generalized('odd', 'never', '{"zip": "odd_zips"}', 5, max_suppressed => 1.5);
SELECT sdc.publish_generalized('odd', 'never', '{"zip": "odd_zips"}', 5, max_suppressed => 'NaN');
SELECT sdc.publish_generalized('odd', 'never', '{"zip": "odd_zips"}', 5, max_suppressed => NULL);

-- reports by name and by number
SELECT sdc.report('patient', '{age}', k => 5) ~ 'calls.patient' AS report;
SELECT sdc.report(max(id)) ~ 'odd_public' AS report FROM sdc.releases;
SELECT sdc.report(max(id)::text) ~ 'odd_public' AS report FROM sdc.releases;
SELECT sdc.report('patient');
SELECT sdc.report(NULL::text);

-- one column, written as an array
SELECT achieved->'persons' AS persons FROM sdc.publish_microaggregated('patient', 'braced', '{age}', 3, entity => '{person}');
SELECT actual FROM sdc.check_anonymity('patient', '{age}', entity => '{person}') WHERE property = 'k-anonymity';
SELECT sdc.check_anonymity('patient', '{age}', entity => '{person,age}');

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
