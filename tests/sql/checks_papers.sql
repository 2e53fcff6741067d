-- The worked examples of the papers.

-- Truta, Vinay 2006, Table 1: 2-anonymous, but two rows disclose their illness.
CREATE TEMPORARY TABLE tv06_table_1 (age int, zip_code text, sex text, illness text);
INSERT INTO tv06_table_1 VALUES
    (50, '43102', 'M', 'Colon Cancer'), (30, '43102', 'F', 'Breast Cancer'), (30, '43102', 'F', 'HIV'),
    (20, '43102', 'M', 'Diabetes'), (20, '43102', 'M', 'Diabetes'), (50, '43102', 'M', 'Heart Disease');
SELECT sdc.k_anonymity(age, zip_code, sex) AS k,
       sdc.p_sensitivity(ROW(age, zip_code, sex), illness) AS p,
       sdc.disclosures(ROW(age, zip_code, sex), illness)
FROM   tv06_table_1;
SELECT * FROM sdc.check_anonymity('tv06_table_1', '{age,zip_code,sex}', '{illness}', k => 2, p => 2);
SELECT * FROM sdc.violations('tv06_table_1', '{age,zip_code,sex}', '{illness}', k => 2, p => 2);

-- Table 3: 3-anonymous, 1-sensitive; one other income in the first row makes it 2-sensitive.
CREATE TEMPORARY TABLE tv06_table_3 (age int, zip_code text, sex text, illness text, income int);
INSERT INTO tv06_table_3 VALUES
    (20, '43102', 'F', 'AIDS', 50000), (20, '43102', 'F', 'AIDS', 50000), (20, '43102', 'F', 'Diabetes', 50000),
    (30, '43102', 'M', 'Diabetes', 30000), (30, '43102', 'M', 'Diabetes', 40000),
    (30, '43102', 'M', 'Heart Disease', 30000), (30, '43102', 'M', 'Heart Disease', 40000);
SELECT sdc.k_anonymity(age, zip_code, sex) AS k,
       sdc.p_sensitivity(ROW(age, zip_code, sex), illness, income) AS p,
       sdc.disclosures(ROW(age, zip_code, sex), illness, income)
FROM   tv06_table_3;
SELECT * FROM sdc.check_anonymity('tv06_table_3', '{age,zip_code,sex}', '{illness,income}', k => 3, p => 2);
SELECT * FROM sdc.violations('tv06_table_3', '{age,zip_code,sex}', '{illness,income}', k => 3, p => 2);
UPDATE tv06_table_3 SET income = 40000
WHERE  ctid = (SELECT min(ctid) FROM tv06_table_3);
SELECT sdc.k_anonymity(age, zip_code, sex) AS k,
       sdc.p_sensitivity(ROW(age, zip_code, sex), illness, income) AS p,
       sdc.disclosures(ROW(age, zip_code, sex), illness, income)
FROM   tv06_table_3;
SELECT * FROM sdc.check_anonymity('tv06_table_3', '{age,zip_code,sex}', '{illness,income}', k => 3, p => 2);
SELECT * FROM sdc.violations('tv06_table_3', '{age,zip_code,sex}', '{illness,income}', k => 3, p => 2);
SELECT sdc.assert_anonymity('tv06_table_3', '{age,zip_code,sex}', '{illness,income}', k => 3, p => 2);

-- The two necessary conditions, n = 1000: a value for each row, as often as its frequency says.
CREATE FUNCTION pg_temp.column_of(VARIADIC frequencies int[]) RETURNS SETOF int
LANGUAGE sql AS 'SELECT v::int FROM unnest($1) WITH ORDINALITY f (n, v), generate_series(1, n)';
CREATE TEMPORARY TABLE tv06_frequencies AS
SELECT pg_temp.column_of(300, 300, 200, 100, 100) AS s1,
       pg_temp.column_of(500, 300, 100, 40, 35, 25) AS s2,
       pg_temp.column_of(700, 200, 50, 10, 10, 10, 10, 5, 3, 2) AS s3,
       pg_temp.column_of(900, 90, 5, 3, 2) AS skewed;
SELECT count(*), count(DISTINCT s1) AS s1, count(DISTINCT s2) AS s2, count(DISTINCT s3) AS s3 FROM tv06_frequencies;
SELECT p, f.* FROM generate_series(1, 6) p, sdc.feasibility('tv06_frequencies', '{s1,s2,s3}', p) f;
SELECT * FROM sdc.feasibility('tv06_frequencies', '{skewed}', 3);

-- Sun, Wang, Truta, Li, Li 2008: Table 1 and the groups of Tables 5 and 6.
CREATE TEMPORARY TABLE swtll08 (id int, age int, country text, zip text, condition text, table_5 int, table_6 int);
INSERT INTO swtll08 VALUES
    (1, 27, 'USA', '14248', 'HIV', 1, 1), (2, 28, 'Canada', '14207', 'HIV', 1, 3),
    (3, 26, 'USA', '14246', 'Cancer', 1, 3), (4, 25, 'Canada', '14249', 'Cancer', 1, 1),
    (5, 41, 'China', '13053', 'Hepatitis', 2, 2), (6, 48, 'Japan', '13074', 'Phthisis', 2, 2),
    (7, 45, 'India', '13064', 'Asthma', 2, 2), (8, 42, 'India', '13062', 'Heart Disease', 2, 2),
    (9, 33, 'USA', '14242', 'Flu', 3, 1), (10, 37, 'Canada', '14204', 'Flu', 3, 3),
    (11, 36, 'Canada', '14205', 'Flu', 3, 3), (12, 35, 'USA', '14248', 'Indigestion', 3, 1);
