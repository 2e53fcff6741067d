-- Tables as they come: NULLs, several rows of a person, codes, strata, weights. What a method promises is
-- counted again by plain SQL.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SELECT setval('sdc.release_id_seq', 1600) \gset
CREATE SCHEMA real_tables;
SET search_path = real_tables;
SET sdc.seed = 7;

-- 600 visits of 150 persons: a fifth of ages and a tenth of heights missing, race and marital are codes
CREATE TABLE visit (id int PRIMARY KEY, person text NOT NULL, age int, height numeric(5,1), race int, marital int,
                    region text, illness text);
INSERT INTO visit
SELECT i, 'p' || p, nullif(20 + (p * 37) % 60 + i % 2, 20 + (p * 37) % 60 + (p % 5)), CASE WHEN (p * 7) % 10 > 0 THEN 150 + (p * 79 + i) % 40 END,
       (ARRAY[1, 2, 5, 9])[1 + (p * 13) % 4], (ARRAY[-1, 1, 2])[1 + i % 3], 'r' || p % 3,
       (ARRAY['Flu', 'HIV', 'Cancer', 'Asthma', 'Cold'])[1 + (i * i / 7) % 5]
FROM  (SELECT i, 1 + (i * 7919 + i / 150) % 150 AS p FROM generate_series(1, 600) AS i) v;
SELECT count(*) AS rows, count(DISTINCT person) AS persons, count(*) - count(age) AS no_age, count(*) - count(height) AS no_height FROM visit;

-- window functions: rows that lack the same values are grouped together wherever k of them exist
CREATE FUNCTION pg_temp.unmixed(groups text) RETURNS TABLE (rows bigint, k bigint, mixed bigint) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        'WITH g AS (SELECT v.*, %s AS grp FROM visit v),
              s AS (SELECT count(*) AS size, count(DISTINCT (age IS NULL, height IS NULL)) AS patterns FROM g GROUP BY grp)
         SELECT sum(size)::bigint, min(size), count(*) FILTER (WHERE patterns > 1) FROM s', groups);
END $$;
SELECT * FROM pg_temp.unmixed('sdc.mdav(5, age, height) OVER (ORDER BY id)');
SELECT * FROM pg_temp.unmixed('sdc.mdav(5, age, height, region) OVER (ORDER BY id)');
SELECT * FROM pg_temp.unmixed('sdc.p_sensitive(5, 3, ROW(age, height), ROW(illness)) OVER (ORDER BY id)');
SELECT * FROM pg_temp.unmixed('sdc.p_sensitive(5, 3, ROW(age, height), ROW(illness), ''least_loss'') OVER (ORDER BY id)');
SELECT * FROM pg_temp.unmixed('sdc.mondrian(5, 3, ROW(age, height), ROW(illness)) OVER (ORDER BY id)');
SELECT * FROM pg_temp.unmixed('sdc.p_alpha_sensitive(5, 2, 1, ROW(age, height), 1 + id % 4, 4) OVER (ORDER BY id)');
SELECT rows, k >= 3 AS k, mixed FROM pg_temp.unmixed('sdc.permutation(3, ROW(age, height), illness) OVER (ORDER BY id)');

-- a pattern with fewer than k rows joins the nearest groups; half or more missing show NULL, fewer the mean
CREATE TABLE few (id int, x int);
INSERT INTO few VALUES (1, 10), (2, 11), (3, 12), (4, 50), (5, 51), (6, 52), (7, NULL);
SELECT id, x, sdc.mdav(3, x) OVER (ORDER BY id) AS grp FROM few ORDER BY id;
SELECT id, x FROM sdc.microaggregate(NULL::few, '{x}', 3, method => 'mdav') ORDER BY id;
INSERT INTO few VALUES (8, NULL), (9, NULL);
SELECT id, x FROM sdc.microaggregate(NULL::few, '{x}', 3) ORDER BY id;
SELECT id, x FROM sdc.microaggregate(NULL::few, '{x}', 9) ORDER BY id LIMIT 2;
DELETE FROM few WHERE id IN (4, 5, 6);
SELECT DISTINCT x FROM sdc.microaggregate(NULL::few, '{x}', 6);
SELECT * FROM sdc.microaggregate(NULL::few, '{x}', 3, nulls => 'error');
SELECT * FROM sdc.microaggregate(NULL::few, '{x}', 3, nulls => 'any');

