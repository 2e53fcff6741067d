-- Mistakes that other tools made, each tried here.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SELECT setval('sdc.release_id_seq', 8300) \gset
SET client_min_messages = error;
CREATE SCHEMA traps;
CREATE TABLE traps.patient AS
SELECT i AS id, 20 + i % 40 AS age, 'w' || i % 3 AS ward, (ARRAY['Flu', 'HIV', 'Cold'])[1 + i % 3] AS illness, i * i % 101 AS cost
FROM generate_series(1, 240) AS i;
INSERT INTO traps.patient VALUES (241, 99, 'w9', 'Flu', 1);

-- suppressed rows are no group: neither counted nor shown
SELECT sdc.interval_hierarchy('traps.patient', 'age', 'traps.age', '{10}');
SELECT rows, suppressed, groups, achieved -> 'k' AS k FROM sdc.publish_generalized('traps.patient', 'traps.coarse', '{"age": "traps.age", "ward": null}', 5, max_suppressed => 1);
SELECT count(*) AS groups, sum(n) AS rows, min(n) AS k FROM (SELECT count(*) AS n FROM traps.coarse GROUP BY age, ward) g;
SELECT count(*) FILTER (WHERE age IS NULL OR ward IS NULL) AS blanks FROM traps.coarse;

-- a hierarchy is read when it is used, and one that lacks a value is refused
INSERT INTO traps.patient VALUES (242, 150, 'w1', 'Flu', 1);
SELECT rows FROM sdc.publish_generalized('traps.patient', 'traps.stale', '{"age": "traps.age"}', 5, max_suppressed => 5);
SELECT * FROM sdc.uncovered_values('traps.patient', '{"age": "traps.age"}');
SELECT sdc.interval_hierarchy('traps.patient', 'age', 'traps.age', '{10}', replace => true);
SELECT rows FROM sdc.publish_generalized('traps.patient', 'traps.fresh', '{"age": "traps.age"}', 5, max_suppressed => 5);
DELETE FROM traps.patient WHERE id = 242;

-- what cell suppression blanks suffices under both readings of NULL
SELECT rows FROM sdc.publish_suppressed('traps.patient', 'traps.blanked', '{age,ward}', 4);
SELECT nulls, actual >= 4 AS enough FROM unnest('{value,wildcard}'::text[]) AS nulls, sdc.check_anonymity('traps.blanked', '{age,ward}', k => 4, nulls => nulls);
-- rows that have enough company keep their cells: all but one of these have a double
SELECT rows FROM sdc.publish_suppressed('traps.patient', 'traps.pairs', '{age,ward}', 2);
SELECT count(*) FILTER (WHERE age IS NULL OR ward IS NULL) <= 3 AS few_blanked FROM traps.pairs;

-- single keys can be protected without the others
SELECT rows FROM sdc.publish_suppressed('traps.patient', 'traps.known', '{age,ward}', 4, reading => 'wildcard', known_keys => 1);
SELECT min(n) >= 4 AS shared FROM (SELECT count(*) AS n FROM traps.known WHERE ward IS NOT NULL GROUP BY ward UNION ALL SELECT count(*) FROM traps.known WHERE age IS NOT NULL GROUP BY age) c;

-- l-diversity where keys are NULL: NULL is a key like others
SELECT sdc.l_diversity(ROW(a), v) AS l FROM (VALUES (NULL::int, 'x'), (NULL, 'x'), (NULL, 'y'), (1, 'x'), (1, 'y')) AS t (a, v);

-- percent is not a share, and a swap keeps all values
SELECT sdc.rank_swap(age, 0) OVER () FROM traps.patient LIMIT 1;
SELECT sdc.rank_swap(age, 101) OVER () FROM traps.patient LIMIT 1;
SELECT array_agg(age ORDER BY age) = array_agg(swapped ORDER BY swapped) AS same_values
FROM (SELECT age, sdc.rank_swap(age, 5) OVER () AS swapped FROM traps.patient) s;

SET client_min_messages = warning;
SELECT method FROM sdc.publish_perturbed('traps.patient', 'traps.swapped', '{"age": {"method": "rank_swap", "percent": 0.05}}');
SET client_min_messages = error;

-- PRAM invents no value, and one that is always kept never changes
SELECT bool_and(drawn IN ('Flu', 'HIV', 'Cold')) AS known, bool_and(kept = illness) AS kept
FROM (SELECT illness, sdc.pram(illness, 0.5) OVER () AS drawn, sdc.pram(illness, 1) OVER () AS kept FROM traps.patient) s;

-- no risk is above 1 or not a number, whatever the weights
SELECT bool_and(risk BETWEEN 0 AND 1) AS probabilities
FROM (SELECT sdc.individual_risk(w, age) OVER () AS risk FROM traps.patient, unnest('{0.001,1,1e12}'::float8[]) AS w) s;

-- the risk of a release is that of its rows, not of its source's
SELECT rows FROM sdc.publish_microaggregated('traps.patient', 'traps.masked', '{age,cost}', 6);
SELECT (SELECT value FROM sdc.risk('traps.masked', '{age,cost}') WHERE (attacker, measure) = ('prosecutor', 'maximum')) <= 1.0 / 6 AS masked,
       (SELECT value FROM sdc.risk('traps.patient', '{age,cost}') WHERE (attacker, measure) = ('prosecutor', 'maximum')) = 1 AS source;

-- groups that must have several values do not lose one
SELECT rows FROM sdc.publish_microaggregated('traps.patient', 'traps.varied', '{age,cost}', 3, '{illness}', 2);
SELECT (SELECT array_agg(illness ORDER BY illness) FROM traps.varied) = (SELECT array_agg(illness ORDER BY illness) FROM traps.patient) AS all_values;

SELECT count(*) FROM (SELECT sdc.drop_release(id) FROM sdc.releases WHERE source = 'traps.patient') d;
DROP SCHEMA traps CASCADE;
