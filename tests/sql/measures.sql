-- Measures of a grouping: sdc.ncp, sdc.reconstruction_error, sdc.discernibility, sdc.average_group_size.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA measures;
SET search_path = measures;
CREATE TABLE person (grp int, age int, height numeric, born date, sex text, ward text, illness text);
INSERT INTO person
SELECT 1 + i * i % 41, 18 + i * 37 % 70, 150 + i * 7 % 400 / 10.0, date '1950-01-01' + i * 71 % 9000, (ARRAY['F', 'M'])[1 + i * i % 2],
       nullif('ward ' || i % 5, 'ward 3'), 'illness ' || i * 11 % 7 FROM generate_series(1, 400) AS i;

-- the penalty from its definition, row by row; NULL is a value of a categorical column
SELECT round(sdc.ncp(grp, age, height, born, sex, ward)::numeric, 9) AS ncp FROM person;
SELECT round(sum(n * ((hi - lo)::numeric / ahi + (thi - tlo) / ht + (bhi - blo)::numeric / b
       + CASE WHEN s > 1 THEN s / 2.0 ELSE 0 END + CASE WHEN w > 1 THEN w / 5.0 ELSE 0 END)), 9) AS by_definition
FROM (SELECT count(*) AS n, min(age) AS lo, max(age) AS hi, min(height) AS tlo, max(height) AS thi, min(born) AS blo, max(born) AS bhi,
             count(DISTINCT sex) AS s, count(DISTINCT coalesce(ward, '')) AS w FROM person GROUP BY grp) g,
     (SELECT max(age) - min(age) AS ahi, max(height) - min(height) AS ht, max(born) - min(born) AS b FROM person) d;

-- the reconstruction error from its definition: for every row the squared distance over all points
SELECT round(sdc.reconstruction_error(grp, ROW(sex, ward), illness, false)::numeric, 9) AS anatomy,
       round(sdc.reconstruction_error(grp, ROW(sex, ward), illness, true)::numeric, 9) AS permuted FROM person;
WITH size AS (SELECT grp, count(*)::numeric AS size FROM person GROUP BY grp),
     s AS (SELECT grp, sex, count(*) / size AS p FROM person JOIN size USING (grp) GROUP BY grp, sex, size),
     w AS (SELECT grp, ward, count(*) / size AS p FROM person JOIN size USING (grp) GROUP BY grp, ward, size),
     i AS (SELECT grp, illness, count(*) / size AS p FROM person JOIN size USING (grp) GROUP BY grp, illness, size),
     point AS (SELECT s.grp, sex, ward, illness, s.p * w.p * i.p AS p FROM s JOIN w ON w.grp = s.grp JOIN i ON i.grp = s.grp)
SELECT (SELECT round(sum((i.p - (i.illness = r.illness)::int) ^ 2), 9) FROM person r JOIN i USING (grp)) AS anatomy,
       (SELECT round(sum((x.p - ((x.sex, x.illness) = (r.sex, r.illness) AND x.ward IS NOT DISTINCT FROM r.ward)::int) ^ 2), 9)
        FROM person r JOIN point x USING (grp)) AS permuted;

SELECT sdc.discernibility(grp), pg_typeof(sdc.discernibility(grp)), sdc.average_group_size(grp) FROM person;
SELECT sum(n * n) FROM (SELECT count(*) AS n FROM person GROUP BY grp) g;

-- over no rows, by groups, and with the keys in one record or array
SELECT sdc.ncp(grp, age), sdc.reconstruction_error(grp, ROW(sex), illness, true), sdc.discernibility(grp), sdc.average_group_size(grp)
FROM person WHERE false;
SELECT sex, round(sdc.ncp(grp, age)::numeric, 6) AS ncp, sdc.average_group_size(grp) FROM person GROUP BY sex ORDER BY sex;
SELECT sdc.ncp(grp, age, sex) = sdc.ncp(grp, ROW(age, sex)) AS record FROM person;
SELECT sdc.ncp(1, age, sex) AS whole, sdc.ncp(grp, 5) AS constant FROM person;
SELECT sdc.reconstruction_error(grp, ROW(sex), ROW(illness, ward), false) = sdc.reconstruction_error(grp, ROW(sex), illness || coalesce(ward, ''), false) AS record_is_a_value
FROM person;
SELECT sdc.reconstruction_error(grp, ROW(sex), ARRAY[age, age % 3], false) = sdc.reconstruction_error(grp, ROW(sex), age, false) AS array_is_a_value FROM person;
SELECT sdc.ncp(grp, nullif(age, 18)) FROM person;
SELECT sdc.reconstruction_error(grp, NULL::record, illness, true) FROM person;
SELECT sdc.reconstruction_error(grp, ROW(sex), illness, NULL) FROM person;

-- a parallel plan comes to the same
CREATE TABLE many AS SELECT i / 4 AS grp, i * 37 % 70 AS age, (i * 7 % 13)::text AS ward, i % 4 AS illness FROM generate_series(0, 39999) AS i;
CREATE FUNCTION figures() RETURNS text LANGUAGE sql AS
    $$SELECT concat_ws(' ', round(sdc.ncp(grp, age, ward)::numeric, 6), round(sdc.reconstruction_error(grp, ROW(age, ward), illness, true)::numeric, 6),
             sdc.discernibility(grp), sdc.average_group_size(grp)) FROM measures.many$$;
SELECT figures() AS serial \gset
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT sdc.ncp(grp, age, ward), sdc.reconstruction_error(grp, ROW(age, ward), illness, true) FROM many;
SELECT figures() = :'serial' AS same;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

DROP SCHEMA measures CASCADE;
RESET search_path;
