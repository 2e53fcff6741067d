-- What a release must not give away: identifiers, order, identity of groups, rights, the source itself.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
SELECT setval('sdc.release_id_seq', 200) \gset
CREATE ROLE sdc_owner;
CREATE ROLE sdc_reader;
CREATE SCHEMA hospital AUTHORIZATION sdc_owner;
CREATE SCHEMA desk AUTHORIZATION sdc_reader;
GRANT USAGE ON SCHEMA hospital TO sdc_reader;
SET ROLE sdc_owner;
SET search_path = hospital;
CREATE TABLE patient (id int PRIMARY KEY, name text UNIQUE, age int NOT NULL DEFAULT 7 CHECK (age >= 0), zip text, illness text);
COMMENT ON COLUMN patient.illness IS 'of the person named in name';
INSERT INTO patient SELECT i, 'name ' || i, 18 + i % 70, 'z' || i * 31 % 97, 'illness ' || i * 7 % 20 FROM generate_series(1, 2000) AS i;
ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC, sdc_reader;
SELECT rows, groups FROM sdc.publish_anatomy('patient', 'anatomised', '{age,zip}', 'illness', 5);
SELECT rows, groups > 0 AS groups FROM sdc.publish_permutation('patient', 'permuted', '{age,zip}', 'illness', 5);

-- only the named columns; no key, index, default, constraint, comment of the source; no rights for others
SELECT c.relname, c.relkind, a.attname, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull, a.atthasdef,
       col_description(c.oid, a.attnum) AS comment
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
WHERE c.relnamespace = 'hospital'::regnamespace AND c.relname ~ '^(anatomised|permuted)' ORDER BY c.relname, a.attnum;
SELECT relname, (SELECT string_agg(DISTINCT a.grantee::regrole::text, ', ') FROM aclexplode(relacl) AS a) AS granted_to, relhasindex, relchecks, relhastriggers FROM pg_class
WHERE relnamespace = 'hospital'::regnamespace AND relname ~ '^(anatomised|permuted)' ORDER BY relname;
-- the views read the release's own tables and nothing else
SELECT DISTINCT v.ev_class::regclass AS view, d.refobjid::regclass AS reads
FROM pg_rewrite v JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = v.oid AND d.refclassid = 'pg_class'::regclass
WHERE v.ev_class IN ('anatomised'::regclass, 'permuted'::regclass) AND d.refobjid <> v.ev_class ORDER BY 1, 2;

-- stored order says nothing about the source's: rows by place against the one source row their keys point to
SELECT count(*) > 1000 AS enough, abs(corr(place, id)) < 0.12 AS uncorrelated
FROM (SELECT row_number() OVER (ORDER BY ctid) AS place, * FROM anatomised_qit) q
JOIN (SELECT min(id) AS id, age, zip FROM patient GROUP BY age, zip HAVING count(*) = 1) p USING (age, zip);
SELECT table_name, abs(corr(place, grp)) < 0.12 AS uncorrelated
FROM (SELECT 'anatomised_qit' AS table_name, row_number() OVER (ORDER BY ctid) AS place, grp FROM anatomised_qit
      UNION ALL SELECT 'anatomised_st', row_number() OVER (ORDER BY ctid), grp FROM anatomised_st
      UNION ALL SELECT 'permuted_pqt', row_number() OVER (ORDER BY ctid), grp FROM permuted_pqt
      UNION ALL SELECT 'permuted_pst', row_number() OVER (ORDER BY ctid), grp FROM permuted_pst) s
GROUP BY table_name ORDER BY table_name;
-- the n-th row of one table is not the n-th of the other
SELECT abs(corr(a.place, b.place)) < 0.12 AS uncorrelated
FROM (SELECT row_number() OVER (ORDER BY ctid) AS place, grp FROM permuted_pqt) a
JOIN (SELECT row_number() OVER (ORDER BY ctid) AS place, grp FROM permuted_pst) b USING (grp);
-- the same for tables that are shuffled in several piles, in memory and spilled: every row once, in no order, no two neighbours still side by side
CREATE TABLE crowd AS SELECT i AS id, i % 100 AS age, repeat('x', i % 50) AS text FROM generate_series(1, 40000) AS i;
SELECT rows FROM sdc.publish_microaggregated('crowd', 'crowd_in_memory', '{age}', 3, keep => '{id,text}', allow_identifiers => true);
SET work_mem = '64kB';
SELECT rows FROM sdc.publish_microaggregated('crowd', 'crowd_spilled', '{age}', 3, keep => '{id,text}', allow_identifiers => true);
CREATE TABLE wide AS SELECT i AS id, i % 100 AS age, (SELECT string_agg(md5(i || ' ' || j), '') FROM generate_series(1, 55) AS j) AS text FROM generate_series(1, 3000) AS i;
SELECT rows FROM sdc.publish_microaggregated('wide', 'wide_public', '{age}', 3, keep => '{id,text}', allow_identifiers => true);
RESET work_mem;
SELECT count(*) = count(DISTINCT r.id) AND count(*) = 3000 AS complete, bool_and(r.text = w.text) AS whole FROM wide_public AS r JOIN wide AS w USING (id);
SELECT release, count(DISTINCT id) AS rows, bool_and(text = repeat('x', id % 50)) AS whole, abs(corr(place, id)) < 0.025 AS uncorrelated,
       count(*) FILTER (WHERE abs(id - before) = 1) < 15 AS parted, abs(corr(id, before)) < 0.025 AS unpredictable
