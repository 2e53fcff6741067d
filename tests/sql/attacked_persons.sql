-- Attacks count persons, know whose group is whose in a sequence, and look for persons in ranges, sets and blanks.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA persons;
CREATE FUNCTION persons.rounded(f float8) RETURNS numeric LANGUAGE sql AS 'SELECT round(f::numeric, 3)';
-- 200 persons with three visits each; several share their keys
CREATE TABLE persons.visit AS
SELECT i AS id, i % 200 AS person, i % 2 AS ward, 20 + (i % 200 * 37) % 60 AS age, 150 + (i % 200 * 53) % 45 AS height, (ARRAY['F', 'M'])[1 + i % 2] AS sex,
       (ARRAY['Flu', 'Asthma', 'Cancer', 'Gastritis', 'HIV', 'Angina'])[1 + (i * 7) % 6] AS illness
FROM generate_series(1, 600) AS i;

-- figures count persons
SELECT id AS averaged FROM sdc.publish_microaggregated('persons.visit', 'persons.averaged', '{age,height}', 4, entity => 'person', strata => '{ward}') \gset
-- the order of released rows, which is random, decides between groups that are equally near
SELECT attack, persons, promised, measured BETWEEN 0.1 AND 0.5 AS measured, exceeds FROM sdc.attack_linkage(:averaged);
SELECT id AS valued FROM sdc.publish_microaggregated('persons.visit', 'persons.valued', '{age,height}', 4, '{illness}', entity => 'person', strata => '{ward}') \gset
SELECT attack, persons FROM sdc.attack(:valued) WHERE attack !~ 'interval';

-- five anatomies in a sequence leave everybody l values; five that are independent of each other do not
CREATE TABLE persons.patient AS
SELECT i AS id, 20 + (i * 37) % 60 AS age, (ARRAY['F', 'M'])[1 + i % 2] AS sex,
       (ARRAY['Flu', 'Asthma', 'Cancer', 'Gastritis', 'HIV', 'Angina'])[1 + (i * 7) % 6] AS illness
FROM generate_series(1, 600) AS i;
CREATE TABLE persons.other (LIKE persons.patient);
INSERT INTO persons.other TABLE persons.patient;
CREATE TABLE persons.made (id bigint, sequence bool);
CREATE PROCEDURE persons.night(night int) LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO persons.made SELECT id, true FROM sdc.publish_anatomy('persons.patient', 'persons.in_sequence_' || night, '{age,sex}', 'illness', 3,
        entity => 'id', continues => coalesce((SELECT max(m.id) FROM persons.made m WHERE sequence), 0));
    INSERT INTO persons.made SELECT id, false FROM sdc.publish_anatomy('persons.other', 'persons.alone_' || night, '{age,sex}', 'illness', 3, entity => 'id', seed => night);
    -- some leave, others come
    DELETE FROM persons.patient WHERE id % 20 = night;
    INSERT INTO persons.patient SELECT i, 20 + (i * 37) % 60, (ARRAY['F', 'M'])[1 + i % 2], (ARRAY['Flu', 'Asthma', 'Cancer', 'Gastritis', 'HIV', 'Angina'])[1 + (i * 7) % 6]
    FROM generate_series(600 + 30 * night, 629 + 30 * night) AS i;
    DELETE FROM persons.other;
    INSERT INTO persons.other TABLE persons.patient;
END $$;
SELECT format('CALL persons.night(%s)', night) FROM generate_series(1, 5) AS night \gexec
SELECT sequence, attack, persons > 300 AS many, promised, measured = 0 AS nobody, exceeds
FROM (SELECT sequence, array_agg(id ORDER BY id) AS ids FROM persons.made GROUP BY sequence) AS m, sdc.attack_intersection(ids) AS a
WHERE attack !~ 'alone' ORDER BY sequence DESC, attack DESC;
-- the same of a microaggregation
CREATE TABLE persons.averages (id bigint);
INSERT INTO persons.averages SELECT id FROM sdc.publish_microaggregated('persons.patient', 'persons.average_1', '{age}', 4, '{illness}', 2, entity => 'id', continues => 0);
DELETE FROM persons.patient WHERE id % 30 = 7;
INSERT INTO persons.averages SELECT id FROM sdc.publish_microaggregated('persons.patient', 'persons.average_2', '{age}', 4, '{illness}', 2, entity => 'id', continues => (SELECT max(id) FROM persons.averages));
SELECT attack, measured = 0 AS nobody, note ~ 'could not be' AS not_exact FROM sdc.attack_intersection((SELECT array_agg(id) FROM persons.averages)) WHERE attack !~ 'alone';

