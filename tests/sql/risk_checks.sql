-- Checks in a population, and checks where NULL matches every value.
CREATE SCHEMA risk_checks;
SET search_path = risk_checks;
CREATE TABLE population (sex text, region int);
INSERT INTO population SELECT 'F', 1 FROM generate_series(1, 5);
INSERT INTO population SELECT 'M', 1 FROM generate_series(1, 2);
INSERT INTO population SELECT NULL, 2 FROM generate_series(1, 6);
INSERT INTO population VALUES ('M', NULL);
CREATE TABLE sample (sex text, region int, illness text, person int);
INSERT INTO sample VALUES ('F', 1, 'flu', 1), ('M', 1, 'flu', 2), ('M', 1, 'asthma', 3), (NULL, 2, 'flu', 4), (NULL, 2, 'flu', 5), (NULL, 2, 'hiv', 6);

-- k-map and delta-presence beside the other properties; shown where nothing is required of them.
SELECT * FROM sdc.check_anonymity('sample', '{sex,region}', population => 'population');
SELECT * FROM sdc.check_anonymity('sample', '{sex,region}', '{illness}', k => 2, p => 2, population => 'population', k_map => 3, delta => 0.5);
SELECT * FROM sdc.violations('sample', '{sex,region}', population => 'population', k_map => 6, delta => 0.4);
SELECT sdc.assert_anonymity('sample', '{sex,region}', population => 'population', k_map => 2, delta => 1);
SELECT sdc.assert_anonymity('sample', '{sex,region}', population => 'population', k_map => 3, delta => 0.5);
-- Persons.
CREATE TABLE persons AS SELECT *, row_number() OVER ()::int AS person FROM population, generate_series(1, 2);
SELECT property, actual FROM sdc.check_anonymity('sample', '{sex,region}', population => 'persons', entity => 'person');

-- NULL as a wildcard: 6 6 6 7 7 2 4 6 matches.
CREATE TABLE wild (id int, sex text, zip int);
INSERT INTO wild VALUES (1, 'M', 4711), (2, 'M', 4711), (3, 'M', 4711), (4, NULL, 4711), (5, NULL, 4711), (6, 'F', 4712), (7, 'F', NULL), (8, 'M', NULL);
SELECT * FROM sdc.check_anonymity('wild', '{sex,zip}', k => 5, nulls => 'wildcard');
SELECT * FROM sdc.check_anonymity('wild', '{sex,zip}', k => 5);
SELECT * FROM sdc.violations('wild', '{sex,zip}', k => 7, nulls => 'wildcard');
SELECT sdc.assert_anonymity('wild', '{sex,zip}', k => 2, nulls => 'wildcard');
SELECT sdc.assert_anonymity('wild', '{sex,zip}', k => 3, nulls => 'wildcard');
-- 7 7 7 7 7 7 10 4 4 4 matches.
CREATE TABLE wilder (age int, sex text, region text);
INSERT INTO wilder VALUES (NULL, 'F', 'North'), (68, 'F', 'North'), (68, NULL, 'North'), (NULL, NULL, 'North'), (NULL, NULL, 'North'), (NULL, NULL, 'North'),
    (68, 'F', NULL), (68, NULL, 'South'), (68, 'F', 'South'), (68, 'F', 'South');
SELECT key_values, rows, actual FROM sdc.violations('wilder', '{age,sex,region}', k => 11, nulls => 'wildcard');
-- in a population
SELECT * FROM sdc.check_anonymity('sample', '{sex,region}', population => 'population', k_map => 4, delta => 0.5, nulls => 'wildcard');
SELECT * FROM sdc.violations('sample', '{sex,region}', population => 'population', k_map => 4, delta => 0.5, nulls => 'wildcard');
-- delta is about everybody in the population: those who have no row of their own may match one with NULL
CREATE TABLE one_row (a int, b text);
INSERT INTO one_row VALUES (1, NULL);
CREATE TABLE eleven (a int, b text);
INSERT INTO eleven SELECT 1, chr(96 + nullif(i, 0)) FROM generate_series(0, 10) i;
SELECT value FROM sdc.risk('one_row', '{a,b}', population => 'eleven', nulls => 'wildcard') WHERE measure = 'delta_max';
SELECT property, actual, satisfied, violating_groups, violating_rows FROM sdc.check_anonymity('one_row', '{a,b}', population => 'eleven', delta => 0.2, nulls => 'wildcard');
SELECT sdc.assert_anonymity('one_row', '{a,b}', population => 'eleven', delta => 0.2, nulls => 'wildcard');
SELECT sdc.assert_anonymity('one_row', '{a,b}', population => 'eleven', delta => 0.5, nulls => 'wildcard');
-- a weight that no double holds is not shown
CREATE TABLE heavy AS SELECT i AS a, CASE i WHEN 3 THEN 1e400 WHEN 4 THEN 1e-400 ELSE i END AS weight FROM generate_series(1, 5) i;
SELECT * FROM sdc.risk('heavy', '{a}', weight => 'weight');
-- no rows
CREATE TABLE nobody (LIKE wild);
SELECT * FROM sdc.check_anonymity('nobody', '{sex,zip}', k => 5, nulls => 'wildcard');
SELECT sdc.assert_anonymity('nobody', '{sex,zip}', k => 5, nulls => 'wildcard');