-- what is lost: a NULL that is filled in and a number that is hidden count in full
SELECT sdc.information_loss(grp, x) AS all_hidden FROM (VALUES (1, 1), (1, NULL), (1, 5), (1, NULL)) v (grp, x);
SELECT sdc.information_loss(grp, x) AS nothing_lost FROM (VALUES (1, 1), (1, 1), (2, NULL), (2, NULL), (3, 5)) v (grp, x);
SELECT sdc.sse(grp, x) AS filled_in FROM (VALUES (1, 1), (1, 1), (1, NULL), (2, 3), (2, 3)) v (grp, x);
SELECT sdc.ncp(grp, x) AS penalties FROM (VALUES (1, 0), (1, 2), (1, NULL), (2, 4), (2, NULL), (3, NULL), (3, NULL)) v (grp, x);
SELECT k, groups, round(loss::numeric, 2) AS loss FROM sdc.risk_utility(NULL::visit, '{age,height}', '{2,5,20}');

-- codes: declared ones are never averaged, others are warned about
SELECT count(*) FROM sdc.microaggregate(NULL::visit, '{age,race,marital}', 5);
SELECT count(*) FROM sdc.microaggregate(NULL::visit, '{age,race,marital}', 5, categorical => '{race,marital}');
SELECT array_agg(DISTINCT race) AS races, array_agg(DISTINCT marital) AS marital
FROM sdc.microaggregate(NULL::visit, '{age,race,marital}', 5, categorical => '{race,marital}');
SELECT k, groups, loss > 0 AS loses FROM sdc.risk_utility(NULL::visit, '{age,race}', '{5}', categorical => '{race}');
SELECT * FROM sdc.microaggregate(NULL::visit, '{age}', 5, categorical => '{race}');

-- weights are factors on squared distances
SELECT (SELECT sdc.information_loss(g, age) FROM
           (SELECT v.age, dense_rank() OVER (ORDER BY m.age, m.height)::int AS g
            FROM sdc.microaggregate(NULL::visit, '{age,height}', 5, weights => '{"age": 100}') m JOIN visit v USING (id)) a)
     < (SELECT sdc.information_loss(g, age) FROM
           (SELECT v.age, dense_rank() OVER (ORDER BY m.age, m.height)::int AS g
            FROM sdc.microaggregate(NULL::visit, '{age,height}', 5, weights => '{"age": 0.01}') m JOIN visit v USING (id)) a) AS heavier_loses_less;
SELECT * FROM sdc.microaggregate(NULL::visit, '{age}', 5, weights => '{"height": 2}');
SELECT * FROM sdc.microaggregate(NULL::visit, '{age}', 5, weights => '{"age": 0}');
SELECT * FROM sdc.microaggregate(NULL::visit, '{age}', 5, weights => '[1]');
SELECT * FROM sdc.microaggregate(NULL::visit, '{age,region,illness}', 5, weights => '{"region": 2, "illness": 3}');

-- persons: k counts them, all rows of one are in one group
SELECT min(persons) >= 5 AS k FROM (SELECT count(DISTINCT person) AS persons
    FROM sdc.microaggregate(NULL::visit, '{age,height}', 5, entity => 'person') GROUP BY age, height) g;
SELECT max(combinations) AS groups_of_a_person FROM (SELECT count(DISTINCT (age, height)) AS combinations
    FROM sdc.microaggregate(NULL::visit, '{age,height}', 5, entity => 'person') GROUP BY person) p;
