-- Earlier releases of the same persons: of the same table, of views over it, of its parts.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
DELETE FROM sdc.release;
CREATE SCHEMA composed;
SET search_path = composed;
CREATE TABLE person (id int, age int, sex text, illness text) PARTITION BY RANGE (id);
CREATE TABLE person_low PARTITION OF person FOR VALUES FROM (1) TO (101);
CREATE TABLE person_high PARTITION OF person FOR VALUES FROM (101) TO (1000);
INSERT INTO person SELECT i, i % 60, (ARRAY['F', 'M'])[1 + i % 2], 'illness ' || i % 8 FROM generate_series(1, 200) AS i;
CREATE VIEW women AS SELECT * FROM person WHERE sex = 'F';
CREATE VIEW young_women AS SELECT age, illness FROM women WHERE age < 40;
CREATE MATERIALIZED VIEW copied AS SELECT * FROM person;
CREATE TABLE unrelated AS SELECT * FROM person;
SET client_min_messages = warning;
SELECT rows FROM sdc.publish_microaggregated('person', 'first', '{age}', 3);
-- through two views, and for every method
SELECT rows FROM sdc.publish_microaggregated('young_women', 'second', '{age}', 3);
SELECT rows FROM sdc.publish_anatomy('women', 'third', '{age}', 'illness', 3, seed => 1);
SELECT rows FROM sdc.publish_microaggregated('copied', 'fourth', '{age}', 3);
-- of a part, which is in the whole and in the views; but not in the other part
SELECT rows FROM sdc.publish_microaggregated('person_low', 'low', '{age}', 3);
SELECT rows FROM sdc.publish_microaggregated('person_high', 'high', '{age}', 3);
-- a copy is another table
SELECT rows FROM sdc.publish_microaggregated('unrelated', 'fifth', '{age}', 3);
-- an anatomy of the table is compared with one of a view
SELECT rows FROM sdc.publish_anatomy('person', 'sixth', '{age}', 'illness', 3, seed => 2);
-- the same in plain SQL: a person with these keys may be in any group that has them
WITH first_one AS (SELECT age, illness FROM third_qit JOIN third_st USING (grp)), second_one AS (SELECT age, illness FROM sixth_qit JOIN sixth_st USING (grp)),
     common AS (SELECT age, count(*) AS values FROM (TABLE first_one INTERSECT TABLE second_one) AS c GROUP BY age)
SELECT count(DISTINCT grp), string_agg(DISTINCT grp::text, ',' ORDER BY grp::text) FROM sixth_qit JOIN common USING (age) WHERE values < 3;
-- as an error, before anything is done
SELECT sdc.publish_microaggregated('women', 'refused', '{age}', 3, composition => 'error');
\set VERBOSITY terse
SELECT sdc.publish_permutation('women', 'refused', '{age}', 'illness', 3, composition => 'error', seed => 3);
SELECT to_regclass('refused') IS NULL AND to_regclass('refused_pqt') IS NULL AS nothing_left;
-- the first release, and one that gives nothing more away, pass
SELECT rows FROM sdc.publish_anatomy('unrelated', 'alone', '{id}', 'illness', 3, composition => 'error', seed => 4, allow_identifiers => true);
CREATE TABLE once AS TABLE unrelated;
SELECT rows FROM sdc.publish_anatomy('once', 'drawn', '{id}', 'illness', 3, composition => 'error', seed => 4, allow_identifiers => true);
SELECT rows FROM sdc.publish_anatomy('once', 'drawn_again', '{id}', 'illness', 3, composition => 'error', seed => 4, allow_identifiers => true);
-- beside one that cannot be compared nothing is known
CREATE TABLE twice AS TABLE unrelated;
SELECT rows FROM sdc.publish_microaggregated('twice', 'averaged', '{age}', 3);
SELECT rows FROM sdc.publish_anatomy('twice', 'of_twice', '{id}', 'illness', 3, seed => 4, allow_identifiers => true);
SELECT rows FROM sdc.publish_anatomy('twice', 'of_twice_again', '{id}', 'illness', 3, composition => 'error', seed => 4, allow_identifiers => true);
SELECT rows FROM sdc.publish_anatomy('once', 'drawn_anew', '{id}', 'illness', 3, composition => 'error', seed => 5, allow_identifiers => true);
SELECT rows FROM sdc.publish_microaggregated('once', 'drawn_anew', '{age}', 3, composition => 'error');
SELECT rows FROM sdc.publish_microaggregated('once', 'x', '{age}', 3, composition => 'ignore');

