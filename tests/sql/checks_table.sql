-- Checking tables: verdicts, failing groups, assertions, feasibility, on everything that has rows.
CREATE SCHEMA checks_table;
SET search_path = checks_table;
CREATE TABLE patient (id int, person int, age int, zip text, illness text, cost numeric);
INSERT INTO patient VALUES
    (1, 1, 30, '10115', 'flu', 1.5), (2, 1, 30, '10115', 'flu', 1.50), (3, 2, 30, '10115', 'asthma', 2),
    (4, 3, 40, '10117', 'hiv', 3), (5, 3, 40, '10117', 'hiv', 4),
    (6, 4, NULL, '10119', 'flu', 5), (7, 5, NULL, '10119', 'asthma', 5), (8, 6, NULL, '10119', 'hiv', 6), (9, 7, NULL, '10119', NULL, NULL);

-- Nothing required: every figure, no verdict.
SELECT * FROM sdc.check_anonymity('patient', '{age,zip}');
SELECT * FROM sdc.check_anonymity('patient', '{age,zip}', '{illness,cost}');
-- Everything required.
\set categories '[["hiv"],["asthma"],["flu","none"]]'
CREATE VIEW classified AS SELECT id, person, age, zip, coalesce(illness, 'none') AS illness FROM patient;
SELECT * FROM sdc.check_anonymity('classified', '{age,zip}', '{illness}', k => 3, p => 2, l => 1.5, t => 0.3, alpha => 1, categories => :'categories');
SELECT * FROM sdc.violations('classified', '{age,zip}', '{illness}', k => 3, p => 2, l => 1.5, t => 0.3, alpha => 1, categories => :'categories');
SELECT sdc.assert_anonymity('classified', '{age,zip}', '{illness}', k => 3, p => 2, l => 1.5, t => 0.3, alpha => 1, categories => :'categories');
-- One at a time: what is not required is shown.
SELECT * FROM sdc.check_anonymity('patient', '{age,zip}', '{illness,cost}', k => 2);
SELECT * FROM sdc.check_anonymity('patient', '{age,zip}', '{illness,cost}', t => 0.5);
SELECT * FROM sdc.violations('patient', '{age,zip}', '{illness,cost}', p => 2, l => 2);
SELECT * FROM sdc.violations('patient', '{age,zip}', '{illness,cost}', t => 0.5);
SELECT * FROM sdc.violations('patient', '{age,zip}', k => 2);
SELECT sdc.assert_anonymity('patient', '{age,zip}', k => 2);
-- Several rows per person: groups are counted in persons.
SELECT property, actual, satisfied, violating_groups, violating_rows FROM sdc.check_anonymity('patient', '{age,zip}', k => 2, entity => 'person');
SELECT * FROM sdc.violations('patient', '{age,zip}', '{illness}', k => 3, p => 1, entity => 'person');
SELECT sdc.assert_anonymity('patient', '{age,zip}', k => 2, entity => 'person');
-- Feasibility.
SELECT p, f.* FROM generate_series(1, 5) p, sdc.feasibility('patient', '{illness,cost}', p) f;

-- No rows: nothing to measure and nothing that fails.
CREATE TABLE nobody (LIKE patient);
SELECT * FROM sdc.check_anonymity('nobody', '{age,zip}', '{illness}', k => 2, p => 2, l => 2, t => 0.1);
SELECT * FROM sdc.violations('nobody', '{age,zip}', '{illness}', k => 2, p => 2, l => 2, t => 0.1);
SELECT sdc.assert_anonymity('nobody', '{age,zip}', '{illness}', k => 2, p => 2, l => 2, t => 0.1, allow_empty => true);
SELECT * FROM sdc.feasibility('nobody', '{illness}', 1);

