-- Other releases of a source: one that cannot be compared any more does not stop an attack or a
-- publication, and is named.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA others;
SET search_path = others;
CREATE TABLE patient AS SELECT i AS id, i % 30 AS age, 150 + i % 40 AS height, i % 7 AS pulse, 'illness ' || i * i % 7 AS illness FROM generate_series(1, 600) AS i;
SELECT id AS first FROM sdc.publish_microaggregated('patient', 'by_age', '{age}', 5, '{illness}', 2) \gset
SELECT id AS second FROM sdc.publish_microaggregated('patient', 'by_height', '{height}', 5, '{illness}', 2) \gset
SELECT id AS third FROM sdc.publish_anatomy('patient', 'by_pulse', '{pulse}', 'illness', 2, seed => 1) \gset
CREATE FUNCTION intersected(id bigint, OUT attack text, OUT measured bool, OUT note text) RETURNS SETOF record LANGUAGE sql AS
    $$SELECT attack, measured IS NOT NULL, substring(regexp_replace(note, 'release \d+', 'release N', 'g') FROM '(?:Not measured. )?It shares .*') FROM sdc.attack(id) WHERE attack LIKE 'intersection%'$$;
SELECT * FROM intersected(:first);
-- a column is gone
BEGIN;
ALTER TABLE patient DROP COLUMN height;
SELECT * FROM intersected(:first);
-- a table is gone
DROP TABLE by_pulse_qit CASCADE;
SELECT * FROM intersected(:first);
SELECT attack IS NOT NULL AS attacked FROM (SELECT achieved -> 'attacks' AS attack FROM sdc.publish_microaggregated('patient', 'again', '{age}', 6, '{illness}', 2, attack => true)) AS s;
ROLLBACK;
-- somebody else owns it, whose code could run
CREATE ROLE sdc_stranger;
BEGIN;
ALTER TABLE by_height OWNER TO sdc_stranger;
SELECT * FROM intersected(:first);
ROLLBACK;
DROP ROLE sdc_stranger;
-- what can only be found out on the way
BEGIN;
ALTER TABLE by_height ALTER height TYPE text;
SELECT * FROM intersected(:first);
ROLLBACK;
DELETE FROM sdc.release;

-- publishing fits into the memory allowed, and comparing with an earlier release does not
CREATE TABLE large AS SELECT i AS id, i::int8 * 7919 % 20011 AS a, i::int8 * 104729 % 30011 AS b, 'illness ' || i::int8 * i % 7 AS illness FROM generate_series(1, 40000) AS i;
SELECT sdc.publish_anatomy('large', 'first', '{a,b}', 'illness', 2, seed => 1) IS NOT NULL AS published;
SET client_min_messages = warning;
SET sdc.max_memory = '13MB';
SELECT sdc.publish_mondrian('large', 'second', '{a}', 5, '{illness}', 2) IS NOT NULL AS published;
SELECT sdc.publish_mondrian('large', 'third', '{a}', 5, '{illness}', 2, composition => 'error');
RESET sdc.max_memory;
SET client_min_messages = error;

-- an attack within a small limit finds what it finds without, or says that it cannot
CREATE TABLE part AS SELECT id, (a * 13 + b * 7) % 9973 AS a, b, a * b % 7919 AS c, illness FROM large ORDER BY id LIMIT 10000;
SELECT id AS part FROM sdc.publish_microaggregated('part', 'masked', '{a,b,c}', 5, '{illness}', 2) \gset
CREATE FUNCTION within(kilobytes int, id bigint) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('sdc.max_memory', kilobytes || 'kB', false);
    RETURN (SELECT string_agg(concat_ws(' ', attack, measured, baseline, note), ', ' ORDER BY attack) FROM sdc.attack_inference(id));
EXCEPTION WHEN configuration_limit_exceeded THEN RETURN NULL;
END $$;
SELECT count(DISTINCT found) AS findings, count(*) > count(found) AS refused FROM generate_series(2000, 6000, 200) AS kilobytes, within(kilobytes, :part) AS found;
RESET sdc.max_memory;
DELETE FROM sdc.release;
RESET search_path;
DROP SCHEMA others CASCADE;
