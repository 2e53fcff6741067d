-- (p+,alpha)-sensitive k-anonymity: the twelve rows of Sun, Wang, Truta, Li and Li (2008).
CREATE SCHEMA p_alpha_test;
SET search_path = p_alpha_test;

CREATE TABLE patient (id int, age int, country text, zip int, condition text);
INSERT INTO patient VALUES
    (1, 27, 'USA', 14248, 'HIV'), (2, 28, 'Canada', 14207, 'HIV'), (3, 26, 'USA', 14246, 'Cancer'),
    (4, 25, 'Canada', 14249, 'Cancer'), (5, 41, 'China', 13053, 'Hepatitis'), (6, 48, 'Japan', 13074, 'Phthisis'),
    (7, 45, 'India', 13064, 'Asthma'), (8, 42, 'India', 13062, 'Heart Disease'), (9, 33, 'USA', 14242, 'Flu'),
    (10, 37, 'Canada', 14204, 'Flu'), (11, 36, 'Canada', 14205, 'Flu'), (12, 35, 'USA', 14248, 'Indigestion');
\set categories '\'[["HIV","Cancer"],["Phthisis","Hepatitis"],["Heart Disease","Asthma"],["Flu","Indigestion"]]\''

-- Table 5 is 2-sensitive and 4-anonymous, but not (2+,2)-sensitive; Table 6 is
CREATE TABLE printed (id int, table_5 int, table_6 int);
INSERT INTO printed VALUES
    (1, 1, 1), (2, 1, 3), (3, 1, 3), (4, 1, 1), (5, 2, 2), (6, 2, 2), (7, 2, 2), (8, 2, 2), (9, 3, 1), (10, 3, 3), (11, 3, 3), (12, 3, 1);
CREATE VIEW grouped AS SELECT * FROM patient JOIN printed USING (id);
SELECT property, required, actual, satisfied, violating_groups
FROM   sdc.check_anonymity('grouped', '{table_5}', '{condition}', 4, 2, alpha => 2, categories => :categories);
SELECT property, required, actual, satisfied, violating_groups
FROM   sdc.check_anonymity('grouped', '{table_6}', '{condition}', 4, 2, alpha => 2, categories => :categories);

-- the algorithm finds three groups, too
CREATE VIEW assigned AS
SELECT *, sdc.p_alpha_sensitive(4, 2, 2, ROW(age, country, zip), sdc.category(condition, :categories), 4)
          OVER (ORDER BY id) AS grp
FROM   patient;
SELECT grp, count(*), array_agg(id ORDER BY id) AS ids FROM assigned GROUP BY grp ORDER BY grp;
SELECT property, actual, satisfied
FROM   sdc.check_anonymity('assigned', '{grp}', '{condition}', 4, 2, alpha => 2, categories => :categories)
WHERE  required IS NOT NULL;

-- p = 1 and alpha = 0 ask for k rows only; an alpha that only one group reaches makes one
SELECT count(DISTINCT grp), min(n) FROM (
    SELECT grp, count(*) OVER (PARTITION BY grp) AS n FROM (
        SELECT sdc.p_alpha_sensitive(4, 1, 0, ROW(age, zip), sdc.category(condition, :categories), 4) OVER (ORDER BY id) AS grp
        FROM patient) g) s;
SELECT DISTINCT sdc.p_alpha_sensitive(4, 4, 6, ROW(age, zip), sdc.category(condition, :categories), 4) OVER () FROM patient;
-- groups are made within each window partition
SELECT east, count(DISTINCT grp) FROM (
    SELECT age < 30 OR age > 40 AS east, sdc.p_alpha_sensitive(2, 1, 0, ROW(age), sdc.category(condition, :categories), 4)
           OVER (PARTITION BY age < 30 OR age > 40 ORDER BY id) AS grp FROM patient) s GROUP BY east ORDER BY east;
-- no rows, no groups
SELECT sdc.p_alpha_sensitive(4, 2, 2, ROW(age), 1, 4) OVER () FROM patient WHERE false;
-- the same rows in the same order give the same groups; categorical keys alone will do
SELECT count(DISTINCT groups) FROM (
    SELECT i, array_agg(grp ORDER BY id) AS groups FROM generate_series(1, 3) i, LATERAL (
        SELECT id, sdc.p_alpha_sensitive(3, 2, 1.5, ROW(country), sdc.category(condition, :categories), 4) OVER (ORDER BY id) AS grp
        FROM patient WHERE i > 0) g GROUP BY i) s;

