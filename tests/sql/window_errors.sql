-- Bad input to window functions: SQLSTATE, message and hint; never a value out of the data.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
CREATE FUNCTION pg_temp.failure(query text) RETURNS TABLE (state text, message text, detail text, hint text)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    state := 'no error'; RETURN NEXT;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
                            detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN NEXT;
END $$;
CREATE TABLE patient (id int, age int, weight float8, illness text);
INSERT INTO patient VALUES (1, 4711, 60, 'a'), (2, NULL, 70, 'a'), (3, 30, 'NaN', 'b'), (4, 31, 'Infinity', 'b');
\x on
SELECT * FROM pg_temp.failure('SELECT sdc.mdav(0, id) OVER () FROM patient');
SELECT * FROM pg_temp.failure('SELECT sdc.mdav(-3, id) OVER () FROM patient');
SELECT * FROM pg_temp.failure('SELECT sdc.mdav(NULL, id) OVER () FROM patient');
SELECT * FROM pg_temp.failure('SELECT sdc.mdav(5, id) OVER () FROM patient');
SELECT * FROM pg_temp.failure('SELECT sdc.mdav(2, id, age) OVER () FROM patient');
SELECT * FROM pg_temp.failure('SELECT sdc.mdav(2, id, weight) OVER () FROM patient WHERE id <> 4');
SELECT * FROM pg_temp.failure('SELECT sdc.mdav(2, id, weight) OVER () FROM patient WHERE id <> 3');
SELECT * FROM pg_temp.failure('SELECT sdc.mdav(2, NULL::patient) OVER () FROM patient');
SELECT * FROM pg_temp.failure('SELECT sdc.mdav(2, VARIADIC (ARRAY[1,2,3])[1:id]) OVER () FROM patient');
SELECT * FROM pg_temp.failure('SELECT sdc.mdav(2, id) FROM patient');
SELECT * FROM pg_temp.failure('SELECT sdc.mdav(2, ''{}''::json) OVER () FROM patient');
SELECT * FROM pg_temp.failure('SELECT sdc.p_sensitive(2, 3, ROW(id), ROW(illness)) OVER () FROM patient');
SELECT * FROM pg_temp.failure('SELECT sdc.p_sensitive(4, 3, ROW(id), ROW(illness)) OVER () FROM patient');
SELECT * FROM pg_temp.failure('SELECT sdc.p_sensitive(4, 0, ROW(id), ROW(illness)) OVER () FROM patient');
SELECT * FROM pg_temp.failure('SELECT sdc.p_sensitive(2, 2, ROW(id), ROW(illness), ''p_last'') OVER () FROM patient');
SELECT * FROM pg_temp.failure('SELECT sdc.p_sensitive(2, 2, ROW(id), NULL) OVER () FROM patient');
SELECT * FROM pg_temp.failure('SELECT sdc.p_sensitive(2, 2, ROW(id), ROW()) OVER () FROM patient');
SELECT * FROM pg_temp.failure('SELECT sdc.mondrian(2, 2, ROW(id), ROW()) OVER () FROM patient');
SELECT * FROM pg_temp.failure('SELECT sdc.mondrian(2, 1, ROW(id), ROW()) OVER () FROM patient');
-- numbers that add up to less than they are: this ended the server
SELECT f.* FROM (VALUES ('200000000', '18446744073709551616'), ('9223372036854775808', '9223372036854775808'), ('3', '0')) AS v (keys, sensitive),
    pg_temp.failure(format('SELECT sdc.masked_stratum(ROW(1, 1), ''{"names": ["a", "b"], "shown": 2, "strata": 0, "keys": %s, "sensitive": %s, "k": 2, "p": 1, "l": null,
    "weights": [1], "method": null, "standardize": true, "seed": null, "refine": false, "effort": null, "nulls": "value", "categorical": [], "max_memory": "1GB"}'') OVER ()', keys, sensitive)) AS f;
\x off

-- more memory than allowed is an error, and the session goes on
SET sdc.max_memory = '1MB';
SELECT * FROM pg_temp.failure('SELECT sdc.mdav(2, i) OVER () FROM generate_series(1, 300000) AS i');
SELECT max(g) FROM (SELECT sdc.mdav(2, i) OVER () AS g FROM generate_series(1, 100) AS i) s;
\set VERBOSITY sqlstate
SET sdc.max_memory = '0';
\set VERBOSITY default
RESET sdc.max_memory;
-- the prefix is reserved from PostgreSQL 15 on
DO $$
BEGIN
    SET sdc.no_such_setting = 1;
    IF current_setting('server_version_num')::int >= 150000 THEN RAISE 'a setting that does not exist was taken'; END IF;
EXCEPTION WHEN invalid_name THEN
END $$;
DROP TABLE patient;