FROM (SELECT *, lag(id) OVER (PARTITION BY release ORDER BY place) AS before
      FROM (SELECT 'in memory' AS release, row_number() OVER (ORDER BY ctid) AS place, * FROM crowd_in_memory
            UNION ALL SELECT 'spilled', row_number() OVER (ORDER BY ctid), * FROM crowd_spilled) AS s) AS n
GROUP BY release ORDER BY release;
-- group numbers say nothing about the rows in them
SELECT abs(corr(grp, id)) < 0.12 AS of_order, abs(corr(grp, age)) < 0.12 AS of_keys
FROM anatomised_qit JOIN (SELECT min(id) AS id, age, zip FROM patient GROUP BY age, zip HAVING count(*) = 1) p USING (age, zip);

-- columns of a permutation are torn apart: keys that were equal in every row agree in half of the groups of two.
-- 3,000 groups: within 3.3 standard deviations
CREATE TABLE twin AS SELECT i % 2 AS a, i % 2 AS b, i % 2 AS c FROM generate_series(1, 6000) AS i;
SELECT groups FROM sdc.publish_permutation('twin', 'twin_permuted', '{a,b}', 'c', 2, rounds => 0, seed => 3);
SELECT abs(count(*) FILTER (WHERE together) - 1500) < 3.3 * sqrt(3000 / 4.0) AS independent
FROM (SELECT bool_and(a = b) AS together FROM twin_permuted_pqt GROUP BY grp) g;

-- default privileges granted nothing; the steward grants
SET ROLE sdc_reader;
SELECT * FROM anatomised;
SELECT count(*) FROM sdc.releases WHERE source LIKE 'hospital.%';
SET ROLE sdc_owner;
GRANT SELECT ON anatomised TO sdc_reader;
SET ROLE sdc_reader;
SELECT sum(weight) AS rows FROM anatomised;
SELECT target FROM sdc.releases WHERE source LIKE 'hospital.%';
SELECT * FROM anatomised_qit;
SELECT * FROM patient;
SELECT sdc.estimate_count('anatomised', 'age = 30');
SET ROLE sdc_owner;
GRANT SELECT ON anatomised_qit, anatomised_st TO sdc_reader;
SET ROLE sdc_reader;
SELECT sdc.estimate_count('anatomised', 'age < 30', 'illness = ''illness 7''') > 0 AS estimated;
-- nor does a function that sees more than it shows reach the source
CREATE FUNCTION pg_temp.spy(text) RETURNS bool COST 0.0001 LANGUAGE plpgsql AS 'BEGIN IF $1 LIKE ''name%'' THEN RAISE ''leak''; END IF; RETURN true; END';
SELECT count(*) > 0 AS nothing_to_spy FROM anatomised WHERE pg_temp.spy(zip) AND pg_temp.spy(illness);
INSERT INTO anatomised VALUES (1, 'z', 'x', 1);
SELECT * FROM sdc.publish_anatomy('hospital.patient', 'desk.stolen', '{age}', 'illness', 2);
SELECT sdc.drop_release(id) FROM sdc.releases WHERE source LIKE 'hospital.%';

-- column privileges and row-level security of the source hold for who publishes
RESET ROLE;
CREATE ROLE sdc_half;
GRANT USAGE, CREATE ON SCHEMA hospital TO sdc_half;
GRANT SELECT (age, illness) ON patient TO sdc_half;
SET ROLE sdc_half;
SELECT * FROM sdc.publish_anatomy('patient', 'half', '{age,zip}', 'illness', 2);
SELECT rows FROM sdc.publish_anatomy('patient', 'half', '{age}', 'illness', 2);
RESET ROLE;
ALTER TABLE patient ENABLE ROW LEVEL SECURITY;
CREATE POLICY young ON patient USING (age < 30);
SET ROLE sdc_half;
SELECT rows < 2000 AS rows FROM sdc.publish_anatomy('patient', 'young', '{age}', 'illness', 2);
SELECT max(age) FROM young_qit;
RESET ROLE;

-- a trap in the caller's search_path is not stepped into
CREATE SCHEMA trap;
CREATE FUNCTION trap.count(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';
CREATE FUNCTION trap.sum(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';
CREATE OPERATOR trap.= (FUNCTION = int4ne, LEFTARG = int, RIGHTARG = int);
CREATE TABLE trap.release (id int);
SET search_path = trap, hospital, pg_catalog;
SELECT rows, groups, achieved FROM sdc.publish_anatomy('hospital.patient', 'hospital.safe', '{age}', 'illness', 5);
SELECT sum(weight::numeric) AS rows FROM hospital.safe;
RESET search_path;

DELETE FROM sdc.release;
DROP SCHEMA trap, hospital, desk CASCADE;
DROP OWNED BY sdc_owner, sdc_reader, sdc_half;
DROP ROLE sdc_owner, sdc_reader, sdc_half;
