-- Every type: values that GROUP BY calls equal are equal to the checks. Each line has the figures
-- of the aggregate, of the table check and of GROUP BY.
CREATE SCHEMA checks_types;
SET search_path = checks_types;
\set VERBOSITY terse
SET client_min_messages = warning;
-- two columns: v of the type, w the sensitive value '1', '2' … of each row
CREATE FUNCTION compared(typ text, VARIADIC literals text[],
                         OUT k bigint, OUT p bigint, OUT sorted_twins bool, OUT agree bool) LANGUAGE plpgsql AS $$
DECLARE
    by_group record;
    by_table record;
BEGIN
    EXECUTE format('CREATE TEMPORARY TABLE compared (id int, v %s, w text)', typ);
    EXECUTE format('INSERT INTO compared SELECT n, l::%s, n %% 2 FROM unnest($1) WITH ORDINALITY u (l, n)', typ) USING literals;
    SELECT sdc.k_anonymity(v), sdc.p_sensitivity(ROW(w), v) INTO k, p FROM compared;
    SELECT min(n) AS k, (SELECT min(c) FROM (SELECT count(*) AS c FROM (SELECT w, v FROM compared GROUP BY w, v) d GROUP BY w) e) AS p
    INTO   by_group FROM (SELECT count(*) AS n FROM compared GROUP BY v) g;
    SELECT (SELECT actual FROM sdc.check_anonymity('pg_temp.compared', '{v}', '{w}') WHERE property = 'k-anonymity') AS k,
           (SELECT actual FROM sdc.check_anonymity('pg_temp.compared', '{w}', '{v}') WHERE property = 'p-sensitivity') AS p
    INTO   by_table;
    -- the order in which rows come must not matter
    SELECT (sdc.k_anonymity(v ORDER BY id DESC), sdc.p_sensitivity(ROW(w), v ORDER BY id DESC)) = (k, p)
    INTO   sorted_twins FROM compared;
    agree := (k, p) = (by_group.k, by_group.p) AND (k, p) = (by_table.k::bigint, by_table.p::bigint);
    DROP TABLE compared;
END $$;

CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TYPE pair AS (a numeric, b text);
CREATE DOMAIN percent AS numeric CHECK (VALUE BETWEEN 0 AND 100);
CREATE DOMAIN code AS text;
CREATE DOMAIN code_list AS code[];
CREATE TYPE numeric_range AS RANGE (subtype = money);

