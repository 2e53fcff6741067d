-- (p+,alpha)-sensitive grouping through SQL beside p-sensitive grouping of the same rows.
SET max_parallel_workers_per_gather = 0;
SELECT setseed(0.1) \g /dev/null
CREATE TABLE points AS
SELECT i AS id, random() AS a, random() AS b, random() AS c, random() AS d, 1 + floor(4 * random())::int AS category
FROM generate_series(1, 100000) AS i;
VACUUM ANALYZE points;

\echo 'sdc.p_alpha_sensitive against sdc.p_sensitive, 4 keys, p = 2, four categories; the target is 5 times at 100,000 rows'
WITH measured AS MATERIALIZED (
    SELECT n, k, alpha,
           ms(format('SELECT sdc.p_sensitive(%s, 2, ROW(a, b, c, d), ROW(category)) OVER (ORDER BY id) FROM points WHERE id <= %s', k, n)) AS before,
           ms(format('SELECT sdc.p_alpha_sensitive(%s, 2, %s, ROW(a, b, c, d), category, 4) OVER (ORDER BY id) FROM points WHERE id <= %s', k, alpha, n)) AS after
    FROM unnest('{10000,100000}'::int[]) AS n, (VALUES (3, 1.0), (5, 1.0), (5, 2.0), (10, 2.0), (10, 4.0)) AS asked (k, alpha))
SELECT n, k, alpha, before AS "p_sensitive ms", after AS "p_alpha ms", round(after / before, 2) AS ratio FROM measured ORDER BY n, k, alpha;
