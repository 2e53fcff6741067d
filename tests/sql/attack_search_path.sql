-- A hostile schema in search_path with look-alikes of everything that generated SQL could name:
-- functions, aggregates, operators, casts, types, tables. Each of them stops whoever runs it.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA hostile;
CREATE SCHEMA victim;
CREATE FUNCTION hostile.trap() RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE 'hijacked'; END $$;
CREATE FUNCTION hostile.number() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE 'hijacked'; END $$;

-- operators for every pair of types that generated SQL compares or computes with
DO $$
DECLARE
    a regtype; b regtype; op text; result text;
BEGIN
    FOREACH a IN ARRAY '{int2,int4,int8,float8,numeric,text,name,oid,bool,date,timestamp,jsonb,varchar,regclass,char}'::regtype[] LOOP
        FOREACH b IN ARRAY '{int2,int4,int8,float8,numeric,text,name,oid,bool,date,timestamp,jsonb,varchar,regclass,char}'::regtype[] LOOP
            EXECUTE format('CREATE FUNCTION hostile.op(%1$s, %2$s) RETURNS bool LANGUAGE plpgsql AS ''BEGIN PERFORM hostile.trap(); RETURN NULL; END''', a, b);
            FOREACH op IN ARRAY '{=,<>,<,>,<=,>=,+,-,*,/,%,||,~~,^}'::text[] LOOP
                EXECUTE format('CREATE OPERATOR hostile.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = hostile.op)', op, a, b);
            END LOOP;
        END LOOP;
    END LOOP;
END $$;
-- and every operator that PostgreSQL has: CASE x WHEN, IN and BETWEEN call operators without naming them
DO $$
DECLARE o record;
BEGIN
    FOR o IN SELECT oprname, oprleft::regtype AS a, oprright::regtype AS b, oprleft = 0 AS alone
             FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace ORDER BY oid
    LOOP
        BEGIN
            EXECUTE format('CREATE FUNCTION hostile.op(%s) RETURNS bool LANGUAGE plpgsql AS ''BEGIN PERFORM hostile.trap(); RETURN NULL; END''',
                           CASE WHEN o.alone THEN o.b::text ELSE format('%s, %s', o.a, o.b) END);
        EXCEPTION WHEN duplicate_function THEN NULL; -- made above
        END;
        BEGIN
            EXECUTE format('CREATE OPERATOR hostile.%s (%s RIGHTARG = %s, FUNCTION = hostile.op)', o.oprname,
                           CASE WHEN NOT o.alone THEN format('LEFTARG = %s,', o.a) END, o.b);
        EXCEPTION WHEN duplicate_function THEN NULL;
        END;
    END LOOP;
END $$;
SELECT count(*) > 1000 AS many FROM pg_operator WHERE oprnamespace = 'hostile'::regnamespace;
-- functions of the names that generated SQL calls, for any arguments
DO $$
DECLARE f text; arguments text;
BEGIN
    FOREACH f IN ARRAY '{trim_scale,format,to_char,date_trunc,rpad,left,length,to_jsonb,row_number,dense_rank,hash_record_extended,gen_random_uuid,power,round,coalesce_,quote_ident,pg_get_userbyid,aclexplode,to_regclass,parse_ident,current_schema_,obj_description,readable,category,generalize}'::text[] LOOP
        FOREACH arguments IN ARRAY '{"","text","text,text","text,int4","text,int4,text","numeric","float8","float8,float8","date","oid","anyelement","VARIADIC text[]"}'::text[] LOOP
            EXECUTE format('CREATE FUNCTION hostile.%I(%s) RETURNS text LANGUAGE plpgsql AS ''BEGIN PERFORM hostile.trap(); RETURN NULL; END''', f, arguments);
        END LOOP;
    END LOOP;
