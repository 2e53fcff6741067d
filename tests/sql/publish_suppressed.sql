-- Cell suppression as a release: both readings of NULL, importance, sets of known keys.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA blank;
SET search_path = blank, public;
CREATE TABLE patient AS
SELECT i AS id, 20 + (i * i * 7) % 11 AS age, (ARRAY['a', 'b', 'c'])[1 + (i * 7) % 3] AS ward, CASE WHEN i % 10 > 0 THEN i % 2 END AS sex, 'x' || i % 4 AS illness
FROM generate_series(1, 100) AS i;

SELECT source, target, method, parameters, rows, suppressed, achieved->'k' AS k, (achieved->>'k_wildcard')::int >= 4 AS matches, (loss->>'cells')::int > 0 AS blanked
FROM sdc.publish_suppressed('patient', 'blanked', '{age,ward,sex}', 4, '{illness}');
\d blanked
SELECT property, required, satisfied FROM sdc.check_anonymity('blanked', '{age,ward,sex}', k => 4) WHERE required IS NOT NULL;
-- nothing but keys is changed, and what is shown is true
SELECT sdc.publish_suppressed('patient', 'with_id', '{age,ward,sex}', 4, keep => '{id,illness}', allow_identifiers => true) IS NOT NULL AS published;
SELECT count(*), count(*) FILTER (WHERE w.illness <> p.illness) AS wrong_illness, count(*) FILTER (WHERE w.age <> p.age OR w.ward <> p.ward OR w.sex <> p.sex) AS wrong_keys,
       count(*) FILTER (WHERE w.age IS NULL OR w.ward IS NULL) > 0 AS blanked
FROM with_id w JOIN patient p USING (id);
-- where a blank matches anything, fewer cells do
SELECT (SELECT (loss->>'cells')::int FROM sdc.publish_suppressed('patient', 'wild', '{age,ward,sex}', 4, reading => 'wildcard')) < (SELECT (loss->>'cells')::int FROM sdc.releases WHERE target = 'blank.blanked') AS fewer;
-- every row has its matches, counted one by one
SELECT min(n) >= 4 AS matched FROM (SELECT (SELECT count(*) FROM wild o WHERE (o.age = w.age OR o.age IS NULL OR w.age IS NULL) AND (o.ward = w.ward OR o.ward IS NULL OR w.ward IS NULL) AND (o.sex = w.sex OR o.sex IS NULL OR w.sex IS NULL)) AS n FROM wild w) s;
-- what is important is blanked last
SELECT loss->'columns'->>'age' AS age FROM sdc.publish_suppressed('patient', 'important', '{age,ward,sex}', 4, importance => '{"age": 100}', reading => 'wildcard');
-- attackers who know one key only
SELECT (loss->>'cells')::int AS cells FROM sdc.publish_suppressed('patient', 'known', '{age,ward,sex}', 4, reading => 'wildcard', known_keys => 1);
-- a table that is fine as it is
SELECT loss->'cells' AS cells FROM sdc.publish_suppressed('patient', 'fine', '{ward}', 4);

-- what cannot be
SELECT sdc.publish_suppressed('patient', 'x', '{age}', 101);
SELECT sdc.publish_suppressed('patient', 'x', '{age}', 4, reading => 'maybe');
SELECT sdc.publish_suppressed('patient', 'x', '{age}', 4, known_keys => 1);
SELECT sdc.publish_suppressed('patient', 'x', '{age}', 4, importance => '{"ward": 1}');
SELECT sdc.publish_suppressed('patient', 'x', '{age}', 4, importance => '{"age": 0}');
SELECT sdc.publish_suppressed('patient', 'x', '{age,ward}', 4, reading => 'wildcard', known_keys => 3);
SELECT sdc.publish_suppressed('patient', 'x', '{age,ward}', 4, reading => 'wildcard', known_keys => 0);
SELECT to_regclass('x') IS NULL AS nothing_left;

DELETE FROM sdc.release;
RESET search_path;
DROP SCHEMA blank CASCADE;