-- What is refused.
SELECT * FROM sdc.check_anonymity('sample', '{sex,region}', k_map => 3);
SELECT * FROM sdc.check_anonymity('sample', '{sex,region}', delta => 0.5);
SELECT * FROM sdc.check_anonymity('sample', '{sex,region}', population => 'population', k_map => 0);
SELECT * FROM sdc.check_anonymity('sample', '{sex,region}', population => 'population', delta => 1.5);
SELECT * FROM sdc.check_anonymity('population', '{sex,region}', population => 'sample');
SELECT * FROM sdc.check_anonymity('population', '{sex,region}', population => 'sample', nulls => 'wildcard');
SELECT * FROM sdc.check_anonymity('sample', '{sex,region}', nulls => 'error');
SELECT * FROM sdc.check_anonymity('sample', '{sex,region}', nulls => 'any');
SELECT * FROM sdc.check_anonymity('sample', '{sex,region}', '{illness}', l => 2, nulls => 'wildcard');
SELECT * FROM sdc.check_anonymity('sample', '{sex,region}', k => 2, entity => 'person', nulls => 'wildcard');
SELECT * FROM sdc.violations('sample', '{sex,region}', population => 'population');

-- A population that lacks a group, one without rows, and a table without rows: the same words from all three.
CREATE TABLE lacking AS SELECT * FROM population WHERE sex = 'F';
SELECT * FROM sdc.violations('sample', '{sex,region}', population => 'lacking', k_map => 2);
SELECT sdc.assert_anonymity('sample', '{sex,region}', population => 'lacking', k_map => 2);
SELECT sdc.assert_anonymity('sample', '{sex,region}', population => 'lacking', delta => 1, nulls => 'wildcard');
CREATE TABLE unsettled (LIKE population);
SELECT * FROM sdc.check_anonymity('sample', '{sex,region}', population => 'unsettled', k_map => 2);
SELECT * FROM sdc.violations('sample', '{sex,region}', population => 'unsettled', delta => 1, nulls => 'wildcard');
SELECT sdc.assert_anonymity('sample', '{sex,region}', population => 'unsettled', k_map => 2);
CREATE TABLE empty_sample (LIKE sample);
SELECT * FROM sdc.check_anonymity('empty_sample', '{sex,region}', population => 'population', k_map => 2, delta => 0.5);
SELECT * FROM sdc.check_anonymity('empty_sample', '{sex,region}', population => 'population', k_map => 2, delta => 0.5, nulls => 'wildcard');
SELECT * FROM sdc.violations('empty_sample', '{sex,region}', population => 'population', k_map => 2, delta => 0.5);
SELECT * FROM sdc.violations('empty_sample', '{sex,region}', population => 'population', k_map => 2, delta => 0.5, nulls => 'wildcard');
SELECT sdc.assert_anonymity('empty_sample', '{sex,region}', population => 'population', k_map => 2, delta => 0.5);
SELECT sdc.assert_anonymity('empty_sample', '{sex,region}', population => 'population', k_map => 2, delta => 0.5, nulls => 'wildcard');
SELECT sdc.assert_anonymity('empty_sample', '{sex,region}', population => 'population', k_map => 2, delta => 0.5, allow_empty => true);
-- limits that are none, and limits without a population
SELECT * FROM sdc.violations('sample', '{sex,region}', k_map => 2);
SELECT sdc.assert_anonymity('sample', '{sex,region}', k_map => 2);
SELECT sdc.assert_anonymity('sample', '{sex,region}', delta => 0.5);
SELECT * FROM sdc.violations('sample', '{sex,region}', population => 'population', k_map => -1);
SELECT sdc.assert_anonymity('sample', '{sex,region}', population => 'population', k_map => 0);
SELECT * FROM sdc.check_anonymity('sample', '{sex,region}', population => 'population', delta => 0);
SELECT * FROM sdc.violations('sample', '{sex,region}', population => 'population', delta => -0.5);
SELECT sdc.assert_anonymity('sample', '{sex,region}', population => 'population', delta => 'NaN');
SELECT sdc.assert_anonymity('sample', '{sex,region}', population => 'population');

SET client_min_messages = warning;
DROP SCHEMA risk_checks CASCADE;
