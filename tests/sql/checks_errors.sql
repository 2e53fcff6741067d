-- Bad input: SQLSTATE, message, detail and hint of every refusal, and never a value out of the data.
CREATE SCHEMA checks_errors;
SET search_path = checks_errors;
CREATE FUNCTION refusal(query text, OUT code text, OUT message text, OUT detail text, OUT hint text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    message := 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
END $$;
CREATE TABLE patient (id int, age int, zip text, illness text, cost money, report json);
INSERT INTO patient VALUES (1, 30, 'SECRET 1', 'SECRET 2', 1, '{}'), (2, 30, 'SECRET 1', 'SECRET 3', 1, '{}'), (3, 31, 'SECRET 4', 'SECRET 3', 1, '{}');
CREATE SEQUENCE no_rows;
CREATE INDEX an_index ON patient (id);
CREATE TYPE a_type AS (a int);
\pset format unaligned
\pset tuples_only on
\x on

-- requirements
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', k => 0)$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', k => -1)$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', '{illness}', p => 0)$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', '{illness}', l => 0.5)$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', '{illness}', l => 'NaN')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', '{illness}', t => -0.1)$$);
-- no distance of two distributions is larger than 1
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', '{illness}', t => 3)$$);
SELECT * FROM refusal($$SELECT sdc.publish_microaggregated('patient', 'far', '{age}', 2, '{illness}', t => 1.01)$$);
SELECT * FROM refusal($$SELECT * FROM sdc.check_anonymity('patient', '{age,zip}', '{illness}', t => 1)$$);
-- the name of a table and its columns, where columns are wanted
SELECT * FROM refusal($$SELECT sdc.k_anonymity('patient', '{age}')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', '{illness}', t => 'NaN')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', '{illness}', k => 2, p => 3)$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', p => 2)$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', l => 2)$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', t => 0.2)$$);
SELECT * FROM refusal($$SELECT sdc.violations('patient', '{age,zip}', '{illness}')$$);
SELECT * FROM refusal($$SELECT sdc.assert_anonymity('patient', '{age,zip}', '{illness}')$$);

-- relations and columns
SELECT * FROM refusal($$SELECT sdc.check_anonymity('nowhere', '{age}')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity(1::regclass, '{age}')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('no_rows', '{last_value}')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('an_index', '{id}')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('a_type', '{a}')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{}')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,Age}')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,ctid}')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip,age}')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', '{illness,zip}')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', '{illness,illness}')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', entity => 'person')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,NULL}')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,report}')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age}', '{report}')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity(NULL, '{age}')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', NULL)$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age}', NULL)$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{"age FROM patient; DROP TABLE patient; --"}')$$);

-- categories
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', '{illness}', alpha => 1)$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', '{illness}', alpha => -1, categories => '[["SECRET 2"],["SECRET 3"]]')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', '{illness,cost}', alpha => 1, categories => '[["SECRET 2"],["SECRET 3"]]')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', alpha => 1, categories => '[["SECRET 2"],["SECRET 3"]]')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', '{illness}', categories => '[["SECRET 2", "SECRET 3"]]')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', '{illness}', categories => '[["SECRET 2"], ["flu"]]')$$);
SELECT * FROM refusal($$SELECT sdc.violations('patient', '{age,zip}', '{illness}', alpha => 1, categories => '[["SECRET 2"], ["flu"]]')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', '{illness}', categories => '[["SECRET 2"], ["SECRET 3", "SECRET 2"]]')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', '{illness}', categories => '{"a": 1}')$$);
SELECT * FROM refusal($$SELECT sdc.check_anonymity('patient', '{age,zip}', '{illness}', categories => '[[1], [2]]')$$);
SELECT * FROM refusal($$SELECT sdc.category('SECRET', '[["a"], ["b"]]')$$);
SELECT * FROM refusal($$SELECT sdc.category('a', '[["a"], ["b", "a"]]')$$);
SELECT * FROM refusal($$SELECT sdc.category('a', '"a"')$$);
SELECT * FROM refusal($$SELECT sdc.category_weight(1, 1)$$);
SELECT * FROM refusal($$SELECT sdc.category_weight(5, 4)$$);
SELECT * FROM refusal($$SELECT sdc.category_weight(0, 4)$$);
SELECT * FROM refusal($$SELECT sdc.category_distance(1, 5, 4)$$);
SELECT * FROM refusal($$SELECT sdc.category_distance(1, 2, -1)$$);

