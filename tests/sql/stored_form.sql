-- How the source stores a value does not show in a release: not its compression, not where it was.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
CREATE SCHEMA stored_form;
SET search_path = stored_form;
SET client_min_messages = error;
-- releases are compressed in another way than the source, where the server knows one
DO $$ BEGIN PERFORM set_config('default_toast_compression', 'lz4', false); EXCEPTION WHEN OTHERS THEN NULL; END $$;
CREATE TABLE source (id int, a int, kind text, note text COMPRESSION pglz);
ALTER TABLE source ALTER note SET STORAGE MAIN;
INSERT INTO source SELECT i, i, 'kind ' || i % 3, repeat(i % 5 || ' long note ', 500) FROM generate_series(1, 30) AS i;
ALTER TABLE source ALTER note SET STORAGE EXTERNAL;
INSERT INTO source SELECT i, i, 'kind ' || i % 3, repeat(i % 5 || ' long note ', 5000) FROM generate_series(31, 60) AS i;
SELECT pg_column_compression(note) AS compression, count(*) FROM source GROUP BY 1 ORDER BY 1;
CREATE FUNCTION forms(release regclass) RETURNS TABLE (as_usual bool, notes bigint, longest int) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT bool_and(pg_column_compression(note) = current_setting(''default_toast_compression'')), count(DISTINCT note), max(length(note)) FROM %s', release);
END $$;
CREATE TABLE kinds AS SELECT 'kind ' || i AS level0, '*' AS level1 FROM generate_series(0, 2) AS i;
SELECT (sdc.publish_microaggregated('source', 'microaggregated', '{a}', 3, keep => '{note}')).rows;
SELECT * FROM forms('microaggregated');
SELECT (sdc.publish_generalized('source', 'generalized', '{"kind": "kinds"}', 3, keep => '{note}')).rows;
SELECT * FROM forms('generalized');
SELECT (sdc.publish_p_alpha('source', 'by_category', '{a}', 'kind', '[["kind 0"], ["kind 1"], ["kind 2"]]', 3, 2, 1, keep => '{note}')).rows;
SELECT * FROM forms('by_category');
SELECT (sdc.publish_anatomy('source', 'anatomized', '{note}', 'kind', 2)).rows;
SELECT * FROM forms('anatomized_qit');
SELECT (sdc.publish_permutation('source', 'permuted', '{note}', 'kind', 2)).rows;
SELECT * FROM forms('permuted_pqt');
SELECT count(sdc.drop_release(id)) FROM sdc.releases WHERE source = 'stored_form.source';
RESET default_toast_compression;
DROP SCHEMA stored_form CASCADE;
