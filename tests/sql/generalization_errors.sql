-- Bad hierarchies, levels and requirements: SQLSTATE, message and hint, never a value, nothing left behind.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA general;
SET search_path = general, public;
CREATE FUNCTION failure(query text) RETURNS TABLE (state text, message text, detail text, hint text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    state := 'no error'; RETURN NEXT;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
                            detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN NEXT;
END $$;
CREATE FUNCTION minimal(hierarchies jsonb, rest text DEFAULT 'k => 2') RETURNS TABLE (state text, message text, detail text, hint text)
LANGUAGE sql AS $$ SELECT * FROM failure(format('SELECT * FROM sdc.minimal_generalizations(''patient'', %L, %s)', hierarchies, rest)) $$;
CREATE FUNCTION publish(rest text) RETURNS TABLE (state text, message text, detail text, hint text)
LANGUAGE sql AS $$ SELECT * FROM failure('SELECT * FROM sdc.publish_generalized(''patient'', ''published'', ''{"age": "good"}'', ' || rest || ')') $$;

CREATE TABLE patient (age int, illness text);
INSERT INTO patient VALUES (4711, 'a'), (4712, 'a'), (4713, 'b'), (4714, 'b');
CREATE TABLE good AS SELECT age, age / 2 AS half, '*' AS top FROM patient;
CREATE TABLE missing AS SELECT * FROM good WHERE age < 4713;
CREATE TABLE parting AS SELECT age, '*' AS top, age / 2 AS half FROM patient;
CREATE TABLE doubled AS SELECT * FROM good UNION ALL SELECT * FROM good WHERE age = 4711;
CREATE TABLE empty ();
CREATE SEQUENCE no_table;
CREATE TABLE dated (born date);
CREATE TABLE wide (a int, b int, c int, d int, e int, f int, g int, h int);
CREATE TABLE ten (l0 int, l1 int, l2 int, l3 int, l4 int, l5 int, l6 int, l7 int, l8 int, l9 int);
\x on
SELECT * FROM minimal('{"age": "missing"}');
SELECT * FROM minimal('{"age": "parting"}');
SELECT * FROM minimal('{"age": "doubled"}');
SELECT * FROM minimal('{"age": "empty"}');
SELECT * FROM minimal('{"age": "no_table"}');
SELECT * FROM minimal('{"age": "not_there"}');
SELECT * FROM minimal('{"age": 5}');
SELECT * FROM minimal('{}');
SELECT * FROM minimal('["age"]');
SELECT * FROM minimal('{"weight": "good"}');
SELECT * FROM minimal('{"age": "good"}', 'k => 0');
SELECT * FROM minimal('{"age": "good"}', 'k => -1');
SELECT * FROM minimal('{"age": "good"}', 'k => 5');
SELECT * FROM minimal('{"age": "good"}', 'k => 2, p => 2');
SELECT * FROM minimal('{"age": "good"}', 'k => 2, sensitive => ''{illness}'', p => 3');
SELECT * FROM minimal('{"age": "good"}', 'k => 3, sensitive => ''{illness}'', p => 3');
SELECT * FROM minimal('{"age": "good"}', 'k => 2, sensitive => ''{age}''');
SELECT * FROM minimal('{"age": "good"}', 'k => 2, max_suppressed => -1');
SELECT * FROM minimal('{"age": "good"}', 'k => 2, l => 2');
SELECT * FROM minimal('{"age": "good"}', 'k => 2, sensitive => ''{illness}'', t => -1');
SELECT * FROM minimal('{"age": "good"}', 'k => 2, sensitive => ''{illness}'', t => 3');
SELECT * FROM minimal('{"age": "good"}', 'k => 2, sensitive => ''{illness}'', alpha => 1');
SELECT * FROM minimal('{"age": "good"}', 'k => 2, sensitive => ''{illness}'', alpha => 1, categories => ''[["a"], ["c"]]''');
SELECT * FROM failure('SELECT * FROM sdc.lattice(''wide'', ''{"a": "ten", "b": "ten", "c": "ten", "d": "ten", "e": "ten", "f": "ten", "g": "ten", "h": "ten"}'', 2)');
SELECT * FROM publish('2, levels => ''{"age": 3}''');
SELECT * FROM publish('2, levels => ''{"age": -1}''');
SELECT * FROM publish('2, levels => ''{"sex": 1}''');
SELECT * FROM publish('2, levels => ''{}''');
SELECT * FROM publish('2, levels => ''[1]''');
SELECT * FROM publish('2, levels => ''{"age": 0}''');
SELECT * FROM publish('2, levels => ''{"age": 0}'', max_suppressed => 4');
SELECT * FROM publish('2, sensitive => ''{illness}'', l => 3');
SELECT * FROM publish('2, keep => ''{age}''');
SELECT * FROM failure('SELECT sdc.generalize(age, ''good'', 3) FROM patient');
SELECT * FROM failure('SELECT sdc.generalize(age, ''good'', -1) FROM patient');
SELECT * FROM failure('SELECT sdc.generalize(age + 10, ''good'', 1) FROM patient');
SELECT * FROM failure('SELECT sdc.generalize(age, ''good'', NULL) FROM patient');
SELECT * FROM failure('SELECT sdc.interval_hierarchy(''patient'', ''age'', ''built'', ''{10,15}'')');
SELECT * FROM failure('SELECT sdc.interval_hierarchy(''patient'', ''age'', ''built'', ''{0}'')');
SELECT * FROM failure('SELECT sdc.interval_hierarchy(''patient'', ''illness'', ''built'', ''{10}'')');
SELECT * FROM failure('SELECT sdc.interval_hierarchy(''patient'', ''age'', ''good'', ''{10}'')');
SELECT * FROM failure('SELECT sdc.date_hierarchy(''patient'', ''age'', ''built'')');
SELECT * FROM failure('SELECT sdc.date_hierarchy(''dated'', ''born'', ''built'', ''{week}'')');
SELECT * FROM failure('SELECT sdc.date_hierarchy(''dated'', ''born'', ''built'', ''{year,month}'')');
SELECT * FROM failure('SELECT sdc.prefix_hierarchy(''patient'', ''age'', ''built'', 0)');
SELECT * FROM failure('SELECT sdc.grouping_hierarchy(''patient'', ''illness'', ''built'', ''[{"x": ["a"]}]'')');
SELECT * FROM failure('SELECT sdc.grouping_hierarchy(''patient'', ''illness'', ''built'', ''[{"x": ["a"], "y": ["a", "b"]}]'')');
SELECT * FROM failure('SELECT sdc.grouping_hierarchy(''patient'', ''illness'', ''built'', ''[{"x": ["a", "b"]}, {"z": ["y"]}]'')');
SELECT * FROM failure('SELECT sdc.grouping_hierarchy(''patient'', ''illness'', ''built'', ''{"x": ["a", "b"]}'')');
\x off
SELECT to_regclass('published') IS NULL AND to_regclass('built') IS NULL AS nothing_left, count(*) AS releases FROM sdc.releases;

-- the caller's privileges hold for source and hierarchies
CREATE ROLE sdc_general;
GRANT USAGE ON SCHEMA general TO sdc_general;
GRANT SELECT ON patient TO sdc_general;
SET ROLE sdc_general;
SELECT * FROM sdc.minimal_generalizations('patient', '{"age": "good"}', 2);
SELECT sdc.generalize(age, 'good', 1) FROM patient;
RESET ROLE;
GRANT SELECT ON good TO sdc_general;
SET ROLE sdc_general;
SELECT levels FROM sdc.minimal_generalizations('patient', '{"age": "good"}', 2);
RESET ROLE;

-- more memory than allowed is an error, and the session goes on
CREATE TABLE many AS SELECT i AS id FROM generate_series(1, 60000) AS i;
CREATE TABLE many_hierarchy AS SELECT id, '*' AS top FROM many;
SET sdc.max_memory = '1MB';
SELECT * FROM failure('SELECT * FROM sdc.minimal_generalizations(''many'', ''{"id": "many_hierarchy"}'', 2)');
RESET sdc.max_memory;
SELECT levels FROM sdc.minimal_generalizations('many', '{"id": "many_hierarchy"}', 2);

RESET search_path;
DROP SCHEMA general CASCADE;
DROP ROLE sdc_general;
