-- Generalization where NULL matches every value: sdc.publish_generalized(…, nulls => 'wildcard').
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = warning;
CREATE SCHEMA wildcards;
SET search_path = wildcards, public;
CREATE TABLE patient AS
SELECT i AS id, CASE WHEN i % 6 > 0 THEN 20 + (i * 37) % 50 END AS age, CASE WHEN i % 11 > 0 THEN (43100 + (i * 13) % 40)::text END AS zip,
       CASE WHEN i % 17 > 0 THEN (ARRAY['F', 'M'])[1 + i % 2] END AS sex, (ARRAY['Flu', 'HIV', 'Cancer', 'Asthma'])[1 + (i * i / 3) % 4] AS illness
FROM   generate_series(1, 150) AS i;
SELECT sdc.interval_hierarchy('patient', 'age', 'ages', '{5,20}');
SELECT sdc.prefix_hierarchy('patient', 'zip', 'zips');
CREATE TABLE sexes (level0 text, level1 text);
INSERT INTO sexes VALUES ('F', '*'), ('M', '*'), (NULL, '*');
\set hierarchies '{"age": "ages", "zip": "zips", "sex": "sexes"}'

-- fewer rows are left out than where NULL is a value, on the same levels
SELECT levels, suppressed AS as_value FROM sdc.lattice('patient', :'hierarchies', 4, '{illness}', 2) WHERE levels = '{"age": 2, "zip": 2, "sex": 0}';
SELECT levels, suppressed AS as_wildcard FROM sdc.lattice('patient', :'hierarchies', 4, '{illness}', 2, nulls => 'wildcard') WHERE levels = '{"age": 2, "zip": 2, "sex": 0}';
SELECT count(*) > 0 AS minimal FROM sdc.minimal_generalizations('patient', :'hierarchies', 4, '{illness}', 2, max_suppressed => 10, nulls => 'wildcard');
-- going up, no more rows are left out
SELECT count(*) AS lost FROM sdc.lattice('patient', :'hierarchies', 4, '{illness}', 2, nulls => 'wildcard') a, sdc.lattice('patient', :'hierarchies', 4, '{illness}', 2, nulls => 'wildcard') b
WHERE (SELECT bool_and(b.levels->>key >= value) FROM jsonb_each_text(a.levels)) AND b.suppressed > a.suppressed;

SELECT levels, released.rows + released.suppressed AS rows, released.suppressed <= 10 AS within, achieved->'k_wildcard' >= '4' AS k_wildcard, achieved->'p_wildcard' >= '2' AS p_wildcard,
       (achieved->>'k')::int < 4 AS strict_counts_fewer, parameters->>'nulls' AS nulls
FROM   sdc.publish_generalized('patient', 'patient_public', :'hierarchies', 4, '{illness}', 2, max_suppressed => 10, keep => '{id}', nulls => 'wildcard', allow_identifiers => true) AS released,
       LATERAL (SELECT parameters->>'levels' AS levels) l;
-- the check of the release, and the same row against row
SELECT property, actual, satisfied FROM sdc.check_anonymity('patient_public', '{age,zip,sex}', k => 4, nulls => 'wildcard');
SELECT min(matches) AS k_wildcard, min(illnesses) AS p_wildcard FROM (
    SELECT count(*) AS matches, count(DISTINCT b.illness) AS illnesses FROM patient_public a, patient_public b
    WHERE (a.age = b.age OR a.age IS NULL OR b.age IS NULL) AND (a.zip = b.zip OR a.zip IS NULL OR b.zip IS NULL)
      AND (a.sex = b.sex OR a.sex IS NULL OR b.sex IS NULL) GROUP BY a.id) m;
SELECT achieved->'k_wildcard' AS k_wildcard, achieved->'p_wildcard' AS p_wildcard FROM sdc.releases WHERE target = 'wildcards.patient_public';
-- NULL stays NULL, whatever the hierarchy makes of it
SELECT bool_and((r.age IS NULL) = (p.age IS NULL) AND (r.zip IS NULL) = (p.zip IS NULL) AND (r.sex IS NULL) = (p.sex IS NULL)) AS nulls_stay
FROM patient_public r JOIN patient p USING (id);

