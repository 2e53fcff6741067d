-- Leaks through messages: errors, details, hints, notices, warnings and contexts name columns and
-- counts, never a value. Every value here holds the word "secret" or the number 777777.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA talk;
SET search_path = talk;
CREATE TABLE patient (id int, age int, height float8, born date, zip text, illness text, doctor text);
INSERT INTO patient SELECT i, 777777, 777777 + i, date '2000-01-01' + i, 'secret zip ' || i % 3, 'secret illness ' || i % 4, 'secret' FROM generate_series(1, 40) AS i;
INSERT INTO patient VALUES (99, NULL, 'NaN', 'infinity', NULL, NULL, 'secret');
CREATE TABLE complete AS SELECT * FROM patient WHERE id < 99;
CREATE TABLE zips (level0 text, level1 text, level2 text);
INSERT INTO zips VALUES ('secret zip 0', 'secret a', 'secret c'), ('secret zip 1', 'secret b', 'secret c'), ('secret zip 2', 'secret a', 'secret d');
CREATE TABLE short_zips AS SELECT level0, level1 FROM zips LIMIT 2;
CREATE TABLE double_zips AS SELECT level0, level1 FROM zips UNION ALL SELECT level0, level1 FROM zips;
CREATE TABLE huge AS SELECT ('777777' || repeat('7', 400))::numeric AS n, i FROM generate_series(1, 9) AS i;
CREATE DOMAIN even AS int CHECK (VALUE % 2 = 0);
CREATE TABLE domained (age even, note varchar(20));
INSERT INTO domained SELECT CASE WHEN i % 3 = 0 THEN 777778 ELSE 777780 END, 'secret ' || i FROM generate_series(1, 30) AS i;

-- what a call says, all parts of it: caught, and looked through for values
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE m text; d text; h text; c text; k text; t text; n text; x text;
BEGIN
    EXECUTE statement;
    RETURN 'no error';
EXCEPTION WHEN query_canceled OR OTHERS THEN
    GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, d = PG_EXCEPTION_DETAIL, h = PG_EXCEPTION_HINT, c = PG_EXCEPTION_CONTEXT,
        k = COLUMN_NAME, t = TABLE_NAME, n = CONSTRAINT_NAME, x = PG_DATATYPE_NAME;
    -- the context's last line is this function's own statement
    c := regexp_replace(c, 'SQL statement "' || regexp_replace(statement, '([][().*+?|{}\\^$])', '\\\1', 'g') || '"\nPL/pgSQL function said.*', '');
    IF concat(m, d, h, c, k, t, n, x) ~ 'secret|77777|77778|777[.]' THEN RETURN 'LEAK: ' || concat_ws(' | ', m, d, h, c, k, t, n, x); END IF;
    RETURN m;