END $$;
SELECT count(*) AS planted FROM pg_proc WHERE pronamespace = 'hostile'::regnamespace AND proname NOT IN ('op', 'trap', 'number');
-- aggregates
CREATE FUNCTION hostile.step(state int8, anyelement) RETURNS int8 LANGUAGE plpgsql AS 'BEGIN PERFORM hostile.trap(); RETURN 0; END';
CREATE AGGREGATE hostile.min(anyelement) (SFUNC = hostile.step, STYPE = int8);
CREATE AGGREGATE hostile.max(anyelement) (SFUNC = hostile.step, STYPE = int8);
CREATE AGGREGATE hostile.sum(anyelement) (SFUNC = hostile.step, STYPE = int8);
CREATE AGGREGATE hostile.count(anyelement) (SFUNC = hostile.step, STYPE = int8);
-- types and relations
CREATE TYPE hostile.text AS ENUM ('hijacked');
CREATE TYPE hostile.numeric AS ENUM ('hijacked');
CREATE DOMAIN hostile.float8 AS pg_catalog.float8 CHECK (false);
CREATE VIEW hostile.release AS SELECT hostile.number() AS id;
CREATE VIEW hostile.pg_class AS SELECT hostile.number() AS oid;
CREATE VIEW hostile.pg_namespace AS SELECT hostile.number() AS oid;
CREATE VIEW hostile.pg_sdc_rows AS SELECT hostile.number() AS a;

CREATE TABLE victim.patient (id int, age int, weight numeric, born date, zip text, illness text);
INSERT INTO victim.patient
SELECT i, 20 + i % 50, i % 30, date '1950-01-01' + i * 37 % 9000, (10000 + i % 20)::text, 'illness ' || i % 6 FROM generate_series(1, 300) AS i;
ALTER DEFAULT PRIVILEGES IN SCHEMA victim GRANT SELECT ON TABLES TO PUBLIC;

-- does the trap work? pg_catalog comes last, as an attacker would have it
SET search_path = hostile, victim, pg_catalog;
SELECT 1::pg_catalog.int8 = 2::pg_catalog.int4;
SELECT count(id) FROM patient;

