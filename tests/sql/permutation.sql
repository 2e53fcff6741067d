-- Permutation: the paper's nine rows, sdc.permutation as a window function, sdc.publish_permutation.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA permutation;
SET search_path = permutation;
CREATE TABLE patient (name text, age int, sex text, disease text);
INSERT INTO patient VALUES
    ('Bob', 65, 'M', 'Emphysema'), ('Alex', 50, 'M', 'Cancer'), ('Jane', 70, 'F', 'Flu'),
    ('Lily', 55, 'F', 'Gastritis'), ('Andy', 90, 'F', 'Dyspepsia'), ('Mary', 45, 'M', 'Flu'),
    ('Linda', 50, 'F', 'Pneumonia'), ('Lucy', 40, 'F', 'Gastritis'), ('Sarah', 10, 'M', 'Bronchitis');

-- the seed that draws the paper's groups: columns permuted within them, and the answer 0.855 where the truth is 1
SELECT source, target, method, parameters, rows, groups, suppressed, achieved, loss
FROM   sdc.publish_permutation('patient', 'published', '{age,sex}', 'disease', 4, seed => 116) \gx
SELECT grp, array_agg(age ORDER BY age) AS ages, array_agg(sex ORDER BY sex) AS sexes FROM published_pqt GROUP BY grp ORDER BY grp;
SELECT grp, array_agg(disease ORDER BY disease) AS diseases FROM published_pst GROUP BY grp ORDER BY grp;
SELECT sdc.estimate_count('published', 'age BETWEEN 40 AND 70', 'sex = ''F''', 'disease = ''Flu''');
-- how probable it is that Bob (65, M) is in a group: 2/25
SELECT max(age * sex) FROM (SELECT grp, avg((age = 65)::int) AS age, avg((sex = 'M')::int) AS sex FROM published_pqt GROUP BY grp) g;
-- the view joins a row of keys with every value of its group
SELECT count(*), round(sum(weight), 10) AS rows, count(DISTINCT weight) AS weights FROM published;

-- the same from groups of one's own, permuted in SQL
CREATE TABLE mine_pqt AS
SELECT sdc.permute(age) OVER g AS age, sdc.permute(sex) OVER g AS sex, grp
FROM (SELECT *, CASE WHEN name IN ('Bob', 'Alex', 'Jane', 'Lily', 'Andy') THEN 1 ELSE 2 END AS grp FROM patient) s
WINDOW g AS (PARTITION BY grp);
CREATE TABLE mine_pst AS
SELECT CASE WHEN name IN ('Bob', 'Alex', 'Jane', 'Lily', 'Andy') THEN 1 ELSE 2 END AS grp, disease FROM patient;
CREATE VIEW mine AS SELECT age, sex, disease, 1.0 / count(*) OVER (PARTITION BY grp) AS weight FROM mine_pqt JOIN mine_pst USING (grp);
SELECT sdc.estimate_count('mine', 'age BETWEEN 40 AND 70', 'sex = ''F''', 'disease = ''Flu''');

-- sets of similar keys: every group l-diverse, its keys closer together than in random groups
CREATE TABLE person (id int, age int, height numeric(4,1), born date, sex text, illness text);
INSERT INTO person
SELECT i, 18 + (i * 37) % 70, 150 + (i * 7919 % 400) / 10.0, date '1940-01-01' + i * 271 % 20000,
       CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' END, 'illness ' || (i * i) % 23
FROM generate_series(1, 503) AS i;
SET sdc.seed = 1;
SELECT l, sdc.l_diversity(grp, illness) >= l AS diverse,
       sdc.ncp(grp, age, height, born, sex) < 0.7 * sdc.ncp(at_random, age, height, born, sex) AS closer,
       sdc.reconstruction_error(grp, ROW(age, height, born, sex), illness, true)
           > sdc.reconstruction_error(grp, ROW(age, height, born, sex), illness, false) AS harder_to_undo
FROM generate_series(2, 8, 2) AS l,
LATERAL (SELECT *, sdc.permutation(l, ROW(age, height, born, sex), illness) OVER w AS grp,
                sdc.permutation(l, ROW(age), illness, rounds => 0) OVER w AS at_random
         FROM person WINDOW w AS (ORDER BY id)) s
GROUP BY l ORDER BY l;
SELECT (loss->>'ncp')::float8 > 0 AS ncp FROM sdc.publish_permutation('person', 'person_published', '{age,height,born,sex}', 'illness', 4);
RESET sdc.seed;

-- a column of a group holds the same values as before
SELECT count(*) FROM (
    (SELECT age, count(*) FROM person GROUP BY 1 EXCEPT ALL SELECT age, count(*) FROM person_published_pqt GROUP BY 1)
    UNION ALL
    (SELECT height, count(*) FROM person GROUP BY 1 EXCEPT ALL SELECT height, count(*) FROM person_published_pqt GROUP BY 1)) d;
-- an estimate over one column is the truth, and over all of them is near it
SELECT sdc.estimate_count('person_published', 'age < 40') = count(*) FILTER (WHERE age < 40) AS age,
       sdc.estimate_count('person_published', 'illness = ''illness 4''') = count(*) FILTER (WHERE illness = 'illness 4') AS illness,
       round(sdc.estimate_count('person_published', 'age < 40', 'sex = ''F''')) BETWEEN 0.5 * count(*) FILTER (WHERE age < 40 AND sex = 'F')
           AND 2 * count(*) FILTER (WHERE age < 40 AND sex = 'F') AS near
FROM person;

-- what cannot be
SELECT sdc.permutation(5, ROW(age, sex), disease) OVER () FROM patient;
SELECT count(sdc) FROM (SELECT sdc.permutation(4, ROW(nullif(age, 65)), disease) OVER () AS sdc FROM patient) s;
SELECT sdc.permutation(4, NULL::patient, disease) OVER () FROM patient;
SELECT sdc.permutation(4, ROW(age), disease, -1) OVER () FROM patient;
SELECT sdc.permutation(4, ROW(age, sex), disease) FROM patient;
SELECT * FROM sdc.publish_permutation('patient', 'refused', '{age}', 'disease', 5);
SELECT * FROM sdc.publish_permutation('patient', 'refused', '{age}', 'disease', 4, rounds => -1);
CREATE VIEW gap AS SELECT nullif(age, 65) AS age, disease FROM patient;
SELECT * FROM sdc.publish_permutation('gap', 'refused', '{age}', 'disease', 4, nulls => 'error');
SELECT to_regclass('refused') IS NULL AND to_regclass('refused_pqt') IS NULL AS nothing_left;

DELETE FROM sdc.release;
DROP SCHEMA permutation CASCADE;
RESET search_path;
