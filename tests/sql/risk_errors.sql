-- What risk functions refuse, and how they say it.
CREATE SCHEMA risk_errors;
SET search_path = risk_errors;
CREATE TABLE sample (sex text, region int, weight float8, person int, born date);
INSERT INTO sample VALUES ('F', 1, 5, 1, NULL), ('M', 1, 1, 2, NULL), ('M', 1, 1, 3, NULL);
CREATE TABLE population AS SELECT 'F'::text AS sex, 1 AS region FROM generate_series(1, 5);

-- Weights.
CREATE FUNCTION with_weight(weight float8) RETURNS void LANGUAGE sql AS
$$ UPDATE risk_errors.sample SET weight = $1 WHERE person = 2 $$;
SELECT with_weight(NULL);
SELECT * FROM sdc.risk('sample', '{sex,region}', weight => 'weight');
SELECT sdc.individual_risk(weight, sex) OVER () FROM sample;
SELECT with_weight(-1);
SELECT * FROM sdc.risk('sample', '{sex,region}', weight => 'weight');
SELECT sdc.individual_risk(weight, sex) OVER () FROM sample;
SELECT with_weight(0);
SELECT * FROM sdc.risk('sample', '{sex,region}', weight => 'weight');
SELECT sdc.individual_risk(weight, sex) OVER () FROM sample;
SELECT with_weight('Infinity');
SELECT * FROM sdc.risk('sample', '{sex,region}', weight => 'weight');
SELECT sdc.individual_risk(weight, sex) OVER () FROM sample;
SELECT with_weight('-Infinity');
SELECT * FROM sdc.risk('sample', '{sex,region}', weight => 'weight');
SELECT sdc.individual_risk(weight, sex) OVER () FROM sample;
SELECT with_weight('NaN');
SELECT * FROM sdc.risk('sample', '{sex,region}', weight => 'weight');
SELECT sdc.individual_risk(weight, sex) OVER () FROM sample;
-- each is finite, and their sum is not: no row has a risk of 0 because of that
CREATE TABLE heavy AS SELECT 'F' AS sex, 1.7e308::float8 AS weight FROM generate_series(1, 2);
SELECT * FROM sdc.risk('heavy', '{sex}', weight => 'weight');
SELECT * FROM sdc.risk('heavy', '{sex}', weight => 'weight', nulls => 'wildcard');
SELECT sdc.individual_risk(weight, sex) OVER () FROM heavy;
SELECT with_weight(1);
SELECT * FROM sdc.risk('sample', '{sex,region}', weight => 'sex');
SELECT * FROM sdc.risk('sample', '{sex,region}', weight => 'born');
SELECT * FROM sdc.risk('sample', '{sex,region}', weight => 'nothing');
SELECT * FROM sdc.risk('sample', '{sex,region}', weight => 'weight', population => 'population');
CREATE TABLE twice AS SELECT sex, region, person, weight + n AS weight FROM sample, generate_series(0, 1) n;
SELECT * FROM sdc.risk('twice', '{sex,region}', weight => 'weight', entity => 'person');

-- A population that lacks a group, a column, or has another type.
SELECT * FROM sdc.risk('sample', '{sex,region}', population => 'population');
SELECT * FROM sdc.risk('sample', '{sex,region}', population => 'population', nulls => 'wildcard');
SELECT * FROM sdc.risk('sample', '{sex,person}', population => 'population');
CREATE TABLE empty (LIKE population);
SELECT * FROM sdc.risk('sample', '{sex,region}', population => 'empty');
SELECT * FROM sdc.risk('sample', '{sex,region}', population => 'empty', nulls => 'wildcard');
SELECT * FROM sdc.risk('empty', '{sex,region}', population => 'empty');
CREATE TABLE other AS SELECT 'F' AS sex, 1::bigint AS region;
SELECT * FROM sdc.risk('sample', '{sex,region}', population => 'other');
SELECT * FROM sdc.risk('sample', '{sex,region}', population => 'population', entity => 'person');

