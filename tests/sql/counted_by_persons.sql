-- Persons with many rows: what is registered counts them, and who they are is not published unseen.
CREATE SCHEMA counted_by_persons;
SET search_path = counted_by_persons, public;

-- (p+,alpha) counts each person by the most sensitive category
CREATE TABLE pa AS SELECT p person, 20+p age, v illness
 FROM generate_series(1,40) p, unnest('{HIV,Flu}'::text[]) v;
SELECT achieved->'alpha' AS alpha, achieved->'p_plus' AS p_plus, achieved->'persons' AS persons
FROM sdc.publish_p_alpha('pa','pa_pub','{age}','illness','[["HIV"],["Cancer"],["Flu"]]',4,1,0,entity=>'person');
UPDATE pa SET illness = NULL WHERE person = 1 AND illness = 'Flu';
SELECT sdc.publish_p_alpha('pa','pb','{age}','illness','[["HIV"],["Cancer"],["Flu"]]',4,1,0,entity=>'person');

-- so do the checks: what the register says of a release is what a check of it says
CREATE FUNCTION checked(release text, OUT p_plus float8, OUT alpha float8, OUT k float8, OUT naive jsonb) LANGUAGE plpgsql AS $$
DECLARE categories jsonb := '[["HIV","Cancer"],["Asthma"],["Flu","Cold"],["None"]]';
BEGIN
    EXECUTE format($sql$SELECT max(actual) FILTER (WHERE property = 'p+-sensitivity'), max(actual) FILTER (WHERE property = 'alpha-weight'), max(actual) FILTER (WHERE property = 'k-anonymity')
        FROM sdc.check_anonymity(%L, '{age,height}', '{illness}', categories => %L, entity => 'pseudonym')$sql$, release, categories) INTO p_plus, alpha, k;
    EXECUTE format($sql$SELECT jsonb_build_object('p_plus', min(p), 'alpha', min(w), 'missed', count(*) FILTER (WHERE w < 1.5), 'rows', sum(rows) FILTER (WHERE w < 1.5))
        FROM (SELECT age, height, count(DISTINCT c) AS p, sum(c - 1) / 3.0::float8 AS w, sum(n) AS rows
              FROM (SELECT age, height, pseudonym, min(sdc.category(illness, %L)) AS c, count(*) AS n FROM %I GROUP BY age, height, pseudonym) p GROUP BY age, height) g$sql$, categories, release) INTO naive;
END $$;
CREATE TABLE drawn (trial int, register jsonb, check_says jsonb, in_little_memory jsonb, naive jsonb, violations jsonb);
DO $$
DECLARE trial int; register jsonb; found record; small record; missed jsonb;
BEGIN
    SET LOCAL client_min_messages = error;
    FOR trial IN 1..12 LOOP
        PERFORM setseed(trial / 20.0);
        CREATE TABLE many_rows AS SELECT person, person AS pseudonym, age, height, (ARRAY['HIV','Cancer','Asthma','Flu','Cold','None'])[1 + floor(6 * sqrt(random()))::int] AS illness
            FROM (SELECT person, 20 + 50 * random() AS age, 150 + 40 * random() AS height, 1 + floor(4 * random())::int AS n FROM generate_series(1, 60) AS person) p, generate_series(1, n);
        SELECT achieved INTO register FROM sdc.publish_p_alpha('many_rows', 'many_rows_public', '{age,height}', 'illness', '[["HIV","Cancer"],["Asthma"],["Flu","Cold"],["None"]]',
            4, 2, 0.5 + trial % 3, keep => '{pseudonym}', publish => 'value', entity => 'person', allow_identifiers => true, replace => true);
        SELECT * INTO found FROM checked('many_rows_public');
        SET LOCAL sdc.max_memory = '1MB';
        SELECT * INTO small FROM checked('many_rows_public');
        RESET sdc.max_memory;
        SELECT jsonb_build_object('missed', count(*), 'rows', sum(rows)) INTO missed FROM sdc.violations('many_rows_public', '{age,height}', '{illness}', alpha => 1.5,
            categories => '[["HIV","Cancer"],["Asthma"],["Flu","Cold"],["None"]]', entity => 'pseudonym');
        INSERT INTO drawn SELECT trial, jsonb_build_object('p_plus', register->'p_plus', 'alpha', round((register->>'alpha')::numeric, 9), 'k', register->'k'),
            jsonb_build_object('p_plus', found.p_plus, 'alpha', round(found.alpha::numeric, 9), 'k', found.k),
            jsonb_build_object('p_plus', small.p_plus, 'alpha', round(small.alpha::numeric, 9), 'k', small.k), found.naive, missed;
        DROP TABLE many_rows;
    END LOOP;
