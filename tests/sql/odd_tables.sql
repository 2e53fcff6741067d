-- Tables that are not like others. Each goes through a check, a mask and the releases: the same
-- answers as from a plain table, or an error that says what is wrong.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA odd;
SET search_path = odd;
-- what all methods make of a table with columns a, b (keys) and s (sensitive)
CREATE FUNCTION through(source text) RETURNS TABLE (step text, answer text) LANGUAGE plpgsql AS $$
DECLARE
    statement text;
BEGIN
    FOR step, statement IN VALUES
        ('check', 'SELECT string_agg(property || '' '' || round(actual::numeric, 3), '', '') FROM sdc.check_anonymity(%1$L, ''{a,b}'', ''{s}'', k => 1, p => 1, t => 1)'),
        ('violations', 'SELECT count(*) FROM sdc.violations(%1$L, ''{a,b}'', ''{s}'', k => 3)'),
        ('feasibility', 'SELECT f::text FROM sdc.feasibility(%1$L, ''{s}'', 2) AS f'),
        ('aggregate', 'SELECT sdc.k_anonymity(a, b) FROM %1$s'),
        ('window', 'SELECT count(DISTINCT g) FROM (SELECT sdc.mdav(3, a, b) OVER (ORDER BY a, b, s) AS g FROM %1$s) AS s'),
        ('p_sensitive', 'SELECT count(DISTINCT g) FROM (SELECT sdc.p_sensitive(3, 2, ROW(a, b), ROW(s)) OVER (ORDER BY a, b, s) AS g FROM %1$s) AS s'),
        ('p_alpha', 'SELECT count(DISTINCT g) FROM (SELECT sdc.p_alpha_sensitive(3, 1, 1, ROW(a, b), 1 + length(b), 3) OVER (ORDER BY a, b, s) AS g FROM %1$s) AS s'),
        ('mondrian', 'SELECT count(DISTINCT g) FROM (SELECT sdc.mondrian(3, 2, ROW(a, b), ROW(s), ''{NULL,odd.bs}'') OVER (ORDER BY a, b, s) AS g FROM %1$s) AS s'),
        ('groups of l', 'SELECT count(DISTINCT g) FROM (SELECT sdc.anatomy(2, s) OVER () AS g FROM %1$s) AS s'),
        ('groups by keys', 'SELECT min(n) >= 2 FROM (SELECT count(*) AS n FROM (SELECT sdc.permutation(2, ROW(a, b), s) OVER () AS g FROM %1$s) AS s GROUP BY g) AS s'),
        ('permuted', 'SELECT sum(v) FROM (SELECT sdc.permute(a) OVER () AS v FROM %1$s) AS s'),
        ('histogram', 'SELECT string_agg(concat(group_size, '': '', rows), '', '') FROM sdc.histogram(%1$L, ''{a,b}'')'),
        ('risk_utility', 'SELECT string_agg(concat(k, '': '', groups), '', '') FROM sdc.risk_utility(NULL::%1$s, ''{a,b}'', ''{2,5}'')'),
        ('report', 'SELECT sdc.report(%1$L, ''{a,b}'', ''{s}'', k => 2, p => 2, ks => ''{2}'') LIKE ''%%</html>%%'''),
        ('mask', 'SELECT count(*) FROM sdc.microaggregate(NULL::%1$s, ''{a,b}'', 3)'),
        ('microaggregated', 'SELECT concat(rows, '' rows, k '', achieved->>''k'') FROM sdc.publish_microaggregated(%1$L, ''odd.released_m'', ''{a,b}'', 3, ''{s}'', 2)'),
        ('generalized', 'SELECT concat(rows, '' rows, k '', achieved->>''k'') FROM sdc.publish_generalized(%1$L, ''odd.released_g'', ''{"b": "odd.bs"}'', 3)'),
        ('categorised', 'SELECT concat(rows, '' rows, k '', achieved->>''k'') FROM sdc.publish_p_alpha(%1$L, ''odd.released_c'', ''{a,b}'', ''s'', ''[["s0", "s1"], ["s2", "s3", "s4", "s"]]'', 3, 2, 1)'),
        ('anatomy', 'SELECT concat(rows, '' rows'') FROM sdc.publish_anatomy(%1$L, ''odd.released_a'', ''{a,b}'', ''s'', 2)'),
        ('permutation', 'SELECT concat(rows, '' rows'') FROM sdc.publish_permutation(%1$L, ''odd.released_p'', ''{a,b}'', ''s'', 2)'),
        ('hierarchy', 'SELECT sdc.interval_hierarchy(%1$L, ''a'', ''odd.released_h'', ''{10}'')')
    LOOP
        BEGIN
            EXECUTE format(statement, source) INTO answer;
        EXCEPTION WHEN OTHERS THEN answer := SQLSTATE || ' ' || SQLERRM;
        END;
        RETURN NEXT;
    END LOOP;
    PERFORM sdc.drop_release(id) FROM sdc.releases WHERE target LIKE 'odd.released%';
    DROP TABLE IF EXISTS released_h;