-- what two masked releases show together is measured before the second leaves
\set VERBOSITY default
CREATE TABLE patient AS SELECT i AS id, 20 + i * 37 % 50 AS age, 150 + i * 53 % 40 AS height, 'illness ' || i * 7 % 5 AS illness, 'z' || i % 4 AS zip FROM generate_series(1, 200) AS i;
CREATE VIEW tall AS SELECT * FROM patient WHERE height > 160;
-- counts of the same in plain SQL. What each person is left with, given the groups of two releases:
CREATE FUNCTION together(one text, other text) RETURNS TABLE (one_value numeric, fewer numeric, alone numeric) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($sql$
        WITH a AS (%s), b AS (%s), seen AS (SELECT a.id, a.grp AS in_a, b.grp AS in_b FROM a JOIN b USING (id)),
        counted AS (
            SELECT (SELECT count(*) FROM (SELECT illness FROM a WHERE grp = p.in_a INTERSECT SELECT illness FROM b WHERE grp = p.in_b) AS v) AS values,
                   (SELECT count(*) FROM seen AS o WHERE (o.in_a, o.in_b) = (p.in_a, p.in_b)) AS companions
            FROM seen AS p)
        SELECT round(100.0 * avg((values = 1)::int), 1), round(100.0 * avg((values < 2)::int), 1), round(100.0 * avg((companions = 1)::int), 1) FROM counted
    $sql$, one, other);
END $$;
-- the group of each person: what the groups of p_first show of these keys
CREATE FUNCTION masked(keys text, source text) RETURNS text LANGUAGE sql AS $$
    SELECT format('SELECT id, illness, ROW(%s)::text AS grp FROM (SELECT *, sdc.p_sensitive(3, 2, ROW(%s), ROW(illness)) OVER (ORDER BY id) AS g FROM %s) AS r WINDOW w AS (PARTITION BY g)',
                  (SELECT string_agg(format('round(avg(%s) OVER w)', key), ', ') FROM string_to_table(keys, ',') AS key), keys, source)
$$;
-- the group of each person: the ranges that hold the person's keys
CREATE FUNCTION ranges(release text, source text) RETURNS text LANGUAGE sql AS $$
    SELECT format('SELECT p.id, p.illness, m.age || m.height AS grp FROM %s AS p JOIN (SELECT DISTINCT age, height FROM %s) AS m ON m.age::int4range @> p.age AND m.height::int4range @> p.height', source, release)
