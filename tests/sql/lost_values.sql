-- What masking lost is not taken for data: in figures, in limits, and in the report.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA lost;
SET search_path = lost, public;

-- the report counts NULL with what is no number, not in the topmost range
CREATE TABLE person AS SELECT i AS id, CASE WHEN i % 50 = 0 THEN NULL WHEN i % 40 = 7 THEN i ELSE i / 20 END AS age, i % 3 AS sex, (ARRAY['Flu', 'HIV'])[1 + i % 2] AS illness
FROM generate_series(0, 399) AS i;
SELECT id AS blanked FROM sdc.publish_suppressed('person', 'blanked', '{age,sex}', 3, '{illness}') \gset
CREATE FUNCTION bars(page text, name text) RETURNS TABLE (range text, before text, after text) LANGUAGE sql AS $$
    SELECT m[1], m[2], m[3] FROM regexp_matches(substring(page FROM '<h3><code>' || name || '</code>.*?</table>'),
        '<tr><td>([^<]*)</td><td>([^<]*)</td><td>([^<]*)</td></tr>', 'g') AS m
$$;
SELECT b.* FROM bars(sdc.report(:blanked), 'age') AS b;
SELECT count(*) FILTER (WHERE age >= 350) AS oldest, count(*) FILTER (WHERE age IS NULL) AS nulls FROM blanked;
SELECT sdc.drop_release(:blanked) \g /dev/null

-- a lost cell stands for what its column has: a key of which nothing is left says nothing wrong
CREATE TABLE cube AS SELECT i % 20 AS x, i / 20 % 20 AS y, i / 400 AS z FROM generate_series(0, 7999) AS i;
CREATE TABLE digit AS SELECT i::text AS value, '*' AS anything FROM generate_series(0, 19) AS i;
CREATE FUNCTION error_of(levels jsonb) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    r sdc.release; error float8;
BEGIN
    r := sdc.publish_generalized('cube', 'released', (SELECT jsonb_object_agg(key, 'lost.digit') FROM jsonb_each(levels)), 2, levels => levels);
    error := sdc.query_error(r.id, 300, 1);
    PERFORM sdc.drop_release(r.id);
    RETURN round(error::numeric, 6);
END $$;
SELECT error_of('{"x": 1}') AS one, error_of('{"x": 1, "y": 1}') AS two, error_of('{"x": 1, "y": 1, "z": 1}') AS three;

-- nodes of hierarchies stand for the values below them, everything for nothing
CREATE TABLE traveller AS SELECT (ARRAY['DE', 'FR', 'JP', 'CN'])[1 + i % 4] AS country, 20 + i % 40 AS age, i % 7 AS shoe FROM generate_series(0, 399) AS i;
CREATE TABLE world (country text, continent text, anywhere text);
INSERT INTO world VALUES ('DE', 'Europe', '*'), ('FR', 'Europe', '*'), ('JP', 'Asia', '*'), ('CN', 'Asia', '*'), ('US', 'America', '*');
CREATE TABLE life AS SELECT age::text AS age, CASE WHEN age < 40 THEN 'young' ELSE 'old' END AS stage, 'any'::text AS everybody FROM generate_series(20, 59) AS age;
SELECT id AS recoded FROM sdc.publish_generalized('traveller', 'recoded', '{"country": "lost.world", "age": "lost.life"}', 2, levels => '{"country": 1, "age": 1}') \gset
SELECT columns, measure, round(original::numeric, 3) AS original, round(released::numeric, 3) AS released FROM sdc.compare('traveller', 'recoded')
WHERE measure IN ('total variation', 'missing', 'categories', 'mean', 'Kolmogorov-Smirnov');
SELECT sdc.query_error(:recoded, 300, 1) < 0.2 AS small;
SELECT b.* FROM bars(sdc.report(:recoded), 'country') AS b;
-- a copy of it is no release
CREATE TABLE copied AS SELECT * FROM recoded;
SELECT columns, released FROM sdc.compare('traveller', 'copied') WHERE measure = 'missing';
-- another role's hierarchies are found by its own search_path only, and measured without
CREATE ROLE lost_reader;
GRANT USAGE ON SCHEMA lost TO lost_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA lost TO lost_reader;
SET ROLE lost_reader;
SELECT columns, released FROM sdc.compare('traveller', 'recoded') WHERE measure = 'missing';
RESET ROLE;
-- nor is a hierarchy read that somebody else could have made a trap of
ALTER TABLE world OWNER TO lost_reader;
CREATE ROLE lost_publisher;
GRANT USAGE, CREATE ON SCHEMA lost TO lost_publisher;
GRANT SELECT ON traveller, world TO lost_publisher;
SET ROLE lost_publisher;
SELECT sdc.publish_generalized('traveller', 'recoded_too', '{"country": "lost.world"}', 2, levels => '{"country": 1}') IS NOT NULL AS published;
SELECT columns, released FROM sdc.compare('traveller', 'recoded_too', '{country}') WHERE measure = 'missing';
RESET ROLE;
ALTER TABLE world OWNER TO CURRENT_USER;
-- Mondrian shows nodes of any level
SELECT id AS cut FROM sdc.publish_mondrian('traveller', 'cut', '{country,shoe}', 40, hierarchies => '{"country": "lost.world"}') \gset
SELECT columns, round(released::numeric, 3) AS released FROM sdc.compare('traveller', 'cut') WHERE measure = 'missing';
-- a value that is a node's name, too
CREATE TABLE odd_world (country text, continent text);
INSERT INTO odd_world VALUES ('DE', 'DE'), ('FR', 'DE'), ('JP', 'CN'), ('CN', 'CN');
SELECT id AS odd FROM sdc.publish_generalized('traveller', 'odd', '{"country": "lost.odd_world"}', 2, levels => '{"country": 1}') \gset
SELECT measure, released FROM sdc.compare('traveller', 'odd', '{country}') WHERE measure IN ('categories', 'total variation', 'missing');

