-- The tour of `make demo`: a small table, how anonymous it is, masked, and what that cost.
\set ECHO none
\pset footer off
SET client_min_messages = warning;

CREATE EXTENSION pg_sdc;
CREATE TABLE patient (id int PRIMARY KEY, name text, age int, height int, weight int, illness text);
INSERT INTO patient VALUES
    ( 1, 'Ada',    31, 165, 58, 'Asthma'),        ( 2, 'Boris',  34, 178, 81, 'Flu'),
    ( 3, 'Carla',  29, 168, 61, 'Diabetes'),      ( 4, 'Dimitri', 71, 172, 90, 'Heart Disease'),
    ( 5, 'Elena',  68, 160, 72, 'Diabetes'),      ( 6, 'Farid',  36, 181, 85, 'Asthma'),
    ( 7, 'Grete',  66, 158, 70, 'Cancer'),        ( 8, 'Hugo',   45, 190, 95, 'Flu'),
    ( 9, 'Ines',   27, 170, 57, 'HIV'),           (10, 'Jonas',  48, 187, 99, 'Hepatitis'),
    (11, 'Kaja',   33, 163, 60, 'Flu'),           (12, 'Luis',   44, 193, 92, 'Heart Disease');
SELECT setseed(0.5) \g /dev/null
CREATE TABLE citizen AS
SELECT id, round(18 + 70 * random() * random()) AS age, round(150 + 15 * (random() + random() + random())) AS height,
       round(500 * exp(3 * random() + random())) AS income
FROM generate_series(1, 50000) AS id;

\echo
\echo '1. A hospital wants to share this table for research. Leaving out the names is easy:'
\echo
\set ECHO queries
SELECT age, height, weight, illness FROM patient ORDER BY id LIMIT 4;
\set ECHO none
\echo '2. But is it anonymous? Anyone who knows a patient''s age, height and weight looks for the row:'
\echo
\set ECHO queries
SELECT sdc.k_anonymity(age, height, weight) FROM patient;
\set ECHO none
\echo '   1 means that some patient is the only one with that combination. Here every patient is.'
\echo '   Anyone who has seen Ada''s passport and scales now knows about her asthma.'
\echo
\echo '3. Microaggregation puts at least k similar rows into a group. It is a window function,'
\echo '   so it works with WHERE, JOIN, views and PARTITION BY:'
\echo
\set ECHO queries
CREATE TABLE grouped AS
SELECT *, sdc.mdav(3, age, height, weight) OVER (ORDER BY id) AS grp FROM patient;
\set ECHO none
\echo
\echo '4. Each row then shows its group''s averages. That is plain SQL:'
\echo
\set ECHO queries
CREATE TABLE patient_public AS
SELECT round(avg(age) OVER g) AS age, round(avg(height) OVER g) AS height,
       round(avg(weight) OVER g) AS weight, illness
FROM grouped WINDOW g AS (PARTITION BY grp);
\set ECHO none
\echo
\echo '5. Before and after:'
\echo
\set ECHO queries
SELECT name, grp AS "group", age, round(avg(age) OVER g) AS "→ age",
       height, round(avg(height) OVER g) AS "→ height",
       weight, round(avg(weight) OVER g) AS "→ weight", illness
FROM grouped WINDOW g AS (PARTITION BY grp) ORDER BY grp, id;
SELECT sdc.k_anonymity(age, height, weight) FROM patient_public;
\set ECHO none
\echo '   Every patient now looks like at least two others. The three may still have the same illness.'
\echo '   Another promise, called p, forbids that. Step 8 asks for it.'
\echo
\echo '6. What did it cost? The averages of the whole table hardly move. But differences between'
\echo '   patients are lost. The last table says how many percent. Larger groups hide better and cost more:'
\echo
\set ECHO queries
SELECT 'before' AS "table", round(avg(age), 1) AS age, round(avg(height), 1) AS height, round(avg(weight), 1) AS weight FROM patient
UNION ALL
SELECT 'after', round(avg(age), 1), round(avg(height), 1), round(avg(weight), 1) FROM patient_public;
SELECT k, count(DISTINCT grp) AS groups, round(sdc.information_loss(grp, age, height, weight)::numeric, 1) AS "loss in %"
FROM  (SELECT k, age, height, weight, sdc.mdav(k, age, height, weight) OVER (PARTITION BY k ORDER BY id) AS grp
       FROM patient, generate_series(1, 4) AS k) s
GROUP BY k ORDER BY k;
\set ECHO none
\echo '7. Twelve rows are few to hide among. The fifty thousand rows of the table citizen lose next to'
\echo '   nothing, and take a moment. (The check takes the group number instead of the masked columns.)'
\echo
\set ECHO queries
\timing on
SELECT sdc.k_anonymity(grp), round(sdc.information_loss(grp, age, height, income)::numeric, 2) AS "loss in %"
FROM  (SELECT *, sdc.mdav(5, age, height, income) OVER (ORDER BY id) AS grp FROM citizen) s;
\timing off
\set ECHO none
\echo
\echo '8. One call publishes what others may see. The release has only the named columns, and its rows are'
\echo '   in random order. It was checked: at least three rows look alike, with at least two illnesses.'
\echo
\set ECHO queries
SELECT id, target, rows, groups, achieved
FROM sdc.publish_microaggregated('patient', 'patient_release', '{age,height,weight}', k => 3, sensitive => '{illness}', p => 2);
\set ECHO none
