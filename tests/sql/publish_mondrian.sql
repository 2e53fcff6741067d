-- Local recoding as a release: ranges, sets and nodes, what it promises, what it refuses.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA recode;
SET search_path = recode, public;

CREATE TABLE patient AS
SELECT i AS id, 20 + (i * i * 7) % 61 AS age, ('2020-01-01'::date + (i * 37) % 400) AS admitted, ((i * 13) % 97) / 8.0 AS score,
       (ARRAY['a', 'b', 'c, d', 'NULL', NULL])[1 + (i * 7) % 5] AS ward, (ARRAY['Flu', 'HIV', 'Cancer'])[1 + (i * i) % 3] AS illness
FROM generate_series(1, 120) AS i;

SELECT source, target, method, parameters, rows, groups, suppressed, (achieved->>'k')::int >= 5 AS k, (loss->>'ncp')::float8 BETWEEN 0.01 AND 0.7 AS ncp
FROM sdc.publish_mondrian('patient', 'recoded', '{age,ward}', 5, '{illness}', 2);
\d recoded
SELECT property, required, satisfied FROM sdc.check_anonymity('recoded', '{age,ward}', '{illness}', k => 5, p => 2) WHERE required IS NOT NULL;
-- ranges and sets can be cast back, and hold the values of their rows
SELECT bool_and(upper(age::int4range) > lower(age::int4range)), bool_and(cardinality(ward::text[]) BETWEEN 1 AND 5) FROM recoded;
SELECT sdc.publish_mondrian('patient', 'with_id', '{age,admitted,score,ward}', 6, keep => '{id}', allow_identifiers => true) IS NOT NULL AS published;
SELECT count(*), bool_and(r.age::int4range @> p.age) AS age, bool_and(r.admitted::daterange @> p.admitted) AS admitted,
       bool_and(r.score::numrange @> p.score) AS score, bool_and(array_position(r.ward::text[], p.ward) > 0) AS ward
FROM with_id r JOIN patient p USING (id);
SELECT count(*) FILTER (WHERE lower_inc(admitted::daterange) AND NOT upper_inc(admitted::daterange)) AS days,
       count(*) FILTER (WHERE upper_inc(score::numrange)) AS scores FROM with_id;
-- groups are as large as they must be, and hardly larger
SELECT sum((n > 6)::int) AS larger, min(n) AS smallest, count(*) AS groups FROM (SELECT count(*) AS n FROM with_id GROUP BY age, admitted, score, ward) s;
-- strict cuts: equal rows are together
CREATE TABLE twins AS SELECT id, age, ward, illness FROM patient UNION ALL SELECT id + 1000, age, ward, illness FROM patient;
SELECT sdc.publish_mondrian('twins', 'strict', '{age,ward}', 3, keep => '{id}', allow_identifiers => true, strict => true) IS NOT NULL AS published;
SELECT count(*) AS parted FROM (SELECT t.age, t.ward FROM strict s JOIN twins t USING (id) GROUP BY 1, 2 HAVING count(DISTINCT (s.age, s.ward)) > 1) q;
-- nodes of a hierarchy
CREATE TABLE wards (level0 text, level1 text, level2 text);
INSERT INTO wards VALUES ('a', 'ab', '*'), ('b', 'ab', '*'), ('c, d', 'rest', '*'), ('NULL', 'rest', '*'), (NULL, 'rest', '*');
SELECT (achieved->>'k')::int >= 8 AS k, parameters->'hierarchies' AS hierarchies FROM sdc.publish_mondrian('patient', 'nodes', '{age,ward}', 8, hierarchies => '{"ward": "wards"}');
SELECT bool_and(ward IS NULL OR ward IN ('a', 'b', 'c, d', 'NULL', 'ab', 'rest', '*')) FROM nodes;
-- l and t are promises
SELECT parameters->'l' AS l, parameters->'t' AS t, (achieved->>'l')::float8 >= 1.5 AS kept FROM sdc.publish_mondrian('patient', 'diverse', '{age}', 4, '{illness}', l => 1.5, t => 0.4);
SELECT property, satisfied FROM sdc.check_anonymity('diverse', '{age}', '{illness}', k => 4, l => 1.5, t => 0.4) WHERE required IS NOT NULL ORDER BY 1;

-- codes are not shown as ranges without a word
CREATE TABLE coded AS SELECT id % 7 AS marital, age FROM patient;
SET client_min_messages = warning;
SELECT sdc.publish_mondrian('coded', 'ranges', '{marital,age}', 5) IS NOT NULL AS published;
SET client_min_messages = error;
SELECT sdc.drop_release(id) IS NOT NULL AS dropped FROM sdc.releases WHERE target LIKE '%.ranges';
SET client_min_messages = warning;
SELECT sdc.publish_mondrian('coded', 'codes', '{marital,age}', 5, categorical => '{marital}') IS NOT NULL AS published;
SET client_min_messages = error;
SELECT bool_and(marital::int[] <@ '{0,1,2,3,4,5,6}') AS sets FROM codes;

-- what cannot be
SELECT sdc.publish_mondrian('patient', 'x', '{age}', 4, '{illness}', l => 3);
SELECT sdc.publish_mondrian('patient', 'x', '{age}', 4, l => 2);
SELECT sdc.publish_mondrian('patient', 'x', '{age}', 121);
SELECT sdc.publish_mondrian('patient', 'x', '{age}', 5, '{illness}', 4);
SELECT sdc.publish_mondrian('patient', 'x', '{age,age}', 5);
SELECT sdc.publish_mondrian('patient', 'x', '{}', 5);
SELECT sdc.publish_mondrian('patient', 'x', '{age}', 5, hierarchies => '{"ward": "wards"}');
SELECT sdc.publish_mondrian('patient', 'x', '{age,ward}', 5, hierarchies => '{"age": "wards"}');
\set VERBOSITY terse
SELECT sdc.publish_mondrian('patient', 'recoded', '{age}', 5);
\set VERBOSITY default
DELETE FROM wards WHERE level0 = 'a';
SELECT sdc.publish_mondrian('patient', 'x', '{age,ward}', 5, hierarchies => '{"ward": "wards"}');
SELECT to_regclass('x') IS NULL AS nothing_left;
SELECT sdc.drop_release(id) IS NOT NULL AS dropped FROM sdc.releases WHERE target LIKE '%.recoded';

DELETE FROM sdc.release;
RESET search_path;
DROP SCHEMA recode CASCADE;
