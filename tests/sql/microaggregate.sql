-- sdc.microaggregate: a whole table in, masked rows out.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE "Patient" (id int, "no longer" text, "Age" int, height float8, price numeric(8,2), born date,
                        seen timestamp, stay interval, small int2, large int8, real float4,
                        feels mood, city varchar(20), illness text, twice int GENERATED ALWAYS AS (id * 2) STORED);
ALTER TABLE "Patient" DROP COLUMN "no longer";
INSERT INTO "Patient"
SELECT i, 20 + (i * 37) % 60, 150 + ((i * 7919) % 400) / 10.0, ((i * 31) % 100) / 3.0, date '1950-01-01' + (i * 271) % 20000,
       timestamp '2026-01-01' + (i * 97) % 500 * interval '1 hour', (i * 13) % 50 * interval '36 hours', i % 7, i * 10000000000,
       i / 8.0, (ARRAY['sad', 'ok', 'happy']::mood[])[1 + i % 3], CASE WHEN i % 4 > 0 THEN 'city ' || i % 2 END,
       (ARRAY['Flu', 'HIV', 'Cancer', 'Asthma'])[1 + i % 4]
FROM generate_series(1, 30) AS i;

-- types stay, unlisted columns and the order of rows stay
SELECT * FROM sdc.microaggregate(NULL::"Patient", '{Age,height,price,born,seen,stay,small,large,real,feels,city}', 10) LIMIT 3;

-- k holds for the masked keys; means of float keys stay what they were
SELECT sdc.k_anonymity("Age", height) >= 5 AS k, count(*) FROM sdc.microaggregate(NULL::"Patient", '{Age,height}', 5);
SELECT abs(m.mean - p.mean) < 1e-9 AS same_mean
FROM (SELECT avg(height) AS mean FROM sdc.microaggregate(NULL::"Patient", '{Age,height}', 5)) m,
     (SELECT avg(height) AS mean FROM "Patient") p;

-- p-sensitive by every method; without a name the one that loses least
SELECT method, sdc.k_anonymity("Age", height) >= 4 AS k, sdc.p_sensitivity(ROW("Age", height), illness) >= 3 AS p
FROM unnest(ARRAY['k_first', 'p_first', 'p_first_lean', 'random_seeds', 'random_rows', 'random_rows_lean', 'merge', 'least_loss', NULL]) AS method,
     LATERAL sdc.microaggregate(NULL::"Patient", '{Age,height}', 4, '{illness}', 3, method)
GROUP BY method ORDER BY method;

-- the one that loses least does so, and is the same run after run
CREATE VIEW loss AS
SELECT method, sdc.information_loss(grp, "Age", height) AS loss
FROM unnest(ARRAY['p_first_lean', 'random_rows_lean', 'merge', 'least_loss']) AS method,
     LATERAL (SELECT *, sdc.p_sensitive(4, 3, ROW("Age", height), ROW(illness), method) OVER (ORDER BY id) AS grp FROM "Patient") s
GROUP BY method;
BEGIN;
SET LOCAL sdc.seed = 0;
SELECT least.loss <= min(other.loss) + 1e-9 AS least FROM loss AS least, loss AS other WHERE least.method = 'least_loss' GROUP BY least.loss;
COMMIT;
SELECT count(*) FROM (
    SELECT * FROM sdc.microaggregate(NULL::"Patient", '{Age,height}', 4, '{illness}', 3)
    EXCEPT SELECT * FROM sdc.microaggregate(NULL::"Patient", '{Age,height}', 4, '{illness}', 3)) d;

-- groups of variable size
SELECT min(rows) >= 4 AS k, max(rows) <= 7 + 3 AS below_2k
FROM (SELECT count(*) AS rows FROM sdc.microaggregate(NULL::"Patient", '{Age,height}', 4, method => 'v_mdav') GROUP BY "Age", height) g;
SELECT * FROM sdc.microaggregate(NULL::"Patient", '{Age,height}', 4, '{illness}', 2, method => 'v_mdav');

