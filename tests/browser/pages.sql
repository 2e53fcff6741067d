-- The tables and releases whose pages the browser opens; each line of `page` is one page.
\set ON_ERROR_STOP on
SET client_min_messages = error;
CREATE EXTENSION pg_sdc;
CREATE TABLE patient AS
SELECT i AS id, 20 + (i * 37) % 60 AS age, 150 + (i * 7919) % 40 AS height, date '1946-01-01' + (i * 2711) % 21000 AS born,
       CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' END AS sex, (ARRAY['Flu', 'HIV', 'Cancer', 'Asthma'])[1 + (i * i / 3) % 4] AS illness
FROM   generate_series(1, 600) AS i;
CREATE TABLE visit AS SELECT i / 3 AS person, i / 30 AS age, 'w' || i % 2 AS ward FROM generate_series(1, 300) AS i;
CREATE TABLE "</title><h1>odd" ("<script>alert(1)</script>" int, "a""b' &amp; c" text, "<img src=x onerror=alert(2)>" text);
INSERT INTO "</title><h1>odd" SELECT i % 7, '<b>' || i % 3 || '</b>', 'ä€<script>' || i % 4 FROM generate_series(1, 70) AS i;
CREATE TABLE one_row AS SELECT 1 AS age, 'Flu'::text AS illness;
CREATE TABLE no_rows (age int, illness text);
CREATE TABLE constant AS SELECT 7 AS age, 'Flu'::text AS illness FROM generate_series(1, 20);
CREATE TABLE nulls AS SELECT nullif(i % 5, 0) AS age, nullif(i % 3, 0)::text AS illness FROM generate_series(1, 40) AS i;
SELECT format('CREATE TABLE wide AS SELECT %s FROM generate_series(1, 100) AS i',
              string_agg(format('(i * %s) %% 10 AS key_with_a_long_name_%s', c, c), ', '))
FROM   generate_series(1, 60) AS c \gexec
SELECT string_agg(attname, ',') AS wide_keys FROM pg_attribute WHERE attrelid = 'wide'::regclass AND attnum > 0 \gset

SELECT sdc.interval_hierarchy('patient', 'age', 'age_hierarchy', '{10,20,40}'), sdc.prefix_hierarchy('patient', 'sex', 'sex_hierarchy') \g /dev/null
SELECT id AS averaged FROM sdc.publish_microaggregated('patient', 'patient_averaged', '{age,height,born,sex}', 5, '{illness}', 2) \gset
SELECT id AS general FROM sdc.publish_generalized('patient', 'patient_general', '{"age": "age_hierarchy", "sex": "sex_hierarchy"}', 5, '{illness}', 2) \gset
SELECT id AS recoded FROM sdc.publish_mondrian('patient', 'patient_recoded', '{age,height,born,sex}', 5, '{illness}') \gset
SELECT id AS anatomy FROM sdc.publish_anatomy('patient', 'patient_anatomy', '{age,sex}', 'illness', 2) \gset
SELECT id AS permuted FROM sdc.publish_permutation('patient', 'patient_permuted', '{age,sex}', 'illness', 2) \gset
SELECT id AS odd FROM sdc.publish_microaggregated('"</title><h1>odd"', '"<i>odd</i>"', ARRAY['<script>alert(1)</script>', 'a"b'' &amp; c'], 5) \gset
SELECT id AS weighed FROM sdc.publish_p_alpha('patient', 'patient_weighed', '{age,height}', 'illness',
    '[["HIV", "Cancer"], ["Asthma"], ["Flu"]]', 5, 2, 1.0) \gset
CREATE TABLE worker AS SELECT i AS id, 20 + i * 37 % 60 AS age_in_years, i * 7919 % 40 AS hours_per_week, 10000 + i * 311 % 7000 AS income_before_taxes,
       (ARRAY['Machine operation and inspection', 'Sales', 'Handling and cleaning'])[1 + i % 3] AS occupation, (ARRAY['Flu', 'HIV'])[1 + i * i / 3 % 2] AS illness
FROM   generate_series(1, 400) AS i;
SELECT id AS attacked FROM sdc.publish_microaggregated('worker', 'worker_averaged', '{age_in_years,hours_per_week,income_before_taxes,occupation}', 5, '{illness}', 2, attack => true, seed => 1) \gset
CREATE TABLE doomed AS SELECT * FROM patient;
SELECT id AS orphan FROM sdc.publish_microaggregated('doomed', 'doomed_averaged', '{age,height}', 5) \gset
DROP TABLE doomed;

CREATE TABLE page (name text, html text);
INSERT INTO page VALUES
    ('table', sdc.report('patient', '{age,height,sex}', '{illness}', k => 5, p => 2)),
    ('table-public', sdc.report('patient', '{age}', '{illness}', k => 5, p => 2, audience => 'public')),
    ('persons', sdc.report('visit', '{age}', '{ward}', k => 5, entity => 'person')),
    ('odd-names', sdc.report('"</title><h1>odd"', ARRAY['<script>alert(1)</script>', 'a"b'' &amp; c'], ARRAY['<img src=x onerror=alert(2)>'], k => 3)),
    ('one-row', sdc.report('one_row', '{age}', '{illness}', k => 2)),
    ('no-rows', sdc.report('no_rows', '{age}', '{illness}', k => 2)),
    ('no-sensitive', sdc.report('patient', '{age,sex}')),
    ('constant-key', sdc.report('constant', '{age}', '{illness}')),
    ('nulls', sdc.report('nulls', '{age}', '{illness}', k => 3, p => 2)),
    ('sixty-keys', sdc.report('wide', ('{' || :'wide_keys' || '}')::name[], k => 2)),
    ('microaggregated', sdc.report(:averaged)),
    ('microaggregated-public', sdc.report_release(:averaged, 'public')),
    ('attacked', sdc.report(:attacked)),
    ('generalized', sdc.report(:general)),
    ('recoded', sdc.report(:recoded)),
    ('anatomy', sdc.report(:anatomy)),
    ('anatomy-public', sdc.report_release(:anatomy, 'public')),
    ('permutation', sdc.report(:permuted)),
    ('weighed', sdc.report(:weighed)),
    ('weighed-public', sdc.report_release(:weighed, 'public')),
    ('odd-release', sdc.report(:odd)),
    ('source-dropped', sdc.report(:orphan));
