-- Attacks on one's own releases: figures against references in SQL, and what is refused.
CREATE TABLE clinic AS
SELECT i AS id, (i * 7919) % 10007 AS code, 20 + (i * 37) % 60 AS age, 150 + (i * 53) % 45 AS height,
       (ARRAY['F','M'])[1 + i % 2] AS sex,
       -- the illness follows the age for most
       (ARRAY['Flu','Asthma','Cancer','Gastritis','HIV','Angina'])[1 + CASE WHEN i % 10 < 7 THEN ((i * 37) % 60) / 10 ELSE (i * 7) % 6 END] AS illness
FROM generate_series(1, 600) i;

CREATE FUNCTION rounded(f float8) RETURNS numeric LANGUAGE sql AS 'SELECT round(f::numeric, 3)';
CREATE TEMP TABLE made AS
SELECT (sdc.publish_anatomy('clinic', 'clinic_a', '{age,sex}', 'illness', 3, seed => 1)).id AS anatomy;
SELECT attack, persons, rounded(promised) AS promised, abs(baseline - promised) < 0.08 AS control_at_its_bound,
       measured > 0.5 AS leaks, recall = 1 AS everybody, exceeds, note
FROM made, sdc.attack_inference(anatomy, seed => 1) WHERE attack = 'inference';

-- without the seed the steward finds about the same: persons with equal keys are drawn
SELECT abs(a.measured - b.measured) < 0.06 AS about_the_same
FROM made, sdc.attack_inference(anatomy, seed => 1) a, sdc.attack_inference(anatomy) b
WHERE a.attack = 'inference' AND b.attack = a.attack;
-- the same figures each time
SELECT count(DISTINCT measured) FROM made, generate_series(1, 3), sdc.attack_inference(anatomy) WHERE attack = 'inference';

-- two anatomies of keys that are unique, so that everybody's groups can be looked up
\set VERBOSITY terse
SET client_min_messages = error;
SELECT id AS first FROM sdc.publish_anatomy('clinic', 'clinic_b', '{code}', 'illness', 3, seed => 1) \gset
SELECT id AS second FROM sdc.publish_anatomy('clinic', 'clinic_c', '{code,sex}', 'illness', 3, seed => 2) \gset
RESET client_min_messages;
WITH candidates AS (
    SELECT q.code, s.illness FROM clinic_b_qit q JOIN clinic_b_st s USING (grp)
    INTERSECT SELECT q.code, s.illness FROM clinic_c_qit q JOIN clinic_c_st s USING (grp)),
left_over AS (SELECT code, count(*) AS n FROM candidates GROUP BY code)
SELECT attack, persons, rounded(promised) AS promised, rounded(baseline) AS baseline, exceeds,
       measured = (SELECT avg((n < CASE WHEN attack ~ 'one' THEN 2 ELSE 3 END)::int)::float8 FROM left_over) AS as_in_sql
FROM sdc.attack_intersection(ARRAY[:first, :second], 'id') WHERE attack !~ 'alone';

-- linkage and intervals: every person against every released row
SET client_min_messages = error;
SELECT id AS masked FROM sdc.publish_microaggregated('clinic', 'clinic_m', '{age,height}', 4) \gset
RESET client_min_messages;
CREATE TEMP TABLE grouped AS
SELECT id, age, height, avg(age) OVER g AS ga, avg(height) OVER g AS gh, count(*) OVER g AS size
FROM (SELECT *, sdc.mdav(4, age, height) OVER () AS grp FROM clinic) s WINDOW g AS (PARTITION BY grp);
WITH scale AS (SELECT stddev_pop(age) AS a, stddev_pop(height) AS h FROM clinic),
     points AS (SELECT age, height, count(*) AS n FROM clinic_m GROUP BY 1, 2),
     distances AS (
        SELECT g.id, p.age = round(g.ga) AND p.height = round(g.gh) AS own, p.n,
               round((((g.age - p.age) / a) ^ 2 + ((g.height - p.height) / h) ^ 2)::numeric, 9) AS d
        FROM grouped g, points p, scale),
     ranked AS (SELECT *, min(d) OVER (PARTITION BY id) AS least FROM distances),
     nearest AS (SELECT id, bool_or(own) AS own, sum(n) AS n FROM ranked WHERE d = least GROUP BY id)