-- a release shows the category unless told otherwise
SELECT source, target, method, parameters - 'categories' AS parameters, rows, groups, suppressed, achieved, loss ? 'information_loss' AS has_loss
FROM   sdc.publish_p_alpha('patient', 'released', '{age,country,zip}', 'condition', :categories, 4, 2, 2);
SELECT * FROM released ORDER BY 1, 2, 3, 4;
SELECT property, actual, satisfied
FROM   sdc.check_anonymity('released', '{age,country,zip}', '{condition_category}', 4, 2, alpha => 2, categories => '[["1"],["2"],["3"],["4"]]')
WHERE  required IS NOT NULL;
SELECT achieved FROM sdc.publish_p_alpha('patient', 'released_value', '{age,zip}', 'condition', :categories, 4, 2, 2, publish => 'value');
SELECT achieved FROM sdc.publish_p_alpha('patient', 'released_both', '{age,zip}', 'condition', :categories, 4, 2, 2, keep => '{country}', publish => 'both');
SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = 'released_value'::regclass AND attnum > 0 ORDER BY attnum;
SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = 'released_both'::regclass AND attnum > 0 ORDER BY attnum;
SELECT bool_and(condition_category = sdc.category(condition, :categories)), count(*) FROM released_both;

-- with hierarchies keys show the lowest value that is common to their group
SELECT sdc.interval_hierarchy('patient', 'age', 'age_hierarchy', '{10,20}', 0);
SELECT sdc.prefix_hierarchy('patient', 'zip', 'zip_hierarchy');
SELECT sdc.grouping_hierarchy('patient', 'country', 'country_hierarchy',
    '[{"America": ["USA", "Canada"], "Asia": ["China", "Japan", "India"]}, {"*": ["America", "Asia"]}]');
SELECT achieved, loss ? 'ncp' AS has_ncp, parameters->'hierarchies' AS hierarchies
FROM   sdc.publish_p_alpha('patient', 'recoded', '{age,country,zip}', 'condition', :categories, 4, 2, 2,
           hierarchies => '{"zip": "zip_hierarchy", "country": "country_hierarchy", "age": "age_hierarchy"}');
SELECT * FROM recoded ORDER BY 1, 2, 3, 4;
-- some keys may be generalized while others are averaged
SELECT rows, groups FROM sdc.publish_p_alpha('patient', 'mixed', '{age,zip}', 'condition', :categories, 4, 2, 2,
           hierarchies => '{"zip": "zip_hierarchy"}');
SELECT DISTINCT age, pg_typeof(age), zip, pg_typeof(zip) FROM mixed ORDER BY 1;

-- a domain that a mean would violate is no matter where the key is generalized
CREATE DOMAIN even AS int CHECK (VALUE % 2 = 0);
CREATE TABLE evenly AS SELECT (2 * age)::even AS age, condition FROM patient;
SELECT sdc.interval_hierarchy('evenly', 'age', 'evenly_hierarchy', '{200}', 0);
SELECT DISTINCT pg_typeof(age) FROM evenly;
SELECT groups FROM sdc.publish_p_alpha('evenly', 'generally', '{age}', 'condition', :categories, 4, 2, 2, hierarchies => '{"age": "evenly_hierarchy"}');
SELECT sdc.drop_release(id) FROM sdc.releases WHERE source = 'p_alpha_test.evenly';

-- a report of the release checks what the release shows
SELECT sdc.report(id) ~ 'alpha-weight' AS reported FROM sdc.releases WHERE source = 'p_alpha_test.patient' ORDER BY id;

-- everything went into the register, and goes again
SELECT target, method FROM sdc.releases WHERE source = 'p_alpha_test.patient' ORDER BY id;
SELECT sdc.drop_release(id) FROM sdc.releases WHERE source = 'p_alpha_test.patient' ORDER BY id;

DROP SCHEMA p_alpha_test CASCADE;