SELECT min(persons) >= 5 AS k, min(illnesses) >= 3 AS p FROM (SELECT count(DISTINCT person) AS persons, count(DISTINCT illness) AS illnesses
    FROM sdc.microaggregate(NULL::visit, '{age,height,race}', 5, '{illness}', 3, categorical => '{race}', entity => 'person')
    GROUP BY age, height, race) g;
SELECT rows, suppressed, achieved->'k' >= '5' AS k, achieved->'p' >= '2' AS p, achieved->'persons' AS persons, parameters->'entity' AS entity
FROM sdc.publish_microaggregated('visit', 'visit_public', '{age,height}', 5, '{illness}', 2, entity => 'person');
SELECT * FROM visit_public LIMIT 0;
SELECT satisfied FROM sdc.check_anonymity('visit_public', '{age,height}', '{illness}', k => 5, p => 2) WHERE required IS NOT NULL;
SELECT k, groups, round(risk::numeric, 4) = round(groups / 150.0, 4) AS by_persons FROM sdc.risk_utility(NULL::visit, '{age,height}', '{5,200}', entity => 'person');
SELECT * FROM sdc.microaggregate(NULL::visit, '{age}', 151, entity => 'person');
SELECT * FROM sdc.microaggregate(NULL::visit, '{age}', 5, entity => 'height');
SELECT * FROM sdc.microaggregate(NULL::visit, '{age}', 5, entity => 'age');

-- strata: groups do not cross them, and they are published as they are
SELECT min(rows) >= 4 AS k, max(regions) AS regions FROM (
    SELECT count(*) AS rows, count(DISTINCT v.region) AS regions
    FROM sdc.microaggregate(NULL::visit, '{age,height}', 4, strata => '{region}') m JOIN visit v USING (id) GROUP BY m.age, m.height, m.region) g;
SELECT groups > 10 AS groups, suppressed, achieved->'k' >= '4' AS k, achieved->'persons' AS persons, parameters->'keys' AS keys, parameters->'strata' AS strata
FROM sdc.publish_microaggregated('visit', 'visit_strata', '{age,height}', 4, '{illness}', 2, strata => '{region}', entity => 'person');
SELECT count(DISTINCT region) AS regions, (SELECT count(*) FROM visit_strata) = 600 AS all_rows FROM visit_strata;
SELECT * FROM visit_strata LIMIT 0;
INSERT INTO visit VALUES (601, 'p151', 30, 170, 1, 1, 'far', 'Flu'), (602, 'p152', 31, 171, 1, 1, 'far', 'Flu');
SELECT * FROM sdc.microaggregate(NULL::visit, '{age,height}', 4, strata => '{region}');
SELECT * FROM sdc.microaggregate(NULL::visit, '{age,height}', 2, '{illness}', 2, strata => '{region}', entity => 'person');
SELECT * FROM sdc.microaggregate(NULL::visit, '{age,height}', 4, strata => '{region}', max_suppressed => 0.001);
SELECT count(*), count(*) FILTER (WHERE region = 'far') AS far FROM sdc.microaggregate(NULL::visit, '{age,height}', 4, strata => '{region}', max_suppressed => 2);
SELECT rows, suppressed, parameters->'max_suppressed' AS max_suppressed
FROM sdc.publish_microaggregated('visit', 'visit_most', '{age,height}', 4, strata => '{region}', max_suppressed => 0.01);
SELECT * FROM sdc.microaggregate(NULL::visit, '{age,height}', 500, strata => '{region}', max_suppressed => 0.99);
SELECT * FROM sdc.microaggregate(NULL::visit, '{age}', 4, strata => '{illness}', entity => 'person', max_suppressed => 0.5);
SELECT * FROM sdc.microaggregate(NULL::visit, '{age}', 4, strata => '{age}');
SELECT * FROM sdc.microaggregate(NULL::visit, '{age}', 4, max_suppressed => 1.5);
DELETE FROM visit WHERE region = 'far';

