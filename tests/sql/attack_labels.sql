-- A role that is not the owner of a table can neither label it nor weaken its policy, and cannot
-- publish around it.
CREATE ROLE sdc_label_owner;
CREATE ROLE sdc_label_reader;
CREATE SCHEMA labelled AUTHORIZATION sdc_label_owner;
CREATE SCHEMA theirs AUTHORIZATION sdc_label_reader;
GRANT USAGE ON SCHEMA labelled TO sdc_label_reader;
SET search_path = labelled;
SET client_min_messages = warning;
SET ROLE sdc_label_owner;
CREATE TABLE patient AS SELECT i AS id, i % 30 AS age, 'z' || i % 40 AS zip, 'ward ' || i % 3 AS ward, 'illness ' || i % 6 AS illness FROM generate_series(1, 240) AS i;
SELECT sdc.declare('patient', keys => '{age,zip}', sensitive => '{illness}', identifiers => '{id}', policy => 'k=5 p=2');
GRANT SELECT ON patient TO sdc_label_reader;

SET ROLE sdc_label_reader;
SET search_path = theirs;
SECURITY LABEL FOR sdc ON TABLE labelled.patient IS NULL;
SECURITY LABEL FOR sdc ON TABLE labelled.patient IS 'k=2';
SECURITY LABEL FOR sdc ON COLUMN labelled.patient.id IS 'keep';
SELECT sdc.declare('labelled.patient', identifiers => '{}');
SELECT sdc.declare('labelled.patient', policy => '');
UPDATE pg_seclabel SET label = 'k=2';
DELETE FROM pg_seclabel;

-- reading is allowed, and so is a release that keeps the policy
SELECT "column", role, policy FROM sdc.roles WHERE relation = 'labelled.patient'::regclass;
SELECT sdc.publish_microaggregated('labelled.patient', 'weak', k => 2);
SELECT parameters->'k' AS k FROM sdc.publish_microaggregated('labelled.patient', 'kept');

-- keys that are called sensitive are keys still, and so is what has no label
SELECT sdc.publish_microaggregated('labelled.patient', 'weak', '{ward}', 5, '{age,zip,illness}');
SELECT sdc.publish_microaggregated('labelled.patient', 'weak', '{age,zip}', 5, '{ward,illness}');
SELECT sdc.publish_microaggregated('labelled.patient', 'weak', '{age}', 5, '{illness}', keep => '{zip}');

-- a view of one's own, with labels of one's own, is bound by the table behind it
CREATE VIEW around AS SELECT id + 0 AS number, id::bigint AS id, age, zip, illness FROM labelled.patient;
SELECT sdc.declare('around', keep => '{id}', keys => '{age}', sensitive => '{illness}', policy => 'k=2');
SELECT sdc.publish_microaggregated('around', 'weak', k => 2);
SELECT sdc.publish_microaggregated('around', 'weak', k => 5, keep => '{id}');
SELECT sdc.publish_microaggregated('around', 'weak', k => 5, keep => '{number}');
-- a computed column counts as a key, whoever allows it
SELECT sdc.publish_microaggregated('around', 'weak', k => 5, keep => '{number}', allow_identifiers => true);
-- nor does a label on the view take it out, or hide that a column is sensitive
SELECT sdc.declare('around', keep => '{number,illness}', sensitive => '{}');
SELECT sdc.publish_microaggregated('around', 'weak', '{age}', 5, sensitive => '{}', keep => '{number}', allow_identifiers => true);
SELECT sdc.publish_microaggregated('around', 'weak', '{age}', 5, sensitive => '{}', keep => '{illness}');
SELECT sdc.declare('around', keep => '{}', sensitive => '{number,zip}');
SELECT sdc.publish_microaggregated('around', 'weak', '{age}', 5, '{zip,illness}');
SELECT sdc.publish_microaggregated('around', 'weak', '{age}', 5, '{number,illness}');
SELECT sdc.declare('around', policy => '');
SELECT sdc.publish_microaggregated('around', 'weak', '{age}', 5, '{zip,illness}');
SELECT sdc.publish_microaggregated('around', 'weak', '{age}', 5, '{number,illness}');
-- a label must not make others read what its owner could have written
RESET ROLE;
SET ROLE sdc_label_owner;
CREATE FUNCTION labelled.steal(v text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'running as %', current_user; RETURN v; END $$;
CREATE VIEW labelled.trap AS SELECT DISTINCT age::text AS level0, labelled.steal('*') AS level1 FROM labelled.patient;
GRANT SELECT ON labelled.trap TO PUBLIC;
SELECT sdc.declare('labelled.patient', hierarchies => '{"age": "labelled.trap"}');
SET ROLE sdc_label_reader;
SELECT sdc.publish_generalized('labelled.patient', 'weak', k => 5);
SELECT to_regclass('weak');

-- without a policy, too, an identifier stays one behind a subquery, a field of a row, an array or VALUES
RESET ROLE;
SET ROLE sdc_label_owner;
CREATE TABLE labelled.guest AS SELECT i AS id, i % 4 AS age, 'illness ' || i % 6 AS illness FROM generate_series(1, 24) AS i;
SELECT sdc.declare('labelled.guest', identifiers => '{id}');
GRANT SELECT ON labelled.guest TO sdc_label_reader;
SET ROLE sdc_label_reader;
CREATE VIEW passed_on AS
SELECT (SELECT g.id) AS by_subquery, (SELECT o.id FROM labelled.guest AS o WHERE o.id = g.id) AS by_other, (g).id AS by_field,
       ARRAY(SELECT g.id) AS by_array, v.a AS by_values, v.b AS by_age, (SELECT g.age) AS age, (g).illness AS illness
FROM   labelled.guest AS g CROSS JOIN LATERAL (VALUES (g.id, g.age)) AS v (a, b);
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY '{by_subquery,by_other,by_field,by_array,by_values}'::text[] LOOP
        BEGIN
            PERFORM sdc.publish_microaggregated('passed_on', 'weak', '{age}', 3, keep => ARRAY[name], allow_identifiers => true);
            RAISE WARNING '% was published', name;
        EXCEPTION WHEN OTHERS THEN
            RAISE WARNING '%: % %', name, SQLSTATE, SQLERRM;
        END;
    END LOOP;
END $$;
SELECT rows FROM sdc.publish_microaggregated('passed_on', 'fine', '{age,by_age}', 3, '{illness}', categorical => '{age,by_age}');

RESET ROLE;
RESET search_path;
SELECT sdc.drop_release(id) FROM sdc.release WHERE target LIKE 'theirs.%';
DROP SCHEMA labelled CASCADE;
DROP SCHEMA theirs CASCADE;
DROP ROLE sdc_label_owner;
DROP ROLE sdc_label_reader;
