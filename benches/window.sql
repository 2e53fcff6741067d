-- How fast rows reach the engine through the window path: a single group of all rows needs no
-- distances, so what is measured is reading and scaling.
SET max_parallel_workers_per_gather = 0;
CREATE TABLE numbers AS
SELECT i AS id, random() AS a, random() AS b, random() AS c, random() AS d FROM generate_series(1, 1000000) AS i;
VACUUM ANALYZE numbers;
\echo '1,000,000 rows x 4 float8 columns; the target for reading is 3 times sum() OVER ()'
WITH measured AS MATERIALIZED (
    SELECT ms('SELECT sum(a) OVER () FROM numbers') AS base,
           ms('SELECT sdc.mdav(1000000, a, b, c, d) OVER () FROM numbers') AS four,
           ms('SELECT sdc.mdav(1000000, VARIADIC ARRAY[a, b, c, d]) OVER () FROM numbers') AS arr,
           ms('SELECT sdc.mdav(1000000, ROW(a, b, c, d)) OVER () FROM numbers') AS rec)
SELECT path, ms, round(ms / base, 2) AS "times sum() OVER ()"
FROM measured, LATERAL (VALUES ('sum(a) OVER ()', base), ('four columns', four), ('an array', arr), ('a record', rec)) AS v (path, ms);