-- the rows left out are those that brute force removes one after the other
CREATE FUNCTION peeled(k int, p int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE left_over int;
BEGIN
    CREATE TEMP TABLE remaining AS
    SELECT id, CASE WHEN p.age IS NOT NULL THEN ages.level2 END AS age, CASE WHEN p.zip IS NOT NULL THEN zips.level2 END AS zip, p.sex, illness
    FROM patient p JOIN ages ON ages.level0 IS NOT DISTINCT FROM p.age::text JOIN zips ON zips.level0 IS NOT DISTINCT FROM p.zip;
    LOOP
        DELETE FROM remaining WHERE id = (SELECT a.id FROM remaining a, remaining b
            WHERE (a.age = b.age OR a.age IS NULL OR b.age IS NULL) AND (a.zip = b.zip OR a.zip IS NULL OR b.zip IS NULL)
              AND (a.sex = b.sex OR a.sex IS NULL OR b.sex IS NULL)
            GROUP BY a.id HAVING count(*) < k OR count(DISTINCT b.illness) < p LIMIT 1);
        EXIT WHEN NOT FOUND;
    END LOOP;
    SELECT count(*) INTO left_over FROM remaining;
    DROP TABLE remaining;
    RETURN left_over;
END $$;
SELECT k, p, 150 - suppressed = peeled(k, p) AS as_brute_force
FROM (VALUES (2, 1), (4, 2), (6, 3), (9, 3)) AS asked (k, p), sdc.lattice('patient', :'hierarchies', k, '{illness}', p, nulls => 'wildcard')
WHERE levels = '{"age": 2, "zip": 2, "sex": 0}';

-- the report reads the release as the register says
SELECT regexp_count AS requirements_met FROM (SELECT count(*) AS regexp_count FROM regexp_matches(sdc.report((SELECT max(id) FROM sdc.releases WHERE target = 'wildcards.patient_public')), 'Meets its requirement', 'g')) m;

-- without NULLs the same rows stay (a label that does not stand for NULL loses less)
CREATE TABLE whole AS SELECT * FROM patient WHERE age IS NOT NULL AND zip IS NOT NULL AND sex IS NOT NULL;
SELECT count(*) AS differ FROM (SELECT levels, height, groups, suppressed, satisfied FROM sdc.lattice('whole', :'hierarchies', 3, '{illness}', 2)
                                EXCEPT SELECT levels, height, groups, suppressed, satisfied FROM sdc.lattice('whole', :'hierarchies', 3, '{illness}', 2, nulls => 'wildcard')) d;
-- strata are values: NULL is a stratum like any other
SELECT suppressed > 0 AS suppressed, achieved->'k_wildcard' >= '3' AS k FROM sdc.publish_generalized('patient', 'patient_strata', '{"age": "ages"}', 3, max_suppressed => 20, strata => '{sex}', nulls => 'wildcard');
-- everybody is somebody's NULL
CREATE TABLE unknown AS SELECT NULL::int AS age FROM generate_series(1, 5);
CREATE TABLE nothing AS SELECT NULL::text AS level0, '*' AS level1;
SELECT levels, suppressed, loss, satisfied FROM sdc.lattice('unknown', '{"age": "nothing"}', 5, nulls => 'wildcard');

-- what has no meaning is refused
SELECT sdc.publish_generalized('patient', 'never', :'hierarchies', 3, '{illness}', l => 2, nulls => 'wildcard');
SELECT sdc.publish_generalized('patient', 'never', :'hierarchies', 3, '{illness}', t => 0.5, nulls => 'wildcard');
SELECT sdc.publish_generalized('patient', 'never', :'hierarchies', 3, entity => 'id', nulls => 'wildcard');
SELECT sdc.publish_generalized('patient', 'never', :'hierarchies', 3, population => 'patient', k_map => 3, nulls => 'wildcard');
SELECT sdc.publish_generalized('patient', 'never', :'hierarchies', 149, nulls => 'wildcard', levels => '{"age": 0, "zip": 0, "sex": 0}');
SELECT * FROM sdc.lattice('patient', :'hierarchies', 3, nulls => 'maybe');
SELECT sdc.publish_mondrian('patient', 'never', '{age,sex}', 3, nulls => 'wildcard');
SELECT to_regclass('never') AS nothing_left;

SET client_min_messages = error;
DROP SCHEMA wildcards CASCADE;
DELETE FROM sdc.release WHERE source LIKE 'wildcards.%';
RESET search_path;
