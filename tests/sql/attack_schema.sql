-- A schema sdc that waits for the extension: its owner could replace what is called from there.
SET client_min_messages = error;
\set SHOW_CONTEXT never
CREATE ROLE sdc_planter;
CREATE DATABASE sdc_planted;
GRANT CREATE ON DATABASE sdc_planted TO sdc_planter;
\c sdc_planted
SET ROLE sdc_planter;
CREATE SCHEMA sdc;
CREATE FUNCTION sdc.readable(text) RETURNS bool LANGUAGE sql AS 'SELECT true';
RESET ROLE;
CREATE EXTENSION pg_sdc;
DROP SCHEMA sdc CASCADE;
CREATE SCHEMA sdc;
GRANT CREATE ON SCHEMA sdc TO PUBLIC;
CREATE EXTENSION pg_sdc;
REVOKE CREATE ON SCHEMA sdc FROM PUBLIC;
GRANT CREATE ON SCHEMA sdc TO sdc_planter;
CREATE EXTENSION pg_sdc;
DROP SCHEMA sdc;
CREATE EXTENSION pg_sdc;
-- nobody else may create in it, and only superusers may create the extension
SET ROLE sdc_planter;
CREATE FUNCTION sdc.readable(name) RETURNS bool LANGUAGE sql AS 'SELECT true';
DROP EXTENSION pg_sdc;
RESET ROLE;
DROP EXTENSION pg_sdc;
SET ROLE sdc_planter;
CREATE EXTENSION pg_sdc;
RESET ROLE;
-- default privileges, here those of ALTER DEFAULT PRIVILEGES … GRANT ALL ON TABLES, hold for what a script creates,
-- too: a trigger on the register would run as its owner
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO sdc_planter;
ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO sdc_planter;
ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC;
CREATE EXTENSION pg_sdc;
SELECT c.relname, a.grantee::regrole, a.privilege_type FROM pg_class AS c, aclexplode(c.relacl) AS a
WHERE c.relnamespace = 'sdc'::regnamespace AND c.relkind IN ('r', 'v', 'S') AND a.grantee <> c.relowner ORDER BY 1;
SET ROLE sdc_planter;
CREATE SCHEMA planted;
CREATE FUNCTION planted.rise() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''this ran as %'', current_user; END';
CREATE TRIGGER rise AFTER INSERT ON sdc.release EXECUTE FUNCTION planted.rise();
TABLE sdc.membership;
SELECT count(*) FROM sdc.memberships;
RESET ROLE;
\c contrib_regression
DROP DATABASE sdc_planted;
DROP ROLE sdc_planter;