SELECT property, actual IS NOT NULL AS known FROM sdc.check_anonymity('victim.patient', '{age,zip}', '{illness,weight}', k => 1, t => 1, l => 1, p => 1);
SELECT rows IS NOT NULL AS found FROM sdc.violations('victim.patient', '{age,zip}', '{illness}', k => 9, p => 2, t => 0.1) LIMIT 1;
SELECT sdc.assert_anonymity('victim.patient', '{zip}', '{illness}', k => 2, alpha => 0, categories => '[["illness 0", "illness 1"], ["illness 2", "illness 3", "illness 4", "illness 5"]]');
SELECT property FROM sdc.check_anonymity('victim.patient', '{zip}', entity => 'id');
SELECT max_p FROM sdc.feasibility('victim.patient', '{illness}', 2);
SELECT age IS NOT NULL AS masked FROM sdc.microaggregate(NULL::victim.patient, '{age,weight,born,zip}', 3, '{illness}', 2) LIMIT 1;
SELECT sdc.interval_hierarchy('victim.patient', 'age', 'victim.ages', '{10,20}');
SELECT sdc.prefix_hierarchy('victim.patient', 'zip', 'victim.zips', 2);
SELECT sdc.date_hierarchy('victim.patient', 'born', 'victim.borns');
SELECT sdc.grouping_hierarchy('victim.patient', 'illness', 'victim.illnesses', '[{"some": ["illness 0", "illness 1", "illness 2", "illness 3", "illness 4", "illness 5"]}]');
SELECT sdc.generalize(33, 'victim.ages', 1);
SELECT height IS NOT NULL AS found FROM sdc.minimal_generalizations('victim.patient', '{"age": "victim.ages", "zip": "victim.zips"}', 3, '{illness}', 2) LIMIT 1;
SELECT height FROM sdc.lattice('victim.patient', '{"age": "victim.ages"}', 3, t => 0.5, sensitive => '{illness}', alpha => 1, categories => '[["illness 0"], ["illness 1", "illness 2", "illness 3", "illness 4", "illness 5"]]') LIMIT 1;
SELECT target FROM sdc.publish_microaggregated('victim.patient', 'victim.microaggregated', '{age,weight,born}', 3, '{illness}', 2, refine => true, effort => 0);
SELECT target FROM sdc.publish_generalized('victim.patient', 'victim.generalized', '{"age": "victim.ages"}', 3, '{illness}', 2, max_suppressed => 10, t => 0.9);
SELECT target FROM sdc.publish_anatomy('victim.patient', 'victim.anatomised', '{age,zip}', 'illness', 3);
SELECT target FROM sdc.publish_permutation('victim.patient', 'victim.permuted', '{age,zip}', 'illness', 3);
SELECT target FROM sdc.publish_p_alpha('victim.patient', 'victim.p_alpha', '{age,weight}', 'illness', '[["illness 0", "illness 1", "illness 2"], ["illness 3", "illness 4", "illness 5"]]', 3, 2, 1);
SELECT sdc.report('victim.patient', '{age,zip}', '{illness,weight}', k => 2, p => 2) IS NOT NULL AS reported;
SELECT sdc.report(id) IS NOT NULL AS reported FROM sdc.releases WHERE target OPERATOR(pg_catalog.=) 'victim.p_alpha';
SELECT group_size IS NOT NULL AS sized FROM sdc.histogram('victim.patient', '{age,zip}') LIMIT 1;
SELECT k FROM sdc.risk_utility(NULL::victim.patient, '{age,weight}', '{2}');
SELECT target FROM sdc.publish_anatomy('victim.patient', 'victim.again', '{age}', 'illness', 3);
SELECT sdc.estimate_count('victim.anatomised', 'age < 30.5', 'illness IN (''illness 1'', ''illness 2'')') OPERATOR(pg_catalog.>) 0 AS estimated;
SELECT sdc.estimate_count('victim.permuted', 'age BETWEEN 30 AND 50', 'zip <> ''10001''') OPERATOR(pg_catalog.>) 0 AS estimated;
SELECT weight IS NOT NULL AS weighted FROM victim.anatomised LIMIT 1;
SELECT weight IS NOT NULL AS weighted FROM victim.permuted LIMIT 1;
SELECT sdc.category('b'::pg_catalog.text, '[["a"], ["b"]]');
SELECT sdc.drop_release(id) FROM sdc.releases WHERE source OPERATOR(pg_catalog.=) 'victim.patient' LIMIT 1;
-- aggregates and window functions
SELECT sdc.k_anonymity(age, zip), sdc.p_sensitivity(ROW(age), illness), sdc.t_closeness(ROW(age), weight) IS NOT NULL AS t, sdc.l_diversity(ROW(zip), illness) FROM victim.patient;
SELECT sdc.mdav(3, age, weight, born, zip) OVER (), sdc.mondrian(3, ROW(age, weight)) OVER (), sdc.p_sensitive(3, 2, ROW(age), ROW(illness)) OVER () IS NOT NULL AS p, sdc.anatomy(2, illness) OVER () IS NOT NULL AS l,
       sdc.p_alpha_sensitive(3, 2, 1, ROW(age), id OPERATOR(pg_catalog.%) 2 OPERATOR(pg_catalog.+) 1, 2) OVER () IS NOT NULL AS p_alpha,
       sdc.permutation(2, ROW(age), illness) OVER () IS NOT NULL AS permuted, sdc.permute(illness) OVER () IS NOT NULL AS shuffled FROM victim.patient ORDER BY id LIMIT 1;
SELECT pid FROM sdc.progress;

RESET search_path;
SELECT sdc.drop_release(id) FROM sdc.releases WHERE source = 'victim.patient';
DROP SCHEMA hostile CASCADE;
DROP SCHEMA victim CASCADE;
