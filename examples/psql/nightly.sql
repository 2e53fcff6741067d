-- Publishes the view patient_rows every night as a sequence of releases, and writes the report:
--   psql --no-psqlrc --quiet --dbname=hospital --set=page=/srv/reports/patients.html --file=nightly.sql
-- It says nothing unless something is wrong. An error ends it with status 3, and readers keep last night's rows.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
\pset format unaligned
\pset tuples_only on
\o /dev/null
BEGIN;
SELECT sdc.assert_anonymity('patient_rows', '{sex}', '{illness}', k => 5, p => 2);
SELECT rows FROM sdc.publish_microaggregated(
           'patient_rows', 'shared.patients', '{age,sex}', 5, '{illness}', 2, entity => 'id', replace => true,
           continues => coalesce((SELECT max(id) FROM sdc.releases WHERE target = 'shared.patients'), 0));
COMMIT;
\o :page
SELECT sdc.report(max(id)) FROM sdc.releases WHERE target = 'shared.patients';
\o
