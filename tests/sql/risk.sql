-- Risk by attacker, of rows and of columns: worked examples.
CREATE SCHEMA risk;
SET search_path = risk;

-- Six rows of a population of fourteen: (f, F) = (1, 5), (2, 2), (3, 6), and one group is not in the sample.
CREATE TABLE population (sex text, region int);
INSERT INTO population SELECT 'F', 1 FROM generate_series(1, 5);
INSERT INTO population SELECT 'M', 1 FROM generate_series(1, 2);
INSERT INTO population SELECT NULL, 2 FROM generate_series(1, 6);
INSERT INTO population VALUES ('M', NULL);
CREATE TABLE sample (sex text, region int, weight numeric, person int);
INSERT INTO sample VALUES ('F', 1, 5, 1), ('M', 1, 1, 2), ('M', 1, 1, 3), (NULL, 2, 2, 4), (NULL, 2, 2, 5), (NULL, 2, 2, 6);

-- The table is the whole population.
SELECT attacker, measure, round(value::numeric, 6) AS value FROM sdc.risk('sample', '{sex,region}');
-- Prosecutor 3/6, marketer (1/5 + 2/2 + 3/6)/6, journalist the larger of that and 3/13.
SELECT attacker, measure, round(value::numeric, 6) AS value FROM sdc.risk('sample', '{sex,region}', population => 'population');
-- Weights estimate the same group sizes; delta cannot be known, and a risk is not quite 1/F.
SELECT attacker, measure, round(value::numeric, 6) AS value FROM sdc.risk('sample', '{sex,region}', weight => 'weight');
SELECT measure, round(value::numeric, 6) AS value FROM sdc.risk('sample', '{sex,region}', threshold => 0.4) WHERE measure = 'at_risk';

-- Several rows per person: persons are counted.
CREATE TABLE visit AS SELECT s.* FROM sample s, generate_series(1, 1 + person % 3);
SELECT count(*) FROM visit;
SELECT r.value IS NOT DISTINCT FROM v.value AS same, count(*)
FROM   sdc.risk('sample', '{sex,region}', weight => 'weight') r
JOIN   sdc.risk('visit', '{sex,region}', weight => 'weight', entity => 'person') v USING (attacker, measure) GROUP BY 1;
CREATE TABLE visited AS SELECT *, row_number() OVER ()::int AS person FROM population p;
INSERT INTO visited SELECT * FROM visited WHERE person % 2 = 0;
SELECT r.value IS NOT DISTINCT FROM v.value AS same, count(*)
FROM   sdc.risk('sample', '{sex,region}', population => 'population') r
JOIN   sdc.risk('visit', '{sex,region}', population => 'visited', entity => 'person') v USING (attacker, measure) GROUP BY 1;

-- No rows: nothing to measure, nobody to count.
CREATE TABLE nobody (LIKE sample);
SELECT count(*) AS figures, count(value) AS known, sum(value) AS total FROM sdc.risk('nobody', '{sex,region}');
SELECT count(value) AS known, min(value) AS delta FROM sdc.risk('nobody', '{sex,region}', population => 'population') WHERE measure LIKE 'delta%';
SELECT sdc.individual_risk(weight::float8, sex) OVER () FROM nobody;
SELECT sdc.household_risk(weight::float8), sdc.population_uniqueness(0.1, sex) FROM nobody;
SELECT sdc.suda(3, sex) OVER () FROM nobody;
SELECT * FROM sdc.suda_keys('nobody', '{sex,region}');
SELECT * FROM sdc.population_models('nobody', '{sex,region}', 0.1);
SELECT * FROM sdc.column_risk('nobody', '{sex,region}', 1);

-- Individual risk: (f, F) = (1, 5), (2, 360), (2, 152), (3, 30), and 1/f where F = f or below.
CREATE TABLE weighted (id int, key text, weight float8);
INSERT INTO weighted VALUES (1, 'a', 5), (2, 'b', 180), (3, 'b', 180), (4, 'c', 100), (5, 'c', 52),
    (6, 'd', 10), (7, 'd', 10), (8, 'd', 10), (9, 'e', 1), (10, 'e', 1), (11, NULL, 0.5);