SELECT attack, persons, rounded(promised) AS promised, rounded(measured) AS measured, exceeds,
       rounded(measured) = (SELECT round((sum(1.0 / n) FILTER (WHERE own)) / 600, 3) FROM nearest) AS as_in_sql
FROM sdc.attack_linkage(:masked) WHERE attack = 'linkage';
SELECT attack, promised, rounded(measured) AS measured, rounded(measured) = (
    SELECT round(avg((abs(g.age - round(ga)) <= 0.1 * a AND abs(g.height - round(gh)) <= 0.1 * h)::int), 3)
    FROM grouped g, (SELECT stddev_samp(age) AS a, stddev_samp(height) AS h FROM clinic_m) s) AS as_in_sql
FROM sdc.attack_linkage(:masked) WHERE attack = 'interval';

-- presence
SELECT attack, persons, promised, rounded(baseline) AS baseline, rounded(measured) AS measured, rounded(recall) AS recall, exceeds
FROM made, sdc.attack_membership(anatomy, 'clinic');
CREATE VIEW neighbours AS SELECT * FROM clinic UNION ALL SELECT id + 600, code, age + 1, height, sex, illness FROM clinic;
SELECT attack, persons, rounded(baseline) AS baseline, rounded(measured) AS measured, rounded(recall) AS recall
FROM sdc.attack_membership(:masked, 'neighbours');

-- dominance: a millionaire among others
CREATE TABLE income AS SELECT i AS id, CASE WHEN i = 7 THEN 1000000 ELSE 1000 + i END AS income, 20 + i AS age FROM generate_series(1, 30) i;
SELECT attack, persons, rounded(measured) AS measured, exceeds, note FROM sdc.dominance('income', '{income,age}', 5);

-- minimality: the default method gives nothing away, merge does
SET client_min_messages = error;
SELECT id AS usual FROM sdc.publish_microaggregated('clinic', 'clinic_p', '{age,height}', 3, '{sex}', 2) \gset
SELECT id AS merged FROM sdc.publish_microaggregated('clinic', 'clinic_q', '{age,height}', 3, '{sex}', 2, method => 'merge') \gset
RESET client_min_messages;
SELECT attack, persons, promised, measured = 0 AS nobody, exceeds FROM sdc.attack_minimality(:usual);
SELECT attack, persons, promised, measured > 0 AS somebody, exceeds FROM sdc.attack_minimality(:merged);

-- not measured: how other methods form groups, and why groups are joined for one of several columns
SET client_min_messages = error;
SELECT id AS grown FROM sdc.publish_microaggregated('clinic', 'clinic_r', '{age,height}', 3, '{sex}', 2, method => 'p_first') \gset
SELECT id AS taken FROM sdc.publish_microaggregated('clinic', 'clinic_s', '{age,height}', 3, '{sex}', 2, method => 'least_loss', seed => 1) \gset
SELECT id AS merged_twice FROM sdc.publish_microaggregated('clinic', 'clinic_t', '{age,height}', 3, '{sex,illness}', 2, method => 'merge') \gset
SELECT id AS joined_twice FROM sdc.publish_microaggregated('clinic', 'clinic_u', '{age,height}', 3, '{sex,illness}', 2) \gset
RESET client_min_messages;
SELECT persons, promised, measured, recall, exceeds, note FROM sdc.attack_minimality(:grown);
SELECT measured, exceeds, note ~ 'Not measured|gives? values away' AS says_which FROM sdc.attack_minimality(:taken, seed => 1);
SELECT measured, exceeds, note FROM sdc.attack_minimality(:merged_twice);
SELECT measured, exceeds FROM sdc.attack_minimality(:joined_twice);
-- two sensitive columns: notes say which is meant
SELECT attack, substring(note FROM '^Column "[a-z]+":') AS about FROM sdc.attack_inference(:joined_twice);

