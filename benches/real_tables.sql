-- Tables as they come: what NULLs and several rows of a person cost beside the plain case.
SET max_parallel_workers_per_gather = 0;
SELECT setseed(0.1) \g /dev/null
CREATE TABLE plain AS
SELECT i AS id, (i * 7919::bigint % 200000)::int AS person, random() AS a, random() AS b, random() AS c, random() AS d
FROM generate_series(1, 1000000) AS i;
CREATE TABLE gaps AS
SELECT id, CASE WHEN random() >= 0.1 THEN a END AS a, CASE WHEN random() >= 0.1 THEN b END AS b,
       CASE WHEN random() >= 0.1 THEN c END AS c, CASE WHEN random() >= 0.1 THEN d END AS d FROM plain;
CREATE TABLE persons AS SELECT person AS id, avg(a) AS a, avg(b) AS b, avg(c) AS c, avg(d) AS d FROM plain GROUP BY person;
VACUUM ANALYZE plain, gaps, persons;

\echo 'MDAV of 1,000,000 rows, d = 4, k = 5, without NULLs and with 10 % of each key missing; the target is 1.5 times'
WITH measured AS MATERIALIZED (
    SELECT ms('SELECT sdc.mdav(5, a, b, c, d) OVER (ORDER BY id) FROM plain', 2) AS plain,
           ms('SELECT sdc.mdav(5, a, b, c, d) OVER (ORDER BY id) FROM gaps', 2) AS nulls)
SELECT plain AS "plain ms", nulls AS "nulls ms", round(nulls / plain, 2) AS ratio FROM measured;

\echo '1,000,000 rows of 200,000 persons beside MDAV of 200,000 rows plus reading and writing 1,000,000; the target is 1.2 times'
WITH measured AS MATERIALIZED (
    SELECT ms('SELECT x.a FROM sdc.microaggregate(NULL::persons, ''{a,b,c,d}'', 5) x', 2) AS persons,
           ms('SELECT x.a FROM sdc.microaggregate(NULL::plain, ''{a,b,c,d}'', 1000000) x', 2) AS reading,
           ms('SELECT x.a FROM sdc.microaggregate(NULL::plain, ''{a,b,c,d}'', 5, entity => ''person'') x', 2) AS entity)
SELECT persons AS "mdav of persons ms", reading AS "reading and writing ms", entity AS "entity ms",
       round(entity / (persons + reading), 2) AS ratio FROM measured;