SELECT 'bool' AS type, * FROM compared('bool', 't', 'true', 'f', NULL, 'on', 'no', NULL);
SELECT 'smallint' AS type, * FROM compared('smallint', '-1', '1', '-1', '1', '32767', '-32768', '32767', '-32768');
SELECT 'int' AS type, * FROM compared('int', '-1', '1', '-1', '1', NULL, NULL);
SELECT 'bigint' AS type, * FROM compared('bigint', '-1', '4294967295', '-1', '4294967295');
SELECT 'oid' AS type, * FROM compared('oid', '4294967295', '1', '4294967295', '1');
SELECT '"char"' AS type, * FROM compared('"char"', 'a', 'b', 'a', 'b');
SELECT 'name' AS type, * FROM compared('name', 'a', 'b', 'a', 'b');
SELECT 'numeric' AS type, * FROM compared('numeric', '1.0', '1.00', '1', '2', '2.000', NULL, NULL, 'NaN', 'nan', '-0', '0', '0.00');
SELECT 'numeric infinities' AS type, * FROM compared('numeric', 'inf', 'infinity', '-inf', '-infinity');
SELECT 'float8' AS type, * FROM compared('float8', '-0', '0', '0', 'NaN', 'NaN', 'inf', 'inf', '-inf', '-infinity', '1e308', '1e308');
SELECT 'float8 NaNs' AS type, * FROM compared('float8', 'NaN', '-NaN', 'NaN');
SELECT 'float4' AS type, * FROM compared('float4', '-0', '0', '0', 'NaN', 'NaN', '0.1', '0.1', NULL, NULL);
SELECT 'money' AS type, * FROM compared('money', '1', '1.00', '2', '2.0', '-1', '-1');
SELECT 'text' AS type, * FROM compared('text', 'a', 'A', 'a', 'A', '', '', NULL, NULL, 'a ', 'a ');
SELECT 'varchar' AS type, * FROM compared('varchar(3)', 'a', 'a', 'a ', 'a ');
SELECT 'bpchar' AS type, * FROM compared('char(3)', 'a', 'a ', 'a  ', 'b', 'b ');
SELECT 'bpchar without length' AS type, * FROM compared('bpchar', 'a', 'a ', 'a   ');
SELECT 'bytea' AS type, * FROM compared('bytea', '\x00', '\x0000', '\x00', '\x0000', '', '');
SELECT 'uuid' AS type, * FROM compared('uuid', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'A0EEBC999C0B4EF8BB6D6BB9BD380A11', '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12}', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12');
SELECT 'inet' AS type, * FROM compared('inet', '10.1.2.3', '10.1.2.3/32', '10.1.2.3/24', '10.1.2.3/24', '::1', '::1');
SELECT 'cidr' AS type, * FROM compared('cidr', '10.1.2.0/24', '10.1.2/24', '10.1.0.0/16', '10.1/16');
SELECT 'macaddr' AS type, * FROM compared('macaddr', '08:00:2b:01:02:03', '08-00-2b-01-02-03', '08002b010204', '08002b:010204');
SELECT 'date' AS type, * FROM compared('date', '2024-01-31', '2024-01-31', 'infinity', 'infinity', '-infinity', '-infinity', '4714-11-24 BC', '4714-11-24 BC');
SELECT 'timestamp' AS type, * FROM compared('timestamp', '2024-01-31 12:00', '2024-01-31 12:00:00.0', 'infinity', 'infinity');
SELECT 'timestamptz' AS type, * FROM compared('timestamptz', '2024-01-31 12:00+01', '2024-01-31 11:00+00', '2024-01-31 12:00+00', '2024-01-31 13:00+01');
SELECT 'time' AS type, * FROM compared('time', '12:00', '12:00:00', '24:00', '24:00');
SELECT 'timetz' AS type, * FROM compared('timetz', '12:00+01', '12:00:00+01', '11:00+00', '11:00+00');
SELECT 'interval' AS type, * FROM compared('interval', '1 day', '24 hours', '1 month', '30 days', '720 hours', '1 year', '360 days');
SELECT 'bit' AS type, * FROM compared('bit(3)', '101', '101', '110', '110');
SELECT 'varbit' AS type, * FROM compared('varbit', '1', '1', '10', '10', '', '');
SELECT 'enum' AS type, * FROM compared('mood', 'sad', 'happy', 'sad', 'happy', NULL, NULL);
SELECT 'domain over numeric' AS type, * FROM compared('percent', '1.0', '1.00', '99', '99.0');
SELECT 'domain over text' AS type, * FROM compared('code', 'a', 'b', 'a', 'b');
SELECT 'domain over an array of a domain' AS type, * FROM compared('code_list', '{a}', '{b}', '{a}', '{b}');
SELECT 'numeric[]' AS type, * FROM compared('numeric[]', '{1.0,2}', '{1.00,2.0}', '{{1,2}}', '{{1.0,2.0}}', '{}', '{}', '{NULL}', '{NULL}');
SELECT 'bounds of arrays' AS type, * FROM compared('int[]', '{1,2}', '{1,2}', '[0:1]={1,2}', '[0:1]={1,2}');
SELECT 'composite' AS type, * FROM compared('pair', '(1.0,x)', '(1.00,x)', '(,)', '(,)', '(1,)', '(1.000,)');
SELECT 'composite[]' AS type, * FROM compared('pair[]', '{"(1.0,x)"}', '{"(1.00,x)"}');
SELECT 'jsonb' AS type, * FROM compared('jsonb', '{"a": 1.0, "b": [1]}', '{"b": [1.00], "a": 1}', 'null', 'null', NULL, NULL);
SELECT 'range' AS type, * FROM compared('int4range', '[1,4]', '[1,5)', 'empty', '(1,1)');
SELECT 'numrange' AS type, * FROM compared('numrange', '[1.0,2]', '[1,2.00]', '(,)', '(,)');
SELECT 'multirange' AS type, * FROM compared('int4multirange', '{[1,2],[3,4]}', '{[1,5)}', '{}', '{}');
SELECT 'range without hash' AS type, * FROM compared('numeric_range', '[1,2]', '[1.00,2.0]', '(,3)', '(,3)');
SELECT 'tsvector' AS type, * FROM compared('tsvector', 'a b', 'b a', 'c', 'c');
SELECT 'pg_lsn' AS type, * FROM compared('pg_lsn', '0/1', '0/01', '1/0', '1/00');

-- Types that cannot be grouped by: GROUP BY refuses them, too.
SELECT * FROM compared('json', '{}', '{}');
SELECT * FROM compared('json[]', '{}', '{}');
SELECT * FROM compared('point', '(0,0)', '(0,0)');

-- Long values, which are stored out of line and compressed.
CREATE TABLE toasted (id int, grp text, plain text, compressed text, list text[]);
ALTER TABLE toasted ALTER plain SET STORAGE external, ALTER compressed SET STORAGE extended;
INSERT INTO toasted
SELECT i, i % 3, repeat(md5((i % 3)::text), 500) || 'end', repeat('long ', 20000 + i % 3), ARRAY[repeat(md5((i % 3)::text), 500)]
FROM   generate_series(1, 30) i;
SELECT min(pg_column_size(plain)) > 8000 AS stored_outside, max(pg_column_size(compressed)) < 8000 AS compressed FROM toasted;
SELECT sdc.k_anonymity(plain) AS plain, sdc.k_anonymity(compressed) AS compressed, sdc.k_anonymity(list) AS list,
       sdc.k_anonymity(plain, compressed, list) AS three, sdc.p_sensitivity(ROW(grp), plain, compressed, list) AS p
FROM   toasted;
SELECT property, attribute, actual FROM sdc.check_anonymity('toasted', '{plain,compressed,list}', '{id}', k => 1);

-- Records in records, and whole rows.
SELECT sdc.k_anonymity(ROW(a, ROW(b, c))) AS nested, sdc.k_anonymity(ROW(a, b), c) AS beside, sdc.k_anonymity(ROW(a, b, c)) AS flat
FROM   (VALUES (1, 1.0, 'x'), (1, 1.00, 'x'), (2, 2, 'y'), (2, 2.0, 'y')) v (a, b, c);
-- a sensitive record is one value: two of the three pairs differ, though their first halves are equal
SELECT sdc.p_sensitivity(1, ROW(a, b)) AS p, sdc.l_diversity(1, ROW(a, b)) AS l, sdc.p_sensitivity(1, a, b) AS two_columns
FROM   (VALUES (1, 1), (1, 2), (1, 2.0)) v (a, b);
-- NULL is a value like any other, also where a record is expected
CREATE TABLE records (v pair, w int);
INSERT INTO records VALUES (NULL, 1), (ROW(1.0, 'x'), 1), (ROW(1.00, 'x'), 1), (NULL, 1), (ROW(NULL, NULL), 1), (ROW(NULL, NULL), 1);
SELECT sdc.k_anonymity(v), sdc.k_anonymity(v, w) AS beside, sdc.p_sensitivity(w, v) AS p FROM records;
CREATE TABLE whole (a numeric, gone int, b text);
ALTER TABLE whole DROP COLUMN gone;
INSERT INTO whole VALUES (1.0, 'x'), (1.00, 'x'), (2, 'x'), (2.0, 'x');
SELECT sdc.k_anonymity(whole) AS whole, sdc.k_anonymity(whole.*) AS expanded, sdc.p_sensitivity(whole, a) AS p, sdc.k_anonymity(ARRAY[whole]) AS list FROM whole;

-- Columns of different types do not run into each other.
SELECT sdc.k_anonymity(a, b, c) FROM (VALUES (1::int2, ''::text, NULL::text), (1, NULL, ''), (1, '', NULL), (1, NULL, '')) v (a, b, c);
SELECT sdc.k_anonymity(a, b) FROM (VALUES ('a', 'bc'), ('ab', 'c'), ('a', 'bc'), ('ab', 'c')) v (a, b);

-- Many distinct values of a type without hash functions, which are kept sorted.
SELECT sdc.k_anonymity(((i * 7919) % 50000)::bigint::money) FROM generate_series(1, 100000) i;

-- citext: a machine without PostgreSQL's contrib modules passes over this.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'citext') THEN RETURN; END IF;
    CREATE EXTENSION citext SCHEMA checks_types;
    ASSERT (SELECT c::text = '(2,3,t,t)' FROM compared('citext', 'Flu', 'flu', 'HIV', 'hiv', 'FLU', NULL, NULL) c);
    ASSERT (SELECT c::text = '(3,1,t,t)' FROM compared('citext[]', '{Flu}', '{flu}', '{FLU}') c);
    DROP EXTENSION citext;
END $$;

-- Collations under which unequal bytes are equal text: a server without ICU passes over this.
DO $$
BEGIN
    BEGIN
        CREATE COLLATION ignore_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    EXCEPTION WHEN feature_not_supported THEN RETURN;
    END;
    ASSERT (SELECT c::text = '(2,3,t,t)' FROM compared('text COLLATE ignore_case', 'Flu', 'flu', 'HIV', 'hiv', 'FLU', NULL, NULL) c);
    ASSERT (SELECT c::text = '(3,1,t,t)' FROM compared('varchar COLLATE ignore_case', 'Flu', 'flu', 'FLU') c);
    ASSERT (SELECT c::text = '(3,1,t,t)' FROM compared('char(4) COLLATE ignore_case', 'Flu', 'flu ', 'FLU') c);
    ASSERT (SELECT c::text = '(3,1,t,t)' FROM compared('text[] COLLATE ignore_case', '{Flu}', '{flu}', '{FLU}') c);
    ASSERT (SELECT c::text = '(3,1,t,t)' FROM compared('code COLLATE ignore_case', 'Flu', 'flu', 'FLU') c);
    -- each column is compared under its own collation, as in GROUP BY
    CREATE TEMPORARY TABLE mixed (a text COLLATE ignore_case, b text);
    INSERT INTO mixed VALUES ('x', 'y'), ('X', 'y'), ('x', 'Y'), ('X', 'Y');
    ASSERT (SELECT sdc.k_anonymity(a, b) = 2 AND sdc.k_anonymity(b, a) = 2 AND sdc.k_anonymity(ROW(a, b)) = 2 FROM mixed);
    ASSERT (SELECT sdc.p_sensitivity(ROW(a), b) = 2 AND sdc.p_sensitivity(ROW(b), a) = 1 FROM mixed);
    ASSERT (SELECT sdc.k_anonymity(b, a COLLATE "C") = 1 FROM mixed);
    ASSERT (SELECT bool_and(actual = 2) FROM sdc.check_anonymity('pg_temp.mixed', '{a,b}') WHERE property = 'k-anonymity');
    BEGIN
        PERFORM sdc.k_anonymity(a, b) OVER () FROM mixed;
        RAISE 'compared under one collation';
    EXCEPTION WHEN indeterminate_collation THEN NULL;
    END;
    DROP TABLE mixed;
END $$;

-- Columns of different collations in one call, each compared under its own.
CREATE TABLE collated (a text COLLATE "C", b text COLLATE "POSIX");
INSERT INTO collated VALUES ('x', 'y'), ('x', 'y');
SELECT sdc.k_anonymity(a, b), sdc.k_anonymity(ROW(a, b)) AS as_row, sdc.p_sensitivity(ROW(a), a, b) AS p FROM collated;
SELECT DISTINCT sdc.k_anonymity(ROW(a, b)) OVER () AS in_window FROM collated;
-- in a window call PostgreSQL names one collation for all arguments: an error where that is not each one's own
SELECT sdc.k_anonymity(a, b) OVER () FROM collated;

DROP SCHEMA checks_types CASCADE;