$$;
SELECT rows FROM sdc.publish_microaggregated('patient', 'by_age', '{age}', 3, '{illness}', 2, method => 'p_first', entity => 'id');
SELECT rows FROM sdc.publish_microaggregated('patient', 'by_height', '{height}', 3, '{illness}', 2, method => 'p_first', entity => 'id');
SELECT * FROM together(masked('age', 'patient'), masked('height', 'patient'));
SELECT sdc.publish_microaggregated('patient', 'refused', '{age,height}', 3, '{illness}', 2, method => 'p_first', composition => 'error');
SELECT to_regclass('refused') IS NULL AS nothing_left, count(*) AS releases FROM sdc.releases WHERE source = 'composed.patient';
SELECT t.* FROM (VALUES ('age'), ('height')) AS k (key), together(masked(key, 'patient'), masked('age,height', 'patient')) AS t;
-- with a view over the table: persons are told apart by the column that both name
SELECT rows FROM sdc.publish_microaggregated('tall', 'of_tall', '{age,height}', 3, '{illness}', 2, method => 'p_first', entity => 'id');
SELECT t.* FROM (VALUES ('age'), ('height')) AS k (key), together(masked(key, 'patient'), masked('age,height', 'tall')) AS t;
-- an anatomy is compared with masked releases, too
SELECT rows FROM sdc.publish_anatomy('patient', 'dissected', '{age,height}', 'illness', 3, seed => 1);
SELECT t.one_value, t.fewer FROM (VALUES ('age'), ('height')) AS k (key), together(masked(key, 'patient'), 'SELECT p.id, p.illness, q.grp::text FROM dissected_qit AS q JOIN patient AS p USING (age, height)') AS t;
-- the same groups once more give nothing more away, so that even an error passes
CREATE TABLE again AS TABLE patient;
SELECT rows FROM sdc.publish_microaggregated('again', 'again_1', '{age}', 3, '{illness}', 2, method => 'p_first');
SELECT rows FROM sdc.publish_microaggregated('again', 'again_2', '{age}', 3, '{illness}', 2, method => 'p_first', composition => 'error');
-- generalizations, one coarser than the other
SELECT FROM sdc.prefix_hierarchy('again', 'zip', 'zips');
CREATE TABLE coarse AS TABLE patient;
SELECT rows FROM sdc.publish_generalized('coarse', 'coarse_1', '{"zip": "zips"}', 3, '{illness}', 2, levels => '{"zip": 1}');
SELECT rows FROM sdc.publish_generalized('coarse', 'coarse_2', '{"zip": "zips"}', 3, '{illness}', 2, levels => '{"zip": 0}', composition => 'error');
SELECT * FROM together('SELECT id, illness, left(zip, 1) AS grp FROM patient', 'SELECT id, illness, zip AS grp FROM patient');
-- ranges are compared by who is within them, against masked keys and other ranges
CREATE TABLE cut AS TABLE patient;
SELECT rows FROM sdc.publish_microaggregated('cut', 'cut_masked', '{age}', 3, '{illness}', 2, method => 'p_first');
SELECT rows FROM sdc.publish_mondrian('cut', 'cut_1', '{age,height}', 3, '{illness}', 2, strict => true);
SELECT * FROM together(masked('age', 'cut'), ranges('cut_1', 'cut'));
SELECT sdc.publish_mondrian('cut', 'refused', '{age,height}', 5, '{illness}', 2, strict => true, composition => 'error');
SELECT to_regclass('refused') IS NULL AS nothing_left;
SELECT rows FROM sdc.publish_mondrian('cut', 'cut_2', '{age,height}', 5, '{illness}', 2, strict => true);
SELECT t.* FROM (VALUES (masked('age', 'cut')), (ranges('cut_1', 'cut'))) AS g (grouped), together(grouped, ranges('cut_2', 'cut')) AS t;
-- sets and nodes of hierarchies
CREATE TABLE mixed AS SELECT id, age, zip, illness FROM patient;
SELECT rows FROM sdc.publish_mondrian('mixed', 'mixed_1', '{age,zip}', 4, '{illness}', 2, strict => true);
SELECT rows FROM sdc.publish_mondrian('mixed', 'mixed_2', '{age,zip}', 9, '{illness}', 2, strict => true, hierarchies => '{"zip": "zips"}');
SELECT * FROM together('SELECT p.id, p.illness, m.age || m.zip AS grp FROM mixed AS p JOIN (SELECT DISTINCT age, zip FROM mixed_1) AS m ON m.age::int4range @> p.age AND m.zip::text[] @> ARRAY[p.zip]',
                       'SELECT p.id, p.illness, m.age || m.zip AS grp FROM mixed AS p JOIN (SELECT DISTINCT age, zip FROM mixed_2) AS m ON m.age::int4range @> p.age AND (m.zip = p.zip OR p.zip LIKE replace(m.zip, ''*'', ''%''))');
-- without a sensitive column, rows are linked by what both show beside the keys
CREATE FUNCTION linked(one text, other text, k int) RETURNS TABLE (one_row numeric, fewer numeric) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($sql$
        WITH a AS (%s), b AS (%s), seen AS (SELECT a.id, a.grp AS in_a, b.grp AS in_b FROM a JOIN b USING (id)),
        counted AS (
            SELECT least((SELECT count(*) FROM a WHERE grp = in_a AND shown IN (SELECT shown FROM b WHERE grp = in_b)),
                         (SELECT count(*) FROM b WHERE grp = in_b AND shown IN (SELECT shown FROM a WHERE grp = in_a))) AS rows FROM seen)
        SELECT round(100.0 * avg((rows = 1)::int), 1), round(100.0 * avg((rows < %s)::int), 1) FROM counted
    $sql$, one, other, k);
END $$;
CREATE FUNCTION averaged(keys text, shown text) RETURNS text LANGUAGE sql AS $$
    SELECT format('SELECT id, ROW(%s)::text AS shown, ROW(%s)::text AS grp FROM (SELECT *, sdc.mdav(4, %s) OVER (ORDER BY id) AS g FROM kept) AS r WINDOW w AS (PARTITION BY g)',
                  shown, (SELECT string_agg(format('round(avg(%s) OVER w)', key), ', ') FROM string_to_table(keys, ',') AS key), keys)
