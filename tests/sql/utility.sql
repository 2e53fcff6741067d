-- A source beside its release: figures, limits, counting queries; texts are read back.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA useful;
SET search_path = useful, public;
CREATE TABLE patient AS
SELECT i AS id, 20 + (i * i * 7) % 61 AS age, 150 + (i * i * 7) % 61 + (i * 31) % 20 AS height, '2020-01-01'::date + (i * 37) % 700 AS born,
       (ARRAY['a', 'b', 'c, d'])[1 + (i * 7) % 3] AS ward, (ARRAY['Flu', 'HIV', 'Cancer', 'Asthma'])[1 + (i * i) % 4] AS illness
FROM generate_series(1, 200) AS i;

-- nothing changes: no figure does, and queries are answered without error
CREATE TABLE same AS SELECT * FROM patient;
SELECT count(*), count(change), max(abs(change)) FROM sdc.compare('patient', 'same');
SELECT columns, measure, original, released, change FROM sdc.compare('patient', 'same', '{age,ward}', 'id');
SELECT sdc.assert_utility('patient', 'same', max_ks => 0, max_total_variation => 0, max_missing => 0, max_correlation_change => 0, max_mean_shift => 0, max_association_change => 0);

-- figures are those of SQL
SELECT bool_and(abs(c.original - e.figure) < 1e-9) AS as_in_sql FROM sdc.compare('patient', 'same', '{age,height}') c
JOIN (SELECT 'mean' AS measure, avg(age)::float8 AS figure FROM patient UNION ALL SELECT 'sd', stddev(age) FROM patient
      UNION ALL SELECT 'median', percentile_cont(0.5) WITHIN GROUP (ORDER BY age) FROM patient
      UNION ALL SELECT 'quartile 3', percentile_cont(0.75) WITHIN GROUP (ORDER BY age) FROM patient
      UNION ALL SELECT 'correlation', corr(age, height) FROM patient) e USING (measure) WHERE c.columns[1] = 'age';

-- ranges, units, sets and what is lost
CREATE TABLE texts (age text, born text, ward text, illness text);
INSERT INTO texts VALUES ('[20,30)', '2020-02', '{a,b}', 'Flu'), ('30-39', '[2020-01-01,2020-01-11)', '{"c, d"}', NULL), ('(40,50]', '2020', 'a', '*'),
    ('55', '2020-Q2', 'somewhere', '{HIV,Flu}'), ('*', '2020s', NULL, 'HIV'), (NULL, 'x', '{a,z}', 'Cancer'), ('{20,22}', '2020-01-31', 'b', 'Flu');
SELECT columns, measure, round(released::numeric, 4) AS released FROM sdc.compare('patient', 'texts')
WHERE measure IN ('mean', 'missing', 'categories', 'rows', 'total variation') ORDER BY columns, measure;

-- intervals are numbers, however the session writes them; averages of them are no categories
CREATE TABLE stay AS SELECT i AS id, make_interval(days => i % 50, hours => i % 24, mins => i % 60) - interval '10 days 01:00' AS lasted FROM generate_series(1, 300) i;
SET intervalstyle = postgres;
CREATE TABLE stay_text AS SELECT '[' || lasted || ',' || lasted + interval '2 hours' || ']' AS lasted FROM stay;
SET intervalstyle = iso_8601;
SELECT c.measure, abs(c.original - e.figure) < 1e-6 AS as_in_sql, round(c.change::numeric, 6) AS change FROM sdc.compare('stay', 'stay_text') c
JOIN (SELECT 'mean' AS measure, avg(extract(epoch FROM lasted)) AS figure FROM stay UNION ALL SELECT 'sd', stddev(extract(epoch FROM lasted)) FROM stay
      UNION ALL SELECT 'missing', 0) e USING (measure) ORDER BY 1;
RESET intervalstyle;

-- releases by each method
SELECT sdc.publish_microaggregated('patient', 'averaged', '{age,height}', 5, keep => '{ward}') IS NOT NULL,
       sdc.publish_mondrian('patient', 'recoded', '{age,height,ward}', 5) IS NOT NULL, sdc.publish_mondrian('patient', 'coarse', '{age,height,ward}', 60) IS NOT NULL;