END $$;
CREATE TABLE call (number int GENERATED ALWAYS AS IDENTITY, statement text);
INSERT INTO call (statement) VALUES
    ($$SELECT sdc.mdav(3, age) OVER () FROM patient$$),
    ($$SELECT sdc.mdav(3, height) OVER () FROM patient$$),
    ($$SELECT sdc.mdav(3, born) OVER () FROM patient$$),
    ($$SELECT sdc.mdav(300, age) OVER () FROM complete$$),
    ($$SELECT sdc.p_sensitive(5, 5, ROW(age), ROW(illness)) OVER () FROM complete$$),
    ($$SELECT sdc.mondrian(2, ROW(height)) OVER () FROM patient$$),
    ($$SELECT sdc.anatomy(5, illness) OVER () FROM complete$$),
    ($$SELECT sdc.permutation(5, ROW(age), illness) OVER () FROM complete$$),
    ($$SELECT * FROM sdc.microaggregate(NULL::patient, '{age}', 3, nulls => 'error')$$),
    ($$SELECT * FROM sdc.microaggregate(NULL::patient, '{height,born}', 3)$$),
    ($$SELECT * FROM sdc.microaggregate(NULL::complete, '{age}', 6, '{illness}', 6)$$),
    ($$SELECT * FROM sdc.microaggregate(NULL::domained, '{age}', 30)$$),
    ($$SELECT sdc.publish_microaggregated('domained', 'domained_released', '{age}', 30)$$),
    ($$SELECT sdc.publish_microaggregated('patient', 'x', '{age}', 3, nulls => 'error')$$),
    ($$SELECT sdc.publish_microaggregated('complete', 'x', '{age}', 6, '{illness}', 6)$$),
    ($$SELECT sdc.publish_anatomy('complete', 'x', '{age}', 'illness', 5)$$),
    ($$SELECT sdc.publish_anatomy('patient', 'x', '{age}', 'illness', 2, nulls => 'error')$$),
    ($$SELECT sdc.publish_permutation('patient', 'x', '{height}', 'illness', 2)$$),
    ($$SELECT sdc.publish_permutation('complete', 'x', '{age}', 'doctor', 2)$$),
    ($$SELECT sdc.publish_generalized('complete', 'x', '{"zip": "zips"}', 2)$$),
    ($$SELECT sdc.publish_generalized('complete', 'x', '{"zip": "short_zips"}', 2)$$),
    ($$SELECT sdc.publish_generalized('complete', 'x', '{"zip": "double_zips"}', 2)$$),
    ($$SELECT sdc.publish_generalized('patient', 'x', '{"zip": "short_zips"}', 2)$$),
    ($$SELECT sdc.publish_generalized('complete', 'x', '{"zip": "short_zips"}', 200)$$),
    ($$SELECT * FROM sdc.minimal_generalizations('complete', '{"zip": "short_zips"}', 2)$$),
    ($$SELECT sdc.generalize(zip, 'short_zips', 1) FROM complete$$),
    ($$SELECT sdc.generalize(zip, 'zips', 1) FROM complete$$),
    ($$SELECT sdc.category(illness, '[["a"], ["b"]]') FROM complete$$),
    ($$SELECT * FROM sdc.check_anonymity('complete', '{zip}', '{illness}', alpha => 1, categories => '[["a"], ["b"]]')$$),
    ($$SELECT sdc.assert_anonymity('complete', '{zip,height}', '{illness}', k => 2, p => 2, l => 2, t => 0.1)$$),
    ($$SELECT sdc.assert_anonymity('complete', '{zip}', '{age}', k => 2, p => 2, t => 0)$$),
    ($$SELECT sdc.p_plus(ROW(zip), age) FROM complete$$),
    ($$SELECT sdc.alpha_weight(ROW(zip), age, 3) FROM complete$$),
    ($$SELECT sdc.sse(age, height) FROM patient$$),
    ($$SELECT sdc.information_loss(id, height) FROM patient$$),
    ($$SELECT sdc.ncp(id, height, born) FROM patient$$),
    ($$SELECT sdc.reconstruction_error(id, ROW(height), illness, true) FROM patient$$),
    ($$SELECT sdc.interval_hierarchy('patient', 'height', 'y', '{10}')$$),
    ($$SELECT sdc.date_hierarchy('patient', 'born', 'w')$$),
    ($$SELECT sdc.grouping_hierarchy('complete', 'zip', 'w', '[{"a": ["b"]}]')$$),
    ($$SELECT sdc.prefix_hierarchy('complete', 'zip', 'zips')$$),
    ($$SELECT * FROM sdc.feasibility('complete', '{illness}', 0)$$),
    ($$SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW(height), 777777, 3) OVER () FROM complete$$),
    ($$SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW(height), 1, 3) OVER () FROM patient$$),
    ($$SELECT sdc.publish_p_alpha('complete', 'x', '{age}', 'illness', '[["a"], ["b"]]', 3, 2, 1)$$),
    ($$SELECT sdc.publish_p_alpha('patient', 'x', '{height}', 'illness', '[["a"], ["b"]]', 3, 2, 1)$$),
    ($$SELECT sdc.publish_p_alpha('complete', 'x', '{zip}', 'doctor', '[["secret"], ["b"]]', 3, 2, 1)$$),
    ($$SELECT sdc.publish_p_alpha('complete', 'x', '{zip}', 'doctor', '[["b"], ["secret"]]', 3, 1, 1, hierarchies => '{"zip": "short_zips"}')$$),
    ($$SELECT sdc.mondrian(2, 1, ROW(zip), ROW(1), '{short_zips}') OVER () FROM complete$$),
    ($$SELECT sdc.mdav(3, n) OVER () FROM huge$$),
    ($$SELECT sdc.sse(i, n) FROM huge$$),
    ($$SELECT * FROM sdc.microaggregate(NULL::huge, '{n}', 3)$$),
    ($$SELECT sdc.report('huge', '{n}', ks => '{2}')$$),
    ($$SELECT sdc.report('patient', '{age,height,born}', '{illness}', ks => '{2}')$$),
    ($$SELECT sdc.report('complete', '{zip}', '{illness}', alpha => 1, categories => '[["a"], ["b"]]')$$),
    ($$SELECT * FROM sdc.risk_utility(NULL::patient, '{height}')$$),
    ($$SELECT * FROM sdc.risk_utility(NULL::complete, '{height}', '{99}', '{illness}', 99)$$),
    ($$SELECT * FROM sdc.histogram('complete', '{zip}', 0)$$);
SELECT number, said(statement) FROM call ORDER BY number;

-- stopped in the middle: the context of a cancelled statement
CREATE TABLE large AS SELECT i AS id, (i::int8 * 7919 % 777777)::float8 AS a, (i::int8 * 104729 % 777777)::float8 AS b, 'secret ' || i % 50 AS c FROM generate_series(1, 300000) AS i;
SET statement_timeout = '40ms';
SELECT said($$SELECT sdc.publish_microaggregated('large', 'z', '{a,b}', 3, '{c}', 3)$$);
SELECT said($$SELECT sdc.publish_permutation('large', 'z', '{a,b}', 'c', 3)$$);
SELECT said($$SELECT * FROM sdc.check_anonymity('large', '{a,b}', '{c}', t => 0.1)$$);
SELECT said($$SELECT sdc.k_anonymity(a, b, c) FROM large, generate_series(1, 100)$$);
SELECT said($$SELECT sdc.prefix_hierarchy('large', 'c', 'z' || i) FROM generate_series(1, 1000) AS i$$);
RESET statement_timeout;

-- warnings count, too
SET client_min_messages = warning;
SELECT rows FROM sdc.publish_anatomy('complete', 'first', '{age,zip}', 'illness', 2, seed => 1);
SELECT rows FROM sdc.publish_anatomy('complete', 'second', '{age,zip}', 'illness', 2, seed => 2);
SET client_min_messages = error;
-- a release says what it is without a value
SELECT target FROM sdc.releases WHERE source LIKE 'talk.%' AND concat(parameters, achieved, loss) ~ 'secret|77777';
DELETE FROM sdc.release WHERE source LIKE 'talk.%';
DROP SCHEMA talk CASCADE;
