-- Lattice search and generalized releases: TV06's Table 4, then what a release promises.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA general;
SET search_path = general, public;

CREATE TABLE tuple (id int GENERATED ALWAYS AS IDENTITY, sex text, zip text, illness text);
INSERT INTO tuple (sex, zip, illness) VALUES
    ('M', '41076', 'Flu'), ('M', '41076', 'HIV'), ('F', '41099', 'Flu'), ('M', '41099', 'Flu'), ('F', '43102', 'HIV'),
    ('M', '43102', 'Flu'), ('M', '43102', 'Flu'), ('F', '43103', 'Flu'), ('M', '48202', 'HIV'), ('M', '48201', 'Flu');
CREATE TABLE sex_hierarchy (level0 text, level1 text);
INSERT INTO sex_hierarchy VALUES ('M', 'person'), ('F', 'person');
CREATE TABLE zip_hierarchy AS
SELECT DISTINCT zip AS level0, left(zip, 3) || '**' AS level1, '*****' AS level2 FROM tuple;
\set hierarchies '{"sex": "sex_hierarchy", "zip": "general.zip_hierarchy"}'

-- rows that fail 3-anonymity at each node
SELECT levels, height, groups, suppressed, round(loss::numeric, 4) AS loss, satisfied
FROM sdc.lattice('tuple', :'hierarchies', 3, max_suppressed => 2) ORDER BY height, levels;
-- the 3-minimal nodes for each number of rows that may be suppressed
SELECT n AS max_suppressed, levels, suppressed
FROM unnest('{0,1,2,6,7,9,10}'::bigint[]) AS n, sdc.minimal_generalizations('tuple', :'hierarchies', 3, max_suppressed => n)
ORDER BY n, levels;
-- the first node loses least
SELECT bool_and(loss >= previous) FROM (
    SELECT loss, lag(loss, 1, 0) OVER (ROWS UNBOUNDED PRECEDING) AS previous
    FROM sdc.minimal_generalizations('tuple', :'hierarchies', 3, max_suppressed => 7)) s;
-- two illnesses in every group
SELECT levels, groups, suppressed FROM sdc.minimal_generalizations('tuple', :'hierarchies', 3, '{illness}', 2) ORDER BY levels;
SELECT levels, groups, suppressed FROM sdc.minimal_generalizations('tuple', :'hierarchies', 2, '{illness}', 2, 4) ORDER BY levels;
-- further conditions, alone and together
SELECT levels, suppressed FROM sdc.minimal_generalizations('tuple', :'hierarchies', 2, '{illness}', l => 1.4) ORDER BY levels;
SELECT levels, suppressed FROM sdc.minimal_generalizations('tuple', :'hierarchies', 2, '{illness}', t => 0.1) ORDER BY levels;
SELECT levels, suppressed FROM sdc.minimal_generalizations('tuple', :'hierarchies', 2, '{illness}', 2, alpha => 2, categories => '[["HIV"], ["Flu"]]') ORDER BY levels;
SELECT levels, suppressed FROM sdc.minimal_generalizations('tuple', :'hierarchies', 2, '{illness}', max_suppressed => 3, l => 1.4, t => 0.2) ORDER BY levels;
-- the lattice and the search agree on what is minimal, non-monotone conditions included
WITH node AS (SELECT (levels->>'sex')::int AS s, (levels->>'zip')::int AS z, levels
              FROM sdc.lattice('tuple', :'hierarchies', 2, '{illness}', max_suppressed => 3, l => 1.4, t => 0.2) WHERE satisfied)
SELECT levels FROM node n WHERE NOT EXISTS (SELECT FROM node b WHERE b.s <= n.s AND b.z <= n.z AND (b.s, b.z) <> (n.s, n.z)) ORDER BY levels;