-- (p+,alpha): persons count by their most sensitive category
SELECT rows, groups > 1 AS groups, achieved->'k' >= '4' AS k, achieved->'persons' AS persons, achieved ? 'alpha' AS alpha
FROM sdc.publish_p_alpha('visit', 'visit_alpha', '{age,height,race}', 'illness', '[["HIV","Cancer"],["Asthma"],["Flu","Cold"]]', 4, 2, 1.0,
                         categorical => '{race}', entity => 'person', strata => '{region}');
SELECT * FROM visit_alpha LIMIT 0;
SELECT array_agg(DISTINCT race ORDER BY race) AS races FROM visit_alpha;

-- anatomy and permutation: no group has two rows of one person
SELECT rows, achieved->'l' >= '3' AS l, achieved->'persons' AS persons
FROM sdc.publish_anatomy('visit', 'visit_anatomy', '{id,age,height}', 'illness', 3, entity => 'person', strata => '{region}', allow_identifiers => true);
SELECT max(rows) AS of_a_person, max(regions) AS regions FROM (
    SELECT count(*) AS rows, count(DISTINCT q.region) AS regions FROM visit_anatomy_qit q JOIN visit v USING (id) GROUP BY grp, person) g;
SELECT rows, achieved->'l' >= '3' AS l, achieved->'persons' AS persons
FROM sdc.publish_permutation('visit', 'visit_permuted', '{id,age,height,race}', 'illness', 3, categorical => '{race}', entity => 'person', allow_identifiers => true);
SELECT max(rows) AS of_a_person FROM (SELECT count(*) AS rows FROM visit_permuted_pqt q JOIN visit v USING (id) GROUP BY grp, person) g;

-- generalization: k counts distinct persons of a group, however many rows they have
SELECT sdc.interval_hierarchy('visit', 'age', 'ages', '{10,30}');
CREATE TABLE regions AS SELECT DISTINCT region AS level0, '*' AS level1 FROM visit;
SELECT bool_and(persons.height >= rows.height) AS persons_need_more
FROM (SELECT min(height) AS height FROM sdc.minimal_generalizations('visit', '{"age": "ages", "region": "regions"}', 40)) rows,
     (SELECT min(height) AS height FROM sdc.minimal_generalizations('visit', '{"age": "ages", "region": "regions"}', 40, entity => 'person')) persons;
SELECT rows, suppressed <= 20 AS suppressed, achieved->'k' >= '40' AS k, achieved->'persons' AS persons, parameters->'entity' AS entity
FROM sdc.publish_generalized('visit', 'visit_general', '{"age": "ages", "region": "regions"}', 40, max_suppressed => 20, entity => 'person', keep => '{id}', allow_identifiers => true) \gset general_
SELECT :'general_k' AS k, :general_persons > 100 AS persons, :'general_entity' AS entity;
SELECT min(persons) >= 40 AS k FROM (SELECT count(DISTINCT v.person) AS persons FROM visit_general g JOIN visit v USING (id) GROUP BY g.age, g.region) g;
SELECT * FROM visit_general LIMIT 0;
SELECT * FROM sdc.lattice('visit', '{"age": "ages"}', 5, '{illness}', l => 2, entity => 'person');
SELECT * FROM sdc.lattice('visit', '{"age": "ages"}', 5, entity => 'height');
UPDATE visit SET person = 'p1' WHERE id <= 400;
SELECT * FROM sdc.publish_anatomy('visit', 'never', '{age}', 'illness', 3, entity => 'person');
SELECT to_regclass('never') AS nothing_left;

