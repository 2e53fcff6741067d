-- Builders of hierarchies, sdc.generalize and sdc.mondrian.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA general;
SET search_path = general, public;
SET datestyle = iso;
CREATE TABLE person (id int, age int, income numeric, zip text, born date, country text);
INSERT INTO person VALUES
    (1, 23, 10.5, '43102', '1999-05-03', 'DE'), (2, 27, 10.50, '43107', '1999-11-30', 'FR'), (3, -1, -0.25, '4', '2001-01-01', 'JP'),
    (4, 40, 99.99, '99999', '2009-12-31', 'DE'), (5, NULL, NULL, NULL, NULL, 'JP');

SELECT sdc.interval_hierarchy('person', 'age', 'age_hierarchy', '{5,10,40}');
TABLE age_hierarchy;
SELECT sdc.interval_hierarchy('person', 'income', 'general.income_hierarchy', '{0.5,50}', 0.25);
TABLE income_hierarchy;
SELECT sdc.prefix_hierarchy('person', 'zip', 'zip_hierarchy', 2);
TABLE zip_hierarchy;
SELECT sdc.date_hierarchy('person', 'born', 'born_hierarchy', '{month,quarter,year,decade}');
TABLE born_hierarchy;
SELECT sdc.date_hierarchy('person', 'born', 'born_default');
\d born_default
SELECT sdc.grouping_hierarchy('person', 'country', 'country_hierarchy',
    '[{"Europe": ["DE", "FR"], "Asia": ["JP", "CN"]}, {"Eurasia": ["Europe", "Asia"]}]');
SELECT * FROM country_hierarchy ORDER BY level0;
SELECT relacl FROM pg_class WHERE oid = 'country_hierarchy'::regclass;

-- in a SELECT and in a view, of any type; a null that the hierarchy does not list stays null
SELECT id, sdc.generalize(age, 'age_hierarchy', 2) AS age, sdc.generalize(zip, 'zip_hierarchy', 1) AS zip,
       sdc.generalize(born, 'born_hierarchy', 3) AS born, sdc.generalize(country, 'country_hierarchy', id % 3) AS country
FROM person ORDER BY id;
SELECT sdc.generalize('DE', 'country_hierarchy', 1), sdc.generalize(NULL::text, 'country_hierarchy', 1) IS NULL AS null_stays;
CREATE VIEW person_public AS
SELECT sdc.generalize(country, 'country_hierarchy', 1) AS country, sdc.generalize(age, 'age_hierarchy', 4) AS age FROM person;
SELECT country, age, count(*) FROM person_public GROUP BY 1, 2 ORDER BY 1;
SELECT sdc.k_anonymity(country, age) FROM person_public;
-- ranges that can be asked
SELECT count(*) FROM person WHERE sdc.generalize(age, 'age_hierarchy', 2)::int4range @> 25;
-- parallel workers read hierarchies, too
CREATE TABLE many AS SELECT 20 + i % 8 AS age FROM generate_series(1, 50000) AS i;
SELECT sdc.interval_hierarchy('many', 'age', 'many_hierarchy', '{4}');
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT sdc.generalize(age, 'many_hierarchy', 1) AS age, count(*) FROM many GROUP BY 1 ORDER BY 1;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
-- a hierarchy that changes is read again, also within a function
CREATE FUNCTION twice() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    label text;
    labels text = '';
BEGIN
    FOR i IN 1 .. 2 LOOP
        label := sdc.generalize('DE'::text, 'country_hierarchy', 1);
        labels := labels || ' ' || label;
        UPDATE country_hierarchy SET level1 = 'Europa' WHERE level1 = 'Europe';
    END LOOP;
    RETURN labels;
END $$;
SELECT twice();

-- built hierarchies cover their column
SELECT levels, groups FROM sdc.minimal_generalizations('person',
    '{"age": "age_hierarchy", "income": "income_hierarchy", "zip": "zip_hierarchy", "born": "born_hierarchy", "country": "country_hierarchy"}', 5);

-- Mondrian: local recoding, at least k rows and p values in each group
CREATE TABLE patient AS
SELECT i AS id, 20 + (i * 37) % 60 AS age, 150 + (i * 79) % 40 AS height, chr(97 + (i * 7) % 5) AS ward, (ARRAY['Flu', 'HIV', 'Cancer'])[1 + i % 3] AS illness
FROM generate_series(1, 60) AS i;
SELECT min(n), max(n), count(*) FROM (SELECT count(*) AS n FROM (
    SELECT sdc.mondrian(4, ROW(age, height)) OVER (ORDER BY id) AS g FROM patient) s GROUP BY g) s;