-- Names that need quoting, in relations, columns and key values.
CREATE TABLE "Übel; DROP TABLE patient" ("Alter" int, "select" text, "a""b'c\d" text, "größe $1" numeric);
INSERT INTO "Übel; DROP TABLE patient" VALUES (1, 'it''s', '"x"', 1), (1, 'it''s', '"x"', 2), (2, 'a\b', '{}', 3);
SELECT * FROM sdc.check_anonymity('"Übel; DROP TABLE patient"', ARRAY['Alter', 'select', 'a"b''c\d'], ARRAY['größe $1'], k => 2, p => 2, t => 0.1);
SELECT * FROM sdc.violations('"Übel; DROP TABLE patient"', ARRAY['Alter', 'select', 'a"b''c\d'], ARRAY['größe $1'], k => 2, p => 2, t => 0.1);
SELECT sdc.assert_anonymity('"Übel; DROP TABLE patient"', ARRAY['Alter', 'select'], ARRAY['größe $1'], k => 2, p => 2);
SELECT * FROM sdc.feasibility('"Übel; DROP TABLE patient"', ARRAY['größe $1'], 2);
-- Columns named like what the generated query calls its own.
CREATE TABLE alike (k1 int, k2 int, val int, n int, size int, g int, c int, q int, vals int, most int);
INSERT INTO alike SELECT i, i, i, i, i, i, i, i, i, i FROM generate_series(1, 2) i, generate_series(1, 3);
SELECT * FROM sdc.check_anonymity('alike', '{k2,size,val,k1,g,c,q}', '{n,most}', k => 3, p => 2, t => 0.4, entity => 'vals');
SELECT * FROM sdc.violations('alike', '{k2,size,val,k1,g,c,q}', '{n}', p => 2, t => 0.4);

-- Many keys.
DO $$
BEGIN
    EXECUTE (SELECT format('CREATE TABLE wide (%s)', string_agg(format('c%s int', i), ', ')) FROM generate_series(1, 120) i);
    EXECUTE (SELECT format('INSERT INTO wide SELECT %s FROM generate_series(1, 20) r', string_agg(format('r %% %s', 1 + i % 2), ', ')) FROM generate_series(1, 120) i);
END $$;
SELECT c.* FROM (SELECT array_agg(format('c%s', i)::name) AS keys FROM generate_series(1, 119) i) k, sdc.check_anonymity('wide', k.keys, '{c120}', k => 11, t => 0.1) c;
SELECT count(*), min(jsonb_array_length(jsonb_path_query_array(key_values, '$.*'))) AS keys
FROM  (SELECT array_agg(format('c%s', i)::name) AS keys FROM generate_series(1, 119) i) k, sdc.violations('wide', k.keys, k => 11) v;

-- Partitioned tables, inheritance, views, materialized views, generated and dropped columns.
CREATE TABLE divided (id int, age int, zip text, illness text) PARTITION BY RANGE (id);
CREATE TABLE divided_1 PARTITION OF divided FOR VALUES FROM (0) TO (3);
CREATE TABLE divided_2 (zip text, gone int, illness text, id int, age int);
ALTER TABLE divided_2 DROP COLUMN gone;
ALTER TABLE divided ATTACH PARTITION divided_2 FOR VALUES FROM (3) TO (100);
INSERT INTO divided SELECT id, age, zip, illness FROM patient;
CREATE TABLE parent (age int, zip text, illness text);
CREATE TABLE child () INHERITS (parent);
INSERT INTO parent SELECT age, zip, illness FROM patient WHERE id <= 3;
INSERT INTO child SELECT age, zip, illness FROM patient WHERE id > 3;
CREATE VIEW seen AS SELECT age, zip, illness FROM patient;
CREATE MATERIALIZED VIEW kept AS SELECT age, zip, illness FROM patient;
CREATE TABLE generated (id int, born int, illness text, age int GENERATED ALWAYS AS (2020 - born) STORED, zip text);
INSERT INTO generated (id, born, illness, zip) SELECT id, 2020 - age, illness, zip FROM patient;
CREATE TABLE shrunk (gone int, age int, gone_too text, zip text, illness text);
INSERT INTO shrunk SELECT 1, age, 'x', zip, illness FROM patient;
ALTER TABLE shrunk DROP COLUMN gone, DROP COLUMN gone_too;
CREATE TEMPORARY TABLE fleeting AS SELECT age, zip, illness FROM patient;
CREATE FUNCTION same_verdict(source regclass) RETURNS bool LANGUAGE sql AS $$
    SELECT NOT EXISTS (
        (TABLE expected_verdict EXCEPT SELECT * FROM sdc.check_anonymity(source, '{age,zip}', '{illness}', k => 3, p => 2, l => 2, t => 0.4))
        UNION ALL
        (SELECT * FROM sdc.check_anonymity(source, '{age,zip}', '{illness}', k => 3, p => 2, l => 2, t => 0.4) EXCEPT TABLE expected_verdict))
    AND NOT EXISTS (
        (TABLE expected_violation EXCEPT SELECT * FROM sdc.violations(source, '{age,zip}', '{illness}', k => 3, p => 2, l => 2, t => 0.4))
        UNION ALL
        (SELECT * FROM sdc.violations(source, '{age,zip}', '{illness}', k => 3, p => 2, l => 2, t => 0.4) EXCEPT TABLE expected_violation))