$$;
CREATE TABLE kept AS SELECT *, i % 9 AS floor, i % 5 AS wing FROM (SELECT *, row_number() OVER (ORDER BY id) AS i FROM patient) AS p;
SELECT rows FROM sdc.publish_microaggregated('kept', 'kept_1', '{age}', 4, keep => '{zip,floor}', method => 'mdav');
SELECT rows FROM sdc.publish_microaggregated('kept', 'kept_2', '{height}', 4, keep => '{floor,wing}', method => 'mdav');
SELECT * FROM linked(averaged('age', 'floor'), averaged('height', 'floor'), 4);
SELECT sdc.publish_microaggregated('kept', 'refused', '{age,height}', 4, keep => '{zip,floor,wing}', composition => 'error', method => 'mdav');
SELECT t.* FROM (VALUES ('age', 'zip,floor'), ('height', 'floor,wing')) AS r (keys, shown), linked(averaged(keys, shown), averaged('age,height', shown), 4) AS t;
SELECT attack, persons, promised, measured, recall, exceeds, note FROM sdc.attack_intersection((SELECT array_agg(id) FROM sdc.releases WHERE target IN ('composed.kept_1', 'composed.kept_2')));
-- nothing links these two: nothing is said of them together, and nothing is in the way
CREATE TABLE apart AS TABLE kept;
SELECT rows FROM sdc.publish_microaggregated('apart', 'apart_1', '{age}', 4, keep => '{zip}', method => 'mdav');
SELECT rows FROM sdc.publish_microaggregated('apart', 'apart_2', '{height}', 4, keep => '{wing}', composition => 'error', method => 'mdav');
SELECT sdc.attack_intersection((SELECT array_agg(id) FROM sdc.releases WHERE target LIKE 'composed.apart%'));
-- the same groups once more leave everybody k rows
CREATE TABLE same AS TABLE kept;
SELECT rows FROM sdc.publish_microaggregated('same', 'same_1', '{age}', 4, keep => '{floor}', method => 'mdav');
SELECT rows FROM sdc.publish_microaggregated('same', 'same_2', '{age}', 4, keep => '{floor}', composition => 'error', method => 'mdav');
-- by any method with groups, and through a view where both name persons
CREATE VIEW tall_kept AS SELECT * FROM same WHERE height > 160;
SELECT rows FROM sdc.publish_mondrian('same', 'same_3', '{age,height}', 5, keep => '{floor}', entity => 'id', strict => true);
SELECT rows FROM sdc.publish_generalized('tall_kept', 'tall_public', '{"zip": "zips"}', 5, keep => '{floor,wing}', entity => 'id', levels => '{"zip": 1}');
-- blanked cells: the row that agrees in what it shows
CREATE TABLE blanked AS SELECT id, age / 5 AS age, zip, illness FROM patient;
SELECT rows FROM sdc.publish_suppressed('blanked', 'blanked_1', '{zip}', 3, '{illness}');
SELECT rows FROM sdc.publish_suppressed('blanked', 'blanked_2', '{age,zip}', 5, '{illness}');
SELECT * FROM together('SELECT id, illness, zip AS grp FROM blanked', $$
    SELECT DISTINCT ON (p.id) p.id, p.illness, ROW(m.age, m.zip)::text AS grp
    FROM blanked AS p JOIN blanked_2 AS m ON m.illness = p.illness AND coalesce(m.age = p.age, true) AND coalesce(m.zip = p.zip, true)
    ORDER BY p.id, num_nulls(m.age, m.zip)$$);
