-- Risk functions stop in time, keep to sdc.max_memory, and see what the caller may see.
CREATE SCHEMA risk_safety;
SET search_path = risk_safety;
CREATE TABLE large AS
SELECT i AS id, hashint4(i) % 1000 AS a, hashint4(i + 1) % 500 AS b, hashint4(i + 2) % 90 AS c, hashint4(i + 3) % 9 AS d, hashint4(i + 4) % 7 AS e,
       nullif(hashint4(i + 5) % 40, 0) AS f, nullif(hashint4(i + 6) % 30, 0) AS g, 1.5::float8 AS weight FROM generate_series(1, 400000) i;

-- A timeout stops each of them within a second.
CREATE FUNCTION worked() RETURNS interval LANGUAGE sql AS
$$ SELECT (f[12]::int + f[13]::int) * interval '10 ms' FROM string_to_array(substring(pg_read_file('/proc/self/stat') FROM '\) (.*)'), ' ') AS f $$;
CREATE FUNCTION stopped(query text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE began timestamptz := clock_timestamp();
        before interval := risk_safety.worked();
BEGIN
    EXECUTE query;
    RAISE 'not cancelled';
EXCEPTION WHEN query_canceled THEN
    RETURN least(clock_timestamp() - began, risk_safety.worked() - before) < interval '1 s';
END $$;
CREATE TABLE call (number int GENERATED ALWAYS AS IDENTITY, statement text);
INSERT INTO call (statement) VALUES
    ($$SELECT count(s) FROM (SELECT sdc.suda(7, a, b, c, d, e, f, g) OVER () AS s FROM large) q$$),
    ($$SELECT count(s) FROM (SELECT sdc.dis_suda(0.1, 7, a, b, c, d, e, f, g) OVER () AS s FROM large) q$$),
    ($$SELECT count(*) FROM sdc.suda_keys('large', '{a,b,c,d,e,f,g}', 7)$$),
    ($$SELECT count(s) FROM (SELECT sdc.individual_risk(weight, a, b, c) OVER () AS s FROM large) q$$),
    ($$SELECT count(*) FROM sdc.risk('large', '{a,b,c,d,e,f,g}', nulls => 'wildcard')$$),
    ($$SELECT count(*) FROM sdc.check_anonymity('large', '{a,b,c,d,e,f,g}', nulls => 'wildcard')$$),
    ($$SELECT count(*) FROM sdc.risk('large', '{id,a,b,c}', population => 'large')$$),
    ($$SELECT count(*) FROM sdc.column_risk('large', '{a,b,c,d,e}', 2)$$),
    ($$SELECT count(*) FROM sdc.population_models('large', '{id,a,b,c}', 0.1)$$),
    ($$SELECT sdc.population_uniqueness(0.1, id, a, b, c) FROM large$$);
SET statement_timeout = '20ms';
-- one statement for each: a timeout is for the whole statement
SELECT format('SELECT %s AS call, stopped(%L)', number, statement) FROM call ORDER BY number \gexec
RESET statement_timeout;

-- What needs memory for each row or group says so; what PostgreSQL counts answers.
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END $$;
SET sdc.max_memory = '1MB';
SELECT number, said(statement) FROM call ORDER BY number;
RESET sdc.max_memory;

-- Privileges and row-level security are the caller's.
CREATE TABLE patient AS SELECT i % 3 AS age, i % 2 AS sex, 1.5::float8 AS weight, i FROM generate_series(1, 30) i;
CREATE ROLE risk_analyst;
GRANT USAGE ON SCHEMA risk_safety TO risk_analyst;
SET ROLE risk_analyst;
SELECT count(*) FROM sdc.risk('patient', '{age,sex}');
SELECT count(*) FROM sdc.column_risk('patient', '{age,sex}');
SELECT count(*) FROM sdc.suda_keys('patient', '{age,sex}');
SELECT count(*) FROM sdc.population_models('patient', '{age,sex}', 0.1);
SELECT count(*) FROM sdc.check_anonymity('patient', '{age,sex}', nulls => 'wildcard');
RESET ROLE;
GRANT SELECT (age, sex) ON patient TO risk_analyst;
SET ROLE risk_analyst;
SELECT value FROM sdc.risk('patient', '{age,sex}') WHERE measure = 'k_map';
SELECT value FROM sdc.risk('patient', '{age,sex}', weight => 'weight') WHERE measure = 'k_map';
RESET ROLE;
ALTER TABLE patient ENABLE ROW LEVEL SECURITY;
CREATE POLICY youngest ON patient TO risk_analyst USING (age = 0);
SET ROLE risk_analyst;
SELECT measure, value FROM sdc.risk('patient', '{age,sex}') WHERE attacker = 'prosecutor';
SELECT columns, uniques FROM sdc.column_risk('patient', '{age,sex}', 1);
RESET ROLE;

-- Nothing depends on search_path, nor on names that need quoting.
CREATE SCHEMA evil;
CREATE FUNCTION evil.count() RETURNS bigint LANGUAGE sql AS 'SELECT 666::bigint';
CREATE FUNCTION evil.less(bigint, bigint) RETURNS bool LANGUAGE sql AS 'SELECT true';
CREATE OPERATOR evil.< (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = evil.less);
CREATE TABLE "Odd; --" ("a""b" int, "select" text, k1 int, size int, pop int, bad int);
INSERT INTO "Odd; --" VALUES (1, 'x', 1, 1, 1, 1), (1, 'x', 1, 1, 1, 1), (2, NULL, 2, 2, 2, 2);
SET search_path = evil, risk_safety, pg_catalog;
SELECT measure, value FROM sdc.risk('"Odd; --"', ARRAY['a"b', 'select', 'bad', 'pop', 'size', 'k1'], population => '"Odd; --"') WHERE attacker IN ('prosecutor', 'membership');
SELECT measure, value FROM sdc.risk('"Odd; --"', ARRAY['a"b', 'select', 'bad', 'pop', 'size'], weight => 'k1', nulls => 'wildcard') WHERE attacker = 'journalist';
SELECT columns, uniques FROM sdc.column_risk('"Odd; --"', ARRAY['a"b', 'select', 'k1']) ORDER BY 1;
SELECT key, minimal_uniques FROM sdc.suda_keys('"Odd; --"', ARRAY['a"b', 'select', 'k1']);
SELECT key_values FROM sdc.violations('"Odd; --"', ARRAY['a"b', 'select', 'k1', 'size'], population => '"Odd; --"', k_map => 2, delta => 0.9);
SELECT key_values, actual FROM sdc.violations('"Odd; --"', ARRAY['a"b', 'select'], k => 2, nulls => 'wildcard');

RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA evil CASCADE;
DROP SCHEMA risk_safety CASCADE;
DROP ROLE risk_analyst;