SELECT id, key, round(sdc.individual_risk(weight, key) OVER ()::numeric, 8) AS risk FROM weighted ORDER BY id;
-- in closed form
SELECT round((0.25 * ln(5.0))::numeric, 8) AS a, round((2 / 358.0 - (2 / 358.0) ^ 2 * ln(180.0))::numeric, 8) AS b;
-- within each window partition, and with a record or an array as keys
SELECT id, round(sdc.individual_risk(weight, ROW(key, key)) OVER (PARTITION BY id % 2)::numeric, 6) AS risk FROM weighted ORDER BY id;
-- the expected number of re-identifications and the global risk
SELECT round(sum(r)::numeric, 6) AS expected, round(avg(r)::numeric, 6) AS global
FROM   (SELECT sdc.individual_risk(weight, key) OVER () AS r FROM weighted) q;
SELECT round(value::numeric, 6) AS expected FROM sdc.risk('weighted', '{key}', weight => 'weight') WHERE measure = 'expected_reidentifications';

-- Households.
SELECT round(sdc.household_risk(r)::numeric, 3) FROM unnest('{0.02,0.03,0.03}'::float8[]) r;
SELECT sdc.household_risk(r) FROM unnest('{0.5,NULL,0.5}'::float8[]) r;
SELECT sdc.household_risk(r) AS certain FROM unnest('{0.1,1}'::float8[]) r;
SELECT sdc.household_risk(1e-18) AS small FROM generate_series(1, 1000);
SELECT sdc.household_risk(NULL) AS nobody;

-- Special uniques. Among three keys a set of one weighs 2, a set of two or three weighs 1: 20 F CA is unique on
-- {age,sex} and {age,state}, 30 F CA on {age}, 40 F TX on {state} and {age,sex}.
CREATE TABLE five (age int, sex text, state text);
INSERT INTO five VALUES (20, 'F', 'CA'), (30, 'F', 'CA'), (40, 'F', 'TX'), (20, 'M', 'NY'), (40, 'M', 'CA');
SELECT *, sdc.suda(3, age, sex, state) OVER () AS suda, sdc.suda(1, age, sex, state) OVER () AS alone,
       round(sdc.dis_suda(0.1, 3, age, sex, state) OVER ()::numeric, 6) AS dis_suda FROM five;
SELECT key, round(contribution::numeric, 6) AS contribution, minimal_uniques FROM sdc.suda_keys('five', '{age,sex,state}');
SELECT key, round(contribution::numeric, 6) AS contribution, minimal_uniques FROM sdc.suda_keys('five', '{age,sex,state}', max_size => 1);
-- Rows that are there twice are no uniques, but others are not unique beside them.
SELECT *, sdc.suda(3, age, sex, state) OVER () AS suda FROM (SELECT * FROM five UNION ALL SELECT * FROM five LIMIT 6) q;
CREATE VIEW six AS SELECT * FROM five UNION ALL (SELECT * FROM five LIMIT 1);
SELECT * FROM sdc.suda_keys('six', '{age,sex,state}');

-- Dangerous columns.
SELECT columns, distinction, round(separation::numeric, 6) AS separation, uniques, risk, risk_without FROM sdc.column_risk('five', '{sex,state,age}', 3);
SELECT count(*) FROM sdc.column_risk('five', '{sex,state,age}');
SELECT columns, distinction, round(separation::numeric, 6) AS separation, uniques, risk, risk_without FROM sdc.column_risk('sample', '{sex,region}');

