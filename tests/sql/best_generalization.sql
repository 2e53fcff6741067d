-- The best node of all, weights, keys without a hierarchy, and hierarchies that follow the data.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA best;
SET search_path = best, public;
SET datestyle = iso;

CREATE TABLE person AS
SELECT i AS id, 20 + (i * i * 7 + i) % 37 AS age, (ARRAY['43102', '43107', '50667', '50668', '43150'])[1 + (i * i) % 7 % 5] AS zip,
       (ARRAY['a', 'b'])[1 + (i / 2) % 2] AS ward, (ARRAY['Flu', 'HIV', 'Cancer'])[1 + i % 3] AS illness
FROM generate_series(1, 200) AS i;
INSERT INTO person VALUES (201, 99, '43102', 'a', 'Flu'), (202, 98, '43107', 'b', 'Flu');
SELECT sdc.interval_hierarchy('person', 'age', 'ages', '{5,20}'), sdc.prefix_hierarchy('person', 'zip', 'zips', 2);
\set hierarchies '{"age": "ages", "zip": "zips"}'

-- the release takes the node that loses least of all that satisfy, whatever the weights
CREATE FUNCTION best_of_all(weights jsonb, factor float8, OUT levels jsonb, OUT loss float8) LANGUAGE sql AS $$
    SELECT levels, loss FROM sdc.lattice('person', '{"age": "ages", "zip": "zips"}', 5, max_suppressed => 12, weights => weights, suppression_factor => factor)
    WHERE satisfied ORDER BY loss LIMIT 1 $$;
SELECT weights, factor, parameters->'levels' = levels AS best, parameters->'levels' AS chosen, r.suppressed,
       abs(COALESCE((r.loss->>'weighted')::float8, (r.loss->>'ncp')::float8) - b.loss) < 1e-12 AS same_loss
FROM (VALUES (1, NULL::jsonb, 1::float8), (2, '{"age": 10}', 1), (3, '{"zip": 10}', 1), (4, NULL, 0), (5, '{"age": 0.5, "zip": 3}', 4)) v (n, weights, factor),
     best_of_all(weights, factor) b,
     sdc.publish_generalized('person', 'best' || n, :'hierarchies', 5, max_suppressed => 12, weights => weights, suppression_factor => factor) r
ORDER BY n;
SELECT parameters->'weights' AS weights, parameters->'suppression_factor' AS factor FROM sdc.releases WHERE source = 'best.person' ORDER BY id;

-- a key without hierarchy is kept or suppressed, never generalized; a key at level 0 keeps its type
SELECT parameters->'levels' AS levels, rows, groups, suppressed FROM sdc.publish_generalized('person', 'whole', '{"age": "ages", "ward": null}', 5, max_suppressed => 2);
SELECT pg_typeof(age) AS age, pg_typeof(ward) AS ward, count(DISTINCT ward) FROM whole GROUP BY 1, 2;
SELECT parameters->'levels' AS levels, suppressed FROM sdc.publish_generalized('person', 'typed', '{"age": null}', 5, max_suppressed => 2);
SELECT pg_typeof(age) AS type, min(age), max(age), sum(age) = (SELECT sum(age) FROM person WHERE age < 98) AS same FROM typed GROUP BY 1;
SELECT sdc.publish_generalized('person', 'x', '{"age": null}', 5) IS NULL;

-- nonsense
SELECT sdc.publish_generalized('person', 'x', :'hierarchies', 5, weights => '{"ward": 1}');
SELECT sdc.publish_generalized('person', 'x', :'hierarchies', 5, weights => '{"age": -1}');
SELECT sdc.publish_generalized('person', 'x', :'hierarchies', 5, weights => '{"age": 0, "zip": 0}');
SELECT sdc.publish_generalized('person', 'x', :'hierarchies', 5, weights => '[1]');
SELECT sdc.publish_generalized('person', 'x', :'hierarchies', 5, suppression_factor => -1);

-- values that a hierarchy lacks: counted in the message, listed for the caller
INSERT INTO person VALUES (203, 17, '10115', 'a', 'Flu'), (204, 17, NULL, 'b', 'Flu');
SELECT sdc.publish_generalized('person', 'x', :'hierarchies', 5);
SELECT * FROM sdc.uncovered_values('person', '{"age": "ages", "zip": "zips", "ward": null}');
SELECT sdc.uncovered_values('person', '{"age": "no_such_table"}');
-- a builder fills an existing hierarchy anew; grants and views live on
CREATE VIEW zip_view AS SELECT level0 FROM zips;
SELECT sdc.interval_hierarchy('person', 'age', 'ages', '{5,20}', replace => true), sdc.prefix_hierarchy('person', 'zip', 'best.zips', 2, replace => true);
SELECT count(*) FROM sdc.uncovered_values('person', :'hierarchies');
SELECT level0 FROM zip_view ORDER BY 1;
SELECT sdc.interval_hierarchy('person', 'age', 'ages', '{5}', replace => true);
SELECT sdc.interval_hierarchy('person', 'age', 'ages', '{5,20}');
SELECT sdc.grouping_hierarchy('person', 'ward', 'wards', '[{"x": ["a", "b"]}]', replace => true);
SELECT sdc.grouping_hierarchy('person', 'ward', 'wards', '[{"y": ["a", "b"]}]', replace => true);
SELECT * FROM wards ORDER BY 1;

-- timestamps in bins
CREATE TABLE event AS SELECT '2024-02-28 22:10'::timestamp + i * interval '3 hours 7 minutes' AS at FROM generate_series(0, 3) AS i;
INSERT INTO event VALUES (NULL), ('infinity');
SELECT sdc.time_hierarchy('event', 'at', 'times', '{6 hours,1 day}');
TABLE times;
SELECT sdc.date_hierarchy('event', 'at', 'hours', '{minute,hour,day}');
SELECT level0, level1, level2 FROM hours WHERE level0 LIKE '2024-02-29%' ORDER BY 1 LIMIT 2;
SELECT sdc.time_hierarchy('event', 'at', 'x', '{1 month}');
SELECT sdc.time_hierarchy('event', 'at', 'x', '{6 hours,10 hours}');
SELECT sdc.time_hierarchy('person', 'age', 'x', '{6 hours}');

DELETE FROM sdc.release;
RESET search_path;
RESET datestyle;
DROP SCHEMA best CASCADE;