-- p by persons: three values, but two of them are one person's
CREATE TABLE brought (person text, grp int, illness text);
INSERT INTO brought VALUES ('a', 1, 'Flu'), ('a', 1, 'HIV'), ('a', 1, 'Cancer'), ('b', 1, 'Flu'), ('c', 1, 'Flu'), ('d', 2, 'Flu'), ('e', 2, 'HIV'), ('e', 2, 'Flu');
SELECT property, actual, violating_groups FROM sdc.check_anonymity('brought', '{grp}', '{illness}', k => 3, p => 3) WHERE property = 'p-sensitivity';
SELECT property, actual, violating_groups FROM sdc.check_anonymity('brought', '{grp}', '{illness}', k => 2, p => 3, entity => 'person') WHERE property = 'p-sensitivity';
SELECT key_values, property, actual, rows FROM sdc.violations('brought', '{grp}', '{illness}', k => 2, p => 3, entity => 'person');
-- a policy about persons is kept by persons, whatever rows show
DELETE FROM brought WHERE grp = 2;
SELECT sdc.declare('brought', keys => '{grp}', sensitive => '{illness}', entity => 'person', policy => 'k=3 p=3 entity=person');
SELECT actual FROM sdc.check_anonymity('brought', '{grp}', '{illness}', entity => NULL, k => 3, p => 3) WHERE property = 'p-sensitivity';
SELECT rows FROM sdc.publish_suppressed('brought', 'never', k => 3);
SELECT rows FROM sdc.publish_microaggregated('brought', 'never', k => 3, p => 3);
-- l of a policy is judged by persons only: somebody's ten rows of one value are one person
CREATE TABLE often AS SELECT CASE WHEN i <= 10 THEN 'a' ELSE 'p' || i END AS person, 30 AS age, CASE WHEN i <= 10 THEN 'Flu' ELSE 'ill' || i END AS illness FROM generate_series(1, 13) AS i;
SELECT sdc.declare('often', keys => '{age}', sensitive => '{illness}', entity => 'person', policy => 'k=3 l=2 entity=person');
SELECT property, actual FROM sdc.check_anonymity('often', entity => NULL) WHERE property = 'l-diversity';
SELECT achieved FROM sdc.publish_microaggregated('often', 'often_public', l => 2);
SELECT actual FROM sdc.check_anonymity('often_public', '{age}', '{illness}') WHERE property = 'l-diversity';
-- everybody has both values, so two persons can bring them
CREATE TABLE brought_both AS SELECT 'p' || i / 2 AS person, i / 2 AS age, (ARRAY['Flu', 'HIV'])[1 + i % 2] AS illness FROM generate_series(0, 19) AS i;
SELECT achieved FROM sdc.publish_microaggregated('brought_both', 'both_public', '{age}', 2, '{illness}', 2, entity => 'person');

-- the other methods: persons and strata
CREATE TABLE stay (id int, person text, age int, zip int, race int, region text, illness text);
INSERT INTO stay
SELECT i, 'p' || p, CASE WHEN p % 7 > 0 THEN 20 + (p * 37) % 60 + i % 2 END, 43100 + (p * 13) % 5, (ARRAY[1, 2, 5])[1 + p % 3], 'r' || p % 2,
       (ARRAY['Flu', 'HIV', 'Cancer', 'Asthma', 'Cold'])[1 + (i * i / 7) % 5]