-- who is left out of a release of a sequence is not attacked, though another group shows the keys of theirs
CREATE TABLE persons.few (id int, age int, illness text);
INSERT INTO persons.few VALUES (1, 10, 'Flu'), (2, 10, 'HIV'), (3, 11, 'Flu'), (4, 50, 'Asthma'), (5, 50, 'Angina'), (6, 51, 'Cancer');
SELECT id AS one FROM sdc.publish_microaggregated('persons.few', 'persons.few_1', '{age}', 3, '{illness}', 2, entity => 'id', continues => 0) \gset
DELETE FROM persons.few WHERE id = 3;
INSERT INTO persons.few VALUES (7, 9, 'Gastritis'), (8, 10, 'Measles'), (9, 11, 'Gastritis');
SELECT id AS two, rows FROM sdc.publish_microaggregated('persons.few', 'persons.few_2', '{age}', 3, '{illness}', 2, entity => 'id', continues => :one) \gset
SELECT attack, persons = :rows AS those_released FROM sdc.attack_linkage(:two);
SELECT attack, persons = :rows AS those_released, note ~ '2 rows of the source' AS says_so FROM sdc.attack_inference(:two) WHERE attack = 'inference';
SELECT attack, persons, promised, measured, exceeds FROM sdc.attack_intersection(ARRAY[:one, :two]::bigint[], 'id');
-- nor is who has changed, nor whose place somebody else has
UPDATE persons.few SET illness = 'Mumps' WHERE id = 7;
SELECT persons FROM sdc.attack_linkage(:two) WHERE attack = 'linkage';
UPDATE persons.few SET illness = 'Gastritis' WHERE id = 7;
DELETE FROM persons.few WHERE id = 4;
INSERT INTO persons.few SELECT 10 + i, 50, illness FROM generate_series(0, 2) i, unnest('{Asthma,Angina,Cancer}'::text[]) WITH ORDINALITY AS v (illness, n) WHERE n = i + 1;
SELECT id AS three, rows FROM sdc.publish_microaggregated('persons.few', 'persons.few_3', '{age}', 3, '{illness}', 2, entity => 'id', continues => :two) \gset
INSERT INTO persons.few VALUES (4, 50, 'Asthma');
SELECT persons = :rows AS those_released FROM sdc.attack_linkage(:three) WHERE attack = 'linkage';

-- persons with rows far from each other: what a person's group is, is known, with p as without
CREATE TABLE persons.spread AS
SELECT i AS id, 1 + (i - 1) / 3 AS person, (37 * ((i - 1) / 3)) % 60 + i % 3 * 8 AS age, 150 + (53 * ((i - 1) / 3)) % 45 + i * i % 7 AS height,
       (ARRAY['Flu', 'Asthma', 'Cancer', 'Gastritis'])[1 + (i * 7) % 4] AS illness
FROM generate_series(1, 300) AS i;
SELECT id AS spread FROM sdc.publish_microaggregated('persons.spread', 'persons.spread_p', '{age,height}', 5, '{illness}', 2, entity => 'person', keep => '{id}', allow_identifiers => true) \gset
WITH points AS (SELECT person, avg(age) AS age, avg(height) AS height FROM persons.spread GROUP BY 1),
     scale AS (SELECT stddev_pop(age) AS a, stddev_pop(height) AS h FROM points),
     own AS (SELECT DISTINCT s.person, r.age, r.height FROM persons.spread_p r JOIN persons.spread s USING (id)),
     groups AS (SELECT age, height, count(*) AS n FROM own GROUP BY 1, 2),
     distances AS (SELECT p.person, g.n, (o.age, o.height) = (g.age, g.height) AS own,
                          round((((p.age - g.age) / a) ^ 2 + ((p.height - g.height) / h) ^ 2)::numeric, 9) AS d
                   FROM points p JOIN own o USING (person), groups g, scale),
     nearest AS (SELECT *, min(d) OVER (PARTITION BY person) AS least FROM distances)
