-- sdc.assert_difference: who holds two states of a table must not see few persons come or go.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
CREATE SCHEMA difference;
SET search_path = difference;
CREATE TABLE monday AS SELECT i AS person, i % 4 AS ward, CASE WHEN i % 3 > 0 THEN 'F' END AS sex FROM generate_series(1, 120) AS i;
CREATE TABLE tuesday AS TABLE monday;
SELECT sdc.assert_difference('monday', 'tuesday', '{ward,sex}', 'person', 3);
-- one person comes
INSERT INTO tuesday VALUES (121, 1, 'F');
SELECT sdc.assert_difference('monday', 'tuesday', '{ward,sex}', 'person', 3);
-- several rows of one person are one person
INSERT INTO tuesday VALUES (121, 1, 'F'), (121, 1, 'F');
SELECT sdc.assert_difference('monday', 'tuesday', '{ward,sex}', 'person', 3);
-- three come, and nobody sees which
INSERT INTO tuesday VALUES (122, 1, 'F'), (123, 1, 'F');
SELECT sdc.assert_difference('monday', 'tuesday', '{ward,sex}', 'person', 3);
-- and three go
DELETE FROM tuesday WHERE person IN (4, 8, 16);
SELECT sdc.assert_difference('monday', 'tuesday', '{ward,sex}', 'person', 3);
SELECT sdc.assert_difference('monday', 'tuesday', '{ward,sex}', 'person', 4);
-- somebody who moves goes from one group and comes to another; NULL is a group like any other
CREATE TABLE wednesday AS TABLE tuesday;
UPDATE wednesday SET sex = NULL WHERE person = 20;
SELECT sdc.assert_difference('tuesday', 'wednesday', '{ward,sex}', 'person', 3);
SELECT sdc.assert_difference('tuesday', 'wednesday', '{ward}', 'person', 3);
-- counted by hand
SELECT count(*) FROM (SELECT ward, sex, person FROM tuesday EXCEPT SELECT ward, sex, person FROM wednesday) AS gone;
-- from nothing to something
CREATE TABLE nothing AS SELECT * FROM monday LIMIT 0;
SELECT sdc.assert_difference('nothing', 'monday', '{ward}', 'person', 30);
SELECT sdc.assert_difference('monday', 'nothing', '{ward}', 'person', 31);
SELECT sdc.assert_difference('nothing', 'nothing', '{ward}', 'person', 31);
-- its effect matters: no plan leaves it out
SELECT count(*) FROM (SELECT sdc.assert_difference('tuesday', 'wednesday', '{ward,sex}', 'person', 3)) AS gate;
-- errors
SELECT sdc.assert_difference('monday', 'tuesday', '{}', 'person', 3);
SELECT sdc.assert_difference('monday', 'tuesday', '{person}', 'person', 3);
SELECT sdc.assert_difference('monday', 'tuesday', '{ward}', 'nobody', 3);
SELECT sdc.assert_difference('monday', 'tuesday', '{ward}', 'person', 1);
SELECT sdc.assert_difference('monday', 'tuesday', '{ward}', 'person', NULL);
SELECT sdc.assert_difference('monday', NULL, '{ward}', 'person', 3);
ALTER TABLE wednesday ALTER ward TYPE text;
SELECT sdc.assert_difference('tuesday', 'wednesday', '{ward}', 'person', 3);
UPDATE tuesday SET person = NULL WHERE person = 30;
SELECT sdc.assert_difference('monday', 'tuesday', '{ward}', 'person', 3);
CREATE ROLE sdc_stranger;
GRANT USAGE ON SCHEMA difference TO sdc_stranger;
GRANT SELECT (person, ward) ON monday TO sdc_stranger;
SET ROLE sdc_stranger;
SELECT sdc.assert_difference('monday', 'tuesday', '{ward}', 'person', 3);
SELECT sdc.assert_difference('monday', 'monday', '{ward,sex}', 'person', 3);
SELECT sdc.assert_difference('monday', 'monday', '{ward}', 'person', 3);
RESET ROLE;
DROP SCHEMA difference CASCADE;
DROP ROLE sdc_stranger;