\set categories '[["HIV","Cancer"],["Phthisis","Hepatitis"],["Heart Disease","Asthma"],["Flu","Indigestion"]]'
SELECT sdc.k_anonymity(table_5) AS k, sdc.p_sensitivity(table_5, condition) AS p,
       sdc.p_plus(table_5, sdc.category(condition, :'categories')) AS p_plus,
       sdc.alpha_weight(table_5, sdc.category(condition, :'categories'), 4) AS alpha
FROM   swtll08;
SELECT * FROM sdc.check_anonymity('swtll08', '{table_5}', '{condition}', k => 4, p => 2, alpha => 2, categories => :'categories');
SELECT * FROM sdc.violations('swtll08', '{table_5}', '{condition}', k => 4, p => 2, alpha => 2, categories => :'categories');
SELECT sdc.k_anonymity(table_6) AS k, sdc.p_sensitivity(table_6, condition) AS p,
       sdc.p_plus(table_6, sdc.category(condition, :'categories')) AS p_plus,
       sdc.alpha_weight(table_6, sdc.category(condition, :'categories'), 4) AS alpha
FROM   swtll08;
SELECT * FROM sdc.check_anonymity('swtll08', '{table_6}', '{condition}', k => 4, p => 2, alpha => 2, categories => :'categories');
SELECT * FROM sdc.violations('swtll08', '{table_6}', '{condition}', k => 4, p => 2, alpha => 2, categories => :'categories');
-- each group on its own: the last of Table 5 weighs 4 but has one category
SELECT table_5, sdc.p_plus(table_5, sdc.category(condition, :'categories')) AS p_plus,
       sdc.alpha_weight(table_5, sdc.category(condition, :'categories'), 4) AS alpha
FROM   swtll08 GROUP BY table_5 ORDER BY table_5;
-- every group must pass: the paper's own check stops at the first that does
SELECT satisfied, violating_groups FROM sdc.check_anonymity('swtll08', '{table_5}', '{condition}', p => 2, categories => :'categories')
WHERE  property = 'p+-sensitivity';

-- Weights and distances.
SELECT sum(sdc.category_weight(sdc.category(condition, :'categories'), 4)) AS weight
FROM   unnest('{Cancer,Phthisis,Asthma,Flu}'::text[]) condition;
SELECT sdc.category_distance(sdc.category('Cancer', :'categories'), sdc.category('Flu', :'categories'), 4) AS cancer_flu,
       sdc.category_distance(sdc.category('Phthisis', :'categories'), sdc.category('Asthma', :'categories'), 4) AS phthisis_asthma;
-- 1/3 + 1/3 + 2/3 + 2/3 reaches 2 in every order of the rows, though doubles added up do not
WITH orders (categories) AS (VALUES ('{2,2,3,3}'::int[]), ('{2,3,2,3}'), ('{2,3,3,2}'), ('{3,2,2,3}'), ('{3,2,3,2}'), ('{3,3,2,2}'))
SELECT categories,
       (SELECT sdc.alpha_weight(1, c, 4 ORDER BY n) >= 2 FROM unnest(categories) WITH ORDINALITY o (c, n)) AS weight_2,
       (SELECT sum(sdc.category_weight(c, 4) ORDER BY n) >= 2 FROM unnest(categories) WITH ORDINALITY o (c, n)) AS in_doubles
FROM   orders;

-- Li, He, Cao, Chen 2015: nine rows in two groups.
CREATE TEMPORARY TABLE lhcc15 (name text, age int, sex text, disease text, grp int);
INSERT INTO lhcc15 VALUES
    ('Bob', 65, 'M', 'Emphysema', 1), ('Alex', 50, 'M', 'Cancer', 1), ('Jane', 70, 'F', 'Flu', 1),
    ('Lily', 55, 'F', 'Gastritis', 1), ('Andy', 90, 'F', 'Dyspepsia', 1),
    ('Mary', 45, 'M', 'Flu', 2), ('Linda', 50, 'F', 'Pneumonia', 2), ('Lucy', 40, 'F', 'Gastritis', 2), ('Sarah', 10, 'M', 'Bronchitis', 2);
SELECT sdc.l_diversity(grp, disease) AS l, sdc.entropy_l_diversity(grp, disease) AS entropy_l,
       sdc.recursive_l_diversity(grp, disease, 2) AS recursive_l, sdc.alpha_k(grp, disease) AS alpha
FROM   lhcc15;
SELECT * FROM sdc.check_anonymity('lhcc15', '{grp}', '{disease}', l => 4);
SELECT * FROM sdc.violations('lhcc15', '{grp}', '{disease}', l => 5);
-- the whole table is eligible for l = 9/2: two people of nine share a disease
SELECT sdc.l_diversity(1, disease) FROM lhcc15;

-- Li, Li, Venkatasubramanian 2007: nine salaries, 3k to 11k. In ordered distance the group 3k, 4k, 5k
-- is 0.375 from the table, the group 6k, 8k, 11k only 0.167.
CREATE TEMPORARY TABLE salary (grp int, thousands int);
INSERT INTO salary VALUES (1, 3), (1, 4), (1, 5), (2, 6), (2, 11), (2, 8), (3, 7), (3, 9), (3, 10);
SELECT sdc.t_closeness(grp, thousands) AS ordered, sdc.t_closeness(grp, thousands::text) AS equal FROM salary;
SELECT * FROM sdc.violations('salary', '{grp}', '{thousands}', t => 0.1);
