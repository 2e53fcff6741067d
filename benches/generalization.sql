-- Lattice search through SQL on Adult (8 keys) and ACS (4 keys, a million rows): time, nodes, memory.
\set needed 'adult.csv.xz acs2024_500k.csv.xz'
\ir adult.psql
\if :present
\else
    \quit
\endif
SET max_parallel_workers_per_gather = 0;
CREATE TABLE adult AS SELECT * FROM raw WHERE '?' NOT IN (workclass, occupation, native_country);
CREATE TABLE acs_half (age int, gender int, education int, marital int, race int, work_class int, hispanic_origin int, state int,
    occupation int, occ50 int, income int, salary50 int);
\copy acs_half FROM PROGRAM 'xz -dc acs2024_500k.csv.xz' CSV HEADER
CREATE TABLE acs AS SELECT * FROM acs_half UNION ALL SELECT * FROM acs_half;
SELECT sdc.interval_hierarchy('acs', 'age', 'acs_age', '{5,10,20}'), sdc.interval_hierarchy('acs', 'gender', 'acs_gender', '{}'),
       sdc.interval_hierarchy('acs', 'education', 'acs_education', '{4,12}'), sdc.interval_hierarchy('acs', 'state', 'acs_state', '{10}') \g /dev/null
VACUUM ANALYZE;

CREATE TABLE lattice (name text, source text, hierarchies jsonb, sensitive text);
INSERT INTO lattice VALUES
    ('Adult, 4 keys', 'adult', '{"age": "age", "marital_status": "marital_status", "race": "race", "sex": "sex"}', '{income}'),
    ('Adult, 8 keys', 'adult', '{"age": "age", "workclass": "workclass", "education": "education", "marital_status": "marital_status",
       "occupation": "occupation", "race": "race", "sex": "sex", "native_country": "native_country"}', '{income}'),
    ('ACS, 1,000,000 rows, 4 keys', 'acs', '{"age": "acs_age", "gender": "acs_gender", "education": "acs_education", "state": "acs_state"}', '{salary50}');
CREATE FUNCTION search(l lattice, k int, p int, suppressed bigint) RETURNS text LANGUAGE sql AS
$$ SELECT format('SELECT loss FROM sdc.minimal_generalizations(%L, %L, %s, %L, %s, %s)', l.source, l.hierarchies, k, l.sensitive, p, suppressed) $$;

\echo 'all minimal nodes, reading the table included; the targets are 1000 ms for Adult with 8 keys, 5000 ms for ACS'
SELECT name, k, p, suppressed AS "may be suppressed", ms(search(l, k, p, suppressed)) AS ms
FROM lattice l, (VALUES (2, 2, 0), (3, 2, 0), (5, 1, 0), (5, 2, 0), (5, 2, 600)) AS v (k, p, suppressed) ORDER BY name, k, p, suppressed;

\echo 'nodes evaluated (k = 5, p = 2, 600 rows may be suppressed), and all nodes of Adult in ms'
SET client_min_messages = debug1;
SELECT count(*) AS minimal FROM sdc.minimal_generalizations('adult', (SELECT hierarchies FROM lattice WHERE name = 'Adult, 8 keys'), 5, '{income}', 2, 600);
SELECT count(*) AS minimal FROM sdc.minimal_generalizations('acs', (SELECT hierarchies FROM lattice WHERE source = 'acs'), 5, '{salary50}', 2, 600);
SET client_min_messages = error;
SELECT ms(replace(search(l, 5, 2, 600), 'minimal_generalizations', 'lattice'), 1) AS "sdc.lattice" FROM lattice l WHERE name = 'Adult, 8 keys';

\echo 'releases, in ms: the search, the rows written, the check'
SELECT name, ms(format('SELECT rows FROM sdc.publish_generalized(%L, ''released_%s'', %L, 5, %L, 2, 600)', source, row_number() OVER (), hierarchies, sensitive), 1) AS ms FROM lattice;

\echo 'sdc.generalize over 1,000,000 rows, and Mondrian (k = 5, p = 2, 4 keys), in ms'
SELECT ms('SELECT sdc.generalize(age, ''acs_age'', 2) FROM acs', 1) AS generalize,
       ms('SELECT sdc.mondrian(5, 2, ROW(age, gender, education, state), ROW(salary50)) OVER () FROM acs', 1) AS mondrian;

\echo 'memory of a backend beyond reading the rows, in MB, Adult with 8 keys; the target is 100'
\c
SELECT count(*) FROM (SELECT DISTINCT age, workclass FROM adult) s \g /dev/null
SELECT memory_kb() AS before \gset
SELECT count(*) FROM lattice l, sdc.minimal_generalizations('adult', l.hierarchies, 5, '{income}', 2, 600) WHERE name = 'Adult, 8 keys' \g /dev/null
SELECT round((memory_kb() - :before) / 1024.0, 1) AS "search";
