-- replace => true: the new release takes the old one's place, and everything that hangs on it stays.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
DELETE FROM sdc.release;
SELECT setval('sdc.release_id_seq', 800) \gset
CREATE ROLE sdc_night;
CREATE ROLE sdc_reader;
CREATE ROLE sdc_stranger;
CREATE SCHEMA nightly;
CREATE SCHEMA nightly_elsewhere;
GRANT USAGE, CREATE ON SCHEMA nightly TO sdc_night, sdc_stranger;
GRANT USAGE, CREATE ON SCHEMA nightly_elsewhere TO sdc_night;
GRANT USAGE ON SCHEMA nightly, nightly_elsewhere TO sdc_reader;
SET search_path = nightly;
SET ROLE sdc_night;
CREATE TABLE patient (id int, age int, zip text, illness text);
INSERT INTO patient SELECT i, 20 + i * 37 % 50, 'z' || i % 5, 'illness ' || i % 6 FROM generate_series(1, 120) AS i;
SELECT FROM sdc.prefix_hierarchy('patient', 'zip', 'zips');
CREATE FUNCTION failure(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN 'none';
EXCEPTION WHEN OTHERS THEN
    RETURN format('%s: %s', SQLSTATE, SQLERRM);
END $$;
CREATE TABLE call (target text PRIMARY KEY, sql text);
INSERT INTO call VALUES
    ('averaged', $$sdc.publish_microaggregated('patient', 'averaged', '{age}', 3, '{illness}', 2, replace => true)$$),
    ('general', $$sdc.publish_generalized('patient', 'general', '{"zip": "zips"}', 3, '{illness}', 2, replace => true)$$),
    ('categorised', $$sdc.publish_p_alpha('patient', 'categorised', '{age}', 'illness', '[["illness 0", "illness 1", "illness 2"], ["illness 3", "illness 4", "illness 5"]]', 3, 2, 1, replace => true)$$),
    ('anatomised', $$sdc.publish_anatomy('patient', 'anatomised', '{age,zip}', 'illness', 3, replace => true)$$),
    ('permuted', $$sdc.publish_permutation('patient', 'permuted', '{age,zip}', 'illness', 3, replace => true)$$),
    ('recoded', $$sdc.publish_mondrian('patient', 'recoded', '{age,zip}', 3, '{illness}', 2, hierarchies => '{"zip": "zips"}', replace => true)$$),
    ('blanked', $$sdc.publish_suppressed('patient', 'blanked', '{age,zip}', 3, '{illness}', replace => true)$$),
    ('disturbed', $$sdc.publish_perturbed('patient', 'disturbed', '{"age": {"method": "rank_swap", "percent": 10}}', keep => '{zip,illness}', replace => true)$$);
CREATE FUNCTION publish_all() RETURNS TABLE (id bigint, target text, rows bigint) LANGUAGE plpgsql AS $$
DECLARE next record;
BEGIN
    FOR next IN SELECT * FROM call ORDER BY call.target LOOP
        RETURN QUERY EXECUTE format('SELECT r.id, r.target, r.rows FROM %s AS r', next.sql);
    END LOOP;
END $$;
-- the first of many nights: there is nothing to replace yet
SELECT * FROM publish_all();
-- what people hang on releases
GRANT SELECT ON averaged, general, categorised, anatomised, permuted, recoded, blanked, disturbed TO sdc_reader;
COMMENT ON COLUMN averaged.age IS 'mean age';
COMMENT ON TABLE categorised IS 'read this first';
CREATE INDEX averaged_age ON averaged (age);
CREATE VIEW by_age AS SELECT age, count(*) AS rows FROM averaged GROUP BY age;
CREATE VIEW expected AS SELECT illness, sum(weight) AS rows FROM anatomised GROUP BY illness;
CREATE VIEW by_cells AS SELECT r.zip, count(*) AS rows FROM recoded AS r GROUP BY r.zip UNION ALL SELECT b.zip, count(*) FROM blanked AS b GROUP BY b.zip UNION ALL SELECT d.zip, count(*) FROM disturbed AS d GROUP BY d.zip;
CREATE MATERIALIZED VIEW frozen AS SELECT zip, sum(weight) AS rows FROM permuted GROUP BY zip;
CREATE TABLE before AS SELECT c.oid, c.relname, c.relkind, c.relowner, c.relacl::text AS acl, col_description(c.oid, 1) AS of_column
FROM pg_class AS c WHERE c.relnamespace = 'nightly'::regnamespace AND c.relkind IN ('r', 'v', 'i', 'm') AND c.relname <> 'before';
-- the next night
INSERT INTO patient SELECT i, 20 + i * 37 % 50, 'z' || i % 5, 'illness ' || i % 6 FROM generate_series(121, 150) AS i;
SELECT * FROM publish_all();
-- relations, grants, owners, comments are the same
SELECT oid, relname, relkind, relowner, acl, of_column FROM before
EXCEPT
SELECT c.oid, c.relname, c.relkind, c.relowner, c.relacl::text, col_description(c.oid, 1) FROM pg_class AS c;
SELECT count(*) AS new_relations FROM pg_class AS c WHERE c.relnamespace = 'nightly'::regnamespace AND c.relkind IN ('r', 'v', 'i', 'm') AND c.relname <> 'before' AND NOT EXISTS (SELECT FROM before AS b WHERE b.oid = c.oid);
SELECT sum(rows) FROM by_age;
SELECT round(sum(rows)) AS sum FROM expected;
SELECT sum(rows) FROM by_cells;
SELECT c.relname, obj_description(c.oid, 'pg_class') AS comment FROM pg_class AS c
WHERE c.relnamespace = 'nightly'::regnamespace AND obj_description(c.oid, 'pg_class') IS NOT NULL ORDER BY c.relname COLLATE "C";
-- readers see the new entry, the publisher what it replaced
SELECT id, target, published_by FROM sdc.releases ORDER BY id;
SELECT id, target, rows, replaced_by, dropped_at FROM sdc.release_history ORDER BY id;
SELECT r.target, v.* FROM sdc.releases AS r, sdc.verify_release(r.id) AS v ORDER BY r.id, v.relation;
SELECT count(sdc.report(id)) AS pages FROM sdc.releases;
SET ROLE sdc_reader;
SELECT id, target FROM sdc.releases ORDER BY id;
SELECT count(*) FROM averaged;
SET ROLE sdc_night;
-- an old release is history: it cannot be dropped, and its number is no way to the new one
SELECT sdc.drop_release(801);
SELECT sdc.verify_release(801);
-- renamed and moved
ALTER TABLE anatomised_qit RENAME TO keys_of_anatomy;
ALTER VIEW anatomised RENAME TO anatomy_now;
SELECT id, target FROM sdc.publish_anatomy('patient', 'anatomy_now', '{age,zip}', 'illness', 3, replace => true);
SELECT round(sum(rows)) AS sum FROM expected;
SELECT count(*) FROM keys_of_anatomy;
ALTER TABLE recoded SET SCHEMA nightly_elsewhere;
ALTER VIEW permuted SET SCHEMA nightly_elsewhere;
ALTER TABLE permuted_pst SET SCHEMA nightly_elsewhere;
DELETE FROM patient WHERE id > 140;
SELECT rows, r.target FROM sdc.publish_mondrian('patient', 'nightly_elsewhere.recoded', '{age,zip}', 3, '{illness}', 2, hierarchies => '{"zip": "zips"}', replace => true) AS r;
SELECT rows, r.target FROM sdc.publish_permutation('patient', 'nightly_elsewhere.permuted', '{age,zip}', 'illness', 3, replace => true) AS r;
SELECT sum(rows), to_regclass('recoded') IS NULL AND to_regclass('permuted_pst') IS NULL AS nothing_here FROM by_cells;
SELECT v.* FROM sdc.releases AS r, sdc.verify_release(r.id) AS v WHERE r.target ~ 'elsewhere' ORDER BY v.relation;
SET ROLE sdc_reader;
SELECT (SELECT count(*) FROM nightly_elsewhere.recoded) AS recoded, round(sum(weight)) AS permuted FROM nightly_elsewhere.permuted;
SET ROLE sdc_night;
-- under the old name there is nothing to replace: it is another release
SELECT rows, r.target FROM sdc.publish_mondrian('patient', 'recoded', '{age}', 3, replace => true) AS r;
SELECT count(*) FROM sdc.releases WHERE target ~ 'recoded';
INSERT INTO patient SELECT i, 20 + i * 37 % 50, 'z' || i % 5, 'illness ' || i % 6 FROM generate_series(141, 150) AS i;
-- dropped by hand, there is nothing to replace, either; nor is another table in its place a release
DROP TABLE disturbed CASCADE;
SELECT rows, r.target FROM sdc.publish_perturbed('patient', 'disturbed', '{"age": {"method": "rank_swap", "percent": 10}}', keep => '{zip,illness}', replace => true) AS r;
SELECT v.* FROM sdc.releases AS r, sdc.verify_release(r.id) AS v WHERE r.target ~ 'disturbed' ORDER BY r.id;
DROP TABLE blanked CASCADE;
CREATE TABLE blanked AS SELECT age, zip, illness FROM patient;
SELECT failure(sql) FROM (SELECT 'SELECT ' || sql AS sql FROM call WHERE target = 'blanked') AS c;
SELECT sdc.drop_release(id) FROM sdc.releases WHERE target ~ 'blanked';
SELECT count(*) FROM blanked;
-- columns in another order are the same columns
SELECT id FROM sdc.publish_microaggregated('patient', 'averaged', '{age}', 3, '{illness}', 2, keep => '{}', replace => true);

-- what cannot be replaced stays as it was
SELECT sdc.publish_microaggregated('patient', 'averaged', '{age}', 3, replace => true);
SELECT failure($$SELECT sdc.publish_microaggregated('patient', 'averaged', '{zip}', 3, '{illness}', 2, replace => true)$$);
SELECT failure($$SELECT sdc.publish_microaggregated('patient', 'averaged', '{age}', 3, '{illness}', 2, keep => '{zip}', replace => true)$$);
SELECT failure($$SELECT sdc.publish_anatomy('patient', 'averaged', '{age}', 'illness', 3, replace => true)$$);
SELECT failure($$SELECT sdc.publish_microaggregated('patient', 'anatomy_now', '{age}', 3, '{illness}', 2, replace => true)$$);
SELECT failure($$SELECT sdc.publish_permutation('patient', 'anatomy_now', '{age,zip}', 'illness', 3, replace => true)$$);
SELECT failure($$SELECT sdc.publish_microaggregated('patient', 'patient', '{age}', 3, replace => true)$$);
SELECT failure($$SELECT sdc.publish_microaggregated('patient', 'by_age', '{age}', 3, replace => true)$$);
SELECT failure($$SELECT sdc.publish_microaggregated('patient', 'averaged', '{age}', 3, '{illness}', 2)$$);
SELECT failure($$SELECT sdc.publish_microaggregated('patient', 'averaged', '{age}', 200, '{illness}', 2, replace => true)$$);
SELECT count(*), sum((SELECT count(*) FROM averaged)) FROM sdc.releases WHERE target = 'nightly.averaged';
-- nor does somebody else replace it
GRANT SELECT ON patient TO sdc_stranger;
GRANT SELECT, INSERT, DELETE ON averaged TO sdc_stranger;
SET ROLE sdc_stranger;
SELECT failure($$SELECT sdc.publish_microaggregated('nightly.patient', 'nightly.averaged', '{age}', 3, '{illness}', 2, replace => true)$$);
SET ROLE sdc_night;
-- a trigger that keeps rows back, a table that takes more
CREATE FUNCTION keep_back() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER keep_back BEFORE DELETE ON averaged FOR EACH ROW EXECUTE FUNCTION keep_back();
SELECT failure(sql) FROM (SELECT 'SELECT ' || sql AS sql FROM call WHERE target = 'averaged') AS c;
DROP TRIGGER keep_back ON averaged;
ALTER TABLE averaged ENABLE ROW LEVEL SECURITY;
ALTER TABLE averaged FORCE ROW LEVEL SECURITY;
SELECT failure(sql) FROM (SELECT 'SELECT ' || sql AS sql FROM call WHERE target = 'averaged') AS c;
ALTER TABLE averaged DISABLE ROW LEVEL SECURITY;
-- undone with its transaction
BEGIN;
SELECT rows FROM sdc.publish_microaggregated('patient', 'averaged', '{age}', 5, '{illness}', 2, replace => true);
ROLLBACK;
SELECT (parameters ->> 'k')::int AS k, unchanged FROM sdc.releases AS r, sdc.verify_release(r.id) WHERE target = 'nightly.averaged';
-- dropped, it is gone as a whole, with the entry's history
DROP VIEW by_age;
SELECT sdc.drop_release(id) FROM sdc.releases WHERE target = 'nightly.averaged';
SELECT to_regclass('averaged') IS NULL AS gone, count(*) AS entries, count(dropped_at) AS dropped, count(replaced_by) AS replaced FROM sdc.release_history WHERE target = 'nightly.averaged';
-- a superuser who replaces an untrusted owner's release would run that owner's triggers
RESET ROLE;
SELECT failure($$SELECT sdc.publish_generalized('nightly.patient', 'nightly.general', '{"zip": "zips"}', 3, '{illness}', 2, replace => true)$$);
DELETE FROM sdc.release;
DROP SCHEMA nightly, nightly_elsewhere CASCADE;
DROP OWNED BY sdc_night, sdc_reader, sdc_stranger;
DROP ROLE sdc_night, sdc_reader, sdc_stranger;
RESET search_path;
