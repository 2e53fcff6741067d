-- Anatomy: the paper's nine rows, sdc.anatomy as a window function, sdc.publish_anatomy.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SELECT setval('sdc.release_id_seq', 700) \gset
SET client_min_messages = error;
CREATE SCHEMA anatomy;
SET search_path = anatomy;
CREATE TABLE patient (name text, age int, sex text, disease text, grp int);
INSERT INTO patient VALUES
    ('Bob', 65, 'M', 'Emphysema', 1), ('Alex', 50, 'M', 'Cancer', 1), ('Jane', 70, 'F', 'Flu', 1),
    ('Lily', 55, 'F', 'Gastritis', 1), ('Andy', 90, 'F', 'Dyspepsia', 1), ('Mary', 45, 'M', 'Flu', 2),
    ('Linda', 50, 'F', 'Pneumonia', 2), ('Lucy', 40, 'F', 'Gastritis', 2), ('Sarah', 10, 'M', 'Bronchitis', 2);

-- the seed that draws the paper's groups: its tables, and its answer 0.9 to the query whose true answer is 1
SELECT source, target, method, parameters, rows, groups, suppressed, achieved, loss
FROM   sdc.publish_anatomy('patient', 'published', '{age,sex}', 'disease', 4, seed => 11) \gx
SELECT * FROM published_qit ORDER BY grp, age, sex;
SELECT * FROM published_st ORDER BY grp, disease;
SELECT count(*) FROM patient WHERE age BETWEEN 40 AND 70 AND sex = 'F' AND disease = 'Flu';
SELECT sum(weight) = 0.9 AS nine_tenths FROM published WHERE age BETWEEN 40 AND 70 AND sex = 'F' AND disease = 'Flu';
SELECT sdc.estimate_count('published', 'age BETWEEN 40 AND 70', 'sex = ''F''', 'disease = ''Flu''');
SELECT * FROM published WHERE age = 65 ORDER BY disease;
SELECT sum(weight) FROM published;

-- what the groups cost, and what generalizing them would answer: 3/8
SELECT sdc.ncp(grp, age, sex), sdc.reconstruction_error(grp, ROW(age, sex), disease, false) AS anatomy,
       9 * (1 - 1/4.0) AS least, sdc.discernibility(grp), sdc.average_group_size(grp)
FROM patient;
SELECT sum(flu * (least(hi, 70) - greatest(lo, 40))::numeric / (hi - lo) / sexes)
FROM (SELECT grp, min(age) AS lo, max(age) AS hi, count(DISTINCT sex) AS sexes,
             count(*) FILTER (WHERE disease = 'Flu') AS flu
      FROM patient GROUP BY grp) g;

-- every group is l-diverse, whatever is drawn; the left-over rows join groups without their value
CREATE TABLE person (id int, ward int, illness text);
INSERT INTO person SELECT i, i % 3, 'illness ' || (i * i) % 23 FROM generate_series(1, 503) AS i;
SELECT l, sdc.l_diversity(grp, illness) >= l AS diverse, count(DISTINCT grp) = 503 / l AS as_many_as_can_be,
       max(n) < 2 * l AS small, min(grp) AS first
FROM (SELECT *, count(*) OVER (PARTITION BY l, grp) AS n
      FROM generate_series(2, 10) AS l,
      LATERAL (SELECT *, sdc.anatomy(l, illness) OVER (ORDER BY id) AS grp FROM person) s) t
GROUP BY l ORDER BY l;
SELECT ward, min(grp), max(grp), count(*)
FROM (SELECT ward, sdc.anatomy(4, illness) OVER (PARTITION BY ward ORDER BY id) AS grp FROM person) s
GROUP BY ward ORDER BY ward;

-- a seed repeats the groups, the operating system does not
CREATE FUNCTION draw() RETURNS int[] LANGUAGE sql AS
    'SELECT array_agg(grp ORDER BY id) FROM (SELECT id, sdc.anatomy(4, illness) OVER (ORDER BY id) AS grp FROM person) s';