SELECT columns, measure, abs(change) < 0.1 AS small FROM sdc.compare('patient', 'averaged') WHERE measure IN ('mean shift in sds', 'correlation', 'missing', 'total variation') ORDER BY 1, 2;
SELECT sdc.assert_utility('patient', 'averaged', max_mean_shift => 0.01, max_correlation_change => 0.1);
SELECT sdc.assert_utility('patient', 'coarse', '{age,height}', max_ks => 0.01, max_correlation_change => 0.9);
SELECT sdc.assert_utility('patient', 'coarse');
SELECT sdc.assert_utility('patient', 'coarse', max_ks => -0.1);
SELECT bool_and(fine < coarse) AS finer_is_better, bool_and(fine = again) AS reproducible FROM (
    SELECT (SELECT sdc.query_error(id, 300, 7) FROM sdc.releases WHERE target = 'useful.recoded') AS fine,
           (SELECT sdc.query_error(id, 300, 7) FROM sdc.releases WHERE target = 'useful.recoded') AS again,
           (SELECT sdc.query_error(id, 300, 7) FROM sdc.releases WHERE target = 'useful.coarse') AS coarse) s;
-- the match of rows gives distances of cells
CREATE TABLE shifted AS SELECT id, age + 1 AS age FROM patient;
SELECT round((released - 200 / (sqrt(2) * (SELECT stddev(age) FROM patient)))::numeric, 9) AS difference
FROM sdc.compare('patient', 'shifted', match => 'id') WHERE measure = 'IL1s';
-- and the share of cells that do not show what was there
CREATE TABLE partly AS SELECT id, CASE WHEN id <= 50 THEN NULL WHEN id <= 80 THEN '[' || age || ',' || age + 1 || ')' ELSE '[' || age || ',' || age + 2 || ')' END AS age,
       CASE WHEN id <= 40 THEN '{a,b}' WHEN id <= 60 THEN '{"' || ward || '"}' ELSE ward END AS ward FROM patient;
SELECT columns, measure, released FROM sdc.compare('patient', 'partly', match => 'id') WHERE measure IN ('changed', 'missing') ORDER BY 1, 2;

-- a column of which nothing is left, and one that was constant and is not, keep no limit
CREATE TABLE starred AS SELECT '*'::text AS age, '*'::text AS ward FROM patient;
SELECT measure, original, released, change FROM sdc.compare('patient', 'starred') ORDER BY columns, measure;
SELECT sdc.assert_utility('patient', 'starred', '{age}', max_mean_shift => 100);
SELECT sdc.assert_utility('patient', 'starred', '{ward}', max_total_variation => 0.99);
CREATE TABLE same_year AS SELECT 2024 AS year, id FROM patient;
CREATE TABLE other_year AS SELECT 2025 AS year, id FROM patient;
SELECT sdc.assert_utility('same_year', 'same_year', max_mean_shift => 0);
SELECT sdc.assert_utility('same_year', 'other_year', '{year}', max_mean_shift => 100);

-- what is released as it was lacks nothing, not even by an error of rounding
CREATE TABLE sevenths AS SELECT 'v' || i % 7 AS value FROM generate_series(1, 700) AS i;
SELECT released FROM sdc.compare('sevenths', 'sevenths') WHERE measure = 'missing';

-- what cannot be
SELECT * FROM sdc.compare('patient', 'shifted', match => 'age');
SELECT * FROM sdc.compare('patient', 'patient', '{nothing}');
CREATE TABLE strange (x int);
SELECT * FROM sdc.compare('patient', 'strange');
SELECT sdc.query_error(-1);
SELECT sdc.query_error(id, 0) FROM sdc.releases LIMIT 1;
DROP TABLE averaged;
\set VERBOSITY sqlstate
SELECT sdc.query_error(id) FROM sdc.releases WHERE target = 'useful.averaged';
\set VERBOSITY default

DELETE FROM sdc.release;
RESET search_path;
DROP SCHEMA useful CASCADE;