-- a release: generalized keys as text, failing groups suppressed, nothing but what was named
SELECT source, target, method, parameters, rows, groups, suppressed, achieved, round((loss->>'ncp')::numeric, 4) AS ncp
FROM sdc.publish_generalized('tuple', 'public_tuple', :'hierarchies', 3, '{illness}', 2, 2);
\d public_tuple
SELECT * FROM public_tuple ORDER BY sex, zip, illness;
SELECT property, attribute, required, satisfied FROM sdc.check_anonymity('public_tuple', '{sex,zip}', '{illness}', k => 3, p => 2) WHERE required IS NOT NULL;
-- levels of one's own choice, other columns kept; level 0 keeps a key as it is
SELECT parameters->'levels' AS levels, rows, groups, suppressed
FROM sdc.publish_generalized('tuple', 'by_levels', :'hierarchies', 3, max_suppressed => 7, keep => '{illness}', levels => '{"sex": 0, "zip": 1}');
SELECT sex, zip, count(*), count(illness) FROM by_levels GROUP BY 1, 2 ORDER BY 1, 2;
SELECT rows, groups FROM sdc.publish_generalized('tuple', 'keys_only', :'hierarchies', 10);
SELECT count(*), min(sex), min(zip) FROM keys_only;
SELECT rows, parameters->'t' AS t FROM sdc.publish_generalized('tuple', 'closer', :'hierarchies', 2, '{illness}', 2, l => 1.4, t => 0.3, alpha => 1, categories => '[["HIV"], ["Flu"]]');
SELECT property, satisfied FROM sdc.check_anonymity('closer', '{sex,zip}', '{illness}', 2, 2, 1.4, 0.3, 1, '[["HIV"], ["Flu"]]') WHERE required IS NOT NULL;
-- suppression may carry what is left away from its own distribution: t is checked again
CREATE TABLE skewed (age text, illness text);
INSERT INTO skewed SELECT 'a', 'Flu' FROM generate_series(1, 4) AS i;
INSERT INTO skewed SELECT 'b', CASE WHEN i > 6 THEN 'HIV' ELSE 'Flu' END FROM generate_series(1, 12) AS i;
INSERT INTO skewed SELECT 'c', 'Flu' FROM generate_series(1, 3) AS i;
CREATE TABLE skew_hierarchy (level0 text);
INSERT INTO skew_hierarchy VALUES ('a'), ('b'), ('c');
SELECT rows, suppressed FROM sdc.publish_generalized('skewed', 'near', '{"age": "skew_hierarchy"}', 4, '{illness}', max_suppressed => 3, t => 0.38);
SELECT rows, suppressed FROM sdc.publish_generalized('skewed', 'far', '{"age": "skew_hierarchy"}', 4, '{illness}', max_suppressed => 3, t => 0.35);
SELECT to_regclass('far') IS NULL AS nothing_left;

-- rows are not stored in the order of the source
CREATE TABLE ordered AS SELECT i AS id, i % 2 AS x FROM generate_series(1, 200) AS i;
CREATE TABLE x_hierarchy AS SELECT DISTINCT x AS level0, '*' AS level1 FROM ordered;
SELECT rows FROM sdc.publish_generalized('ordered', 'shuffled', '{"x": "x_hierarchy"}', 2, keep => '{id}', allow_identifiers => true);
SELECT abs(corr(place, id)) < 0.3 AS uncorrelated FROM (SELECT row_number() OVER (ORDER BY ctid) AS place, id FROM shuffled) s;

-- values are compared by their text: integers, dates, booleans, padded characters, nulls
CREATE TABLE typed (i int, d date, b bool, c char(4), n numeric);
INSERT INTO typed VALUES (1, '2020-01-01', true, 'x', 1.0), (1, '2020-01-01', true, 'x', 1.00), (2, NULL, false, 'y', NULL), (2, NULL, false, 'y', NULL);
CREATE TABLE i_hierarchy (value int, above text);
INSERT INTO i_hierarchy VALUES (1, 'few'), (2, 'few');
CREATE TABLE d_hierarchy (value date, above int);
INSERT INTO d_hierarchy VALUES ('2020-01-01', 2020), (NULL, NULL);
CREATE TABLE b_hierarchy (value text, above text);
INSERT INTO b_hierarchy VALUES ('true', '*'), ('false', '*');
CREATE TABLE c_hierarchy (value text);
INSERT INTO c_hierarchy VALUES ('x'), ('y');
CREATE TABLE n_hierarchy (value text, above text);
INSERT INTO n_hierarchy VALUES ('1.0', 'one'), ('1.00', 'one'), (NULL, 'unknown');
SELECT levels, groups FROM sdc.minimal_generalizations('typed', '{"i": "i_hierarchy", "d": "d_hierarchy", "b": "b_hierarchy", "c": "c_hierarchy", "n": "n_hierarchy"}', 2);
SELECT levels, groups FROM sdc.minimal_generalizations('typed', '{"d": "d_hierarchy"}', 2);

DELETE FROM sdc.release;
RESET search_path;
DROP SCHEMA general CASCADE;
