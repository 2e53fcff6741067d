-- t-closeness by a hierarchy: near values count less than far ones.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA tree;
SET search_path = tree, public;
CREATE TABLE patient (ward int, illness text);
INSERT INTO patient VALUES (1, 'flu'), (1, 'pneumonia'), (1, 'bronchitis'), (2, 'ulcer'), (2, 'gastritis'), (2, 'cancer');
CREATE TABLE diseases (level0 text, level1 text, level2 text);
INSERT INTO diseases VALUES ('flu', 'lung', '*'), ('pneumonia', 'lung', '*'), ('bronchitis', 'lung', '*'), ('ulcer', 'stomach', '*'), ('gastritis', 'stomach', '*'), ('cancer', 'stomach', '*');
SELECT sdc.t_closeness(ROW(ward), illness) AS equal, sdc.t_closeness(ROW(ward), illness, 'diseases'::regclass) AS by_hierarchy FROM patient;
-- groups that mix both branches are nearer to the table
SELECT sdc.t_closeness(g, illness) AS equal, round(sdc.t_closeness(g, illness, 'diseases'::regclass)::numeric, 4) AS by_hierarchy
FROM (SELECT illness, row_number() OVER (PARTITION BY ward ORDER BY illness) AS g FROM patient) s;
CREATE TABLE many AS SELECT i % 50 AS g, (ARRAY['flu', 'pneumonia', 'bronchitis', 'ulcer', 'gastritis', 'cancer'])[1 + (i * i) % 6] AS illness FROM generate_series(1, 30000) AS i;
-- no worker of a parallel plan reads the hierarchy, which may be a temporary table
CREATE TEMP TABLE passing AS SELECT * FROM diseases;
SELECT set_config(name, 'on', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
SELECT sdc.t_closeness(ROW(g), illness, 'passing'::regclass) > 0 AS by_keys FROM many;
SELECT sdc.t_closeness(g, illness, 'passing'::regclass) > 0 AS by_number FROM many;
SELECT sdc.t_closeness_by_hierarchy_across(ROW(g, illness, 'passing'::regclass), false) > 0 AS across FROM many;
SELECT set_config(name, 'off', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query');
SELECT aggfnoid::regprocedure FROM pg_aggregate JOIN pg_proc f ON f.oid = aggfinalfn JOIN pg_proc p ON p.oid = aggfnoid
WHERE f.pronamespace = 'sdc'::regnamespace AND f.proparallel <> p.proparallel;
-- in parallel, the same
SELECT sdc.t_closeness(ROW(g), illness, 'diseases'::regclass) AS serial INTO serial FROM many;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT sdc.t_closeness(ROW(g), illness, 'diseases'::regclass) = (SELECT serial FROM serial) AS same FROM many;
-- what cannot be
INSERT INTO patient VALUES (3, 'measles');
SELECT sdc.t_closeness(ROW(ward), illness, 'diseases'::regclass) FROM patient;
SELECT sdc.t_closeness(ROW(ward), illness, NULL::regclass) FROM patient;
SELECT sdc.t_closeness(ROW(ward), illness, 'diseases'::regclass) FROM patient WHERE false;
RESET search_path;
DROP SCHEMA tree CASCADE;
