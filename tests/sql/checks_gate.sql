-- assert_anonymity is a gate: it must run wherever it stands, and pass nothing that was not shown.
CREATE TABLE gated (id int, age int, cost int);
INSERT INTO gated SELECT i, i / 5, i % 3 FROM generate_series(0, 19) i;

-- the planner leaves out what has no effect: a gate has one
SELECT count(*) FROM (SELECT sdc.assert_anonymity('gated', '{age}', k => 50)) g;
SELECT count(*) FROM gated, (SELECT sdc.assert_anonymity('gated', '{age}', k => 50)) g;
WITH g AS (SELECT sdc.assert_anonymity('gated', '{age}', k => 50)) SELECT 1 AS through FROM g;
-- PostgreSQL runs neither a CTE that nobody reads nor what EXISTS selects, whatever that is
SELECT 1 AS through WHERE EXISTS (SELECT sdc.assert_anonymity('gated', '{age}', k => 50));
WITH g AS (SELECT sdc.assert_anonymity('gated', '{age}', k => 50)) SELECT 1 AS through;
SELECT count(*) FROM (SELECT sdc.assert_anonymity('gated', '{age}', k => 5)) g;
-- so must everything that writes or refuses
SELECT proname FROM pg_proc WHERE pronamespace = 'sdc'::regnamespace AND provolatile <> 'v'
   AND (proname ~ '^(publish|drop|assert|replace|declare)_' OR proname ~ '_hierarchy$');

-- a table that was not filled says nothing
CREATE TABLE unfilled (LIKE gated);
SELECT sdc.assert_anonymity('unfilled', '{age}', k => 2);
SELECT sdc.assert_anonymity('unfilled', '{age}', '{cost}', t => 0.5);
SELECT sdc.assert_anonymity('unfilled', '{age}', '{cost}', k => 2, p => 2, l => 2, t => 0.5, allow_empty => true);
SELECT sdc.assert_anonymity('gated', '{age}', k => 50, allow_empty => true);

-- rows of nobody are no persons
INSERT INTO gated VALUES (NULL, 0, 0), (NULL, 9, 1);
SELECT property, actual FROM sdc.check_anonymity('gated', '{age}', entity => 'id');
SELECT sdc.assert_anonymity('gated', '{age}', k => 1, entity => 'id');
SELECT * FROM sdc.violations('gated', '{age}', k => 2, entity => 'id');
SELECT * FROM sdc.histogram('gated', '{age}', entity => 'id');
SELECT length(sdc.report('gated', '{age}', k => 2, entity => 'id', ks => NULL)) > 0 AS page;
DELETE FROM gated WHERE id IS NULL;
SELECT property, actual FROM sdc.check_anonymity('gated', '{age}', entity => 'id');

-- ten rows of one person are one person: l counts persons, p what they have
CREATE TABLE visit (person int, age int, illness text);
INSERT INTO visit SELECT 1, 40, 'Flu' FROM generate_series(1, 10);
INSERT INTO visit VALUES (2, 40, 'Asthma'), (3, 40, 'Cancer'), (3, 40, 'Cancer'), (3, 40, 'Flu'), (4, NULL, 'Flu'), (4, NULL, 'HIV'), (5, NULL, 'Flu');
SELECT r.property, r.actual AS rows, p.actual AS persons
FROM sdc.check_anonymity('visit', '{age}', '{illness}') r JOIN sdc.check_anonymity('visit', '{age}', '{illness}', entity => 'person') p USING (property);
SELECT key_values, rows, property, actual FROM sdc.violations('visit', '{age}', '{illness}', k => 4, p => 4, l => 2, entity => 'person');
-- the definition, over one row for each person and value
SELECT age, count(DISTINCT person) AS k, count(DISTINCT illness) AS p,
       count(DISTINCT person)::float8 / (SELECT max(n) FROM (SELECT count(DISTINCT person) AS n FROM visit o WHERE o.age IS NOT DISTINCT FROM v.age GROUP BY illness) q) AS l
FROM visit v GROUP BY age ORDER BY age;
DROP TABLE visit;

-- how far 50 is from 70 and from 900: by rank all that counts is what lies between
CREATE TABLE costs AS
SELECT CASE WHEN cost = 50 THEN 'low' WHEN cost = 70 THEN 'high' WHEN cost = 900 THEN 'far' ELSE 'other' END AS ward, cost
FROM (SELECT generate_series(50, 70) UNION ALL SELECT 900) AS c (cost);
-- a ward of 900 alone is no farther from the table than a ward of 50 alone, a ward of 70 alone nearly as far
SELECT * FROM (VALUES ('rank'), ('value')) AS d (distance),
    LATERAL (SELECT key_values ->> 'ward' AS ward, round(actual::numeric, 3) AS t FROM sdc.violations('costs', '{ward}', '{cost}', t => 0, distance => d.distance)) v
ORDER BY 1, 2;
SELECT property, attribute, actual, satisfied FROM sdc.check_anonymity('costs', '{ward}', '{cost}', t => 0.6, distance => 'value') WHERE property = 't-closeness';
SET sdc.max_memory = '1MB';
SELECT round(actual::numeric, 6) AS t FROM sdc.check_anonymity('costs', '{ward}', '{cost}', distance => 'value') WHERE property = 't-closeness';
RESET sdc.max_memory;
-- dates are numbers too; other types are all alike by any distance
SELECT sdc.t_closeness_by_value(ROW(cost > 60), '2020-01-01'::date + cost) = sdc.t_closeness_by_value(ROW(cost > 60), cost) AS dates,
       sdc.t_closeness_by_value(ROW(cost > 60), cost::text) = sdc.t_closeness(ROW(cost > 60), cost::text) AS texts FROM costs;
SELECT sdc.t_closeness_by_value(ROW(ward), nullif(cost, 60)) FROM costs;
SELECT sdc.t_closeness_by_value(ROW(ward), CASE cost WHEN 60 THEN 'NaN'::float8 ELSE cost END) FROM costs;
SELECT * FROM sdc.check_anonymity('costs', '{ward}', '{cost}', distance => 'miles');
SELECT sdc.t_closeness_by_value(1, NULL::int) FROM costs WHERE false;

DROP TABLE gated, unfilled, costs;