-- Persons, nulls, thresholds, columns.
INSERT INTO sample VALUES (NULL, 1, 1, NULL, NULL);
SELECT * FROM sdc.risk('sample', '{sex,region}', entity => 'person');
SELECT * FROM sdc.risk('sample', '{sex,region}', entity => 'sex');
SELECT * FROM sdc.risk('sample', '{sex,region}', nulls => 'error');
SELECT * FROM sdc.risk('sample', '{sex,region}', nulls => 'missing');
SELECT * FROM sdc.risk('sample', '{sex,region}', nulls => NULL);
SELECT * FROM sdc.risk('sample', '{sex,region}', nulls => 'wildcard', entity => 'person');
SELECT * FROM sdc.risk('sample', '{sex,region}', threshold => 1);
SELECT * FROM sdc.risk('sample', '{sex,region}', threshold => -0.1);
SELECT * FROM sdc.risk('sample', '{sex,region}', threshold => 'NaN');
SELECT * FROM sdc.risk('sample', '{}');
SELECT * FROM sdc.risk('sample', '{sex,sex}');
SELECT * FROM sdc.risk('sample', '{sex,zip}');

-- Fractions.
SELECT sdc.population_uniqueness(0, sex) FROM sample;
SELECT sdc.population_uniqueness(-0.1, sex) FROM sample;
SELECT sdc.population_uniqueness(1.01, sex) FROM sample;
SELECT sdc.population_uniqueness('NaN', sex) FROM sample;
SELECT sdc.population_uniqueness(NULL, sex) FROM sample;
SELECT sdc.population_uniqueness(weight / 10, sex) FROM sample;
SELECT * FROM sdc.population_models('sample', '{sex}', 0);
SELECT * FROM sdc.population_models('sample', '{sex}', NULL);
SELECT sdc.dis_suda(2, 3, sex, region) OVER () FROM sample;
SELECT sdc.dis_suda(0, 3, sex, region) OVER () FROM sample;
SELECT sdc.dis_suda('NaN', 3, sex, region) OVER () FROM sample;
SELECT sdc.dis_suda(NULL, 3, sex, region) OVER () FROM sample;
SELECT sdc.population_uniqueness('Infinity', sex) FROM sample;
SELECT * FROM sdc.population_models('sample', '{sex}', -1);
SELECT * FROM sdc.population_models('sample', '{sex}', 1.5);
SELECT * FROM sdc.population_models('sample', '{sex}', 'NaN');

-- Sizes.
SELECT sdc.suda(0, sex, region) OVER () FROM sample;
SELECT sdc.suda(NULL, sex, region) OVER () FROM sample;
SELECT sdc.suda(3, sex, region) FROM sample;
SELECT * FROM sdc.suda_keys('sample', '{sex,region}', -1);
SELECT * FROM sdc.suda_keys('sample', '{}');
SELECT * FROM sdc.column_risk('sample', '{sex,region}', 0);
SELECT * FROM sdc.column_risk('sample', '{}');
SELECT * FROM sdc.column_risk('sample', '{sex,zip}');
DO $$ BEGIN EXECUTE 'CREATE TABLE wide AS SELECT ' || (SELECT string_agg('1 AS c' || i, ', ') FROM generate_series(1, 70) i); END $$;
SELECT * FROM sdc.column_risk('wide', (SELECT array_agg('c' || i) FROM generate_series(1, 32) i)::name[]);
SELECT * FROM sdc.column_risk('wide', (SELECT array_agg('c' || i) FROM generate_series(1, 30) i)::name[], 4);
SELECT * FROM sdc.suda_keys('wide', (SELECT array_agg('c' || i) FROM generate_series(1, 65) i)::name[]);
SELECT * FROM sdc.risk('wide', (SELECT array_agg('c' || i) FROM generate_series(1, 65) i)::name[], nulls => 'wildcard');
SET sdc.max_memory = '1MB';
SELECT sdc.suda(3, a, b, c, d) OVER () FROM (SELECT i AS a, i % 2 AS b, i % 3 AS c, i % 5 AS d FROM generate_series(1, 60000) i) q;
RESET sdc.max_memory;

-- Risks of households.
SELECT sdc.household_risk(1.1);
SELECT sdc.household_risk(-0.1);
SELECT sdc.household_risk('NaN');

SET client_min_messages = warning;
DROP SCHEMA risk_errors CASCADE;