$$ SET check_function_bodies = off;
CREATE TABLE expected_verdict AS SELECT * FROM sdc.check_anonymity('patient', '{age,zip}', '{illness}', k => 3, p => 2, l => 2, t => 0.4);
CREATE TABLE expected_violation AS SELECT * FROM sdc.violations('patient', '{age,zip}', '{illness}', k => 3, p => 2, l => 2, t => 0.4);
TABLE expected_verdict;
TABLE expected_violation;
SELECT source, same_verdict(source::regclass)
FROM   unnest('{divided,parent,seen,kept,generated,shrunk,fleeting}'::text[]) source;
-- Foreign tables: a machine without file_fdw passes over this.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'file_fdw') THEN RETURN; END IF;
    CREATE EXTENSION file_fdw;
    CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
    CREATE FOREIGN TABLE far_away (age int, zip text, illness text) SERVER files
        OPTIONS (program 'printf "30,10115,flu\n30,10115,flu\n30,10115,asthma\n40,10117,hiv\n40,10117,hiv\n,10119,flu\n,10119,asthma\n,10119,hiv\n,10119,\n"', format 'csv');
    ASSERT same_verdict('far_away');
    DROP FOREIGN TABLE far_away;
    DROP SERVER files;
    DROP EXTENSION file_fdw;
END $$;

-- Agreement with the aggregates on 20,000 random rows, NULLs and unequal frequencies included.
CREATE TABLE random_rows AS
SELECT i AS id, abs(hashint4(i)) % 12 AS a, nullif(abs(hashint4(i + 7)) % 10, 0) AS b, round((abs(hashint4(i + 13)) % 4) / 4.0, 2 + i % 3) AS c,
       chr(97 + (sqrt(abs(hashint4(i + 17)) % 100))::int) AS s, floor(sqrt(abs(hashint4(i + 19)) % 49))::int AS n, 1 + abs(hashint4(i + 23)) % 4 AS category
FROM   generate_series(1, 20000) i;
WITH checked AS (
    SELECT property, attribute, actual FROM sdc.check_anonymity('random_rows', '{a,b,c}', '{s,n}')
    UNION ALL
    SELECT property, attribute, actual FROM sdc.check_anonymity('random_rows', '{a,b,c}', '{category}', alpha => 1, p => 2, categories => '[["1"],["2"],["3"],["4"]]')
    WHERE  property IN ('p+-sensitivity', 'alpha-weight')
), aggregated AS (
    SELECT 'k-anonymity' AS property, NULL::name AS attribute, sdc.k_anonymity(a, b, c)::float8 AS actual FROM random_rows
    UNION ALL SELECT 'p-sensitivity', 's', sdc.p_sensitivity(ROW(a, b, c), s) FROM random_rows
    UNION ALL SELECT 'p-sensitivity', 'n', sdc.p_sensitivity(ROW(a, b, c), n) FROM random_rows
    UNION ALL SELECT 'l-diversity', 's', sdc.l_diversity(ROW(a, b, c), s) FROM random_rows
    UNION ALL SELECT 'l-diversity', 'n', sdc.l_diversity(ROW(a, b, c), n) FROM random_rows
    UNION ALL SELECT 't-closeness', 's', sdc.t_closeness(ROW(a, b, c), s) FROM random_rows
    UNION ALL SELECT 't-closeness', 'n', sdc.t_closeness(ROW(a, b, c), n) FROM random_rows
    UNION ALL SELECT 'p+-sensitivity', 'category', sdc.p_plus(ROW(a, b, c), category) FROM random_rows
    UNION ALL SELECT 'alpha-weight', 'category', sdc.alpha_weight(ROW(a, b, c), category, 4) FROM random_rows
)
SELECT property, a.attribute, c.actual AS of_table, a.actual AS of_rows, c.actual = a.actual AS agree
FROM   checked c JOIN aggregated a USING (property) WHERE c.attribute IS NOT DISTINCT FROM a.attribute ORDER BY 1, 2;
-- The verdict counts what violations lists.
\set requirements 'k => 170, p => 8, l => 4, t => 0.06'
SELECT c.property, c.attribute, c.violating_groups, c.violating_rows, c.violating_groups = v.groups AND c.violating_rows = v.rows AS agree
FROM   sdc.check_anonymity('random_rows', '{a,b}', '{s,n}', :requirements) c
LEFT JOIN (SELECT property, attribute, count(*) AS groups, sum(rows) AS rows FROM sdc.violations('random_rows', '{a,b}', '{s,n}', :requirements) GROUP BY 1, 2) v
       ON c.property = v.property AND c.attribute IS NOT DISTINCT FROM v.attribute;
