-- sdc.permute: any type, every order equally likely, columns independent of each other.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA permute;
SET search_path = permute;
SET sdc.seed = 2015;

-- 3,600 partitions of three rows, two columns: 6 orders each, 36 pairs of orders.
-- chi-square below its 0.999 quantile for 5 and 35 degrees of freedom
CREATE TABLE shuffled AS
SELECT part, id, sdc.permute(id) OVER w AS a, sdc.permute(chr(96 + id)) OVER w AS b
FROM generate_series(1, 3600) AS part, generate_series(1, 3) AS id
WINDOW w AS (PARTITION BY part ORDER BY id);
CREATE VIEW orders AS
SELECT part, string_agg(a::text, '' ORDER BY id) AS a, string_agg(b, '' ORDER BY id) AS b FROM shuffled GROUP BY part;
SELECT count(*) AS orders, sum((n - 600)^2 / 600) < 20.5 AS uniform FROM (SELECT count(*) AS n FROM orders GROUP BY a) s;
SELECT count(*) AS orders, sum((n - 600)^2 / 600) < 20.5 AS uniform FROM (SELECT count(*) AS n FROM orders GROUP BY b) s;
SELECT count(*) AS pairs, sum((n - 100)^2 / 100) < 66.6 AS independent FROM (SELECT count(*) AS n FROM orders GROUP BY a, b) s;
-- partitions do not repeat each other
SELECT sum((n - 100)^2 / 100) < 66.6 AS independent
FROM (SELECT count(*) AS n FROM orders JOIN orders next ON next.part = orders.part + 1 GROUP BY orders.a, next.a) s;

-- the values stay, their order does not
SELECT count(*), count(DISTINCT v), abs(corr(i, v)) < 0.1 AS uncorrelated
FROM (SELECT i, sdc.permute(i) OVER () AS v FROM generate_series(1, 3000) AS i) s;

-- one statement run again gets the same orders, another call in it does not
CREATE FUNCTION draw() RETURNS text LANGUAGE sql AS
    'SELECT string_agg(v, '' '') FROM (SELECT sdc.permute(i::text) OVER () AS v FROM generate_series(1, 20) AS i) s';
SELECT draw() AS a \gset
SELECT draw() = :'a' AS same, draw() = :'a' AS second_the_same;
RESET sdc.seed;
SELECT draw() = draw() AS same;

-- any type, NULLs included
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE TYPE pair AS (a int, b text);
CREATE DOMAIN zip AS text CHECK (length(VALUE) = 5);
CREATE TABLE every (i int, b bool, t text, n numeric, d date, tz timestamptz, iv interval, u uuid, ip inet, j json, jb jsonb,
                    ia int[], m mood, p pair, z zip, c char(3), f float8, by bytea, pt point, r int4range);
INSERT INTO every
SELECT i, i % 2 = 0, repeat('x' || i, 700 * (i % 4)), i / 3.0, date '2026-01-01' + i, timestamptz '2026-01-01 UTC' + i * interval '1 hour',
       i * interval '1 day', ('00000000-0000-0000-0000-' || lpad(i::text, 12, '0'))::uuid, ('10.0.0.' || i)::inet,
       json_build_object('i', i), jsonb_build_object('i', i), ARRAY[i, i + 1], (ARRAY['sad', 'glad'])[1 + i % 2]::mood, ROW(i, 'b' || i)::pair,
       lpad(i::text, 5, '0'), 'c' || i, i / 7.0, decode(lpad(i::text, 4, '0'), 'hex'), point(i, i), int4range(i, i + 2)
FROM generate_series(1, 30) AS i;
INSERT INTO every (i) VALUES (31), (32);
CREATE TABLE every_shuffled AS
SELECT sdc.permute(i) OVER () AS i, sdc.permute(b) OVER () AS b, sdc.permute(t) OVER () AS t, sdc.permute(n) OVER () AS n,
       sdc.permute(d) OVER () AS d, sdc.permute(tz) OVER () AS tz, sdc.permute(iv) OVER () AS iv, sdc.permute(u) OVER () AS u,
       sdc.permute(ip) OVER () AS ip, sdc.permute(j) OVER () AS j, sdc.permute(jb) OVER () AS jb, sdc.permute(ia) OVER () AS ia,
       sdc.permute(m) OVER () AS m, sdc.permute(p) OVER () AS p, sdc.permute(z) OVER () AS z, sdc.permute(c) OVER () AS c,
       sdc.permute(f) OVER () AS f, sdc.permute(by) OVER () AS by, sdc.permute(pt) OVER () AS pt, sdc.permute(r) OVER () AS r
FROM every;
SELECT a.attname, a.atttypid = s.atttypid AS same_type
FROM pg_attribute a JOIN pg_attribute s USING (attname)
WHERE a.attrelid = 'every'::regclass AND s.attrelid = 'every_shuffled'::regclass AND a.attnum > 0 AND a.atttypid <> s.atttypid;
SELECT key, count(*) AS lost
FROM ((SELECT key, value FROM every e, json_each_text(to_json(e)) EXCEPT ALL SELECT key, value FROM every_shuffled e, json_each_text(to_json(e)))
      UNION ALL
      (SELECT key, value FROM every_shuffled e, json_each_text(to_json(e)) EXCEPT ALL SELECT key, value FROM every e, json_each_text(to_json(e)))) d
GROUP BY key;

-- in a pipeline, over an expression, and not as a plain function
SELECT count(*) FROM (SELECT sdc.permute(upper(t)) OVER (PARTITION BY m ORDER BY i) FROM every WHERE i < 20) s;
SELECT sdc.permute(i) OVER () FROM every WHERE false;
SELECT sdc.permute(i) FROM every;
-- memory is bounded
SET sdc.max_memory = '1MB';
SELECT count(*) FROM (SELECT sdc.permute(repeat('x', 1000)) OVER () FROM generate_series(1, 5000)) s;
RESET sdc.max_memory;

DROP SCHEMA permute CASCADE;
RESET search_path;