-- NULLs of the source are not lost; blanked cells among them are
CREATE TABLE somebody AS SELECT i AS id, CASE WHEN i % 10 > 0 THEN (ARRAY['a', 'b', 'c'])[1 + i % 3] END AS word, CASE WHEN i % 4 > 0 THEN i END AS number FROM generate_series(1, 200) AS i;
CREATE TABLE fewer AS SELECT id, CASE WHEN id > 20 THEN word END AS word, number FROM somebody;
SELECT columns, measure, round(original::numeric, 3) AS original, round(released::numeric, 3) AS released FROM sdc.compare('somebody', 'fewer', match => 'id')
WHERE measure IN ('total variation', 'missing', 'changed');

-- lost data is not perfect: rows that are gone, cells that are blank, limits that limit nothing
CREATE TABLE hundred AS SELECT i AS id, i::float8 AS v, 'w' || i % 2 AS word FROM generate_series(1, 100) AS i;
CREATE TABLE two AS SELECT * FROM hundred WHERE id IN (50, 51);
CREATE TABLE blank AS SELECT id, NULL::float8 AS v, word FROM hundred;
SELECT sdc.assert_utility('hundred', 'two', max_row_change => 0.5);
SELECT sdc.assert_utility('hundred', 'two', max_row_change => 0.98, max_missing => 0);
SELECT sdc.assert_utility('two', 'hundred', max_row_change => 1);
SELECT sdc.assert_utility('hundred', 'blank', max_row_change => 0, max_missing => 0.5);
SELECT round(released::numeric, 3) AS il1s FROM sdc.compare('hundred', 'blank', '{v}', 'id') WHERE measure = 'IL1s';
SELECT round((sum(abs(v - 50.5)) / (sqrt(2) * stddev(v)))::numeric, 3) AS il1s_of_the_mean FROM hundred;
SELECT sdc.assert_utility('hundred', 'blank', '{word}', max_ks => 0.1);
SELECT sdc.assert_utility('hundred', 'blank', '{v}', max_association_change => 0.1);
SELECT sdc.assert_utility('hundred', 'hundred', '{v}', max_correlation_change => 0.1);

-- cell suppression: a NULL of the source looks like a blank and costs nothing
CREATE TABLE pair AS SELECT * FROM (VALUES ('x', NULL), ('y', 'z')) v (a, b);
SELECT loss->'cells' AS cells, loss->'cost' AS cost, achieved->'k' AS k FROM sdc.publish_suppressed('pair', 'pair_blanked', '{a,b}', 2);
CREATE TABLE five AS SELECT * FROM (VALUES ('a', 'a'), ('a', 'b'), ('a', NULL), (NULL, NULL), ('a', NULL)) v (a, b);
SELECT loss->'cells' AS cells FROM sdc.publish_suppressed('five', 'five_blanked', '{a,b}', 3, reading => 'wildcard', known_keys => 1);
CREATE TABLE aged AS SELECT CASE WHEN i % 10 > 0 THEN i % 30 END AS age, i % 2 AS sex FROM generate_series(1, 1000) AS i;
SELECT loss->'cells' AS cells, groups, (achieved->>'k_wildcard')::int AS k_wildcard FROM sdc.publish_suppressed('aged', 'aged_blanked', '{age,sex}', 25);
SELECT count(*) AS groups FROM (SELECT age, sex FROM aged_blanked GROUP BY age, sex) g;
SELECT min(actual) FROM sdc.check_anonymity('aged_blanked', '{age,sex}', k => 25, nulls => 'wildcard');

-- where suppression costs nothing, the best node is still one that keeps rows
CREATE TABLE four AS SELECT i::text AS x FROM generate_series(1, 4) AS i;
CREATE TABLE above AS SELECT x, '*' AS everything FROM four;
SELECT rows, suppressed FROM sdc.publish_generalized('four', 'four_public', '{"x": "lost.above"}', 2, max_suppressed => 4, suppression_factor => 0);

DELETE FROM sdc.release;
RESET search_path;
DROP SCHEMA lost CASCADE;
DROP ROLE lost_reader, lost_publisher;