-- noise does not say whose row is whose: that persons are shared is all that can be said
CREATE TABLE noised AS TABLE patient;
SELECT rows FROM sdc.publish_perturbed('noised', 'noised_1', '{"age": {"method": "noise", "share": 0.1}}', keep => '{illness}');
SELECT rows FROM sdc.publish_mondrian('noised', 'noised_2', '{age,height}', 5, '{illness}', 2);
SELECT sdc.publish_perturbed('noised', 'refused', '{"age": {"method": "noise", "share": 0.1}}', keep => '{illness}', composition => 'error');
-- one that is replaced is compared, too: its readers may have kept it
CREATE TABLE nightly AS TABLE patient;
SELECT rows FROM sdc.publish_mondrian('nightly', 'nights', '{age,height}', 3, '{illness}', 2, strict => true, replace => true);
CREATE TABLE nights_before AS TABLE nights;
SELECT rows FROM sdc.publish_mondrian('nightly', 'nights', '{age,height}', 5, '{illness}', 2, strict => true, replace => true);
SELECT * FROM together(ranges('nights_before', 'nightly'), ranges('nights', 'nightly'));
-- (where groups look alike, which of them is a person's is guessed, so the figures vary a little)
\set VERBOSITY terse
SELECT sdc.publish_mondrian('nightly', 'nights', '{age,height}', 9, '{illness}', 2, strict => true, replace => true, composition => 'error');
\set VERBOSITY default
SELECT parameters ->> 'k' AS k, (SELECT unchanged FROM sdc.verify_release(id)) FROM sdc.releases WHERE target = 'composed.nights';
-- the same once more gives nothing more away, until others before it are unknown
CREATE TABLE nightly_again AS TABLE patient;
SELECT rows FROM sdc.publish_mondrian('nightly_again', 'nights_again', '{age,height}', 5, '{illness}', 2, strict => true, replace => true);
SELECT rows FROM sdc.publish_mondrian('nightly_again', 'nights_again', '{age,height}', 5, '{illness}', 2, strict => true, replace => true, composition => 'error');
\set VERBOSITY terse
SELECT rows FROM sdc.publish_mondrian('nightly_again', 'nights_again', '{age,height}', 5, '{illness}', 2, strict => true, replace => true, composition => 'error');
\set VERBOSITY default
SELECT rows FROM sdc.publish_perturbed('nightly_again', 'noise', '{"age": {"method": "noise", "share": 0.1}}', keep => '{illness}', replace => true) \g /dev/null
SELECT rows FROM sdc.publish_perturbed('nightly_again', 'noise', '{"age": {"method": "noise", "share": 0.1}}', keep => '{illness}', replace => true);
-- its rows are copied for that, and the copy is gone; whoever may not copy them learns that
SELECT count(*) AS copies FROM pg_class WHERE relname LIKE 'pg\_sdc\_%' AND relpersistence = 't';
CREATE ROLE sdc_composed;
GRANT USAGE, CREATE ON SCHEMA composed TO sdc_composed;
SELECT format('REVOKE TEMP ON DATABASE %I FROM PUBLIC', current_database()) \gexec
SET ROLE sdc_composed;
CREATE TABLE theirs AS SELECT i AS id, i % 30 AS age, i * 7 % 41 AS height, 'illness ' || i * 7 % 5 AS illness FROM generate_series(1, 100) AS i;
SELECT rows FROM sdc.publish_mondrian('theirs', 'their_nights', '{age,height}', 3, '{illness}', 2, replace => true);
SELECT rows FROM sdc.publish_mondrian('theirs', 'their_nights', '{age,height}', 5, '{illness}', 2, replace => true);
RESET ROLE;
SELECT format('GRANT TEMP ON DATABASE %I TO PUBLIC', current_database()) \gexec
-- a release in two tables is compared with the one whose place it takes, too, as it was: both ways say the same
CREATE TABLE torn AS SELECT i AS id, i AS age, 'illness ' || (i * i / 3) % 5 AS illness FROM generate_series(1, 99) AS i;
SELECT rows FROM sdc.publish_anatomy('torn', 'torn_1', '{age}', 'illness', 3, seed => 1, allow_identifiers => true);
SELECT rows FROM sdc.publish_anatomy('torn', 'torn_2', '{age}', 'illness', 3, seed => 2, allow_identifiers => true, composition => 'error');
SELECT rows FROM sdc.publish_anatomy('torn', 'torn_1', '{age}', 'illness', 3, seed => 2, allow_identifiers => true, composition => 'error', replace => true);
SELECT sdc.drop_release(id) FROM sdc.releases WHERE target = 'composed.torn_1';
SELECT rows FROM sdc.publish_permutation('torn', 'torn_1', '{age}', 'illness', 3, seed => 1, allow_identifiers => true);
SELECT rows FROM sdc.publish_permutation('torn', 'torn_2', '{age}', 'illness', 3, seed => 2, allow_identifiers => true, composition => 'error');
SELECT rows FROM sdc.publish_permutation('torn', 'torn_1', '{age}', 'illness', 3, seed => 2, allow_identifiers => true, composition => 'error', replace => true);
SELECT sdc.drop_release(id) FROM sdc.releases WHERE target = 'composed.torn_1';
-- a column that is gone makes an earlier release incomparable, and does not stop the next; a bug would
CREATE TABLE lost AS TABLE patient;
SELECT rows FROM sdc.publish_microaggregated('lost', 'lost_1', '{height}', 3, '{illness}', 2, method => 'p_first');
ALTER TABLE lost DROP COLUMN height;
SELECT rows FROM sdc.publish_microaggregated('lost', 'lost_2', '{age}', 3, '{illness}', 2, method => 'p_first');
DELETE FROM sdc.release;
DROP SCHEMA composed CASCADE;
DROP ROLE sdc_composed;
RESET search_path;