SELECT sdc.k_anonymity(g) >= 4 AS k, sdc.p_sensitivity(g, illness) >= 2 AS p, count(DISTINCT g) AS groups FROM (
    SELECT illness, sdc.mondrian(4, 2, ROW(age, ward), ROW(illness)) OVER (ORDER BY id) AS g FROM patient) s;
-- categories are cut in their own order
SELECT g, string_agg(DISTINCT ward, '' ORDER BY ward) FROM (
    SELECT ward, sdc.mondrian(20, ROW(ward)) OVER (ORDER BY id DESC) AS g FROM patient) s GROUP BY g ORDER BY g;
-- by hierarchy: what belongs together stays together, wherever it stands in the alphabet
CREATE TABLE traveller AS SELECT i AS id, (ARRAY['AT', 'BR', 'CL', 'DE', 'PE', 'SE'])[1 + i % 6] AS country FROM generate_series(1, 60) AS i;
CREATE TABLE countries AS SELECT DISTINCT country AS level0, CASE WHEN country IN ('AT', 'DE', 'SE') THEN 'Europe' ELSE 'America' END AS level1, '*' AS level2 FROM traveller;
SELECT array_agg(DISTINCT country ORDER BY country) AS by_order FROM (
    SELECT country, sdc.mondrian(30, 1, ROW(country), ROW(id)) OVER (ORDER BY id) AS g FROM traveller) s GROUP BY g ORDER BY 1;
SELECT array_agg(DISTINCT country ORDER BY country) AS by_hierarchy FROM (
    SELECT country, sdc.mondrian(30, 1, ROW(country), ROW(id), hierarchies => '{countries}') OVER (ORDER BY id) AS g FROM traveller) s GROUP BY g ORDER BY 1;
SELECT count(DISTINCT g) AS groups FROM (
    SELECT sdc.mondrian(5, 2, ROW(id, country), ROW(id), '{NULL,countries}') OVER (PARTITION BY id % 2 ORDER BY id) AS g FROM traveller) s;
SELECT sdc.mondrian(5, 1, ROW(id, country), ROW(id), '{countries}') OVER () FROM traveller;
SELECT sdc.mondrian(5, 1, ROW(id), ROW(id), '{countries}') OVER () FROM traveller;
DELETE FROM countries WHERE level0 = 'PE';
SELECT sdc.mondrian(5, 1, ROW(country), ROW(id), '{countries}') OVER () FROM traveller;
SELECT count(DISTINCT g) AS groups FROM (SELECT sdc.mondrian(5, 1, ROW(country), ROW(id), NULL) OVER (ORDER BY id) AS g FROM traveller) s;
DROP TABLE traveller, countries;
-- a column with NULL can be grouped; a hierarchy that is there can be filled again
CREATE TABLE visitor (country text);
INSERT INTO visitor VALUES ('DE'), ('JP'), (NULL), ('DE'), ('JP'), (NULL);
SELECT sdc.grouping_hierarchy('visitor', 'country', 'visited', '[{"Europe": ["DE"], "Asia": ["JP"]}]');
SELECT * FROM visited ORDER BY level0;
SELECT levels, groups FROM sdc.minimal_generalizations('visitor', '{"country": "visited"}', 2);
SELECT sdc.grouping_hierarchy('visitor', 'country', 'visited', '[{"Europe": ["DE"]}]');
SELECT sdc.grouping_hierarchy('visitor', 'country', 'visited', '[{"Europe": ["DE"]}]', replace => true);
DELETE FROM visitor WHERE country IS NULL;
SELECT sdc.grouping_hierarchy('visitor', 'country', 'visited', '[{"Old World": ["DE", "JP"]}]', replace => true);
SELECT * FROM visited ORDER BY level0;

-- NULL is an error that names what must be given
SELECT sdc.interval_hierarchy('patient', 'age', 'x', NULL);
SELECT sdc.prefix_hierarchy('patient', 'ward', NULL);
SELECT sdc.date_hierarchy(NULL, 'born', 'x');
SELECT sdc.grouping_hierarchy('patient', NULL, 'x', '[]');
SELECT sdc.mondrian(61, ROW(age)) OVER () FROM patient;
SELECT sdc.mondrian(4, 4, ROW(age), ROW(illness)) OVER () FROM patient;

-- a hierarchy is read once before it is handed over: two numbers of one text make a bad one
CREATE TABLE close AS SELECT unnest(ARRAY[0.1::float8 + 0.2::float8, 0.3::float8]) AS a;
SET extra_float_digits = 0;
SELECT sdc.interval_hierarchy('close', 'a', 'closes', '{1}');
RESET extra_float_digits;
SELECT sdc.interval_hierarchy('close', 'a', 'closes', '{1}');

RESET search_path;
RESET datestyle;
DROP SCHEMA general CASCADE;
