-- sdc.estimate_count: what a predicate may be, and what it may not.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE SCHEMA estimate;
SET search_path = estimate;
CREATE TYPE mood AS ENUM ('sad', 'neutral', 'glad');
CREATE DOMAIN score AS numeric CHECK (VALUE >= 0);
CREATE TABLE person (id int, age int, "Größe" float8, "odd "" name" text, born date, at timestamptz, smoker bool, feels mood,
                     points score, code char(4), small int2, tags int[], place point, illness varchar(20));
INSERT INTO person
SELECT i, 20 + i % 50, 150 + i % 40 + 0.5, 'it''s ' || i % 3, date '1950-01-01' + i * 30, timestamptz '2026-01-01 UTC' + i * interval '1 h',
       i % 4 = 0, (ARRAY['sad', 'neutral', 'glad'])[1 + i % 3]::mood, i / 4.0, 'c' || i % 5, i, ARRAY[i % 2, 1], point(i, 0), 'illness ' || i % 7
FROM generate_series(1, 210) AS i;
UPDATE person SET smoker = NULL WHERE id <= 10;
SELECT groups FROM sdc.publish_anatomy('person', 'anatomised',
    '{age,Größe,"odd \" name",born,at,smoker,feels,points,code,small,tags,place}', 'illness', 5);

-- each predicate as SQL counts it: an anatomy shows its keys as they are
CREATE FUNCTION counted(text) RETURNS TABLE (predicate text, estimate float8, correct bool) LANGUAGE plpgsql AS $$
DECLARE true_count bigint;
BEGIN
    EXECUTE 'SELECT count(*) FROM estimate.person WHERE ' || $1 INTO true_count;
    RETURN QUERY SELECT $1, sdc.estimate_count('estimate.anatomised', $1), sdc.estimate_count('estimate.anatomised', $1) = true_count;
END $$;
SELECT c.* FROM unnest(ARRAY[
    'age = 30', 'AGE=30', 'age <> 30', 'age != 30', 'age < 30', 'age <= 30', 'age > 30', 'age >= 30', 'age = -1', 'age < 30.5', 'age < 1e10',
    'age BETWEEN 30 AND 40', 'age NOT BETWEEN 30 AND 40', 'age between 40 and 30', 'age IN (30, 31, 99)', 'age NOT IN (30, 31)',
    'age IS NULL', 'age IS NOT NULL', '"Größe" > 160.5', '"odd "" name" = ''it''''s 1''', 'born >= ''1955-01-01''',
    'at < ''2026-01-03 00:00 UTC''', 'smoker = true', 'smoker = false', 'smoker IS NULL', 'smoker <> TRUE', 'feels > ''sad''', 'feels IN (''sad'', ''glad'')',
    'points > 10', 'points BETWEEN 1.25 AND 2', 'code = ''c1''', 'small > 100000', 'small = 5', 'tags = ''{0,1}''', 'illness = ''illness 3''',
    'illness <> ''illness 3''', 'illness BETWEEN ''illness 2'' AND ''illness 4''']) AS predicate, counted(predicate) AS c;

-- several predicates; two on one column are both met
SELECT sdc.estimate_count('anatomised', 'age >= 30', 'age < 40') = sdc.estimate_count('anatomised', 'age BETWEEN 30 AND 39') AS same;
SELECT sdc.estimate_count('anatomised', VARIADIC '{}');
SELECT sdc.estimate_count('anatomised', NULL);
SELECT sdc.estimate_count('anatomised', 'age < 0');

-- nothing but one comparison of one column of the release with literals
CREATE FUNCTION refused(text) RETURNS TABLE (predicate text, state text, message text) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM sdc.estimate_count('estimate.anatomised', $1);
    RETURN QUERY SELECT $1, 'no error', NULL;
EXCEPTION WHEN OTHERS THEN
    RETURN QUERY SELECT $1, SQLSTATE, SQLERRM;
END $$;
SELECT r.* FROM unnest(ARRAY[
    '', 'age', 'age = 30 OR true', 'age = 30) OR (true', 'true', '1 = 1', 'age = 30; DELETE FROM estimate.person', 'age = 30 -- ', 'age = 30 /*', 'age = (SELECT 30)',
    'age = pg_sleep(9)', 'pg_sleep(9) = ''''', 'age = id', 'person.age = 30', 'age = NULL', 'age = 30::int', 'age OPERATOR(pg_catalog.=) 30', 'age = E''30''', 'age = $$30$$',
    'age = $1', 'age @> 30', 'NOT age = 30', 'age = ''30', 'age IN (SELECT 30)', 'age IN ()', 'age IN (30) OR 1 IN (1)', '"age" = ''x'' || ''y''', 'age BETWEEN 1 AND 2 AND 3',
    'id = 1', 'grp = 1', 'count = 1', 'weight = 1', 'ctid = ''(0,1)''', 'xmin = 1', 'tableoid = 1', 'shoe = 1', 'age = ''abc''', 'feels = ''angry''', 'place = ''(1,0)''', 'place < ''(1,0)''',
    'illness = ''''; DROP TABLE estimate.person; --''', '"age"" = 30; --" = 1']) AS predicate, refused(predicate) AS r;
SELECT sdc.estimate_count('anatomised', 'age = 30 OR true');
SELECT sdc.estimate_count('anatomised', 'shoe = 1');
SELECT sdc.estimate_count('person', 'age = 30');
SELECT sdc.estimate_count('nowhere', 'age = 30');
SELECT sdc.estimate_count('"anatomised; DROP TABLE person; --"', 'age = 30');
SELECT count(*) AS still_there FROM person;

-- operators are the type's own, not what search_path finds first
CREATE FUNCTION wrong(int, int) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE OPERATOR = (FUNCTION = wrong, LEFTARG = int, RIGHTARG = int);
SET search_path = estimate, pg_catalog;
SELECT sdc.estimate_count('anatomised', 'age = 30');
SET search_path = estimate;

-- tables that another role has put beside a view are none of the release's
CREATE ROLE sdc_stranger;
GRANT CREATE, USAGE ON SCHEMA estimate TO sdc_stranger;
CREATE VIEW lonely AS SELECT 1 AS age;
SET ROLE sdc_stranger;
CREATE TABLE lonely_pqt (age int, grp int);
CREATE TABLE lonely_pst (grp int, illness text);
RESET ROLE;
SELECT sdc.estimate_count('lonely', 'age = 1');

DELETE FROM sdc.release;
DROP SCHEMA estimate CASCADE;
DROP ROLE sdc_stranger;
RESET search_path;