END $$;
CREATE TABLE bs (level0 text, level1 text);
INSERT INTO bs VALUES ('x', '*'), ('y', '*'), ('z', '*'), (NULL, '*');
CREATE TABLE plain (a int, b text, s text);
INSERT INTO plain SELECT i % 13, (ARRAY['x', 'y', 'z'])[i % 3 + 1], 's' || i % 5 FROM generate_series(1, 60) AS i;
SELECT * FROM through('odd.plain');

-- few rows, equal rows
CREATE TABLE empty (LIKE plain);
SELECT * FROM through('odd.empty');
-- no rows, and so no persons
SELECT method, (SELECT count(*) FROM sdc.microaggregate(NULL::odd.empty, '{a}', 3, '{s}', CASE WHEN method IN ('mdav', 'blocks') THEN 1 ELSE 2 END, method => method, entity => 'b')) AS rows,
       (SELECT sum(groups) FROM sdc.risk_utility(NULL::odd.empty, '{a}', '{1,2}', method => method, entity => 'b')) AS groups
FROM   unnest('{mdav,blocks,p_first,symmetric,t_first}'::text[]) AS method;
CREATE TABLE one AS SELECT * FROM plain LIMIT 1;
SELECT * FROM through('odd.one');
CREATE TABLE equal AS SELECT 1 AS a, 'x'::text AS b, 's' AS s FROM generate_series(1, 20);
SELECT * FROM through('odd.equal');

-- other kinds of relations: the answers must be those of the plain table
CREATE TABLE same (step text, answer text);
INSERT INTO same SELECT * FROM through('odd.plain');
CREATE FUNCTION differs(source text) RETURNS TABLE (step text, answer text, plain text) LANGUAGE sql AS
$$ SELECT t.step, t.answer, s.answer FROM through(source) AS t JOIN same AS s USING (step) WHERE t.answer IS DISTINCT FROM s.answer AND t.step NOT IN ('hierarchy') $$;
CREATE UNLOGGED TABLE unlogged AS TABLE plain;
CREATE TEMP TABLE temporary AS TABLE plain;
CREATE VIEW seen AS SELECT a, b, s FROM plain;
CREATE MATERIALIZED VIEW kept AS SELECT * FROM plain;
CREATE TABLE parted (a int, b text, s text) PARTITION BY LIST (b);
CREATE TABLE part_x PARTITION OF parted FOR VALUES IN ('x');
CREATE TABLE part_yz (s text, b text, a int);
ALTER TABLE parted ATTACH PARTITION part_yz FOR VALUES IN ('y', 'z');
INSERT INTO parted SELECT * FROM plain;
CREATE TABLE parent (a int, b text, s text);
CREATE TABLE child (extra int) INHERITS (parent);
INSERT INTO parent SELECT * FROM plain WHERE b = 'x';
INSERT INTO child SELECT *, 1 FROM plain WHERE b <> 'x';
CREATE TABLE shrunk (gone1 int, a int, gone2 text DEFAULT 'gone', b text, s text, gone3 int);
INSERT INTO shrunk SELECT 1, a, 'g', b, s, 3 FROM plain;
ALTER TABLE shrunk DROP COLUMN gone1, DROP COLUMN gone2, DROP COLUMN gone3;
CREATE TABLE generated (twice int GENERATED ALWAYS AS (a * 2) STORED, a int, b text, s text, id int GENERATED ALWAYS AS IDENTITY);
INSERT INTO generated (a, b, s) SELECT a, b, s FROM plain;
SELECT * FROM differs('odd.unlogged');
SELECT * FROM differs('pg_temp.temporary');
SELECT * FROM differs('odd.seen');
SELECT * FROM differs('odd.kept');
SELECT * FROM differs('odd.parted');
SELECT * FROM differs('odd.parent');
SELECT * FROM differs('odd.shrunk');
SELECT * FROM differs('odd.generated');
-- a masked generated column is a value like any other
SELECT count(*) FROM sdc.microaggregate(NULL::generated, '{twice}', 3);

