-- l and t as promises of publish_microaggregated: kept by every method that can, checked by the models of the checks.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SELECT setval('sdc.release_id_seq', 8200) \gset
SET client_min_messages = error;
CREATE SCHEMA close;
CREATE TABLE close.patient AS
SELECT i AS id, i / 2 AS person, (i * 37) % 80 + 10 AS age, CASE WHEN i % 20 > 0 THEN (i * 53) % 50 + 140 END AS height,
       (ARRAY['Flu', 'Cold', 'HIV', 'Ulcer'])[1 + (i * i + i / 3) % 4] AS illness, (i * 7919) % 1000 AS cost,
       (ARRAY['north', 'south'])[1 + i % 2] AS region
FROM generate_series(1, 400) AS i;

-- the usual method is the one whose groups tell nothing beside their values
SELECT groups, parameters -> 'method' AS method, parameters -> 'l' AS l, achieved
FROM sdc.publish_microaggregated('close.patient', 'close.diverse', '{age,height}', 3, '{illness}', l => 2);
SELECT property, required, satisfied FROM sdc.check_anonymity('close.diverse', '{age,height}', '{illness}', k => 3, l => 2) WHERE required IS NOT NULL;

-- every method keeps both; numbers are compared by ordered distance, others by equal distance
SELECT m.method, (achieved ->> 'k')::int >= 3 AS k, (achieved ->> 'p')::int >= 2 AS p, (achieved ->> 'l')::float8 >= 1.5 AS l, (achieved ->> 't')::float8 <= 0.25 AS t
FROM unnest(ARRAY['symmetric', 'merge', 't_first', 'least_loss', 'k_first', 'p_first_lean', 'random_rows']) WITH ORDINALITY AS m (method, number),
     sdc.publish_microaggregated('close.patient', 'close.both_' || number, '{age,height}', 3, '{cost,illness}', 2, method => m.method, l => 1.5, t => 0.25, seed => 1) AS r;

-- with refine the search goes over keys alone, before groups are joined
SELECT (achieved ->> 't')::float8 <= 0.2 AS t FROM sdc.publish_microaggregated('close.patient', 'close.refined', '{age,height}', 3, '{cost}', t => 0.2, refine => true, effort => 1, seed => 1);

-- persons: l counts those who have a value, t compares rows
SELECT (achieved ->> 'k')::int >= 3 AS k, (achieved ->> 'l')::float8 >= 1.4 AS l, (achieved ->> 't')::float8 <= 0.4 AS t, achieved -> 'persons' AS persons
FROM sdc.publish_microaggregated('close.patient', 'close.persons', '{age,height}', 3, '{illness}', l => 1.4, t => 0.4, entity => 'person');

-- strata: compared with the whole table, so one that is too far from it fails
SELECT (achieved ->> 't')::float8 <= 0.3 AS t FROM sdc.publish_microaggregated('close.patient', 'close.strata', '{age,height}', 3, '{illness}', l => 1.5, t => 0.3, strata => '{region}');
SELECT * FROM sdc.publish_microaggregated('close.patient', 'close.never', '{age,height}', 3, '{illness}', t => 0.001, strata => '{region}');

-- what cannot be had
SELECT * FROM sdc.publish_microaggregated('close.patient', 'close.never', '{age,height}', 3, '{illness}', l => 5);
SELECT * FROM sdc.publish_microaggregated('close.patient', 'close.never', '{age,height}', 3, '{illness}', l => 2, entity => 'person');
SELECT * FROM sdc.publish_microaggregated('close.patient', 'close.never', '{age,height}', 3, l => 2);
SELECT * FROM sdc.publish_microaggregated('close.patient', 'close.never', '{age,height}', 3, '{illness}', t => 0.2, method => 'mdav');
SELECT * FROM sdc.publish_microaggregated('close.patient', 'close.never', '{age,height}', 3, '{illness}', t => 0.2, max_suppressed => 3);
SELECT * FROM sdc.publish_microaggregated('close.patient', 'close.never', '{age,height}', 3, '{illness}', t => -1);
SELECT to_regclass('close.never');

-- a policy may demand them, and then they need not be said
SECURITY LABEL FOR sdc ON TABLE close.patient IS 'k=3 l=1.5 t=0.3';
SECURITY LABEL FOR sdc ON COLUMN close.patient.illness IS 'sensitive';
SELECT parameters -> 'l' AS l, parameters -> 't' AS t FROM sdc.publish_microaggregated('close.patient', 'close.policy', '{age,height}');
SELECT * FROM sdc.publish_microaggregated('close.patient', 'close.never', '{age,height}', t => 0.5);
SECURITY LABEL FOR sdc ON TABLE close.patient IS NULL;

SELECT count(*) FROM (SELECT sdc.drop_release(id) FROM sdc.releases WHERE source = 'close.patient') d;
DROP SCHEMA close CASCADE;