-- Groups that do not fit into sdc.max_memory are not kept there: the same figures, counted by other queries.
CREATE TABLE many AS SELECT i / 3 AS a, (i % 100000)::numeric AS b, i % 7 AS n, 'value ' || i % 11 AS s FROM generate_series(1, 60000) AS i;
CREATE TABLE in_memory AS SELECT * FROM sdc.check_anonymity('many', '{a}', '{s,n}', k => 3, p => 2, l => 2, t => 0.5);
CREATE TABLE unrequired AS SELECT * FROM sdc.check_anonymity('many', '{a}', '{s,n}');
SET sdc.max_memory = '1MB';
SELECT m.*, m.* IS NOT DISTINCT FROM s.* AS same FROM in_memory m
FULL JOIN sdc.check_anonymity('many', '{a}', '{s,n}', k => 3, p => 2, l => 2, t => 0.5) s ON s.property = m.property AND s.attribute IS NOT DISTINCT FROM m.attribute;
SELECT bool_and(m.* IS NOT DISTINCT FROM s.*) AS same, bool_and(s.actual IS NOT NULL) AS shown FROM unrequired m
FULL JOIN sdc.check_anonymity('many', '{a}', '{s,n}') s ON s.property = m.property AND s.attribute IS NOT DISTINCT FROM m.attribute;
-- Values that do not fit either leave t-closeness without a figure, unless it is required.
SELECT property, required, actual FROM sdc.check_anonymity('many', '{n}', '{b}', p => 2);
SELECT property, required, actual FROM sdc.check_anonymity('many', '{n}', '{b}', p => 2, t => 0.5);
-- Nor do keys that cannot be sorted by.
CREATE TABLE unsorted AS SELECT (i / 3)::text::xid AS x, i % 7 AS n FROM generate_series(1, 60000) AS i;
SELECT property, required, actual FROM sdc.check_anonymity('unsorted', '{x}', '{n}', k => 2);
SET sdc.max_memory = '100MB';
SELECT property, required, actual FROM sdc.check_anonymity('unsorted', '{x}', '{n}', k => 2);
RESET sdc.max_memory;
-- Key values lead back to the rows; NULLs are told apart from values.
SELECT v.property, bool_and(v.rows = (SELECT count(*) FROM random_rows r WHERE to_jsonb(r.a) = v.key_values->'a' AND coalesce(to_jsonb(r.b), 'null') = v.key_values->'b')) AS found
FROM   sdc.violations('random_rows', '{a,b}', '{s}', k => 170, p => 11, t => 0.1) v GROUP BY 1 ORDER BY 1;
-- Worst first: the figure falls short by the largest factor.
SELECT bool_and(badness >= before) AS worst_first FROM (
    SELECT badness, lag(badness, 1, 0::float8) OVER (ORDER BY place) AS before FROM (
        SELECT row_number() OVER () AS place, CASE property WHEN 'k-anonymity' THEN actual / 170 WHEN 't-closeness' THEN 0.1 / actual ELSE actual / 4 END AS badness
        FROM sdc.violations('random_rows', '{a,b}', '{s}', k => 170, l => 4, t => 0.1)) v) w;
-- Equally bad groups: the larger first, then in the order of the keys, whatever the plan.
CREATE TABLE listed AS SELECT row_number() OVER () AS place, v.* FROM sdc.violations('random_rows', '{a,b}', '{s}', k => 170, t => 0.1) v;
SET enable_hashagg = off;
SELECT count(*) > 50 AS many, bool_and(l.* IS NOT DISTINCT FROM a.*) AS same
FROM   listed l FULL JOIN (SELECT row_number() OVER () AS place, v.* FROM sdc.violations('random_rows', '{a,b}', '{s}', k => 170, t => 0.1) v) a USING (place);
RESET enable_hashagg;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(*) > 50 AS many, bool_and(l.* IS NOT DISTINCT FROM a.*) AS same
FROM   listed l FULL JOIN (SELECT row_number() OVER () AS place, v.* FROM sdc.violations('random_rows', '{a,b}', '{s}', k => 170, t => 0.1) v) a USING (place);
SELECT * FROM sdc.violations('random_rows', '{a}', '{n}', p => 8) LIMIT 4;

RESET ALL;
SET client_min_messages = warning;
DROP SCHEMA checks_table CASCADE;
