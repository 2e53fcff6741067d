-- sdc.histogram: group sizes as bars of text.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
CREATE TABLE visit AS
SELECT person, age, ward FROM generate_series(1, 400) AS person, LATERAL (SELECT 20 + floor(sqrt(person)) AS age, CASE person % 5 WHEN 0 THEN 'n' ELSE 's' END AS ward) a,
       generate_series(1, 1 + person % 2) AS nth;
SELECT * FROM sdc.histogram('visit', '{age,ward}');
SELECT * FROM sdc.histogram('visit', '{age,ward}', 10, 'person');
-- the bars hold every group and every row
SELECT sum(groups) = (SELECT count(*) FROM (SELECT DISTINCT age, ward FROM visit) d) AS all_groups,
       sum(rows) = (SELECT count(*) FROM visit) AS all_rows
FROM   sdc.histogram('visit', '{age,ward}');
SELECT * FROM sdc.histogram('visit', '{ward}', width => 3);
CREATE TABLE nobody (age int);
SELECT * FROM sdc.histogram('nobody', '{age}');
SELECT * FROM sdc.histogram('visit', '{age}', 0);
SELECT * FROM sdc.histogram('visit', '{age}', 1001);
SELECT * FROM sdc.histogram('visit', '{}');
SELECT * FROM sdc.histogram('visit', '{nothing}');
DROP TABLE visit, nobody;