END $$;
SELECT count(*) AS trials, count(*) FILTER (WHERE register = check_says) AS checked, count(*) FILTER (WHERE register = in_little_memory) AS in_little_memory,
    count(*) FILTER (WHERE (naive->>'p_plus', round((naive->>'alpha')::numeric, 9)) = (check_says->>'p_plus', (check_says->>'alpha')::numeric)) AS naively,
    count(*) FILTER (WHERE naive - 'p_plus' - 'alpha' = violations) AS violations, count(DISTINCT register) > 3 AS they_vary FROM drawn;
-- by rows the same groups would weigh more
CREATE TABLE rows_of_few AS SELECT person, 30 AS age, v AS illness FROM generate_series(1, 2) AS person, unnest('{HIV,Flu,Flu}'::text[]) AS v;
SELECT e AS by, property, actual, violating_rows FROM (VALUES ('rows', NULL), ('persons', 'person')) AS by (e, entity),
    sdc.check_anonymity('rows_of_few', '{age}', '{illness}', p => 2, alpha => 1, categories => '[["HIV"],["Flu"]]', entity => entity) WHERE property IN ('p+-sensitivity', 'alpha-weight');
SELECT sdc.assert_anonymity('rows_of_few', '{age}', '{illness}', alpha => 1, categories => '[["HIV"],["Flu"]]', entity => 'person');

-- a generalization promises what a check of it says, also where a person's keys change
SELECT FROM setseed(0.3);
CREATE TABLE moving AS SELECT person, person AS pseudonym, CASE WHEN person % 5 = 0 THEN (20 + 10 * random())::int ELSE age END AS age, (ARRAY['HIV','Cancer','Asthma','Flu','Cold','None'])[1 + floor(6 * sqrt(random()))::int] AS illness
FROM (SELECT person, (20 + 40 * random())::int AS age, 1 + floor(4 * random())::int AS n FROM generate_series(1, 200) AS person) p, generate_series(1, n);
SELECT FROM sdc.interval_hierarchy('moving', 'age', 'moving_ages', '{5,10,20}');
SET client_min_messages = error;
CREATE TABLE moved AS SELECT alpha, g.target, g.suppressed, g.achieved
FROM unnest('{1,3,6,12}'::float8[]) AS alpha, sdc.publish_generalized('moving', 'moving_' || alpha, '{"age": "moving_ages"}', 4, '{illness}', 2, keep => '{pseudonym}', alpha => alpha,
    categories => '[["HIV","Cancer"],["Asthma"],["Flu","Cold"],["None"]]', entity => 'person', allow_identifiers => true, max_suppressed => 0.2) AS g;
RESET client_min_messages;
SELECT alpha, suppressed > 0 AS suppressed, (achieved->>'alpha')::float8 >= alpha AS kept,
    (SELECT jsonb_object_agg(property, actual) FROM sdc.check_anonymity(target::regclass, '{age}', '{illness}', categories => '[["HIV","Cancer"],["Asthma"],["Flu","Cold"],["None"]]', entity => 'pseudonym')
     WHERE property IN ('k-anonymity', 'p-sensitivity', 'p+-sensitivity', 'alpha-weight'))
    = jsonb_build_object('k-anonymity', achieved->'k', 'p-sensitivity', achieved->'p', 'p+-sensitivity', achieved->'p_plus', 'alpha-weight', achieved->'alpha') AS checked
FROM moved;

-- names that repeat, because persons have several rows
CREATE TABLE visit AS SELECT i % 40 AS person, 'P. ' || i % 40 AS name, 20 + i % 30 AS age, (ARRAY['Flu','HIV','Cancer'])[1 + i % 3] AS illness
FROM generate_series(1, 120) i;
SELECT rows FROM sdc.publish_microaggregated('visit', 'kept', '{age}', 4, keep => '{name}', seed => 1);
SELECT rows FROM sdc.publish_microaggregated('visit', 'persons_kept', '{age}', 4, keep => '{illness}', entity => 'person', seed => 1);
SELECT rows FROM sdc.publish_microaggregated('visit', 'allowed', '{age}', 4, keep => '{name}', seed => 1, allow_identifiers => true);

-- a hint names nothing that does not go with t
CREATE TABLE regions AS SELECT i AS id, 20 + i % 30 AS age, CASE WHEN i <= 4 THEN 'small' ELSE 'large' END AS region, (ARRAY['Flu','HIV','Cancer'])[1 + i % 3] AS illness
FROM generate_series(1, 104) i;
SELECT sdc.publish_microaggregated('regions', 'close', '{age}', 5, '{illness}', 2, strata => '{region}', t => 0.5, seed => 1);

-- a column loses its protection aloud
SELECT sdc.declare('visit', sensitive => '{illness}');
SELECT sdc.declare('visit', keys => '{age,illness}');
DROP SCHEMA counted_by_persons CASCADE;