-- names
CREATE TABLE "Ünï ""quoted"" TABLE" ("Key A" int, "KEY ""b""" text, "sensítive 🩺" text);
INSERT INTO "Ünï ""quoted"" TABLE" SELECT * FROM plain;
-- unaligned, because psql's versions do not agree how wide the last character is
\pset format unaligned
SELECT property, attribute, actual FROM sdc.check_anonymity('"Ünï ""quoted"" TABLE"', ARRAY['Key A', 'KEY "b"'], ARRAY['sensítive 🩺'], k => 1);
\pset format aligned
SELECT target FROM sdc.publish_anatomy('"Ünï ""quoted"" TABLE"', '"Release Ü"', ARRAY['Key A', 'KEY "b"'], 'sensítive 🩺', 2);
SELECT sdc.estimate_count('"Release Ü"', '"KEY ""b""" = ''x''') AS estimate;
SELECT sdc.drop_release(id) FROM sdc.releases WHERE target = 'odd."Release Ü"';
CREATE TABLE a123456789012345678901234567890123456789012345678901234567890 AS TABLE plain;
SELECT sdc.publish_anatomy('a123456789012345678901234567890123456789012345678901234567890', 'a123456789012345678901234567890123456789012345678901234567890', '{a}', 's', 2);
SELECT sdc.publish_anatomy('plain', 'b123456789012345678901234567890123456789012345678901234567890', '{a}', 's', 2);

-- 1,600 columns, the most that a table can have
DO $$ BEGIN EXECUTE 'CREATE TABLE wide (' || (SELECT string_agg('c' || i || ' int2 DEFAULT 0', ', ') FROM generate_series(1, 1600) AS i) || ')'; END $$;
INSERT INTO wide (c1, c2, c1600) SELECT i % 5, i % 4, i % 3 FROM generate_series(1, 60) AS i;
SELECT actual FROM sdc.check_anonymity('wide', '{c1,c1600}');
SELECT count(*), sum(c1600) FROM sdc.microaggregate(NULL::wide, '{c1,c1600}', 5);
SELECT rows FROM sdc.publish_microaggregated('wide', 'released_wide', '{c1,c2}', 5, keep => '{c1600,c800}');
SELECT groups > 0 AS grouped FROM sdc.publish_microaggregated('wide', 'released_wider', (SELECT array_agg(('c' || i)::name) FROM generate_series(1, 100) AS i), 5);

-- types: domains, composites, arrays, ranges, xml and json, which cannot all be compared
CREATE DOMAIN percent AS int CHECK (VALUE BETWEEN 0 AND 100);
CREATE DOMAIN even AS int CHECK (VALUE % 2 = 0);
CREATE TYPE place AS (city text, zip int);
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE typed (p percent, e even, c place, r int4range, arr int[], m mood, j jsonb, x json, pt point, bits bit(3), net inet, s text);
INSERT INTO typed SELECT i, CASE WHEN i % 2 = 0 THEN 2 ELSE 4 END, ROW('city ' || i % 3, i % 2)::place, int4range(0, i % 3 + 1), ARRAY[i % 3, 1], (ARRAY['sad', 'ok', 'happy'])[i % 3 + 1]::mood, '{}', '{}', '(0,0)', B'101', '10.0.0.1', 's' || i % 4 FROM generate_series(1, 60) AS i;
SELECT actual FROM sdc.check_anonymity('typed', '{c,r,arr,m,j,bits,net}', '{s}');
SELECT count(DISTINCT (p, c, r, arr, m)) AS groups FROM sdc.microaggregate(NULL::typed, '{p,c,r,arr,m,j,bits,net}', 5);
SELECT rows FROM sdc.publish_microaggregated('typed', 'released_typed', '{p,c,r,arr,m}', 5, '{s}', 2, keep => '{x,pt}');
SELECT a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute AS a WHERE a.attrelid = 'released_typed'::regclass AND a.attnum > 0 ORDER BY a.attnum;
SELECT rows FROM sdc.publish_anatomy('typed', 'released_typed_a', '{p,c,arr}', 'm', 2);
SELECT rows FROM sdc.publish_permutation('typed', 'released_typed_p', '{p,c,arr}', 'm', 2);
SELECT sdc.check_anonymity('typed', '{x}');
SELECT sdc.check_anonymity('typed', '{p}', '{pt}');
SELECT count(*) FROM sdc.microaggregate(NULL::typed, '{x}', 5);
SELECT count(*) FROM sdc.microaggregate(NULL::typed, '{pt}', 5);
-- a mean need not be a value of its domain
SELECT count(*) FROM sdc.microaggregate(NULL::typed, '{e}', 60);
SELECT rows FROM sdc.publish_microaggregated('typed', 'released_even', '{e}', 60);