-- groups of whole numbers are found again, though means are halves and keys have neighbours
CREATE TABLE dense AS SELECT i::int AS id, (i * 7919 % 51)::int AS a, (i * 104729 % 13)::int AS b, (i * 1299709 % 201)::int AS c, (i * 15485863 % 97)::numeric(4,0) AS d FROM generate_series(1, 2000::bigint) i;
SET client_min_messages = error;
SELECT id AS dense FROM sdc.publish_microaggregated('dense', 'clinic_d', '{a,b,c,d}', 2) \gset
RESET client_min_messages;
SELECT note ~ 'could not be recomputed' AS guessed FROM sdc.attack_linkage(:dense) WHERE attack = 'linkage';

-- what was not promised cannot be exceeded: k and p say nothing about guesses, k nothing about values
SELECT attack, promised, exceeds FROM sdc.attack_inference(:usual);
SET client_min_messages = error;
SELECT id AS by_k_1 FROM sdc.publish_microaggregated('clinic', 'clinic_k1', '{age,height}', 4, '{illness}') \gset
SELECT id AS by_k_2 FROM sdc.publish_microaggregated('clinic', 'clinic_k2', '{age}', 5, '{illness}') \gset
RESET client_min_messages;
SELECT attack, promised, exceeds, CASE WHEN attack ~ 'fewer' THEN note END AS note FROM sdc.attack_intersection(ARRAY[:by_k_1, :by_k_2]);

-- published and attacked in one statement
SET client_min_messages = error;
SELECT a.attack FROM sdc.publish_microaggregated('clinic', 'clinic_once', '{age,height}', 4, '{illness}', 2, l => 1.2) p, sdc.attack_linkage(p.id) a;
SELECT DISTINCT a.promised < 1 AS promised FROM sdc.publish_microaggregated('clinic', 'clinic_twice', '{age,height}', 4, '{illness}', 2, l => 1.2) p, sdc.attack_inference(p.id) a;
RESET client_min_messages;

-- all at once; the columns are those of each
SELECT attack, exceeds FROM sdc.attack(:usual);

-- generalized: whose group is whose follows from the hierarchies
CREATE TABLE ages AS SELECT a::text AS level0, (a / 20 * 20)::text AS level1, '*' AS level2 FROM generate_series(20, 79) a;
CREATE TABLE sexes AS SELECT * FROM (VALUES ('F', '*'), ('M', '*')) v (level0, level1);
SET client_min_messages = error;
SELECT id AS recoded FROM sdc.publish_generalized('clinic', 'clinic_g', '{"age": "ages", "sex": "sexes"}', 5, '{illness}', 2) \gset
RESET client_min_messages;
SELECT attack, persons, measured >= baseline AS learns, recall FROM sdc.attack_inference(:recoded) WHERE attack = 'inference';

-- generalized, minimality: why were ages not given by twenty? Because the youngest two have one illness.
CREATE TABLE ward AS SELECT * FROM (VALUES (20, 'HIV'), (25, 'HIV'), (40, 'Flu'), (45, 'Asthma'), (50, 'Cancer')) v (age, illness);
SET client_min_messages = error;
SELECT id AS ward FROM sdc.publish_generalized('ward', 'clinic_w', '{"age": "ages"}', 2, '{illness}', 2) \gset
SELECT id AS ward_kept FROM sdc.publish_generalized('ward', 'clinic_v', '{"age": "ages"}', 2, '{illness}', 2, max_suppressed => 2) \gset
RESET client_min_messages;
SELECT attack, persons, promised, measured, recall, exceeds, note FROM sdc.attack_minimality(:ward);
SELECT measured, note FROM sdc.attack_minimality(:ward_kept);
SELECT attack, measured FROM sdc.attack_minimality(:recoded);

