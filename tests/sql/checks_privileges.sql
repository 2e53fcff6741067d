-- Everything runs as the caller: privileges, row-level security, and nobody's search_path.
CREATE SCHEMA checks_privileges;
SET search_path = checks_privileges;
CREATE TABLE patient (id int, age int, zip text, illness text, hospital text);
INSERT INTO patient VALUES (1, 30, 'x', 'flu', 'a'), (2, 30, 'x', 'hiv', 'a'), (3, 40, 'y', 'flu', 'a'), (4, 50, 'z', 'flu', 'b'), (5, 50, 'z', 'flu', 'b'), (6, 50, 'z', 'hiv', 'b');
CREATE ROLE sdc_steward;
CREATE ROLE sdc_outsider;
GRANT USAGE ON SCHEMA checks_privileges TO sdc_steward, sdc_outsider;

-- No privilege: an error from PostgreSQL itself, from every function.
SET ROLE sdc_outsider;
SELECT * FROM sdc.check_anonymity('patient', '{age}');
SELECT * FROM sdc.violations('patient', '{age}', k => 2);
SELECT sdc.assert_anonymity('patient', '{age}', k => 2);
SELECT * FROM sdc.feasibility('patient', '{illness}', 2);
SELECT sdc.k_anonymity(age) FROM patient;
SELECT * FROM sdc.check_anonymity('patient', '{age}', '{illness}', t => 0.2);

-- Column privileges: the columns named, and no others, are read.
RESET ROLE;
GRANT SELECT (age, illness) ON patient TO sdc_steward;
SET ROLE sdc_steward;
SELECT property, attribute, actual FROM sdc.check_anonymity('patient', '{age}', '{illness}');
SELECT * FROM sdc.violations('patient', '{age}', '{illness}', k => 2, t => 0.2);
SELECT * FROM sdc.feasibility('patient', '{illness}', 2);
SELECT * FROM sdc.check_anonymity('patient', '{age,zip}');
SELECT * FROM sdc.check_anonymity('patient', '{age}', entity => 'id');
SELECT * FROM sdc.violations('patient', '{age}', '{zip}', t => 0.2);
SELECT * FROM sdc.feasibility('patient', '{zip}', 2);

-- Row-level security: a check sees what its caller sees.
RESET ROLE;
GRANT SELECT ON patient TO sdc_steward;
ALTER TABLE patient ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_hospital ON patient FOR SELECT TO sdc_steward USING (hospital = 'b');
SET ROLE sdc_steward;
SELECT property, attribute, actual FROM sdc.check_anonymity('patient', '{age}', '{illness}');
SELECT * FROM sdc.violations('patient', '{age}', '{illness}', k => 4, t => 0);
SELECT sdc.assert_anonymity('patient', '{age}', k => 3);
SELECT * FROM sdc.feasibility('patient', '{illness}', 2);
SELECT sdc.k_anonymity(age) FROM patient;
-- a view reads with its owner's privileges, as views do
RESET ROLE;
CREATE VIEW patient_ages AS SELECT age, illness FROM patient;
GRANT SELECT ON patient_ages TO sdc_steward;
SET ROLE sdc_steward;
SELECT property, actual FROM sdc.check_anonymity('patient_ages', '{age}');
RESET ROLE;

-- A hostile schema in front: operators, functions and types of the same names change nothing.
CREATE SCHEMA hostile;
CREATE FUNCTION hostile.wrong(int, int) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''hostile operator''; END';
CREATE FUNCTION hostile.wrong(text, text) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''hostile operator''; END';
CREATE FUNCTION hostile.wrong(bigint, bigint) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''hostile operator''; END';
CREATE FUNCTION hostile.wrong(float8, float8) RETURNS float8 LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''hostile operator''; END';
CREATE OPERATOR hostile.= (LEFTARG = int, RIGHTARG = int, FUNCTION = hostile.wrong);
CREATE OPERATOR hostile.= (LEFTARG = text, RIGHTARG = text, FUNCTION = hostile.wrong);
CREATE OPERATOR hostile.< (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = hostile.wrong);
CREATE OPERATOR hostile./ (LEFTARG = float8, RIGHTARG = float8, FUNCTION = hostile.wrong);
CREATE OPERATOR hostile.* (LEFTARG = float8, RIGHTARG = float8, FUNCTION = hostile.wrong);
CREATE FUNCTION hostile.to_jsonb(anyelement) RETURNS jsonb LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''hostile function''; END';
CREATE FUNCTION hostile.hostile_step(bigint, bigint) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''hostile function''; END';
CREATE AGGREGATE hostile.max(bigint) (SFUNC = hostile.hostile_step, STYPE = bigint);
CREATE AGGREGATE hostile.min(bigint) (SFUNC = hostile.hostile_step, STYPE = bigint);
CREATE AGGREGATE hostile.sum(bigint) (SFUNC = hostile.hostile_step, STYPE = bigint);
CREATE DOMAIN hostile.float8 AS int;
CREATE DOMAIN hostile.text AS int;
CREATE TABLE hostile.patient (age int);
SET search_path = hostile, pg_catalog;
SELECT property, attribute, actual, satisfied, violating_groups, violating_rows
FROM   sdc.check_anonymity('checks_privileges.patient', '{age,zip}', '{illness}', k => 2, p => 2, l => 2, t => 0.2, alpha => 1, categories => '[["hiv"],["flu"]]', entity => 'id');
SELECT * FROM sdc.violations('checks_privileges.patient', '{age,zip}', '{illness}', k => 2, p => 2, l => 2, t => 0.2, alpha => 1, categories => '[["hiv"],["flu"]]');
SELECT * FROM sdc.feasibility('checks_privileges.patient', '{illness}', 2);
SELECT sdc.k_anonymity(age, zip), sdc.p_sensitivity(ROW(age), illness), sdc.t_closeness(ROW(age), id) FROM checks_privileges.patient;
SET search_path = '';
SELECT property, actual FROM sdc.check_anonymity('checks_privileges.patient', '{age}', '{illness}');

-- In a read-only transaction, in a parallel query, in a function that reads: checks only read.
BEGIN READ ONLY;
SELECT property, actual FROM sdc.check_anonymity('checks_privileges.patient', '{age}');
COMMIT;
SELECT p.proname, p.provolatile, p.prosecdef FROM pg_catalog.pg_proc p
WHERE  p.pronamespace = 'sdc'::pg_catalog.regnamespace AND p.proname IN ('check_anonymity', 'violations', 'assert_anonymity', 'feasibility') ORDER BY 1;

RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA checks_privileges, hostile CASCADE;
DROP ROLE sdc_steward;
DROP ROLE sdc_outsider;
