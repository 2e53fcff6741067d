-- sdc.publish_microaggregated: a frozen, checked, registered release.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SELECT setval('sdc.release_id_seq', 600) \gset
SET client_min_messages = error;
CREATE SCHEMA clinic;
CREATE TABLE clinic.patient (id int PRIMARY KEY, name text, age int, height int, illness text, ward text);
INSERT INTO clinic.patient
SELECT i, 'name ' || i, 20 + (i * 37) % 60, 150 + (i * 79) % 40, (ARRAY['Flu', 'HIV', 'Cancer', 'Asthma'])[1 + i % 4], 'w' || i % 2
FROM generate_series(1, 40) AS i;

SELECT source, target, method, parameters, rows, groups, suppressed, achieved, loss ? 'information_loss' AS has_loss,
       published_by = current_user AS mine
FROM sdc.publish_microaggregated('clinic.patient', 'clinic.public', '{age,height}', 4, '{illness}', 2, keep => '{ward}');

-- only the named columns, no key, no index, no rights for others
\d clinic.public
SELECT relacl FROM pg_class WHERE oid = 'clinic.public'::regclass;
SELECT satisfied FROM sdc.check_anonymity('clinic.public', '{age,height}', '{illness}', k => 4, p => 2) WHERE required IS NOT NULL;

-- rows are not stored in the order of the source
CREATE TABLE ordered AS SELECT i AS id, i AS x FROM generate_series(1, 200) AS i;
SELECT target FROM sdc.publish_microaggregated('ordered', 'shuffled', '{x}', 2, keep => '{id}', allow_identifiers => true);
SELECT abs(corr(place, id)) < 0.3 AS uncorrelated FROM (SELECT row_number() OVER (ORDER BY ctid) AS place, id FROM shuffled) s;

-- default privileges do not leak a release
CREATE ROLE sdc_reader;
ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC, sdc_reader;
SELECT target FROM sdc.publish_microaggregated('ordered', 'kept_back', '{x}', 2);
SELECT has_table_privilege('sdc_reader', 'kept_back', 'SELECT') AS readable;
ALTER DEFAULT PRIVILEGES REVOKE SELECT ON TABLES FROM PUBLIC, sdc_reader;

-- the register shows a release to its publisher and to those who may read it
SET ROLE sdc_reader;
SELECT count(*) FROM sdc.releases;
RESET ROLE;
GRANT SELECT ON kept_back TO sdc_reader;
SET ROLE sdc_reader;
SELECT target FROM sdc.releases;
INSERT INTO sdc.release (source, target, method, parameters, rows, groups, achieved, loss, published_by)
VALUES ('x', 'y', 'z', '{}', 1, 1, '{}', '{}', 'postgres');
RESET ROLE;

-- what fails leaves nothing behind
SELECT * FROM sdc.publish_microaggregated('clinic.patient', 'clinic.public', '{age}', 4);
SELECT * FROM sdc.publish_microaggregated('clinic.patient', 'clinic.too_large', '{age}', 41);
SELECT * FROM sdc.publish_microaggregated('clinic.patient', 'clinic.twice', '{age}', 4, keep => '{age}');
SELECT * FROM sdc.publish_microaggregated('clinic.patient', 'a.b.c', '{age}', 4);
SELECT * FROM sdc.publish_microaggregated('clinic.patient', 'no_such_schema.x', '{age}', 4);
SELECT * FROM sdc.publish_microaggregated('clinic.patient', 'x"; DROP TABLE clinic.patient; --', '{age}', 4);
SELECT * FROM sdc.publish_microaggregated('clinic.patient', '"x""; DROP TABLE clinic.patient; --"', '{age}', 4) AS r \gset odd_
SELECT :'odd_target' AS odd_name;
SELECT to_regclass('clinic.too_large') IS NULL AS nothing_left, count(*) AS releases FROM sdc.releases;

-- no promise without a column that it is about
SELECT sdc.publish_microaggregated('clinic.patient', 'x', '{age}', 4, p => 2);
SELECT sdc.publish_microaggregated('clinic.patient', 'x', '{age}', 4, '{illness}', 0);

-- a second release of the same source is warned about
SET client_min_messages = warning;
SELECT target FROM sdc.publish_microaggregated('clinic.patient', 'clinic.again', '{age}', 4);

-- a key that looks like an identifier is warned about, by names and counts alone; a number is averaged, and a text that repeats is none
CREATE TABLE clinic.staff AS SELECT i AS id, 'Name ' || i AS name, 'z' || i % 50 AS zip FROM generate_series(1, 200) AS i;
SELECT rows FROM sdc.publish_microaggregated('clinic.staff', 'clinic.named', '{name,zip}', 4);
SELECT sdc.drop_release(id) FROM sdc.releases WHERE target = 'clinic.named';
SELECT rows FROM sdc.publish_microaggregated('clinic.staff', 'clinic.unnamed', '{id,zip}', 4);

SET client_min_messages = error;
DELETE FROM sdc.release;
DROP SCHEMA clinic CASCADE;
DROP TABLE ordered, shuffled, kept_back, "x""; DROP TABLE clinic.patient; --";
DROP ROLE sdc_reader;
