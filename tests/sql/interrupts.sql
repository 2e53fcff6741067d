-- Long work answers statement_timeout at once, frees what it took, and shows its progress.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
CREATE TABLE large AS
SELECT i AS id, sin(i) AS a, cos(i * 1.3) AS b, sin(i * 0.7) AS c, cos(i * 2.1) AS d FROM generate_series(1, 150000) AS i;

-- how long a statement ran after it should have stopped, and the backend's memory in kB
CREATE FUNCTION pg_temp.overrun(query text) RETURNS interval LANGUAGE plpgsql AS $$
DECLARE began timestamptz := clock_timestamp();
BEGIN
    EXECUTE query;
    RAISE 'not cancelled';
EXCEPTION WHEN query_canceled THEN
    RETURN clock_timestamp() - began - interval '100 ms';
END $$;
CREATE FUNCTION pg_temp.memory() RETURNS int LANGUAGE sql AS
$$ SELECT substring(pg_read_file('/proc/self/status') FROM 'VmRSS:\s*(\d+) kB')::int $$;

SET statement_timeout = '100ms';
SELECT pg_temp.overrun('SELECT count(g) FROM (SELECT sdc.mdav(50, a, b, c, d) OVER () AS g FROM large) s') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT count(g) FROM (SELECT sdc.p_sensitive(50, 2, ROW(a, b, c, d), ROW(id % 3), ''random_rows'') OVER () AS g FROM large) s') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT count(*) FROM sdc.microaggregate(NULL::large, ''{a,b,c,d}'', 50)') < interval '1 s' AS stopped;
SELECT pg_temp.overrun('SELECT sdc.publish_microaggregated(''large'', ''released'', ''{a,b,c,d}'', 50)') < interval '1 s' AS stopped;
SELECT to_regclass('released') IS NULL AS nothing_left;

-- 200 cancelled calls leave the memory flat
SET statement_timeout = 0;
CREATE FUNCTION pg_temp.cancel_often(times int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE cancelled int := 0;
BEGIN
    FOR i IN 1 .. times LOOP
        BEGIN
            PERFORM sdc.mdav(50, a, b, CASE WHEN id = 20000 AND pg_cancel_backend(pg_backend_pid()) THEN c ELSE d END)
                    OVER (ORDER BY id) FROM large WHERE id <= 20000;
        EXCEPTION WHEN query_canceled THEN cancelled := cancelled + 1;
        END;
    END LOOP;
    RETURN cancelled;
END $$;
SELECT pg_temp.cancel_often(20);
SELECT pg_temp.memory() AS before \gset
SELECT pg_temp.cancel_often(200);
SELECT pg_temp.memory() - :before < 10000 AS flat;

-- nobody is at work now; the view is there for everybody
CREATE ROLE sdc_anybody;
SET ROLE sdc_anybody;
SELECT count(*) FROM sdc.progress;
RESET ROLE;
DROP ROLE sdc_anybody;
\d sdc.progress
DROP TABLE large;
