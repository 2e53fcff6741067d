-- A database in another encoding than UTF8: names beyond ASCII are refused, not mistaken for others.
SET client_encoding = 'UTF8';
SET client_min_messages = warning;
DROP DATABASE IF EXISTS sdc_latin1;
CREATE DATABASE sdc_latin1 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;
\c sdc_latin1
SET client_encoding = 'UTF8';
CREATE EXTENSION pg_sdc;
CREATE TABLE plain AS SELECT i AS a, i % 3 AS s, i AS "größe" FROM generate_series(1, 12) AS i;
-- what is named in ASCII works, beside other columns
SELECT property, actual FROM sdc.check_anonymity('plain', '{a}', '{s}', k => 1);
SELECT (sdc.publish_microaggregated('plain', 'released', '{a}', 3, '{s}', 2)).rows;
SELECT max(g) FROM (SELECT sdc.mdav(3, "größe") OVER () AS g FROM plain) AS t;
SELECT sdc.k_anonymity("größe") FROM plain;
-- names beyond it are refused
SELECT count(*) FROM sdc.check_anonymity('plain', '{größe}');
SELECT count(*) FROM sdc.microaggregate(NULL::plain, '{a}', 3);
SELECT sdc.publish_microaggregated('plain', 'größer', '{a}', 3);
CREATE TABLE "maße" AS SELECT a FROM plain;
SELECT count(*) FROM sdc.check_anonymity('"maße"', '{a}');
-- values are not names
CREATE TABLE town AS SELECT CASE i % 2 WHEN 0 THEN 'Köln' ELSE 'Görlitz' END AS name, i % 3 AS s FROM generate_series(1, 12) AS i;
SELECT property, actual FROM sdc.check_anonymity('town', '{name}', '{s}', k => 2);
SELECT (sdc.publish_anatomy('town', 'towns', '{name}', 's', 2)).rows;
SELECT DISTINCT name FROM towns_qit ORDER BY name;
SELECT sdc.category('Köln', '[["Köln"], ["Bonn"]]');
SELECT sdc.publish_p_alpha('town', 'never', '{s}', 'name', '[["Köln"], ["Görlitz"]]', 3, 2, 0.5);
\c contrib_regression
DROP DATABASE sdc_latin1;