FROM  (SELECT i, 1 + (i * 7919 + i / 90) % 90 AS p FROM generate_series(1, 270) AS i) v;
INSERT INTO stay VALUES (301, 'x', 40, 43100, 1, 'far', 'Flu'), (302, 'x', 41, 43100, 1, 'far', 'HIV'), (303, 'y', 42, 43101, 1, 'far', 'Flu');
SELECT rows FROM sdc.publish_mondrian('stay', 'never', '{age,zip}', 4, '{illness}', 2, entity => 'person', strata => '{region}');
SELECT rows FROM sdc.publish_mondrian('stay', 'never', '{age,zip}', 2, '{illness}', 2, l => 3, entity => 'person');
SELECT rows, suppressed, achieved->'k' >= '4' AS k, achieved->'p' >= '2' AS p, achieved->'l' >= '1.2' AS l, achieved->'persons' AS persons, parameters - 'k' AS parameters
FROM sdc.publish_mondrian('stay', 'stay_ranges', '{age,zip}', 4, '{illness}', 2, '{id}', l => 1.2, t => 0.6, entity => 'person', strata => '{region}', max_suppressed => 3, allow_identifiers => true);
SELECT * FROM stay_ranges LIMIT 0;
SELECT min(persons) >= 4 AS k FROM (SELECT count(DISTINCT v.person) AS persons FROM stay_ranges g JOIN stay v USING (id) GROUP BY g.age, g.zip, g.region) g;
SELECT rows FROM sdc.publish_suppressed('stay', 'never', '{age,zip}', 4, entity => 'person', strata => '{region}');
SELECT rows FROM sdc.publish_suppressed('stay', 'never', '{age,zip}', 99, entity => 'person');
-- guesses among shuffled rows differ from one release to the next, and so do figures in warnings
SET client_min_messages = error;
SELECT rows, achieved->'k' >= '2' AS k, achieved->'k_wildcard' >= '2' AS k_wildcard, achieved->'persons' AS persons
FROM sdc.publish_suppressed('stay', 'stay_blanked', '{age,zip,race}', 2, '{illness}', '{id}', entity => 'person', strata => '{region}', allow_identifiers => true);
SELECT * FROM stay_blanked LIMIT 0;
SELECT min(persons) >= 2 AS k FROM (SELECT count(DISTINCT v.person) AS persons FROM stay_blanked g JOIN stay v USING (id) GROUP BY g.age, g.zip, g.race, g.region) g;
SELECT rows, achieved, parameters - 'methods' AS parameters
FROM sdc.publish_perturbed('stay', 'stay_noisy', '{"age": {"method": "noise", "share": 0.3}, "illness": {"method": "pram", "keep_probability": 0.5}}', '{id}', entity => 'person', strata => '{region}', seed => 3, allow_identifiers => true);
SELECT * FROM stay_noisy LIMIT 0;
SELECT max(most - least) <= 1 AS one_shift, max(values) AS values FROM (
    SELECT max(n.age - s.age) AS most, min(n.age - s.age) AS least FROM stay_noisy n JOIN stay s USING (id) GROUP BY person) a, (
    SELECT count(DISTINCT n.illness) AS values FROM stay_noisy n JOIN stay s USING (id) GROUP BY person, s.illness) i;
SELECT sdc.interval_hierarchy('stay', 'age', 'stay_ages', '{20,40}');
SELECT rows FROM sdc.publish_generalized('stay', 'never', '{"age": "stay_ages"}', 4, entity => 'person', strata => '{region}');
SELECT rows, suppressed, achieved->'k' >= '4' AS k, achieved->'p' >= '2' AS p, achieved->'l' >= '1.1' AS l, achieved->'persons' AS persons, parameters->'strata' AS strata, parameters->'levels' AS levels
FROM sdc.publish_generalized('stay', 'stay_general', '{"age": "stay_ages"}', 4, '{illness}', 2, max_suppressed => 3, keep => '{id}', l => 1.1, entity => 'person', strata => '{region}', allow_identifiers => true);
SELECT * FROM stay_general LIMIT 0;
SELECT min(persons) >= 4 AS k FROM (SELECT count(DISTINCT v.person) AS persons FROM stay_general g JOIN stay v USING (id) GROUP BY g.age, g.region) g;
SELECT rows FROM sdc.publish_generalized('stay', 'never', '{"age": "stay_ages"}', 4, nulls => 'error');
SELECT rows FROM sdc.publish_generalized('stay', 'never', '{"age": "stay_ages", "region": null}', 4, strata => '{region}');
SELECT rows FROM sdc.publish_generalized('stay', 'stay_levels', '{"age": "stay_ages"}', 2, levels => '{"age": 3}', strata => '{region}');
SELECT to_regclass('never') AS nothing_left;

-- what a group shows of a domain obeys it, NULL included
CREATE DOMAIN years AS int CHECK (VALUE >= 0);
CREATE TABLE aged (id int, age years);
INSERT INTO aged SELECT i, nullif(i % 7, 3) FROM generate_series(1, 70) AS i;
SELECT count(*) - count(age) AS missing FROM sdc.microaggregate(NULL::aged, '{age}', 3);

SET client_min_messages = error;
DROP SCHEMA real_tables CASCADE;
DELETE FROM sdc.release WHERE source LIKE 'real_tables.%';
RESET search_path;
