-- sdc.progress shows what long work is doing. A source that looks at it while it is being read
-- notes what the view says at that moment, so that nothing here depends on timing.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA watched;
SET search_path = watched;
CREATE TABLE seen (relation regclass, phase text, done bigint, total bigint);
CREATE FUNCTION look(value int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_stat_clear_snapshot();
    INSERT INTO seen SELECT p.relation, p.phase, p.done, p.total FROM sdc.progress p WHERE p.pid = pg_backend_pid();
    RETURN value;
END $$;
CREATE VIEW patient AS SELECT look(i % 4) AS age, i % 3 AS s FROM generate_series(1, 24) AS i;
CREATE TABLE ages AS SELECT i::text AS level0, '*' AS level1 FROM generate_series(0, 3) AS i;
-- what a statement shows while it reads
CREATE FUNCTION shown(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN (SELECT string_agg(DISTINCT concat_ws(' ', relation, phase, done, total), ', ') FROM seen);
END $$;
CREATE TABLE call (number int GENERATED ALWAYS AS IDENTITY, statement text);
INSERT INTO call (statement) VALUES
    ($$SELECT count(*) FROM sdc.check_anonymity('patient', '{age}', '{s}', k => 2)$$),
    ($$SELECT count(*) FROM sdc.check_anonymity('patient', '{age}', '{s}', t => 1)$$),
    ($$SELECT count(*) FROM sdc.violations('patient', '{age}', '{s}', k => 2)$$),
    ($$SELECT count(*) FROM sdc.feasibility('patient', '{age}', 2)$$),
    ($$SELECT count(*) FROM sdc.histogram('patient', '{age}')$$),
    ($$SELECT count(g) FROM (SELECT sdc.mdav(3, look(s)) OVER () AS g FROM patient) AS p$$),
    ($$SELECT count(g) FROM (SELECT sdc.p_sensitive(3, 2, ROW(look(s)), ROW(s)) OVER () AS g FROM patient) AS p$$),
    ($$SELECT count(g) FROM (SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW(look(s)), s + 1, 3) OVER () AS g FROM patient) AS p$$),
    ($$SELECT count(g) FROM (SELECT sdc.mondrian(3, ROW(look(s))) OVER () AS g FROM patient) AS p$$),
    ($$SELECT count(g) FROM (SELECT sdc.anatomy(2, look(s)) OVER () AS g FROM patient) AS p$$),
    ($$SELECT count(g) FROM (SELECT sdc.permutation(2, ROW(look(s)), s) OVER () AS g FROM patient) AS p$$),
    ($$SELECT count(g) FROM (SELECT sdc.permute(look(s)) OVER () AS g FROM patient) AS p$$),
    ($$SELECT count(*) FROM sdc.microaggregate(NULL::patient, '{age}', 3)$$),
    ($$SELECT count(*) FROM sdc.risk_utility(NULL::patient, '{age}', '{2}')$$),
    ($$SELECT count(*) FROM sdc.lattice('patient', '{"age": "ages"}', 2)$$),
    ($$SELECT sdc.publish_microaggregated('patient', 'm', '{age}', 3)$$),
    ($$SELECT sdc.publish_generalized('patient', 'g', '{"age": "ages"}', 3)$$),
    ($$SELECT sdc.publish_p_alpha('patient', 'p', '{age}', 's', '[["0"], ["1"], ["2"]]', 3, 2, 1)$$),
    ($$SELECT sdc.publish_anatomy('patient', 'a', '{age}', 's', 2)$$),
    ($$SELECT sdc.publish_permutation('patient', 't', '{age}', 's', 2)$$);
DO $$
DECLARE c call;
BEGIN
    FOR c IN SELECT * FROM call ORDER BY number LOOP
        TRUNCATE seen;
        RAISE INFO '%: %', c.number, shown(c.statement);
    END LOOP;
END $$;
-- and nothing when it is done
SELECT count(*) AS left_over FROM sdc.progress;
DELETE FROM sdc.release WHERE source = 'watched.patient';
DROP SCHEMA watched CASCADE;
