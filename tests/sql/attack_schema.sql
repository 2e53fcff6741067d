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
\c contrib_regression
DROP DATABASE sdc_planted;
DROP ROLE sdc_planter;
