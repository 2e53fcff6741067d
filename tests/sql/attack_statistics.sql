-- Leaks through statistics: the planner's statistics of a release are for those who may read
-- it, and statements that pg_sdc generates hold no value that statistics views would show.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE ROLE sdc_publisher;
CREATE ROLE sdc_curious;
CREATE SCHEMA figures;
GRANT USAGE, CREATE ON SCHEMA figures TO sdc_publisher;
GRANT USAGE ON SCHEMA figures TO sdc_curious;
SET search_path = figures;
SET ROLE sdc_publisher;
CREATE TABLE patient (age int, zip text, illness text);
INSERT INTO patient SELECT 20 + i % 30, 'secret zip ' || i % 4, 'secret illness ' || i % 5 FROM generate_series(1, 300) AS i;
SELECT rows FROM sdc.publish_anatomy('patient', 'anatomised', '{age,zip}', 'illness', 2);
SELECT rows FROM sdc.publish_permutation('patient', 'permuted', '{age,zip}', 'illness', 2);
SELECT rows FROM sdc.publish_microaggregated('patient', 'microaggregated', '{age}', 3, '{illness}', 2);
ANALYZE patient, anatomised_qit, anatomised_st, permuted_pqt, permuted_pst, microaggregated;

-- statistics of a release: none for the curious, even when the view is granted, until the table is
SET ROLE sdc_curious;
SELECT count(*) FROM pg_stats WHERE schemaname = 'figures';
SET ROLE sdc_publisher;
SELECT count(*) > 0 AS own FROM pg_stats WHERE schemaname = 'figures';
GRANT SELECT ON anatomised TO sdc_curious;
SET ROLE sdc_curious;
SELECT count(*) FROM pg_stats WHERE schemaname = 'figures';
SELECT count(*) FROM pg_statistic;
-- what they hold is of the release's columns alone, and the source's statistics stay with the source
RESET ROLE;
SELECT tablename, array_agg(attname ORDER BY attname COLLATE "C") AS columns FROM pg_stats WHERE schemaname = 'figures' AND tablename <> 'patient' GROUP BY tablename ORDER BY tablename COLLATE "C";

-- progress of others: not for the curious (who may read all statistics does)
SET ROLE sdc_curious;
SELECT count(*) FROM sdc.progress;
RESET ROLE;

-- generated statements name columns and tables; values go by parameters and rows. Utility statements
-- are kept word for word by pg_stat_statements before PostgreSQL 16, so those count most.
CREATE FUNCTION statements() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE shown bigint;
BEGIN
    EXECUTE 'CREATE EXTENSION pg_stat_statements SCHEMA figures';
    EXECUTE 'SELECT count(*) FROM pg_stat_statements s WHERE s.query ~ ''secret (zip|illness) [0-9]'' AND NOT s.toplevel AND s.userid = ''sdc_publisher''::regrole' INTO shown;
    RETURN shown;
EXCEPTION WHEN undefined_file OR feature_not_supported OR object_not_in_prerequisite_state THEN RETURN 0; -- not loaded on this server
END $$;
SET ROLE sdc_publisher;
SELECT sdc.grouping_hierarchy('patient', 'zip', 'zips', '[{"some": ["secret zip 0", "secret zip 1"], "more": ["secret zip 2", "secret zip 3"]}]');
SELECT rows FROM sdc.publish_generalized('patient', 'generalized', '{"zip": "zips"}', 3, '{illness}', 2,
    categories => '[["secret illness 0", "secret illness 1"], ["secret illness 2", "secret illness 3", "secret illness 4"]]', alpha => 1);
SELECT count(*) FROM sdc.violations('patient', '{age}', '{illness}', k => 20,
    categories => '[["secret illness 0", "secret illness 1"], ["secret illness 2", "secret illness 3", "secret illness 4"]]', alpha => 1);
SELECT sdc.estimate_count('anatomised', 'zip = ''secret zip 1''') > 0 AS estimated;
RESET ROLE;
SELECT statements() AS shown;
DELETE FROM sdc.release WHERE source LIKE 'figures.%';
DROP SCHEMA figures CASCADE;
DROP OWNED BY sdc_publisher, sdc_curious;
DROP ROLE sdc_publisher, sdc_curious;
