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