SELECT draw() AS a \gset
SELECT draw() = :'a' AS same;
SET sdc.seed = 7;
SELECT draw() AS a \gset
SELECT draw() = :'a' AS same;
SET sdc.seed = 8;
SELECT draw() = :'a' AS same;
RESET sdc.seed;

-- group numbers say nothing about the rows' order or frequency of values
SET sdc.seed = 1;
SELECT abs(corr(grp, id)) < 0.15 AS of_order, abs(corr(grp, n)) < 0.15 AS of_frequency
FROM (SELECT id, sdc.anatomy(4, illness) OVER (ORDER BY id) AS grp, count(*) OVER (PARTITION BY illness) AS n FROM person) s;
RESET sdc.seed;

-- NULL is a sensitive value of its own, or refused
CREATE TABLE gap AS SELECT i AS age, nullif((i % 5), 0) AS score FROM generate_series(1, 20) AS i;
SELECT grps, nulls FROM (SELECT count(DISTINCT grp) AS grps, max(n) AS nulls FROM
    (SELECT grp, count(*) FILTER (WHERE score IS NULL) OVER (PARTITION BY grp) AS n
     FROM (SELECT score, sdc.anatomy(5, score) OVER () AS grp FROM gap) a) b) c;
SELECT achieved FROM sdc.publish_anatomy('gap', 'gap_published', '{age}', 'score', 5);
SELECT grp, count(*) FROM gap_published_st WHERE score IS NULL GROUP BY grp ORDER BY grp;
SELECT sdc.estimate_count('gap_published', 'score IS NULL'), sdc.estimate_count('gap_published', 'score IS NOT NULL');
SELECT * FROM sdc.publish_anatomy('gap', 'gap_refused', '{age}', 'score', 5, nulls => 'error');
SELECT * FROM sdc.publish_anatomy('gap', 'gap_refused', '{age}', 'score', 5, nulls => 'maybe');

-- what cannot be: the largest feasible l is said, and nothing is left behind
SELECT sdc.anatomy(5, disease) OVER () FROM patient;
SELECT sdc.anatomy(10, disease) OVER () FROM patient WHERE disease <> 'Flu';
SELECT sdc.anatomy(0, disease) OVER () FROM patient;
SELECT sdc.anatomy(NULL, disease) OVER () FROM patient;
SELECT sdc.anatomy(2, disease) FROM patient;
SELECT * FROM sdc.publish_anatomy('patient', 'refused', '{age}', 'disease', 5);
SELECT * FROM sdc.publish_anatomy('patient', 'refused', '{age}', 'disease', 1);
SELECT * FROM sdc.publish_anatomy('patient', 'refused', '{}', 'disease', 2);
SELECT * FROM sdc.publish_anatomy('patient', 'refused', '{age,age}', 'disease', 2);
SELECT * FROM sdc.publish_anatomy('patient', 'refused', '{age,disease}', 'disease', 2);
SELECT * FROM sdc.publish_anatomy('patient', 'refused', '{age,shoe}', 'disease', 2);
SELECT * FROM sdc.publish_anatomy('patient', 'refused', '{age,grp}', 'disease', 2);
SELECT * FROM sdc.publish_anatomy('patient', 'published', '{age}', 'disease', 2);
SELECT * FROM sdc.publish_anatomy('patient', NULL, '{age}', 'disease', 2);
CREATE TABLE taken_st ();
SELECT * FROM sdc.publish_anatomy('patient', 'taken', '{age}', 'disease', 2);
CREATE TABLE nobody (LIKE patient);
SELECT * FROM sdc.publish_anatomy('nobody', 'refused', '{age}', 'disease', 2);
SELECT count(*) AS left_behind FROM pg_class WHERE relnamespace = 'anatomy'::regnamespace AND relname LIKE ANY ('{refused%,gap_refused%,taken%}');
SELECT target FROM sdc.releases ORDER BY id;

DELETE FROM sdc.release;
DROP SCHEMA anatomy CASCADE;
RESET search_path;