SELECT attack, persons, note ~ 'upper bound' AS guessed, persons.rounded(measured) = (SELECT round(sum(1.0 / n) FILTER (WHERE own) / 100, 3) FROM nearest WHERE d = least) AS as_in_sql
FROM sdc.attack_linkage(:spread) WHERE attack = 'linkage';
-- where the groups cannot be formed again, the figure is what it says: an upper bound
SELECT id AS drawn FROM sdc.publish_microaggregated('persons.spread', 'persons.spread_d', '{age,height}', 5, '{illness}', 2, method => 'random_seeds', entity => 'person') \gset
SELECT a.note ~ 'upper bound' AS guessed, a.note ~ '^100.0 %' AS all_nearest, a.measured >= b.measured AS above FROM sdc.attack_linkage(:drawn) a, sdc.attack_linkage(:spread) b WHERE a.attack = 'linkage' AND b.attack = 'linkage';

-- ranges and sets: a person fits into rows whose cells hold the person's keys
CREATE TABLE persons.one AS SELECT DISTINCT ON (person) * FROM persons.visit ORDER BY person, id;
SELECT id AS cut FROM sdc.publish_mondrian('persons.one', 'persons.cut', '{age,height,sex}', 4, '{illness}', 2, l => 2) \gset
CREATE VIEW persons.fits AS
SELECT o.id, o.illness, c.illness AS shown FROM persons.one o JOIN persons.cut c
    ON o.age <@ c.age::int4range AND o.height <@ c.height::int4range AND o.sex = ANY (c.sex::text[]);
SELECT attack, persons, promised, exceeds, recall, persons.rounded(measured) = (
    SELECT round(avg(1.0 / n), 3) FROM (SELECT count(*) AS n FROM persons.fits GROUP BY id) AS f) AS as_in_sql
FROM sdc.attack_linkage(:cut);
SELECT attack, persons, measured > 0 AS guesses FROM sdc.attack(:cut);
CREATE VIEW persons.population AS SELECT age, height, sex FROM persons.one UNION ALL SELECT age + 1, height, sex FROM persons.one;
SELECT attack, persons, baseline, measured >= baseline AS finds FROM sdc.attack_membership(:cut, 'persons.population');

-- blanks: a person fits where each cell is blank or the person's own
SELECT id AS blanked FROM sdc.publish_suppressed('persons.one', 'persons.blanked', '{age,sex}', 3, '{illness}', reading => 'wildcard') \gset
CREATE VIEW persons.fits_blanks AS
SELECT o.id, o.illness, b.illness AS shown FROM persons.one o JOIN persons.blanked b ON (b.age IS NULL OR b.age = o.age) AND (b.sex IS NULL OR b.sex = o.sex);
SELECT attack, persons, promised, exceeds, persons.rounded(measured) = (
    SELECT round(avg(1.0 / n), 3) FROM (SELECT count(*) AS n FROM persons.fits_blanks GROUP BY id) AS f) AS as_in_sql
FROM sdc.attack_linkage(:blanked);
SELECT attack, persons, measured > baseline AS learns FROM sdc.attack_inference(:blanked) WHERE attack = 'inference';
SELECT attack, persons, measured >= baseline AS finds FROM sdc.attack_membership(:blanked, 'persons.population');

-- (p+,alpha) with generalized keys: labels of the hierarchy are looked up; means and labels together are not
CREATE TABLE persons.ages AS SELECT a::text AS level0, (a / 20 * 20)::text AS level1, '*' AS level2 FROM generate_series(20, 79) AS a;
SELECT id AS labelled FROM sdc.publish_p_alpha('persons.one', 'persons.labelled', '{age}', 'illness', '[["HIV","Cancer"],["Angina","Asthma"],["Flu","Gastritis"]]', 4, 2, 0.8,
    hierarchies => '{"age": "persons.ages"}', publish => 'value') \gset
SELECT attack, persons, exceeds FROM sdc.attack(:labelled) WHERE attack ~ 'linkage|inference$';
SELECT id AS mixed FROM sdc.publish_p_alpha('persons.one', 'persons.mixed', '{age,height}', 'illness', '[["HIV","Cancer"],["Angina","Asthma"],["Flu","Gastritis"]]', 4, 2, 0.8,
    hierarchies => '{"age": "persons.ages"}', publish => 'value', attack => true) \gset
SELECT count(*) FROM sdc.attack(:mixed);

DROP VIEW persons.fits, persons.fits_blanks;
SELECT count(sdc.drop_release(id)) > 10 AS dropped FROM sdc.releases WHERE target ~ '^persons[.]';
DROP SCHEMA persons CASCADE;
