-- Persons whose value is the same in several rows: their groups together must leave l values.
\set VERBOSITY terse
CREATE SCHEMA rows_of_one_person;
SET search_path = rows_of_one_person, public;
SET client_min_messages = warning;
SELECT setseed(0.2);
CREATE TABLE chronic AS SELECT row_number() OVER () rid, p.* FROM
 (SELECT p person, 20+(random()*60)::int age, 'z'||(random()*20)::int zip, 1+(random()<0.5)::int sex,
  (ARRAY['Flu','HIV','Cancer','Asthma','Stroke','Gout'])[1+floor(random()*6)::int] illness
  FROM generate_series(1,300) p) p, generate_series(1,4);

-- the rows of each person stand in groups that share three values
SELECT achieved FROM sdc.publish_anatomy('chronic', 'apart', '{age,zip,sex}', 'illness', 3, entity => 'person', seed => 1);
SELECT count(*) > 250 AS many, min(values_left) >= 3 AS enough FROM (
  SELECT person, count(*) AS values_left FROM (
    SELECT c.person, s.illness FROM (SELECT min(person) AS person, age, zip, sex FROM chronic GROUP BY age, zip, sex HAVING count(*) = 4) c
    JOIN apart_qit q USING (age, zip, sex) JOIN apart_st s USING (grp)
    GROUP BY c.person, s.illness HAVING count(DISTINCT q.grp) = 4) v
  GROUP BY person) p;
SELECT attack, persons, promised, measured <= promised + 0.1 AS kept, exceeds, note FROM sdc.attack((SELECT max(id) FROM sdc.releases)) WHERE attack = 'rows of one person';

-- a permutation forms such groups, too, of persons with similar keys
CREATE TABLE chronic_too AS TABLE chronic;
SELECT achieved - 'group_size' AS achieved, (loss->>'ncp')::float8 < 0.2 AS similar FROM sdc.publish_permutation('chronic_too', 'permuted', '{age,zip,sex}', 'illness', 3, entity => 'person', seed => 1, categorical => '{sex}', composition => 'error');
SELECT attack, persons, exceeds FROM sdc.attack((SELECT max(id) FROM sdc.releases)) WHERE attack = 'rows of one person';
-- also where keys are missing, and within strata
CREATE TABLE gaps AS SELECT person, CASE WHEN person % 4 > 0 THEN age END AS age, zip, sex, illness FROM chronic;
SELECT achieved->'l_of_constant' AS l_of_constant FROM sdc.publish_permutation('gaps', 'gaps_permuted', '{age,zip}', 'illness', 3, entity => 'person', seed => 1, strata => '{sex}', composition => 'error');

-- a person without companions cannot share l values with anybody
CREATE TABLE lonely AS SELECT i AS person, 20 + i AS age, 'v' || (i + j) % 5 AS illness FROM generate_series(1, 30) i, generate_series(1, 2) j
UNION ALL SELECT 31, 70, 'v1' FROM generate_series(1, 6);
\set VERBOSITY default
SELECT achieved FROM sdc.publish_anatomy('lonely', 'lonely_apart', '{age}', 'illness', 3, entity => 'person', seed => 1);
SELECT sdc.publish_permutation('lonely', 'refused', '{age}', 'illness', 3, entity => 'person', seed => 1, composition => 'error');
SELECT sdc.publish_anatomy('lonely', 'refused', '{age}', 'illness', 3, entity => 'person', seed => 1, composition => 'error');
\set VERBOSITY terse

DROP SCHEMA rows_of_one_person CASCADE;
