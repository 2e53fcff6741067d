-- Perturbation: window functions and releases.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA blur;
SET search_path = blur, public;
CREATE TABLE patient AS
SELECT i AS id, 20 + (i * i * 7) % 61 AS age, ((i * i * 7) % 61 * 100 + (i * 31) % 500)::numeric(8,2) AS income, '2020-01-01'::date + (i * 37) % 700 AS born,
       (ARRAY['a', 'b', NULL])[1 + (i * 7) % 3] AS ward, (ARRAY['Flu', 'HIV', 'Cancer', 'Asthma'])[1 + (i * i) % 4] AS illness
FROM generate_series(1, 1000) AS i;
SET sdc.seed = 7;

-- rank swapping keeps every value, and ranks stay near
CREATE TABLE swapped AS SELECT id, age, born, ward, sdc.rank_swap(age, 5) OVER (ORDER BY id) AS new_age, sdc.rank_swap(born, 5) OVER (ORDER BY id) AS new_born, sdc.rank_swap(ward, 10) OVER (ORDER BY id) AS new_ward FROM patient;
SELECT (SELECT array_agg(age ORDER BY age) = array_agg(new_age ORDER BY new_age) FROM swapped) AS ages, (SELECT array_agg(born ORDER BY born) = array_agg(new_born ORDER BY new_born) FROM swapped) AS births,
       count(*) FILTER (WHERE (ward IS NULL) <> (new_ward IS NULL)) AS nulls_moved, count(*) FILTER (WHERE born <> new_born) > 900 AS moved, pg_typeof(min(new_age)) FROM swapped;
SELECT max(abs(a - b)) <= 50 + 17 AS near FROM (SELECT rank() OVER (ORDER BY age) AS a, (SELECT count(*) FROM swapped o WHERE o.age < s.new_age) + 1 AS b FROM swapped s) q;
-- within each partition
SELECT count(*) FILTER (WHERE n <> 1) AS crossed FROM (SELECT count(DISTINCT illness) AS n FROM (SELECT illness, sdc.pram(illness, 0.1) OVER (PARTITION BY illness) AS new FROM patient) s GROUP BY new) q;
-- PRAM keeps what it must, and draws nothing else
SELECT count(*) FILTER (WHERE new IS DISTINCT FROM illness) BETWEEN 90 AND 210 AS changed, count(DISTINCT new) AS values FROM (SELECT illness, sdc.pram(illness, 0.8) OVER () AS new FROM patient) s;
SELECT count(*) FILTER (WHERE new IS DISTINCT FROM ward) AS changed FROM (SELECT ward, sdc.pram(ward, 1) OVER () AS new FROM patient) s;
-- noise keeps mean and variance
SELECT abs(avg(new) - avg(income)) < 100 AS mean, abs(stddev(new) / stddev(income) - 1) < 0.1 AS sd, corr(new, income) BETWEEN 0.85 AND 0.97 AS correlated, pg_typeof(min(new)) FROM (SELECT income, sdc.noise(income, 0.2) OVER () AS new FROM patient) s;
-- tails
SELECT max(income) AS before, max(top) AS after, abs(avg(top) - avg(income)) < 0.01 AS same_mean, count(*) FILTER (WHERE top <> income) AS coded FROM (SELECT income, sdc.top_code(income, 0.95) OVER () AS top FROM patient) s;
SELECT min(income) AS before, min(bottom) > 0 AS raised FROM (SELECT income, sdc.bottom_code(income, 0.05) OVER () AS bottom FROM patient) s;
-- NULL stays NULL
SELECT count(*) FILTER (WHERE (x IS NULL) <> (noise IS NULL) OR (x IS NULL) <> (top IS NULL)) AS nulls_moved, count(noise) FROM (
    SELECT x, sdc.noise(x, 0.1) OVER () AS noise, sdc.top_code(x, 0.9) OVER () AS top FROM (SELECT CASE WHEN id % 3 > 0 THEN age END AS x FROM patient) p) s;
-- a seed repeats, and the operating system does not
CREATE TABLE first AS SELECT id, sdc.noise(age::float8, 0.1) OVER (ORDER BY id) AS a FROM patient;
CREATE TABLE second AS SELECT id, sdc.noise(age::float8, 0.1) OVER (ORDER BY id) AS b FROM patient;
RESET sdc.seed;
CREATE TABLE third AS SELECT id, sdc.noise(age::float8, 0.1) OVER (ORDER BY id) AS c FROM patient;
SELECT bool_and(a = b) AS repeated, bool_and(a <> c) AS drawn_anew FROM first JOIN second USING (id) JOIN third USING (id);

