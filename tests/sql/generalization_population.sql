-- publish_generalized with a population: k-map and delta-presence, against a naive reference.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA pop;
CREATE TABLE pop.everybody AS
SELECT i AS id, 20 + (i * 37) % 60 AS age, (ARRAY['F','M'])[1 + (i * i / 7) % 2] AS sex, 'z' || (i * 13) % 8 AS zip FROM generate_series(1, 900) i;
CREATE TABLE pop.sample AS SELECT *, (ARRAY['Flu','Asthma','HIV'])[1 + id % 3] AS illness FROM pop.everybody WHERE id % 7 = 0 OR id % 11 < 2;
CREATE TABLE pop.age AS SELECT a::text AS level0, (a / 5 * 5)::text AS level1, (a / 20 * 20)::text AS level2, '*' AS level3 FROM generate_series(20, 79) a;
CREATE TABLE pop.sex AS SELECT * FROM (VALUES ('F', '*'), ('M', '*')) v (level0, level1);
CREATE TABLE pop.zip AS SELECT 'z' || z AS level0, 'z' || z / 4 AS level1, '*' AS level2 FROM generate_series(0, 7) z;
\set keys '{"age": "pop.age", "sex": "pop.sex", "zip": "pop.zip"}'

-- every node, counted by joins: rows and persons of each group, and what it loses
CREATE FUNCTION pop.label(h regclass, v text, l int) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE r text; BEGIN EXECUTE format('SELECT level%s FROM %s WHERE level0 = $1', l, h) INTO r USING v; RETURN r; END $$;
CREATE TABLE pop.nodes AS
SELECT a, s, z, g.f, coalesce(p.f, 0) AS persons
FROM generate_series(0, 3) a, generate_series(0, 1) s, generate_series(0, 2) z,
     LATERAL (SELECT pop.label('pop.age', age::text, a) ka, pop.label('pop.sex', sex, s) ks, pop.label('pop.zip', zip, z) kz, count(*) f FROM pop.sample GROUP BY 1, 2, 3) g
     LEFT JOIN LATERAL (SELECT pop.label('pop.age', age::text, a) ka, pop.label('pop.sex', sex, s) ks, pop.label('pop.zip', zip, z) kz, count(*) f FROM pop.everybody GROUP BY 1, 2, 3) p
       USING (ka, ks, kz);
