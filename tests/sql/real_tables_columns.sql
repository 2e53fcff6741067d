-- Columns of tables with several rows per person: what tells persons apart, what is a code, what is lost.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = warning;
CREATE SCHEMA real_columns;
SET search_path = real_columns;
CREATE TABLE visit AS
SELECT i AS visit_no, 'p' || p AS person, 'Name ' || p AS name, 1000 + p AS badge, date '2024-01-01' + i % 90 AS seen,
       CASE WHEN p % 7 > 0 THEN 20.0 + (p * 37) % 60 + i % 2 END::float8 AS age, CASE WHEN (p * 7) % 10 > 0 THEN 150.5 + (p * 79) % 40 END::float8 AS height,
       'r' || p % 2 AS region, 'g' || i % 3 AS grade, (ARRAY['Flu', 'HIV', 'Cancer', 'Asthma', 'Cold'])[1 + (i * i / 7) % 5] AS illness
FROM  (SELECT i, 1 + (i * 7919 + i / 90) % 90 AS p FROM generate_series(1, 270) AS i) v;

-- a column that hardly two persons share names them, however often it repeats in their rows
SELECT sdc.publish_microaggregated('visit', 'never', '{age,height}', 3, keep => '{name}', entity => 'person');
SELECT sdc.publish_microaggregated('visit', 'never', '{age,height}', 3, strata => '{badge}', entity => 'person');
SELECT sdc.publish_mondrian('visit', 'never', '{age,height}', 3, keep => '{badge}', entity => 'person');
SELECT sdc.publish_perturbed('visit', 'never', '{"age": {"method": "noise", "share": 0.1}}', keep => '{name}', entity => 'person');
SELECT sdc.declare('visit', entity => 'person');
SELECT sdc.publish_suppressed('visit', 'never', '{region}', 3, keep => '{name}');
SECURITY LABEL FOR sdc ON COLUMN visit.person IS NULL;
-- others repeat among persons
SELECT rows FROM sdc.publish_microaggregated('visit', 'kept', '{age,height}', 3, keep => '{region,grade,seen}', entity => 'person');
SELECT sdc.drop_release(max(id)) FROM sdc.releases WHERE target = 'real_columns.kept';
SELECT rows FROM sdc.publish_microaggregated('visit', 'kept', '{age,height}', 3, keep => '{name}', entity => 'person', allow_identifiers => true);
SELECT sdc.drop_release(max(id)) FROM sdc.releases WHERE target = 'real_columns.kept';
-- the same in a masked key and in a sensitive column is a warning
SELECT rows FROM sdc.publish_microaggregated('visit', 'kept', '{age,name}', 3, '{grade}', entity => 'person');
SELECT sdc.drop_release(max(id)) FROM sdc.releases WHERE target = 'real_columns.kept';
SELECT rows FROM sdc.publish_microaggregated('visit', 'kept', '{age}', 3, '{name}', entity => 'person');
SELECT sdc.drop_release(max(id)) FROM sdc.releases WHERE target = 'real_columns.kept';
-- and so are numbers where keys are published as they are
SELECT rows FROM sdc.publish_anatomy('visit', 'kept', '{visit_no,age}', 'illness', 3);
SELECT sdc.drop_release(max(id)) FROM sdc.releases WHERE target = 'real_columns.kept';
SELECT rows FROM sdc.publish_permutation('visit', 'kept', '{badge,age}', 'illness', 3, entity => 'person');
SELECT sdc.drop_release(max(id)) FROM sdc.releases WHERE target = 'real_columns.kept';
SELECT rows FROM sdc.publish_anatomy('visit', 'kept', '{visit_no,age,region}', 'illness', 3, allow_identifiers => true);
SELECT sdc.drop_release(max(id)) FROM sdc.releases WHERE target = 'real_columns.kept';
SELECT to_regclass('never') AS nothing_left;

-- a row without a person is nobody's, in every function that counts persons
CREATE VIEW nobodys AS SELECT *, CASE WHEN visit_no > 5 THEN person END AS who FROM visit;
SELECT FROM sdc.interval_hierarchy('visit', 'age', 'ages', '{10,30}');
SELECT sdc.publish_microaggregated('nobodys', 'never', '{age}', 3, entity => 'who');
SELECT sdc.publish_mondrian('nobodys', 'never', '{age}', 3, entity => 'who');
SELECT sdc.publish_generalized('nobodys', 'never', '{"age": "ages"}', 3, entity => 'who');
SELECT sdc.publish_p_alpha('nobodys', 'never', '{age}', 'illness', '[["HIV", "Cancer"], ["Asthma"], ["Flu", "Cold"]]', 3, 2, 0.5, entity => 'who');
SELECT sdc.publish_anatomy('nobodys', 'never', '{age}', 'illness', 3, entity => 'who');
SELECT sdc.publish_permutation('nobodys', 'never', '{age}', 'illness', 3, entity => 'who');
SELECT sdc.publish_suppressed('nobodys', 'never', '{age}', 3, entity => 'who');
SELECT sdc.publish_perturbed('nobodys', 'never', '{"age": {"method": "noise", "share": 0.1}}', entity => 'who');
SELECT k FROM sdc.risk_utility('nobodys', '{age}', entity => 'who');
SELECT height FROM sdc.minimal_generalizations('nobodys', '{"age": "ages"}', 3, entity => 'who');
SELECT height FROM sdc.lattice('nobodys', '{"age": "ages"}', 3, entity => 'who');
SELECT property FROM sdc.check_anonymity('nobodys', '{age}', k => 3, entity => 'who');
SELECT property FROM sdc.violations('nobodys', '{age}', k => 3, entity => 'who');
SELECT sdc.assert_anonymity('nobodys', '{age}', k => 3, entity => 'who');
SELECT rows FROM sdc.histogram('nobodys', '{age}', entity => 'who');
SELECT value FROM sdc.risk('nobodys', '{age}', entity => 'who');
SELECT sdc.report('nobodys', '{age}', k => 3, entity => 'who');
SELECT sdc.assert_difference('nobodys', 'nobodys', '{age}', 'who', 3);