-- a release
SELECT method, parameters, rows, groups, achieved, jsonb_object_keys(loss->'columns') AS column
FROM sdc.publish_perturbed('patient', 'blurred', '{"age": {"method": "rank_swap", "percent": 5}, "ward": {"method": "pram", "keep_probability": 0.9}, "income": {"method": "noise", "share": 0.1}}', keep => '{illness}', seed => 3) ORDER BY 6;
\d blurred
SELECT (SELECT sum(age) FROM blurred) = (SELECT sum(age) FROM patient) AS same_ages, (SELECT count(*) FROM blurred WHERE ward IS NULL) = (SELECT count(*) FROM patient WHERE ward IS NULL) AS same_nulls;
-- noise of several columns keeps how they hang together
SELECT sdc.publish_perturbed('patient', 'noisy', '{"income": {"method": "noise", "share": 0.5}, "age": {"method": "noise", "share": 0.5}}') IS NOT NULL AS published;
SELECT abs((SELECT corr(age, income) FROM noisy) - (SELECT corr(age, income) FROM patient)) < 0.05 AS correlation_kept;
SELECT columns, abs(change) < 0.2 AS small FROM sdc.compare('patient', 'noisy') WHERE measure IN ('correlation', 'mean shift in sds');

-- coding by a bound, and rounding; a tail of one row or person is warned of
SET client_min_messages = warning;
SELECT sdc.publish_perturbed('patient', 'bounded', '{"age": {"method": "top_code", "bound": 60}, "income": {"method": "round", "unit": 500}}', '{id}', allow_identifiers => true) IS NOT NULL AS published;
SELECT bool_and(b.age = least(p.age, 60)) AS bounded, bool_and(b.income = round(p.income / 500) * 500) AS rounded FROM bounded b JOIN patient p USING (id);
CREATE TABLE few AS SELECT i AS id, i / 2 AS person, CASE WHEN i < 20 THEN i ELSE 1000 + i END AS income FROM generate_series(1, 21) AS i;
SELECT sdc.publish_perturbed('few', 'lone_row', '{"income": {"method": "top_code", "quantile": 0.96}}') IS NOT NULL AS published;
SELECT sdc.publish_perturbed('few', 'lone_person', '{"income": {"method": "top_code", "quantile": 0.9}}', entity => 'person') IS NOT NULL AS published;
SELECT sdc.publish_perturbed('few', 'lowest', '{"income": {"method": "bottom_code", "bound": 3}}') IS NOT NULL AS published;
SET client_min_messages = error;
SELECT sdc.publish_perturbed('patient', 'x', '{"age": {"method": "round", "unit": 0}}');
SELECT sdc.publish_perturbed('patient', 'x', '{"age": {"method": "top_code", "bound": 60, "quantile": 0.9}}');

-- what cannot be
SELECT sdc.rank_swap(age, 0) OVER () FROM patient;
SELECT sdc.rank_swap(age, 101) OVER () FROM patient;
SELECT sdc.rank_swap(age, NULL) OVER () FROM patient;
SELECT sdc.pram(ward, 80) OVER () FROM patient;
SELECT sdc.noise(age, -1) OVER () FROM patient;
SELECT sdc.noise(ward, 0.1) OVER () FROM patient;
SELECT sdc.top_code(age, 95) OVER () FROM patient;
SELECT sdc.noise(age, 0.1) FROM patient;
SELECT sdc.publish_perturbed('patient', 'x', '{"age": {"method": "blur"}}');
SELECT sdc.publish_perturbed('patient', 'x', '{"age": {"method": "noise"}}');
SELECT sdc.publish_perturbed('patient', 'x', '{"age": {"method": "noise", "share": 0.1, "seed": 1}}');
SELECT sdc.publish_perturbed('patient', 'x', '{}');
SELECT sdc.publish_perturbed('patient', 'x', '{"ward": {"method": "noise", "share": 0.1}}');
SELECT sdc.publish_perturbed('patient', 'x', '{"age": {"method": "noise", "share": 0.1}}', keep => '{age}');
SELECT to_regclass('x') IS NULL AS nothing_left;

DELETE FROM sdc.release;
RESET search_path;
DROP SCHEMA blur CASCADE;

-- an array is not a number, though other window functions read it as several columns
SELECT sdc.noise(v, 0.1) OVER () FROM (VALUES (ARRAY[1, 2]), (ARRAY[3, 4])) AS t (v);
SELECT sdc.top_code(v, 0.9) OVER () FROM (VALUES (ARRAY[1.5, 2]), (ARRAY[3, 4])) AS t (v);
SELECT count(r) FROM (SELECT sdc.pram(v, 0.9) OVER () AS r FROM (VALUES (ARRAY[1, 2]), (ARRAY[3, 4])) AS t (v)) s;
SELECT count(r) FROM (SELECT sdc.rank_swap(v, 50) OVER () AS r FROM (VALUES (ARRAY[1, 2]), (ARRAY[3, 4])) AS t (v)) s;