-- NULL matches every value.
CREATE TABLE wild (id int, sex text, zip int);
INSERT INTO wild VALUES (1, 'M', 4711), (2, 'M', 4711), (3, 'M', 4711), (4, NULL, 4711), (5, NULL, 4711), (6, 'F', 4712), (7, 'F', NULL), (8, 'M', NULL);
-- 6 6 6 7 7 2 4 6: the average of 1/f, the largest, the share above 1/5
SELECT attacker, measure, round(value::numeric, 6) AS value FROM sdc.risk('wild', '{sex,zip}', nulls => 'wildcard') WHERE attacker = 'prosecutor';
SELECT round((4 / 6.0 + 2 / 7.0 + 1 / 2.0 + 1 / 4.0) / 8, 6) AS average;
SELECT attacker, measure, round(value::numeric, 6) AS value FROM sdc.risk('wild', '{sex,zip}') WHERE attacker = 'prosecutor';
-- the matches of each combination, here and where matching is not transitive: 7 ×6, 10, 4 ×3
SELECT key_values, rows, actual FROM sdc.violations('wild', '{sex,zip}', k => 100, nulls => 'wildcard') ORDER BY key_values::text;
CREATE TABLE chained (age int, sex text, region text);
INSERT INTO chained VALUES (NULL, 'F', 'North'), (68, 'F', 'North'), (68, NULL, 'North'), (NULL, NULL, 'North'), (NULL, NULL, 'North'), (NULL, NULL, 'North'),
    (68, 'F', NULL), (68, NULL, 'South'), (68, 'F', 'South'), (68, 'F', 'South');
SELECT key_values, rows, actual FROM sdc.violations('chained', '{age,sex,region}', k => 100, nulls => 'wildcard') ORDER BY key_values::text;
SELECT measure, value FROM sdc.risk('sample', '{sex,region}', population => 'population', nulls => 'wildcard') WHERE measure IN ('k_map', 'delta_min', 'delta_max');

-- Uniques of the population behind a sample.
CREATE TABLE survey AS SELECT a, b FROM generate_series(1, 60) a, generate_series(1, 40) b, generate_series(1, 1 + 60 / a / b);
SELECT model, round(uniques::numeric, 4) AS uniques, round(share::numeric, 6) AS share, converged, chosen,
       (SELECT jsonb_object_agg(key, round(value::numeric, 4)) FROM jsonb_each_text(parameters)) AS parameters
FROM   sdc.population_models('survey', '{a,b}', 0.1);
SELECT model, round(share::numeric, 6) AS share, converged, chosen FROM sdc.population_models('survey', '{a,b}', 0.3);
SELECT round(sdc.population_uniqueness(0.1, a, b)::numeric, 6) AS small, round(sdc.population_uniqueness(0.3, ROW(a, b))::numeric, 6) AS large,
       round(sdc.population_uniqueness(1, a, b)::numeric, 6) AS whole FROM survey;
SELECT a % 2 AS odd, round(sdc.population_uniqueness(0.1, a, b)::numeric, 6) AS share FROM survey GROUP BY 1 ORDER BY 1;
-- Without a fit that converged the closed form answers, and the table says so.
SELECT * FROM sdc.population_models('five', '{age,sex,state}', 0.05);
SELECT sdc.population_uniqueness(0.05, age, sex, state) FROM five;

-- Parallel plans give the same.
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
CREATE TABLE many AS SELECT i % 7 AS a, (i * i) % 3001 AS b, (i % 100) / 1000.0::float8 AS risk FROM generate_series(1, 5000) i;
ANALYZE many;
EXPLAIN (COSTS OFF) SELECT sdc.household_risk(risk), sdc.population_uniqueness(0.2, a, b) FROM many;
SELECT sdc.household_risk(risk) > 0.99999 AS sure, round(sdc.population_uniqueness(0.2, a, b)::numeric, 6) AS share FROM many;
SET max_parallel_workers_per_gather = 0;
SELECT sdc.household_risk(risk) > 0.99999 AS sure, round(sdc.population_uniqueness(0.2, a, b)::numeric, 6) AS share FROM many;

SET client_min_messages = warning;
DROP SCHEMA risk CASCADE;
