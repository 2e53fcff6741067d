-- (p+,alpha)-sensitivity: what is refused, and what the refusal says.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
CREATE SCHEMA p_alpha_errors_test;
SET search_path = p_alpha_errors_test;
\set VERBOSITY verbose
\set SHOW_CONTEXT never

CREATE TABLE patient (id int, age int, country text, condition text);
INSERT INTO patient VALUES
    (1, 27, 'USA', 'HIV'), (2, 28, 'Canada', 'HIV'), (3, 26, 'USA', 'Cancer'), (4, 25, 'Canada', 'Flu'),
    (5, 41, 'China', 'Asthma'), (6, 48, 'Japan', 'Flu'), (7, 45, 'India', 'Asthma');
CREATE VIEW categorised AS SELECT *, CASE condition WHEN 'HIV' THEN 1 WHEN 'Cancer' THEN 2 WHEN 'Asthma' THEN 3 ELSE 4 END AS category FROM patient;

-- what not even one single group meets is refused, with what would be possible
SELECT sdc.p_alpha_sensitive(3, 2, 12.5, ROW(age), category, 4) OVER () FROM categorised;
SELECT sdc.p_alpha_sensitive(3, 2, 'infinity', ROW(age), category, 4) OVER () FROM categorised;
SELECT sdc.p_alpha_sensitive(5, 5, 1, ROW(age), category, 5) OVER () FROM categorised;
SELECT sdc.p_alpha_sensitive(8, 2, 1, ROW(age), category, 4) OVER () FROM categorised;
SELECT sdc.p_alpha_sensitive(2, 3, 1, ROW(age), category, 4) OVER () FROM categorised;

-- parameters that make no sense
SELECT sdc.p_alpha_sensitive(0, 1, 1, ROW(age), category, 4) OVER () FROM categorised;
SELECT sdc.p_alpha_sensitive(3, 0, 1, ROW(age), category, 4) OVER () FROM categorised;
SELECT sdc.p_alpha_sensitive(3, 2, -1, ROW(age), category, 4) OVER () FROM categorised;
SELECT sdc.p_alpha_sensitive(3, 2, 'NaN', ROW(age), category, 4) OVER () FROM categorised;
SELECT sdc.p_alpha_sensitive(3, 1, 0, ROW(age), 1, 1) OVER () FROM categorised;
SELECT sdc.p_alpha_sensitive(3, 1, NULL, ROW(age), category, 4) OVER () FROM categorised;

-- categories outside their range, and none at all
SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW(age), category, 3) OVER () FROM categorised;
SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW(age), category - 1, 4) OVER () FROM categorised;
SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW(age), nullif(category, 3), 4) OVER () FROM categorised;

-- NULL and infinity in a numeric key; in a categorical one NULL is a value
SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW(nullif(age, 41)), category, 4) OVER () FROM categorised;
SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW('NaN'::float8 * age), category, 4) OVER () FROM categorised;
SELECT count(sdc) FROM (SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW(nullif(country, 'USA')), category, 4) OVER () AS sdc FROM categorised) s;
-- without OVER
SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW(age), category, 4) FROM categorised;

\set categories '\'[["HIV"],["Cancer"],["Asthma"],["Flu"]]\''
-- releases: what they refuse
SELECT sdc.publish_p_alpha('patient', 'released', '{age}', 'condition', :categories, 3, 2, 1, publish => 'values');
SELECT sdc.publish_p_alpha('patient', 'released', '{age}', 'condition', '[["HIV"],["Cancer","Asthma"]]', 3, 2, 1);
SELECT sdc.publish_p_alpha('patient', 'released', '{age}', 'condition', '[["HIV","Cancer","Asthma","Flu"]]', 3, 1, 0);
SELECT sdc.publish_p_alpha('patient', 'released', '{age}', 'condition', '{"HIV": 1}', 3, 2, 1);
SELECT sdc.publish_p_alpha('patient', 'released', '{age}', 'condition', :categories, 5, 5, 1);
SELECT sdc.publish_p_alpha('patient', 'released', '{age}', 'condition', :categories, 3, 2, 9);
SELECT sdc.publish_p_alpha('patient', 'released', '{}', 'condition', :categories, 3, 2, 1);
SELECT sdc.publish_p_alpha('patient', 'released', '{age,condition}', 'condition', :categories, 3, 2, 1);
SELECT sdc.publish_p_alpha('patient', 'released', '{age}', 'condition', :categories, 3, 2, 1, keep => '{age}');
SELECT sdc.publish_p_alpha('patient', 'released', '{age}', 'illness', :categories, 3, 2, 1);
SELECT sdc.publish_p_alpha('patient', 'patient', '{age}', 'condition', :categories, 3, 2, 1);
-- the name of the column of categories may be taken
CREATE VIEW taken AS SELECT *, 1 AS condition_category FROM patient;
SELECT sdc.publish_p_alpha('taken', 'released', '{age}', 'condition', :categories, 3, 2, 1, keep => '{condition_category}');
SELECT rows FROM sdc.publish_p_alpha('taken', 'not_taken', '{age}', 'condition', :categories, 3, 2, 1, keep => '{condition_category}', publish => 'value');
SELECT sdc.drop_release(id) FROM sdc.releases WHERE target = 'p_alpha_errors_test.not_taken';
-- a sensitive value that is NULL has no category
CREATE TABLE with_null AS SELECT id, age, nullif(condition, 'Flu') AS condition FROM patient;
SELECT sdc.publish_p_alpha('with_null', 'released', '{age}', 'condition', :categories, 3, 2, 1);
-- hierarchies must be of keys, cover their values, and have something common
CREATE TABLE country_hierarchy (value text, region text);
INSERT INTO country_hierarchy VALUES ('USA', 'America'), ('Canada', 'America'), ('China', 'Asia'), ('Japan', 'Asia');
SELECT sdc.publish_p_alpha('patient', 'released', '{age}', 'condition', :categories, 3, 2, 1, hierarchies => '{"country": "country_hierarchy"}');
SELECT sdc.publish_p_alpha('patient', 'released', '{country}', 'condition', :categories, 3, 2, 1, hierarchies => '{"country": "country_hierarchy"}');
INSERT INTO country_hierarchy VALUES ('India', 'Asia');
SELECT sdc.publish_p_alpha('patient', 'released', '{country}', 'condition', :categories, 7, 2, 1, hierarchies => '{"country": "country_hierarchy"}');
-- nothing of all that was left behind
SELECT to_regclass('released'), count(*) FROM sdc.releases WHERE target LIKE 'p\_alpha\_errors\_test.%';

DROP SCHEMA p_alpha_errors_test CASCADE;