-- refused
\set VERBOSITY default
SELECT * FROM sdc.attack(1000000);
SELECT * FROM sdc.attack_inference(:usual, confidence => 2);
SELECT * FROM sdc.attack_intersection(ARRAY[:masked]::bigint[]);
SELECT * FROM sdc.attack_intersection(ARRAY[:usual, :usual]::bigint[]);
SELECT * FROM sdc.attack_intersection(ARRAY[:masked, :usual]::bigint[]);
SELECT * FROM sdc.attack_membership(:masked, 'income');
SELECT * FROM sdc.dominance('income', '{income}', 5, 2);
SELECT * FROM sdc.dominance('income', '{}', 5);
-- no key has a mean; beside one that has, others are fine
CREATE TEMPORARY TABLE paid AS SELECT i AS income, 'A' AS ward, 'B' AS town FROM generate_series(1, 20) AS i;
SELECT * FROM sdc.dominance('paid', '{ward}', 5);
SELECT * FROM sdc.dominance('paid', '{ward,town}', 5);
SELECT attack, persons FROM sdc.dominance('paid', '{ward,income}', 5);
DROP TABLE paid;
CREATE TABLE no_income (income int);
SELECT * FROM sdc.dominance('no_income', '{income}', 5);

-- these name the release
\set VERBOSITY sqlstate
SELECT * FROM sdc.attack_linkage((SELECT anatomy FROM made));
SELECT * FROM sdc.attack_inference(:masked);
SELECT * FROM sdc.attack_membership(:recoded, 'clinic');
SELECT * FROM sdc.attack_minimality(:masked);

-- others may see a release, but not attack with what they may not read
CREATE ROLE attacks_reader;
GRANT USAGE ON SCHEMA public TO attacks_reader;
GRANT SELECT ON clinic_m TO attacks_reader;
SET ROLE attacks_reader;
SELECT * FROM sdc.attack_linkage(:masked);
RESET ROLE;
-- nor with keys alone, where the release has sensitive values: figures about one person would tell this person's
GRANT SELECT (id, age, height) ON clinic TO attacks_reader;
GRANT SELECT ON clinic_p, clinic_q TO attacks_reader;
SET ROLE attacks_reader;
SELECT * FROM sdc.attack_inference(:usual);
SELECT * FROM sdc.attack_linkage(:usual);
SELECT * FROM sdc.attack_membership(:usual, 'clinic_p');
SELECT * FROM sdc.attack_minimality(:usual);
SELECT * FROM sdc.attack_intersection(ARRAY[:usual, :merged]::bigint[], 'id');
RESET ROLE;
REVOKE ALL ON clinic_p, clinic_q FROM attacks_reader;
REVOKE ALL (id, age, height) ON clinic FROM attacks_reader;
-- a source that is a view would run its owner's code
CREATE ROLE attacks_owner;
GRANT SELECT ON clinic TO attacks_owner;
CREATE VIEW trap AS SELECT * FROM clinic;
SET client_min_messages = error;
SELECT id AS trapped FROM sdc.publish_microaggregated('trap', 'trap_m', '{age,height}', 4) \gset
RESET client_min_messages;
ALTER VIEW trap OWNER TO attacks_owner;
GRANT SELECT ON trap, trap_m TO attacks_reader;
SET ROLE attacks_reader;
SELECT * FROM sdc.attack_linkage(:trapped);
RESET ROLE;
-- strata that are numbers: the groups are formed again
CREATE TABLE regions AS SELECT i % 20 AS region, abs(hashint4(i)) % 1000 AS a, abs(hashint4(i + 77)) % 1000 AS b FROM generate_series(1, 300) AS i;
SET client_min_messages = error;
SELECT id AS by_region FROM sdc.publish_microaggregated('regions', 'clinic_regions', '{a,b}', 5, strata => '{region}') \gset
RESET client_min_messages;
SELECT attack, measured < promised AS below, note ~ 'upper bound' AS guessed FROM sdc.attack_linkage(:by_region) WHERE attack = 'linkage';
-- no value of a person is in a note
SELECT bool_or(note ~ 'Flu|Asthma|HIV') AS leaks FROM sdc.attack(:usual);
DROP VIEW trap, neighbours;
REVOKE ALL ON clinic_m, trap_m FROM attacks_reader;
REVOKE ALL ON clinic FROM attacks_owner;
DROP ROLE attacks_owner;
REVOKE USAGE ON SCHEMA public FROM attacks_reader;
DROP ROLE attacks_reader;
SET client_min_messages = error;
SELECT count(sdc.drop_release(id)) AS dropped FROM sdc.releases WHERE target ~ '^public[.](clinic_|trap_)';
DROP TABLE clinic, regions, income, no_income, ages, sexes, ward, dense;
DROP FUNCTION rounded(float8);
