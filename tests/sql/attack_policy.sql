-- What an audit tried against policies and trust: columns that borrow labels or names, and roles that
-- others can act as.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
CREATE SCHEMA guarded;
SET search_path = guarded, public;
SET client_min_messages = error;
\set VERBOSITY terse
CREATE ROLE guard_mallory;
CREATE ROLE guard_bob;
CREATE ROLE guard_team;
GRANT guard_team TO guard_mallory, guard_bob;
GRANT ALL ON SCHEMA guarded TO guard_mallory, guard_bob, guard_team;
CREATE TABLE patient AS
SELECT i AS id, i % 60 AS pid, 'name ' || i AS name, 20 + i % 30 AS age, 'ward ' || i % 3 AS ward, 'ill ' || (hashint4(i) & 3) AS illness
FROM generate_series(1, 480) i;
SELECT sdc.declare('patient', identifiers => '{id,name}', keys => '{age}', keep => '{ward}', sensitive => '{illness}', policy => 'k=5 p=2');
GRANT SELECT ON patient TO guard_mallory;
SET ROLE guard_mallory;
SET search_path = guarded, public;

-- a part of a union without rows lends its labels to nobody
CREATE VIEW borrowed AS SELECT age, illness, ward AS w FROM patient WHERE false UNION ALL SELECT age, illness, name || '' FROM patient;
SELECT sdc.publish_microaggregated('borrowed', 'b1', '{age}', 5, keep => '{w}');
SELECT sdc.publish_microaggregated('borrowed', 'b1', '{age}', 5, keep => '{w}', allow_identifiers => true);
CREATE VIEW borrowed_value AS SELECT age, illness FROM patient WHERE false UNION ALL SELECT age, name || '/' || illness FROM patient;
SELECT sdc.publish_microaggregated('borrowed_value', 'b2', '{age}', 5);
-- a union of columns of the same name is what it was
CREATE VIEW halves AS SELECT age, illness, ward FROM patient WHERE age < 35 UNION ALL SELECT age, illness, ward FROM patient WHERE age >= 35;
SELECT (achieved ->> 'k')::int >= 5 AS k FROM sdc.publish_microaggregated('halves', 'b3', '{age}', 5, keep => '{ward}');

-- names that the methods give to columns of their own exempt no column of the source
CREATE VIEW named AS SELECT age / 30 AS a, illness, name || '' AS grp, name || '' AS illness_category FROM patient;
SELECT sdc.publish_microaggregated('named', 'b4', '{a}', 5, keep => '{grp}', categorical => '{a}', allow_identifiers => true);
SELECT sdc.publish_microaggregated('named', 'b5', '{a}', 5, keep => '{illness_category}', categorical => '{a}', allow_identifiers => true);

-- p cannot be given up by calling nothing sensitive
CREATE VIEW copied AS SELECT id / 20 AS g, illness, illness || '' AS x FROM patient;
SELECT sdc.publish_suppressed('copied', 'b6', '{g,x}', 5, '{}');
RESET ROLE;

-- a role that others can act as is not trusted with code
SET ROLE guard_mallory;
CREATE FUNCTION evil(int) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN true; END $$;
CREATE TABLE own AS SELECT i AS id, 20 + i % 30 AS age, 'ill ' || i % 6 AS ill FROM generate_series(1, 200) i;
SELECT id AS trapped FROM sdc.publish_microaggregated('own', 'team_release', '{age}', 4) \gset
CREATE INDEX ON team_release (age) WHERE evil(1);
CREATE OR REPLACE FUNCTION evil(int) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE 'evil runs as %', current_user; END $$;
RESET ROLE;
ALTER TABLE team_release OWNER TO guard_team;
GRANT SELECT ON team_release, own TO PUBLIC;
\set VERBOSITY sqlstate
SET ROLE guard_bob;
SELECT sdc.report_release(:trapped);
\set VERBOSITY terse
-- the trap works
SELECT count(*) FROM guarded.team_release WHERE age = 1;
RESET ROLE;

-- a comparison of states uses PostgreSQL's own operators
CREATE SCHEMA hostile;
CREATE FUNCTION hostile.never(int8, int8) RETURNS bool LANGUAGE sql AS 'SELECT false';
CREATE OPERATOR hostile.>= (PROCEDURE = hostile.never, LEFTARG = int8, RIGHTARG = int8);
CREATE TABLE yesterday AS SELECT * FROM patient WHERE id <> 7;
SET search_path = hostile, pg_catalog, guarded;
SELECT sdc.assert_difference('yesterday', 'patient', '{ward}', 'id', 3);
RESET search_path;

SELECT count(sdc.drop_release(id)) AS dropped FROM sdc.releases WHERE target LIKE 'guarded.%';
DROP SCHEMA guarded, hostile CASCADE;
DROP OWNED BY guard_mallory, guard_bob, guard_team;
DROP ROLE guard_mallory, guard_bob, guard_team;