-- a seed makes the random methods reproducible
SELECT count(*) FROM (
    SELECT * FROM sdc.microaggregate(NULL::"Patient", '{Age,height}', 4, '{illness}', 3, 'random_rows', seed => 1)
    EXCEPT SELECT * FROM sdc.microaggregate(NULL::"Patient", '{Age,height}', 4, '{illness}', 3, 'random_rows', seed => 1)) d;

-- a local search lowers the loss and keeps k and p
SELECT refine, sdc.k_anonymity("Age", height) >= 4 AS k, sdc.p_sensitivity(ROW("Age", height), illness) >= 2 AS p
FROM unnest('{false,true}'::bool[]) AS refine,
     LATERAL sdc.microaggregate(NULL::"Patient", '{Age,height}', 4, '{illness}', 2, seed => 3, refine => refine)
GROUP BY refine ORDER BY refine;
SELECT * FROM sdc.microaggregate(NULL::"Patient", '{Age}', 3, effort => 3);
SELECT * FROM sdc.microaggregate(NULL::"Patient", '{Age}', 3, refine => true, effort => -1);
SELECT * FROM sdc.microaggregate(NULL::"Patient", '{Age}', 3, refine => true, effort => 10001);

-- views and partitioned tables have row types too
CREATE VIEW adults AS SELECT id, "Age", height FROM "Patient" WHERE "Age" >= 40;
SELECT sdc.k_anonymity("Age", height) >= 3 AS k FROM sdc.microaggregate(NULL::adults, '{Age,height}', 3);

-- errors
SELECT * FROM sdc.microaggregate(NULL::"Patient", '{}', 3);
SELECT * FROM sdc.microaggregate(NULL::"Patient", '{age}', 3);
SELECT * FROM sdc.microaggregate(NULL::"Patient", '{Age,Age}', 3);
SELECT * FROM sdc.microaggregate(NULL::"Patient", '{Age}', 3, '{Age}', 2);
SELECT * FROM sdc.microaggregate(NULL::"Patient", '{Age,NULL}', 3);
SELECT * FROM sdc.microaggregate(NULL::"Patient", NULL, 3);
SELECT * FROM sdc.microaggregate(NULL::"Patient", '{Age}', 31);
SELECT * FROM sdc.microaggregate(NULL::"Patient", '{Age}', 5, '{illness}', 5);
SELECT * FROM sdc.microaggregate(NULL::"Patient", '{Age}', 3, '{illness}', 4);
SELECT * FROM sdc.microaggregate(NULL::"Patient", '{Age}', 3, '{illness}', 2, 'mdav');
SELECT * FROM sdc.microaggregate(NULL::"Patient", '{Age}', 3, p => 2);
SELECT * FROM sdc.microaggregate(NULL::"Patient", '{Age}', 3, '{illness}', 0);
SELECT * FROM sdc.microaggregate(1, '{Age}', 3);
-- a domain's own precision holds for means; rows of a domain over a row type could not be checked
CREATE DOMAIN euro AS numeric(8, 2);
CREATE TABLE bill (id int, amount euro);
INSERT INTO bill VALUES (1, 10), (2, 20), (3, 71);
SELECT * FROM sdc.microaggregate(NULL::bill, '{amount}', 3);
CREATE DOMAIN bill_row AS bill CHECK ((VALUE).id < 3);
SELECT * FROM sdc.microaggregate(NULL::bill_row, '{amount}', 3);
DROP TABLE bill CASCADE;
DROP DOMAIN euro;
-- a mean lies within its group, whatever stands beside it in the column
CREATE TABLE sentinel AS SELECT i AS id, CASE WHEN i = 30 THEN 9223372036854775807 ELSE i END AS n FROM generate_series(1, 30) AS i;
SELECT min(m.n - s.n) >= -4 AND max(m.n - s.n) <= 4 AS near FROM sdc.microaggregate(NULL::sentinel, '{n}', 3) m JOIN sentinel s USING (id) WHERE id <= 24;
DROP TABLE sentinel;
SELECT sdc.microaggregate(NULL::"Patient", '{Age}', 3) IS NULL LIMIT 1;
DROP TABLE "Patient" CASCADE;
DROP TYPE mood;
