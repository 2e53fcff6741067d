-- The checks beside hand-written SQL that computes the same figures, and beside pyCANON:
-- 1,000,000 rows, 5 keys, 1 to 3 sensitive columns. `raw` has some 355,000 groups, as before
-- masking; `masked` has 384, as after.
CREATE TABLE raw AS
SELECT 20 + abs(hashint4(i)) % 60 AS age,
       CASE abs(hashint4(i + 1000001)) % 2 WHEN 0 THEN 'F' ELSE 'M' END AS sex,
       (10000 + abs(hashint4(i + 2000003)) % 40)::text AS zip,
       (ARRAY['never married', 'married', 'divorced', 'widowed', 'separated'])[1 + abs(hashint4(i + 3000017)) % 5] AS marital,
       abs(hashint4(i + 4000037)) % 16 AS education,
       (ARRAY['flu', 'asthma', 'hiv', 'cancer', 'gastritis', 'hepatitis', 'angina', 'diabetes', 'migraine', 'fracture'])[1 + abs(hashint4(i + 5000011)) % 10] AS illness,
       abs(hashint4(i + 6000011)) % 50 * 1000 AS income,
       chr(97 + abs(hashint4(i + 7000003)) % 14) AS occupation
FROM   generate_series(1, 1000000) AS i;
CREATE TABLE masked AS
SELECT age / 10 * 10 AS age, sex, left(zip, 4) || '*' AS zip,
       CASE marital WHEN 'married' THEN marital ELSE 'other' END AS marital, education / 4 AS education, illness, income, occupation
FROM   raw;
VACUUM ANALYZE raw;
VACUUM ANALYZE masked;


-- What is to be computed, by whom, and how.
CREATE TABLE candidate (task text, who text, query text, ms numeric);
\set keys 'age, sex, zip, marital, education'
CREATE TABLE task AS
SELECT source, sensitive, format('%s, %s', source, array_to_string(sensitive, ', ')) AS task
FROM   (VALUES ('masked'), ('raw')) AS s (source),
       (VALUES ('{illness}'::text[]), ('{illness,income}'), ('{illness,income,occupation}')) AS c (sensitive);
-- k and p of a table
INSERT INTO candidate
SELECT 'check: ' || task, 'sdc',
       format('SELECT array_agg(actual) FROM sdc.check_anonymity(%L, %L, %L, k => 2, p => 2)', source, format('{%s}', :'keys'), sensitive)
FROM   task;
-- by hand: values are counted by keys, these counts summed up by keys
INSERT INTO candidate
SELECT 'check: ' || task, 'counted twice', format('SELECT array_agg(q) FROM (%s) AS q', string_agg(format(
       'SELECT min(size), min(vals) FROM (SELECT %3$s AS size, count(*) AS vals FROM (SELECT %1$s, %2$I, count(*) AS n FROM %4$I GROUP BY %1$s, %2$I) AS c GROUP BY %1$s) AS g',
       :'keys', column_name, CASE place WHEN 1 THEN 'sum(n)' ELSE 'NULL::int' END, source), ' UNION ALL '))
FROM   task, unnest(sensitive) WITH ORDINALITY AS u (column_name, place) GROUP BY task;
-- by hand: all columns in one pass
INSERT INTO candidate
SELECT 'check: ' || task, 'grouping sets', format(
       'SELECT array_agg(q) FROM (SELECT min(size), min(vals) FROM (SELECT sum(n) AS size, count(*) AS vals, which FROM (SELECT %1$s, count(*) AS n, grouping(%2$s) AS which FROM %4$I GROUP BY %1$s, GROUPING SETS (%3$s)) AS c GROUP BY %1$s, which) AS g GROUP BY which) AS q',
       :'keys', string_agg(quote_ident(column_name), ', '), string_agg(format('(%I)', column_name), ', '), source)
FROM   task, unnest(sensitive) AS u (column_name) WHERE cardinality(sensitive) > 1 GROUP BY task, source;
-- by hand: what comes to mind first; it sorts each group
INSERT INTO candidate
SELECT 'check: ' || task, 'count(DISTINCT)', format(
       'SELECT (min(size), min(vals)) FROM (SELECT count(*) AS size, count(DISTINCT %2$I) AS vals FROM %3$I GROUP BY %1$s) AS g', :'keys', sensitive[1], source)
FROM   task WHERE cardinality(sensitive) = 1;
-- aggregates and the GROUP BY that gives the same figure
INSERT INTO candidate
SELECT f.* FROM (VALUES ('masked'), ('raw')) AS s (source), LATERAL (VALUES
       ('k_anonymity: ' || source, 'sdc', format('SELECT sdc.k_anonymity(%s) FROM %I', :'keys', source)),
       ('k_anonymity: ' || source, 'GROUP BY', format('SELECT min(n) FROM (SELECT count(*) AS n FROM %2$I GROUP BY %1$s) AS g', :'keys', source)),
       ('p_sensitivity: ' || source, 'sdc', format('SELECT sdc.p_sensitivity(ROW(%s), illness) FROM %I', :'keys', source)),
       ('p_sensitivity: ' || source, 'GROUP BY', format('SELECT min(n) FROM (SELECT count(*) AS n FROM (SELECT DISTINCT %1$s, illness FROM %2$I) AS c GROUP BY %1$s) AS g', :'keys', source)),
       ('l_diversity: ' || source, 'sdc', format('SELECT sdc.l_diversity(ROW(%s), illness) FROM %I', :'keys', source)),
       ('l_diversity: ' || source, 'GROUP BY', format('SELECT min(sum / max) FROM (SELECT sum(n)::float8, max(n) FROM (SELECT %1$s, count(*) AS n FROM %2$I GROUP BY %1$s, illness) AS c GROUP BY %1$s) AS g', :'keys', source))
) AS f (task, who, query);

-- The shortest of three runs; candidates take turns, so that a noisy moment hits all of them.
DO $$
DECLARE
    it candidate;
BEGIN
    FOR round IN 1 .. 3 LOOP
        FOR it IN SELECT * FROM candidate ORDER BY task LOOP
            UPDATE candidate c SET ms = least(c.ms, ms(it.query, 1)) WHERE c.query = it.query;
        END LOOP;
    END LOOP;
END $$;

\echo 'The targets are 1.2 times the best hand-written SQL for checks, 1.5 times for aggregates.'
SELECT o.task, o.ms, h.who AS "best by hand", h.ms, round(o.ms / h.ms, 2) AS ratio
FROM   candidate o JOIN (SELECT DISTINCT ON (task) * FROM candidate WHERE who <> 'sdc' ORDER BY task, ms) h USING (task)
WHERE  o.who = 'sdc' ORDER BY task;
\echo 'All of them.'
SELECT task, who, ms FROM candidate ORDER BY task, ms;
\echo 'pyCANON on the same rows; the target is 20 times as long.'
\! $(pgrx-config/python tests/pycanon/requirements.txt || echo python3) benches/beside_pycanon.py bench_checks
