-- sdc.report and sdc.compare of a release whose persons, codes, strata and weights they must take as it did.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA visits;
-- 1 to 3 rows of each person; codes of which neighbours mean nothing
CREATE TABLE visits.visit AS
SELECT i AS person, 20 + (i * 37) % 60 AS age, (i * 7) % 5 AS marital, 150 + (i * 79 + v) % 40 AS height,
       CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' END AS sex, (ARRAY['Flu', 'HIV', 'Cancer', 'Asthma'])[1 + (i + v) % 4] AS illness
FROM   generate_series(1, 120) AS i, generate_series(0, i % 3) AS v;
-- a line of the table behind the curve: the loss at a k
CREATE FUNCTION curve_loss(page text, k int) RETURNS text LANGUAGE sql AS $$
    SELECT substring(replace(page, '&#160;', ' ') FROM format('<td>%s</td><td>[0-9,]+</td><td>([^<]*) %%</td>', k))
$$;
-- the words of a page, one line for each block
CREATE FUNCTION words(page text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT line FROM (
        SELECT trim(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
                   regexp_replace(replace(page, '&#160;', ' '), '<style>.*</style>', ''), '</(p|h[1-3]|tr|dd|text|title|div|summary|pre)>', E'\n', 'g'),
                   '</(td|th|dt|strong)>', ' | ', 'g'), '<[^>]*>', '', 'g'), '(\| )+(\n|$)', E'\n', 'g')) AS text) t,
        regexp_split_to_table(text, '\n') AS line WHERE line <> ''
$$;

-- the curve at the k of a release is the release's own loss
CREATE TABLE visits.published AS
SELECT * FROM (VALUES
    ('persons', '{age,height}', '{}', '{}', NULL, 'person', true, NULL),
    ('codes', '{age,marital,height}', '{marital}', '{}', NULL, NULL, true, NULL),
    ('persons and codes', '{age,marital}', '{marital}', '{}', NULL, 'person', true, NULL),
    ('strata', '{age,height}', '{}', '{sex}', NULL, NULL, true, NULL),
    ('persons in strata', '{age,marital,height}', '{marital}', '{sex}', NULL, 'person', true, NULL),
    ('weights', '{age,height}', '{}', '{}', '{"age": 9}', NULL, true, NULL),
    ('not standardised', '{age,height}', '{}', '{}', NULL, NULL, false, NULL),
    ('method', '{age,height}', '{}', '{}', NULL, NULL, true, 'v_mdav')
) AS v (name, keys, categorical, strata, weights, entity, standardize, method);
SELECT name, curve_loss(sdc.report(r.id), 5) = trim_scale(round((r.loss->>'information_loss')::numeric, CASE WHEN (r.loss->>'information_loss')::float8 < 10 THEN 2 ELSE 1 END))::text AS as_published
FROM   visits.published p,
       sdc.publish_microaggregated('visits.visit', 'visits.' || replace(name, ' ', '_'), keys::name[], 5, categorical => categorical::name[], strata => strata::name[],
                                   weights => weights::jsonb, entity => entity::name, standardize => standardize, method => method) AS r;
-- what the curve cannot share with the release is said
SELECT id AS refined FROM sdc.publish_microaggregated('visits.visit', 'visits.refined', '{age,height}', 5, '{illness}', 2, refine => true, l => 1.5) \gset
SELECT * FROM words(sdc.report(:refined)) AS line WHERE line ~ '^Rows are grouped';
SELECT count(*) AS for_the_public FROM words(sdc.report_release(:refined, 'public')) AS line WHERE line ~ '^Rows are grouped';
-- the attacker of the curve sees strata, too
SELECT id AS strata FROM sdc.releases WHERE target = 'visits.strata' \gset
SELECT k, substring(line FROM '^\d+ \| [0-9,]+ \| [^|]*\| ([^|]*) %') :: float8 >= 100.0 * linkage - 0.01 AS at_least_without
FROM   sdc.risk_utility('visits.visit', '{age,height}', '{5}'), words(sdc.report(:strata)) AS line WHERE line ~ '^5 \| [0-9,]+ \| [^|]*% \| [^|]*% \| [^|]*% \| [^|%]*$';
-- a stratum with fewer rows than k has no point
SELECT count(*) AS points FROM words(sdc.report_release(:strata, ks => '{5,20,150}')) AS line WHERE line ~ '^(5|20|150) \| [0-9,]+ \| [^|]*% \| [^|]*% \| [^|]*% \| [^|%]*$';
SELECT * FROM words(sdc.report_release(:strata, ks => '{150}')) AS line WHERE line ~ 'stratum has fewer';

-- codes are shown as categories: no mean, no sd, no range
SELECT id AS codes FROM sdc.releases WHERE target = 'visits.codes' \gset
SELECT * FROM words(sdc.report(:codes)) AS line WHERE line ~ '^marital \| [a-z]' OR line ~ '^[0-4] \| \d+ \| \d+ $';
SELECT columns, measure, round(original::numeric, 4) AS original, round(released::numeric, 4) AS released
FROM   sdc.compare('visits.visit', 'visits.codes') WHERE 'marital' = ANY (columns) AND measure <> 'rows';
SELECT sdc.assert_utility('visits.visit', 'visits.codes', '{marital}', max_total_variation => 1);
-- codes have no mean
SELECT sdc.assert_utility('visits.visit', 'visits.codes', '{marital}', max_mean_shift => 0);
SELECT count(DISTINCT measure) > 2 AS numbers FROM sdc.compare('visits.visit', 'visits.codes', '{age}');
-- a copy is no release: its numbers are numbers
CREATE TABLE visits.copy AS TABLE visits.codes;
SELECT count(*) FILTER (WHERE measure = 'mean') AS means FROM sdc.compare('visits.visit', 'visits.copy', '{marital}');
-- those who may not see the entry
CREATE ROLE sdc_reader;
GRANT USAGE ON SCHEMA visits TO sdc_reader;
GRANT SELECT ON visits.visit TO sdc_reader;
GRANT SELECT (age, marital) ON visits.codes TO sdc_reader;
SET ROLE sdc_reader;
SELECT count(*) FILTER (WHERE measure = 'mean') AS means FROM sdc.compare('visits.visit', 'visits.codes', '{marital}');
RESET ROLE;

-- labels say the same of a table
SELECT sdc.declare('visits.visit', keys => '{age,marital}', categorical => '{marital}');
SELECT curve_loss(sdc.report('visits.visit'), 10) = trim_scale(round(loss::numeric, CASE WHEN loss < 10 THEN 2 ELSE 1 END))::text AS same_loss
FROM   sdc.risk_utility('visits.visit', ks => '{10}');

-- a page does not fail because the source has changed
SELECT id AS persons FROM sdc.releases WHERE target = 'visits.persons_in_strata' \gset
INSERT INTO visits.visit (person, age, marital, height, sex, illness) VALUES (1, 30, 1, 170, 'F', 'Flu');
SELECT * FROM words(sdc.report(:persons)) AS line WHERE line ~ '^Left out';
UPDATE visits.visit SET person = NULL WHERE sex = 'F' AND height = 170;
SELECT * FROM words(sdc.report(:persons)) AS line WHERE line ~ '^Left out';
ALTER TABLE visits.visit DROP COLUMN person;
SELECT * FROM words(sdc.report(:persons)) AS line WHERE line ~ '^Left out';
SELECT sdc.drop_release(id) FROM sdc.releases WHERE target LIKE 'visits.%' ORDER BY id;
DROP SCHEMA visits CASCADE;
DROP FUNCTION words, curve_loss;
DROP ROLE sdc_reader;
