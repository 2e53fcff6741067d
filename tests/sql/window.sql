-- Group-assigning window functions: what they accept, how they compose.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
CREATE TABLE person (id int PRIMARY KEY, ward text, age int, height numeric(5,1), born date,
                     seen timestamptz, stay interval, sex text, active bool);
INSERT INTO person
SELECT i, 'ward ' || i % 2, 20 + (i * 37) % 60, 150 + ((i * 7919) % 400) / 10.0,
       date '1950-01-01' + (i * 271) % 20000, timestamptz '2026-01-01 UTC' + (i * 97) % 500 * interval '1 hour',
       (i * 13) % 50 * interval '1 day', CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' END, i % 5 > 0
FROM generate_series(1, 40) AS i;

-- every group has at least k rows, whatever the types
SELECT grps.*, k FROM (
    SELECT count(DISTINCT g) AS groups, min(n) AS smallest, max(n) AS largest
    FROM (SELECT g, count(*) OVER (PARTITION BY g) AS n
          FROM (SELECT sdc.mdav(4, age, height, born, seen, stay, sex, active) OVER (ORDER BY id) AS g FROM person) a) b
) grps, (VALUES (4)) AS required (k);

-- groups are numbered from 1 within each window partition
SELECT ward, min(g), max(g), count(*)
FROM (SELECT ward, sdc.mdav(5, age, height) OVER (PARTITION BY ward ORDER BY id) AS g FROM person) s
GROUP BY ward ORDER BY ward;

-- the same rows as columns, as an array and as a record give the same groups
SELECT bool_and(a = b AND b = c) AS same FROM (
    SELECT sdc.mdav(3, age::float8, height::float8) OVER (ORDER BY id) AS a,
           sdc.mdav(3, VARIADIC ARRAY[age, height]::float8[]) OVER (ORDER BY id) AS b,
           sdc.mdav(3, ROW(age, height)) OVER (ORDER BY id) AS c
    FROM person) s;

-- run after run the same groups; another order may give others only among ties
CREATE VIEW grouped AS SELECT id, sdc.mdav(3, age, sex) OVER (ORDER BY id) AS g FROM person;
SELECT bool_and(a.g = b.g) AS same FROM grouped a JOIN grouped b USING (id);

-- prepared statements, parameters
PREPARE groups (int) AS SELECT max(g) FROM (SELECT sdc.mdav($1, age) OVER (ORDER BY id) AS g FROM person) s;
EXECUTE groups (3);
EXECUTE groups (10);
DEALLOCATE groups;

-- no rows, one group, k = 1
SELECT count(*) FROM (SELECT sdc.mdav(3, age) OVER () FROM person WHERE false) s;
SELECT max(g) FROM (SELECT sdc.mdav(40, age) OVER () AS g FROM person) s;
SELECT max(g) FROM (SELECT sdc.mdav(1, id) OVER () AS g FROM person) s;

-- NULL is a value of a categorical key
SELECT count(DISTINCT g) FROM (SELECT sdc.mdav(3, nullif(sex, 'F')) OVER (ORDER BY id) AS g FROM person) s;

-- over a partitioned table
CREATE TABLE parted (id int, x float8) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (10);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (10) TO (100);
INSERT INTO parted SELECT i, i FROM generate_series(0, 19) AS i;
SELECT min(n) FROM (SELECT count(*) AS n FROM (SELECT sdc.mdav(3, x) OVER (ORDER BY id) AS g FROM parted) s GROUP BY g) t;

-- p-sensitive: every group has p distinct values of every sensitive column
SELECT method, sdc.k_anonymity(g) >= 3 AS k, sdc.p_sensitivity(g, illness, sex) >= 2 AS p
FROM unnest(ARRAY['k_first', 'p_first', 'p_first_lean', 'random_seeds', 'random_rows', 'random_rows_lean', 'merge', 'least_loss']) AS method,
     LATERAL (SELECT *, sdc.p_sensitive(3, 2, ROW(age, height), ROW(illness, sex), method) OVER (ORDER BY id) AS g
              FROM (SELECT *, (ARRAY['Flu', 'HIV', 'Cancer'])[1 + id % 3] AS illness FROM person) p) s
GROUP BY method ORDER BY method;

-- a seed makes randomised methods reproducible
SET sdc.seed = 7;
CREATE TABLE drawn AS
SELECT id, sdc.p_sensitive(3, 2, ROW(age, height), ROW(sex), 'random_rows') OVER (ORDER BY id) AS g FROM person;
SELECT bool_and(g = h) AS same FROM drawn JOIN (
    SELECT id, sdc.p_sensitive(3, 2, ROW(age, height), ROW(sex), 'random_rows') OVER (ORDER BY id) AS h FROM person
) again USING (id);
SET sdc.seed = 'seven';
SELECT sdc.p_sensitive(3, 2, ROW(age), ROW(sex), 'random_rows') OVER () FROM person LIMIT 1;
RESET sdc.seed;

-- named and default arguments
SELECT max(g) > 1 AS several FROM (
    SELECT sdc.p_sensitive(k => 3, p => 2, keys => ROW(age), sensitive => ROW(sex)) OVER (ORDER BY id) AS g FROM person) s;

-- Arguments may be any expressions, and a partition may be on disk. A weight of 1 makes the risk 1/f.
CREATE TEMP TABLE mixed AS
SELECT i AS id, i % 50 AS a, CASE WHEN i % 7 > 0 THEN 'text ' || i % 30 END AS b, repeat('long ', 400) || i % 4 AS c, (i % 5)::numeric AS d
FROM   generate_series(1, 5000) AS i;
CREATE FUNCTION pg_temp.wrong(mem text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE found bigint;
BEGIN
    PERFORM set_config('work_mem', mem, true);
    SELECT count(*) INTO found FROM (
        SELECT abs(sdc.individual_risk(1, a + 1, upper(b), (SELECT max(m.d) FROM mixed AS m WHERE m.id <= q.a), c, d * 1.50) OVER (ORDER BY id)
                   - 1.0 / count(*) OVER (PARTITION BY a, b, c, d)) < 1e-12 AS same FROM mixed AS q) AS r
    WHERE same IS NOT TRUE;
    RETURN found;
END $$;
SELECT mem, pg_temp.wrong(mem) FROM unnest('{64kB,256MB}'::text[]) AS mem;
-- an expression that fails in a later row
SELECT sdc.individual_risk(1, b, 1 / (id - 4000)) OVER (ORDER BY id) FROM mixed;
SELECT sdc.mdav(3, d, a / (id - 4000)) OVER (ORDER BY id) FROM mixed;

DROP TABLE person, parted, drawn CASCADE;
