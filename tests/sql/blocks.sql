-- method => 'blocks': MDAV in blocks and a local search across their borders, for large tables; and
-- computing threads, which change nothing but the time.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA blocks;
SET search_path = blocks;
CREATE TABLE large AS
SELECT i AS id, sin(i) AS a, cos(i * 1.3) AS b, CASE WHEN i % 10 > 0 THEN sin(i * 0.7) END AS c,
       (i % 4)::text AS kind, i / 2 AS person, i % 3 AS region
FROM generate_series(1, 60000) AS i;

-- every option of the other methods, on one thread and on two: the same rows
CREATE FUNCTION masked(threads int, arguments text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    rows text;
BEGIN
    PERFORM set_config('sdc.threads', threads::text, true);
    EXECUTE format('SELECT md5(string_agg(m::text, '','' ORDER BY id)) FROM sdc.microaggregate(NULL::large, %s, method => ''blocks'') AS m', arguments) INTO rows;
    RETURN rows;
END $$;
SELECT what, masked(1, arguments) = masked(2, arguments) AS same
FROM (VALUES ('plain', $$'{a,b}', 5$$), ('missing values', $$'{a,c}', 5$$), ('categories', $$'{a,b,kind}', 5$$),
             ('weights', $$'{a,b}', 5, weights => '{"a": 4}'$$), ('persons', $$'{a,b}', 5, entity => 'person'$$),
             ('strata', $$'{a,b}', 5, strata => '{region}'$$), ('refined', $$'{a,b}', 5, refine => true, seed => 1$$),
             ('large k', $$'{a,b}', 2000$$)) AS o (what, arguments);
-- k holds, by rows and by persons
SELECT sdc.k_anonymity(a, b, kind) FROM sdc.microaggregate(NULL::large, '{a,b,kind}', 7, method => 'blocks');
SELECT min(n) FROM (SELECT count(DISTINCT person) AS n FROM sdc.microaggregate(NULL::large, '{a,b}', 7, method => 'blocks', entity => 'person') GROUP BY a, b) AS g;

-- no more is lost than by exact MDAV
CREATE TEMP TABLE lost AS
SELECT tried, (loss ->> 'information_loss')::float8 AS loss
FROM unnest('{mdav,blocks}'::text[]) AS tried, LATERAL sdc.publish_microaggregated('large', 'released_' || tried, '{a,b}', 5, method => tried);
SELECT max(loss) FILTER (WHERE tried = 'blocks') <= max(loss) FILTER (WHERE tried = 'mdav') AS no_more FROM lost;
SELECT parameters ->> 'method' AS method, achieved ->> 'k' AS k FROM sdc.releases WHERE target LIKE 'blocks.%' ORDER BY id;
SELECT count(sdc.drop_release(id)) FROM sdc.releases WHERE target LIKE 'blocks.%';
SELECT k, groups > 0 AS groups FROM sdc.risk_utility('large', '{a,b}', '{5,10}', method => 'blocks');

-- sensitive values are not for this method
SELECT * FROM sdc.microaggregate(NULL::large, '{a,b}', 5, '{kind}', 2, method => 'blocks');
SELECT * FROM sdc.microaggregate(NULL::large, '{a,b}', 60001, method => 'blocks');

-- what exact MDAV needs is known before it begins, and blocks need less
CREATE FUNCTION said(query text, OUT state text, OUT message text, OUT tells_how_much bool, OUT hint text) LANGUAGE plpgsql AS $$
DECLARE
    detail text;
BEGIN
    EXECUTE query;
    message := 'answered';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    tells_how_much := detail ~ '^At least \d+ MB are needed';
END $$;
SET work_mem = '64kB';
SET sdc.max_memory = '7MB';
SELECT * FROM said($$SELECT count(*) FROM sdc.microaggregate(NULL::large, '{a,b,id,person}', 5)$$) \gx
SELECT message FROM said($$SELECT count(*) FROM sdc.microaggregate(NULL::large, '{a,b,id,person}', 5, method => 'blocks')$$);
SET sdc.max_memory = '5MB';
SELECT * FROM said($$SELECT count(g) FROM (SELECT sdc.mdav(5, a, b, id, person) OVER () AS g FROM large) AS s$$) \gx
RESET sdc.max_memory;
RESET work_mem;

-- the setting
SHOW sdc.threads;
SET sdc.threads = 0;
SET sdc.threads = 65;
SET sdc.threads = 2;
SHOW sdc.threads;

-- threads that run out of memory, time out or are cancelled leave an ordinary error behind
SET sdc.max_memory = '12MB';
SELECT message, state FROM said($$SELECT count(*) FROM sdc.microaggregate(NULL::large, '{a,b,id,person,region}', 5, method => 'blocks', refine => true)$$);
RESET sdc.max_memory;
-- The processor's time of the backend and its threads counts where it is less than the clock's, which
-- runs on while a busy machine has others at work.
CREATE FUNCTION worked() RETURNS interval LANGUAGE sql AS
$$ SELECT (f[12]::int + f[13]::int) * interval '10 ms' FROM string_to_array(substring(pg_read_file('/proc/self/stat') FROM '\) (.*)'), ' ') AS f $$;
CREATE FUNCTION overrun(query text, milliseconds int) RETURNS interval LANGUAGE plpgsql AS $$
DECLARE
    began timestamptz := clock_timestamp();
    before interval := worked();
BEGIN
    EXECUTE query;
    RAISE 'not cancelled';
EXCEPTION WHEN query_canceled THEN
    RETURN least(clock_timestamp() - began, worked() - before) - milliseconds * interval '1 ms';
END $$;
SET statement_timeout = '400ms';
SELECT overrun($$SELECT count(*) FROM sdc.microaggregate(NULL::large, '{a,b,id}', 5, method => 'blocks', refine => true, effort => 1000)$$, 400) < interval '3 s' AS stopped;
SELECT overrun($$SELECT sdc.publish_microaggregated('large', 'released', '{a,b,id}', 5, method => 'blocks', refine => true, effort => 1000)$$, 400) < interval '3 s' AS stopped;
RESET statement_timeout;
SELECT to_regclass('released') IS NULL AS nothing_left;
-- no thread outlives its call, and the session goes on
SELECT substring(pg_read_file('/proc/self/status') FROM 'Threads:\s*(\d+)') AS threads;
SELECT count(*) FROM sdc.microaggregate(NULL::large, '{a,b}', 5, method => 'blocks');
RESET sdc.threads;
DROP SCHEMA blocks CASCADE;
