-- sdc.risk_utility: what each k would cost and what risk it would leave.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
CREATE TABLE citizen AS
SELECT i AS id, sin(i) * 30 + 50 AS age, cos(i * 1.3) * 20 + 170 AS height, CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' END AS sex,
       (ARRAY['Flu', 'HIV', 'Cancer', 'Asthma'])[1 + i % 4] AS illness
FROM   generate_series(1, 200) AS i;
ALTER TABLE citizen DROP COLUMN id;

SELECT k, p, groups, round(loss::numeric, 6) AS loss, round(risk::numeric, 6) AS risk, seconds > 0 AND seconds < extract(epoch FROM clock_timestamp() - statement_timestamp()) AS timed
FROM   sdc.risk_utility(NULL::citizen, '{age,height,sex}');
-- the figures are those of the aggregates over the window function's groups
SELECT k, r.groups = count(DISTINCT m.grp) AS same_groups,
       abs(r.loss - sdc.information_loss(m.grp, m.age, m.height, m.sex)) < 1e-9 AS same_loss,
       abs(r.risk - sdc.reidentification_risk(m.grp)) < 1e-12 AS same_risk
FROM   sdc.risk_utility(NULL::citizen, '{age,height,sex}', '{7,3}') AS r,
       LATERAL (SELECT *, sdc.mdav(r.k, c.age, c.height, c.sex) OVER () AS grp FROM citizen c) AS m
GROUP  BY k, r.groups, r.loss, r.risk ORDER BY k;
-- linkage: everybody against every group, standardised keys; never above the risk
WITH grouped AS (
    SELECT *, avg(age) OVER g AS ga, avg(height) OVER g AS gh, count(*) OVER g AS size
    FROM (SELECT *, row_number() OVER () AS id, sdc.mdav(5, age, height) OVER () AS grp FROM citizen) s WINDOW g AS (PARTITION BY grp)),
distances AS (
    SELECT p.id, p.grp = o.grp AS own, o.size,
           round((((p.age - o.ga) / a) ^ 2 + ((p.height - o.gh) / h) ^ 2)::numeric, 9) AS d
    FROM grouped p, (SELECT DISTINCT grp, ga, gh, size FROM grouped) o, (SELECT stddev_pop(age) AS a, stddev_pop(height) AS h FROM citizen) s),
nearest AS (SELECT DISTINCT ON (id) * FROM distances ORDER BY id, d, own DESC)
SELECT round(r.linkage::numeric, 9) = (SELECT round(sum(1.0 / size) FILTER (WHERE own) / count(*), 9) FROM nearest) AS as_in_sql, r.linkage <= r.risk AS at_most_risk
FROM   sdc.risk_utility(NULL::citizen, '{age,height}', '{5}') AS r;
-- with p the groups have p values, and cost more
SELECT plain.k, plain.groups, sensitive.groups, sensitive.loss >= plain.loss AS dearer
FROM   sdc.risk_utility(NULL::citizen, '{age,height}', '{3,5}') AS plain
JOIN   sdc.risk_utility(NULL::citizen, '{age,height}', '{3,5}', '{illness}', 3, 'k_first') AS sensitive USING (k);
-- what cannot be has no figures: more than there are rows, less than p
SELECT k, p, groups, loss IS NULL AS no_loss, risk IS NULL AS no_risk, seconds IS NULL AS no_time
FROM   sdc.risk_utility(NULL::citizen, '{age,height}', '{500,200,5,2,5}', '{illness}', 3);
CREATE TABLE nobody (age int);
SELECT * FROM sdc.risk_utility(NULL::nobody, '{age}', '{1,2}');
-- one numeric key is cut optimally
SELECT k, groups FROM sdc.risk_utility(NULL::citizen, '{age}', '{100}');

-- errors
SELECT * FROM sdc.risk_utility(NULL::citizen, '{}');
SELECT * FROM sdc.risk_utility(NULL::citizen, '{weight}');
SELECT * FROM sdc.risk_utility(NULL::citizen, '{age}', '{0}');
SELECT * FROM sdc.risk_utility(NULL::citizen, '{age}', '{3,NULL}');
SELECT * FROM sdc.risk_utility(NULL::citizen, '{age}', NULL);
SELECT * FROM sdc.risk_utility(NULL::citizen, '{age}', p => 0);
SELECT * FROM sdc.risk_utility(NULL::citizen, '{age}', p => 2);
SELECT * FROM sdc.risk_utility(NULL::citizen, '{age,height}', sensitive => '{illness}', p => 5);
SELECT * FROM sdc.risk_utility(NULL::citizen, '{age,illness}', sensitive => '{illness}', p => 2);
\set VERBOSITY terse
SELECT * FROM sdc.risk_utility(NULL::citizen, '{age}', method => 'magic');
\set VERBOSITY default
SELECT * FROM sdc.risk_utility(1, '{age}');
-- as the caller
CREATE ROLE sdc_stranger;
SET ROLE sdc_stranger;
SELECT * FROM sdc.risk_utility(NULL::citizen, '{age}');
RESET ROLE;
GRANT SELECT (age) ON citizen TO sdc_stranger;
SET ROLE sdc_stranger;
SELECT k, groups FROM sdc.risk_utility(NULL::citizen, '{age}', '{50}');
SELECT * FROM sdc.risk_utility(NULL::citizen, '{age,height}');
RESET ROLE;
DROP TABLE citizen, nobody;
DROP ROLE sdc_stranger;
