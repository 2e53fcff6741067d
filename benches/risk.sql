-- Risk beside the plain SQL that it rests on: sdc.risk beside its GROUP BY, individual risk beside
-- sum() OVER (), SUDA and wildcard counts beside nothing, because plain SQL takes hours.
CREATE TABLE person AS
SELECT 20 + abs(hashint4(i)) % 60 AS age,
       CASE abs(hashint4(i + 1000001)) % 2 WHEN 0 THEN 'F' ELSE 'M' END AS sex,
       (10000 + abs(hashint4(i + 2000003)) % 40)::text AS zip,
       (ARRAY['never married', 'married', 'divorced', 'widowed', 'separated'])[1 + abs(hashint4(i + 3000017)) % 5] AS marital,
       abs(hashint4(i + 4000037)) % 16 AS education,
       abs(hashint4(i + 5000011)) % 9 AS k6, abs(hashint4(i + 6000011)) % 7 AS k7, abs(hashint4(i + 7000003)) % 12 AS k8,
       1 + abs(hashint4(i + 8000009)) % 200 / 10.0::float8 AS weight, i AS id
FROM   generate_series(1, 1000000) AS i;
-- most rows have keys of their own
CREATE TABLE scattered AS
SELECT age, sex, (10000 + abs(hashint4(id + 2000003)) % 400)::text AS zip, marital, education, weight FROM person;
CREATE TABLE tenth AS SELECT * FROM person WHERE id <= 100000;
CREATE TABLE gaps AS
SELECT nullif(age, CASE WHEN id % 20 = 0 THEN age END) AS age, nullif(sex, CASE WHEN id % 20 = 3 THEN sex END) AS sex,
       nullif(zip, CASE WHEN hashint4(id) % 20 = 0 THEN zip END) AS zip, nullif(marital, CASE WHEN hashint4(id + 7) % 20 = 0 THEN marital END) AS marital,
       nullif(education, CASE WHEN hashint4(id + 9) % 20 = 0 THEN education END) AS education
FROM   tenth;
VACUUM ANALYZE person;
VACUUM ANALYZE scattered;
VACUUM ANALYZE tenth;
VACUUM ANALYZE gaps;

\set keys 'age, sex, zip, marital, education'
CREATE TABLE candidate (task text, who text, query text, ms numeric);
INSERT INTO candidate VALUES
    ('risk, 1,000,000 rows, 5 keys', 'GROUP BY', format('SELECT count(*) FROM person GROUP BY %s', :'keys')),
    ('risk, 1,000,000 rows, 5 keys', 'sdc', format('SELECT value FROM sdc.risk(''person'', ''{%s}'')', :'keys')),
    ('risk by weight, 1,000,000 rows, 5 keys', 'GROUP BY', format('SELECT sum(weight) FROM person GROUP BY %s', :'keys')),
    ('risk by weight, 1,000,000 rows, 5 keys', 'sdc', format('SELECT value FROM sdc.risk(''person'', ''{%s}'', weight => ''weight'')', :'keys')),
    ('risk in a population, 100,000 of 1,000,000 rows', 'two GROUP BY',
     format('SELECT * FROM (SELECT count(*) FROM person GROUP BY %1$s) a UNION ALL SELECT count(*) FROM tenth GROUP BY %1$s', :'keys')),
    ('risk in a population, 100,000 of 1,000,000 rows', 'sdc',
     format('SELECT value FROM sdc.risk(''tenth'', ''{%s}'', population => ''person'')', :'keys')),
    ('individual risk, 1,000,000 rows, 5 keys', 'sum() OVER ()', 'SELECT sum(weight) OVER () FROM person'),
    ('individual risk, 1,000,000 rows, 5 keys', 'sdc', format('SELECT sdc.individual_risk(weight, %s) OVER () FROM person', :'keys')),
    ('individual risk, 880,000 groups', 'sum() OVER ()', 'SELECT sum(weight) OVER () FROM scattered'),
    ('individual risk, 880,000 groups', 'sdc', format('SELECT sdc.individual_risk(weight, %s) OVER () FROM scattered', :'keys')),
    ('SUDA, 100,000 rows, 8 keys, up to 3', 'sdc', format('SELECT sdc.suda(3, %s, k6, k7, k8) OVER () FROM tenth', :'keys')),
    ('SUDA keys, 100,000 rows, 8 keys, up to 3', 'sdc',
     format('SELECT contribution FROM sdc.suda_keys(''tenth'', ''{%s, k6, k7, k8}'', 3)', :'keys')),
    ('wildcard counts, 100,000 rows, 5 keys, 5 % NULL', 'sdc',
     format('SELECT value FROM sdc.risk(''gaps'', ''{%s}'', nulls => ''wildcard'')', :'keys')),
    ('column risk, 100,000 rows, 8 columns, pairs', 'sdc', format('SELECT risk FROM sdc.column_risk(''tenth'', ''{%s, k6, k7, k8}'')', :'keys')),
    ('population models, 1,000,000 rows, 5 keys', 'sdc', format('SELECT model FROM sdc.population_models(''person'', ''{%s}'', 0.05)', :'keys'));
UPDATE candidate SET ms = ms(query);

SELECT task, who, ms, round(ms / min(ms) FILTER (WHERE who <> 'sdc') OVER (PARTITION BY task), 2) AS ratio
FROM   candidate ORDER BY task, who <> 'sdc';
SELECT memory_kb() / 1024 AS most_mb;