-- codes: in small tables, too, if they repeat often enough
CREATE TABLE pupil AS SELECT i AS no, i % 3 AS sex, 10 + i % 8 AS age FROM generate_series(1, 40) AS i;
SELECT count(*) FROM sdc.microaggregate(NULL::pupil, '{age,sex}', 5);
SELECT count(*) FROM sdc.microaggregate(NULL::pupil, '{age,sex}', 5, categorical => '{sex}');
ALTER TABLE visit ADD COLUMN sex int;
UPDATE visit SET sex = right(person, 1)::int % 2;
SELECT rows FROM sdc.publish_permutation('visit', 'kept', '{age,sex}', 'illness', 3);
SELECT sdc.drop_release(max(id)) FROM sdc.releases WHERE target = 'real_columns.kept';
SELECT rows FROM sdc.publish_permutation('visit', 'kept', '{age,sex}', 'illness', 3, categorical => '{sex}');
SELECT sdc.drop_release(max(id)) FROM sdc.releases WHERE target = 'real_columns.kept';

-- what a release loses, by hand: a number that is hidden loses its distance from the mean, a NULL that is filled in
-- one variance
CREATE FUNCTION pg_temp.lost(relation regclass, key text) RETURNS TABLE (loss numeric, filled_in bigint, hidden bigint) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        'WITH c AS (SELECT v.%2$I AS x, r.%2$I AS y FROM visit v JOIN %1$s r USING (visit_no)), s AS (SELECT avg(x) AS mean, var_pop(x) AS variance FROM c)
         SELECT round((100 * sum(CASE WHEN x IS NULL AND y IS NULL THEN 0 WHEN x IS NULL THEN variance WHEN y IS NULL THEN (x - mean) ^ 2 ELSE (x - y) ^ 2 END)
                       / (max(variance) * count(*)))::numeric, 9),
                count(*) FILTER (WHERE x IS NULL AND y IS NOT NULL), count(*) FILTER (WHERE x IS NOT NULL AND y IS NULL) FROM c, s', relation, key);
END $$;
-- the few rows that lack both join others
UPDATE visit SET age = NULL, height = NULL WHERE visit_no IN (1, 2);
SELECT loss AS registered FROM sdc.publish_microaggregated('visit', 'masked', '{age,height}', 34, keep => '{visit_no}', allow_identifiers => true) \gset
SELECT key, l.filled_in > 0 AS filled_in, l.hidden > 0 AS hidden, l.loss = round((:'registered'::jsonb -> 'columns' ->> key)::numeric, 9) AS as_registered
FROM unnest('{age,height}'::text[]) AS key, pg_temp.lost('masked', key) AS l;
SELECT loss AS registered FROM sdc.publish_p_alpha('visit', 'by_weight', '{age,height}', 'illness', '[["HIV", "Cancer"], ["Asthma"], ["Flu", "Cold"]]', 34, 2, 0.5,
                                                   keep => '{visit_no}', allow_identifiers => true, composition => 'warning') \gset
SELECT key, l.loss = round((:'registered'::jsonb -> 'columns' ->> key)::numeric, 9) AS as_registered
FROM unnest('{age,height}'::text[]) AS key, pg_temp.lost('by_weight', key) AS l;
SELECT sdc.drop_release(id) FROM sdc.releases WHERE target IN ('real_columns.masked', 'real_columns.by_weight');

-- the page of a release shows k over all published columns
SELECT id FROM sdc.publish_microaggregated('visit', 'all_columns', '{age}', 40, keep => '{region,grade}', seed => 1) \gset
SELECT min(rows) > 2 AS several, sdc.report(:id) ~ format('Every row is like at least %s others in all published columns together', min(rows) - 1) AS said
FROM (SELECT count(*) AS rows FROM all_columns GROUP BY age, region, grade) g;
SELECT sdc.drop_release(:id);

-- a suggestion for a column that is called like a person
CREATE TABLE purchase AS SELECT i AS no, 'c' || i % 60 AS customer, i % 60 AS "Patient", i % 4 AS persons, i % 7 AS client FROM generate_series(1, 300) AS i;
SELECT "column", role, reason FROM sdc.suggest('purchase');
CREATE TABLE once AS SELECT DISTINCT customer, 5 + length(customer) AS age FROM purchase;
SELECT "column", role, reason FROM sdc.suggest('once');

DROP SCHEMA real_columns CASCADE;
DELETE FROM sdc.release WHERE source LIKE 'real_columns.%';
RESET search_path;
