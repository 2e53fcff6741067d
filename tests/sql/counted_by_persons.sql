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