-- not a table
CREATE SEQUENCE number;
CREATE INDEX plain_a ON plain (a);
SELECT sdc.check_anonymity('number', '{last_value}');
SELECT sdc.check_anonymity('plain_a', '{a}');
SELECT sdc.check_anonymity('place', '{city}');
SELECT * FROM sdc.microaggregate(NULL::place, '{city}', 2);
SELECT sdc.check_anonymity(0, '{a}');
SELECT sdc.check_anonymity('pg_catalog.pg_proc', '{proname}', k => 1) IS NOT NULL AS catalog LIMIT 1;
SELECT sdc.check_anonymity('plain', '{ctid}');
SELECT sdc.check_anonymity('plain', '{tableoid}');
CREATE TABLE no_columns ();
INSERT INTO no_columns DEFAULT VALUES;
SELECT sdc.check_anonymity('no_columns', '{a}');
SELECT * FROM sdc.microaggregate(NULL::no_columns, '{a}', 1);

-- tables that change between PREPARE and EXECUTE
CREATE TABLE changing AS TABLE plain;
PREPARE checked AS SELECT actual FROM sdc.check_anonymity('odd.changing', '{a,b}');
PREPARE masked AS SELECT * FROM sdc.microaggregate(NULL::changing, '{a}', 30) LIMIT 1;
PREPARE grouped AS SELECT count(DISTINCT g) FROM (SELECT sdc.mdav(5, a) OVER (ORDER BY a) AS g FROM changing) AS s;
EXECUTE checked;
EXECUTE masked;
EXECUTE grouped;
ALTER TABLE changing DROP COLUMN s;
EXECUTE checked;
EXECUTE masked;
ALTER TABLE changing ALTER COLUMN a TYPE numeric(6, 1), ADD COLUMN t text DEFAULT 'new';
EXECUTE checked;
EXECUTE masked;
EXECUTE grouped;
ALTER TABLE changing RENAME COLUMN a TO z;
EXECUTE checked;
EXECUTE masked;
DROP TABLE changing;
EXECUTE checked;
EXECUTE masked;
CREATE TABLE changing AS TABLE plain;
EXECUTE checked;
EXECUTE masked;
-- in the middle of a transaction, and undone by a savepoint
BEGIN;
INSERT INTO plain VALUES (99, 'x', 's');
SELECT actual FROM sdc.check_anonymity('plain', '{a,b}');
SAVEPOINT before;
SELECT rows FROM sdc.publish_anatomy('plain', 'released_once', '{a}', 's', 2);
ROLLBACK TO before;
SELECT to_regclass('released_once') IS NULL AS gone, count(*) AS entries FROM sdc.releases WHERE target = 'odd.released_once';
ROLLBACK;
BEGIN READ ONLY;
SELECT actual FROM sdc.check_anonymity('plain', '{a,b}');
SELECT sdc.publish_anatomy('plain', 'released_once', '{a}', 's', 2);
ROLLBACK;

DELETE FROM sdc.release WHERE target LIKE 'odd.%';
DROP SCHEMA odd CASCADE;