-- feasibility
SELECT * FROM refusal($$SELECT sdc.feasibility('patient', '{illness}', 0)$$);
SELECT * FROM refusal($$SELECT sdc.feasibility('patient', '{}', 2)$$);
SELECT * FROM refusal($$SELECT sdc.feasibility('patient', '{nothing}', 2)$$);
SELECT * FROM refusal($$SELECT sdc.feasibility('patient', '{illness,illness}', 2)$$);

-- what an assertion says
SELECT * FROM refusal($$SELECT sdc.assert_anonymity('patient', '{age,zip}', '{illness,cost}', k => 2, p => 2, l => 2, t => 0.2)$$);
SELECT * FROM refusal($$SELECT sdc.assert_anonymity('patient', '{age,zip}', '{illness}', alpha => 1, categories => '[["SECRET 2"], ["SECRET 3"]]')$$);
SELECT * FROM refusal($$SELECT sdc.assert_anonymity('patient', '{age,zip}', '{illness}', k => 1)$$);

-- aggregates
SELECT * FROM refusal($$SELECT sdc.k_anonymity(a COLLATE "C" || b COLLATE "POSIX") FROM (VALUES ('x', 'y')) v (a, b)$$);
SELECT * FROM refusal($$SELECT sdc.k_anonymity(a COLLATE "C", b COLLATE "POSIX") OVER () FROM (VALUES ('x', 'y')) v (a, b)$$);
SELECT * FROM refusal($$SELECT sdc.k_anonymity() FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.k_anonymity(report) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.p_sensitivity(ROW(age), report) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.p_sensitivity(ROW(age)) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.p_sensitivity(NULL::record, illness) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.p_sensitivity(CASE WHEN id < 3 THEN ROW(age) END, illness) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.p_sensitivity(CASE WHEN id < 3 THEN ROW(age) ELSE ROW(zip) END, illness) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.p_sensitivity(zip, illness) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.k_anonymity(VARIADIC CASE WHEN id < 3 THEN ARRAY[age] ELSE ARRAY[age, id] END) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.k_anonymity(VARIADIC NULL::int[]) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.k_anonymity(VARIADIC '{}'::int[]) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.recursive_l_diversity(ROW(age), illness, 0) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.recursive_l_diversity(ROW(age), illness, -1) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.recursive_l_diversity(ROW(age), illness, 'NaN') FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.recursive_l_diversity(ROW(age), illness, NULL) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.recursive_l_diversity(ROW(age), illness, id) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.p_plus(ROW(age), 0) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.p_plus(ROW(age), NULL) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.alpha_weight(ROW(age), 5, 4) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.alpha_weight(ROW(age), 1, 1) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.alpha_weight(ROW(age), 1, -1) FROM patient$$);
SELECT * FROM refusal($$SELECT sdc.alpha_weight(ROW(age), 1, NULL) FROM patient$$);
-- what is internal cannot be called: PostgreSQL 14 says so in other words
SELECT code IN ('42883', '0A000') AS refused FROM refusal($$SELECT sdc.counts_serialize(NULL)$$);

-- memory: an error in time, and the session goes on
SET sdc.max_memory = '1MB';
SELECT code, message, hint FROM refusal($$SELECT sdc.k_anonymity(i) FROM generate_series(1, 1000000) i$$);
SELECT code, message, hint FROM refusal($$SELECT sdc.k_anonymity(i::numeric) FROM generate_series(1, 1000000) i$$);
SELECT code, message, hint FROM refusal($$SELECT sdc.p_sensitivity(1, i::text) FROM generate_series(1, 1000000) i$$);
SELECT code, message, hint FROM refusal($$SELECT sdc.l_diversity(i % 1000, i::money) FROM generate_series(1, 1000000) i$$);
-- many small states count together
SET enable_sort = off;
SELECT code, message, hint FROM refusal($$SELECT count(k) FROM (SELECT sdc.k_anonymity(i) AS k FROM generate_series(1, 100000) i GROUP BY i % 50000) q$$);
RESET enable_sort;
-- a value for each row that PostgreSQL itself sorts and hashes is no matter for a table check
CREATE TABLE all_different AS SELECT i AS id, 1 AS one FROM generate_series(1, 100000) i;
SELECT * FROM sdc.check_anonymity('all_different', '{id}', '{one}', k => 2);
-- rows are not what takes memory
SELECT sdc.k_anonymity(i % 10), sdc.p_sensitivity(i % 10, i % 7) FROM generate_series(1, 1000000) i;
RESET sdc.max_memory;
SELECT sdc.k_anonymity(i) FROM generate_series(1, 1000000) i;

SET client_min_messages = warning;
DROP SCHEMA checks_errors CASCADE;