-- for each requirement the node that is published, and whether it is one that satisfies it; and no node that does loses less
CREATE FUNCTION pop.compare(k int, k_map int, delta float8, most int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE made sdc.release; lost float8; levels jsonb; best float8; fit bool;
BEGIN
    made := sdc.publish_generalized('pop.sample', 'pop.released', '{"age": "pop.age", "sex": "pop.sex", "zip": "pop.zip"}', k,
        max_suppressed => most, population => 'pop.everybody', k_map => k_map, delta => delta);
    levels := made.parameters -> 'levels';
    SELECT sum(f) FILTER (WHERE NOT (f >= k AND persons >= coalesce(k_map, 0) AND f::float8 / persons <= coalesce(delta, 1))) = made.suppressed
               OR made.suppressed = 0 INTO fit
    FROM pop.nodes WHERE (a, s, z) = ((levels ->> 'age')::int, (levels ->> 'sex')::int, (levels ->> 'zip')::int);
    -- the least loss over all nodes that satisfy: what is covered beside the own value, 1 for suppressed rows
    SELECT min(loss) INTO best FROM (
        SELECT a, s, z, (sum(f) FILTER (WHERE ok) * ((CASE a WHEN 0 THEN 0 WHEN 1 THEN 4 WHEN 2 THEN 19 ELSE 59 END) / 59.0 + s + (CASE z WHEN 0 THEN 0 WHEN 1 THEN 3 ELSE 7 END) / 7.0) / 3
                         + coalesce(sum(f) FILTER (WHERE NOT ok), 0)) / sum(f) AS loss
        FROM (SELECT *, f >= k AND persons >= coalesce(k_map, 0) AND f::float8 / persons <= coalesce(delta, 1) AS ok FROM pop.nodes) n
        GROUP BY a, s, z HAVING coalesce(sum(f) FILTER (WHERE NOT ok), 0) <= most AND bool_or(ok)) q;
    lost := (made.loss ->> 'ncp')::float8;
    PERFORM sdc.drop_release(made.id);
    RETURN format('%s %s suppressed %s, k-map %s, delta %s: fits %s, best %s', k, levels, made.suppressed, made.achieved ->> 'k_map',
                  round((made.achieved ->> 'delta')::numeric, 3), fit, abs(lost - best) < 1e-9);
END $$;
SELECT pop.compare(2, NULL, NULL, 0);
SELECT pop.compare(2, 10, NULL, 0);
SELECT pop.compare(2, 40, NULL, 0);
SELECT pop.compare(2, 40, NULL, 60);
SELECT pop.compare(2, NULL, 0.5, 0);
SELECT pop.compare(2, NULL, 0.5, 40);
SELECT pop.compare(3, 12, 0.6, 30);
-- all of a grid
SELECT count(*), bool_and(c ~ 'fits t, best t') AS all_fit
FROM unnest('{2,4}'::int[]) k, unnest('{NULL,5,25}'::int[]) m, unnest('{NULL,0.45,0.8}'::float8[]) d, unnest('{0,20,100}'::int[]) s, pop.compare(k, m, d, s) c;

-- the call as the register keeps it; the check agrees where keys are compared in one form
SELECT parameters ->> 'population' AS population, parameters ->> 'k_map' AS k_map, parameters ->> 'delta' AS delta
FROM sdc.publish_generalized('pop.sample', 'pop.released', :'keys', 2, population => 'pop.everybody', k_map => 10, delta => 0.9, levels => '{"age": 3, "sex": 0, "zip": 2}');
CREATE VIEW pop.recoded AS SELECT '*' AS age, sex, '*' AS zip FROM pop.everybody;
SELECT property, required, round(actual::numeric, 4) AS actual, satisfied
FROM sdc.check_anonymity('pop.released', '{age,sex,zip}', population => 'pop.recoded', k_map => 10, delta => 0.9) WHERE property ~ 'map|delta';
SELECT round((achieved ->> 'delta')::numeric, 4) AS delta, achieved ->> 'k_map' AS k_map FROM sdc.releases WHERE target = 'pop.released';
-- a key without a hierarchy: other values of the population are other groups
SELECT achieved ->> 'k_map' AS k_map FROM sdc.publish_generalized('pop.sample', 'pop.kept', '{"age": "pop.age", "sex": null}', 2, population => 'pop.everybody', k_map => 100);

-- refused
SELECT sdc.publish_generalized('pop.sample', 'pop.x', :'keys', 2, k_map => 10);
SELECT sdc.publish_generalized('pop.sample', 'pop.x', :'keys', 2, delta => 0.5);
SELECT sdc.publish_generalized('pop.sample', 'pop.x', :'keys', 2, population => 'pop.everybody', k_map => 0);
SELECT sdc.publish_generalized('pop.sample', 'pop.x', :'keys', 2, population => 'pop.everybody', delta => 1.5);
SELECT sdc.publish_generalized('pop.sample', 'pop.x', :'keys', 2, population => 'pop.everybody', delta => 'NaN');
SELECT sdc.publish_generalized('pop.sample', 'pop.x', :'keys', 2, population => 'pop.everybody', k_map => 1000);
SELECT sdc.publish_generalized('pop.sample', 'pop.x', :'keys', 2, population => 'pop.everybody', k_map => 40, levels => '{"age": 0, "sex": 0, "zip": 0}');
SELECT sdc.publish_generalized('pop.sample', 'pop.x', :'keys', 2, population => 'pop.zip', k_map => 10);
SELECT sdc.publish_generalized('pop.sample', 'pop.x', :'keys', 2, entity => 'id', population => 'pop.everybody', k_map => 10);
-- a population that lacks somebody, and one with a value that the hierarchy lacks
CREATE VIEW pop.part AS SELECT * FROM pop.everybody WHERE id % 7 <> 0 AND id % 11 > 1;
SELECT sdc.publish_generalized('pop.sample', 'pop.x', :'keys', 2, population => 'pop.part', k_map => 10);
CREATE VIEW pop.older AS SELECT * FROM pop.everybody UNION ALL SELECT 1000, 99, 'F', 'z1';
SELECT sdc.publish_generalized('pop.sample', 'pop.x', :'keys', 2, population => 'pop.older', k_map => 10);
CREATE VIEW pop.nobody AS SELECT * FROM pop.everybody WHERE false;
SELECT sdc.publish_generalized('pop.sample', 'pop.x', :'keys', 2, population => 'pop.nobody', k_map => 10);
-- the population is read as the caller
CREATE ROLE pop_publisher;
GRANT ALL ON SCHEMA pop TO pop_publisher;
GRANT SELECT ON pop.sample, pop.age, pop.sex, pop.zip TO pop_publisher;
SET ROLE pop_publisher;
SELECT sdc.publish_generalized('pop.sample', 'pop.x', :'keys', 2, population => 'pop.everybody', k_map => 10);
RESET ROLE;
SELECT to_regclass('pop.x') IS NULL AS nothing_left;
REVOKE ALL ON pop.sample, pop.age, pop.sex, pop.zip FROM pop_publisher;
REVOKE ALL ON SCHEMA pop FROM pop_publisher;
DROP ROLE pop_publisher;
SET client_min_messages = error;
SELECT count(sdc.drop_release(id)) FROM sdc.releases WHERE target ~ '^pop[.]';
DROP SCHEMA pop CASCADE;
