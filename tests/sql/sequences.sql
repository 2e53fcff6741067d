-- continues => id: releases of a sequence together show no more than one of them does.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
DELETE FROM sdc.release;
CREATE SCHEMA sequences;
SET search_path = sequences;
CREATE TABLE patient (id int PRIMARY KEY, age int, zip text, illness text);
INSERT INTO patient SELECT i, 20 + i * 37 % 50, 'z' || i % 3, 'illness ' || i * i / 3 % 4 FROM generate_series(1, 60) AS i;
CREATE FUNCTION failure(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE text text; hint text;
BEGIN
    EXECUTE call;
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS text = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
    RETURN regexp_replace(text || ' | ' || hint, '\d+(?=,| |:|;|\.|$)', 'N', 'g');
END $$;
CREATE FUNCTION tonight(target text, k int DEFAULT 4, replaces bool DEFAULT true) RETURNS sdc.release LANGUAGE sql AS $$
    SELECT sdc.publish_microaggregated('patient', target, '{age,zip}', k, '{illness}', 2, entity => 'id', replace => replaces, seed => 1,
        continues => coalesce((SELECT max(id) FROM sdc.releases WHERE releases.target = 'sequences.' || tonight.target), 0))
$$;

-- the first release starts a sequence, and it is remembered who is in which group
SELECT rows, groups, achieved -> 'held_back' AS held_back, achieved -> 'left_out' AS left_out, parameters -> 'continues' AS continues FROM tonight('nightly');
SELECT count(*) AS persons, count(DISTINCT grp) AS groups, min(since) = max(sequence) AS since_the_first FROM sdc.memberships;
CREATE TABLE night_1 AS TABLE nightly;

-- somebody leaves, nobody new comes: the group is left out, all others are as they were
DELETE FROM patient WHERE id = 1;
SELECT rows, groups, achieved -> 'held_back' AS held_back, (achieved -> 'left_out')::int + rows = 59 AS others_are_there FROM tonight('nightly');
SELECT count(*) AS not_shown_before FROM (TABLE nightly EXCEPT ALL TABLE night_1) AS n;

-- new persons fill groups, form others, or wait; whoever changed waits
INSERT INTO patient SELECT i, 20 + i * 37 % 50, 'z' || i % 3, 'illness ' || i * i / 3 % 4 FROM generate_series(61, 75) AS i;
UPDATE patient SET illness = 'illness 9' WHERE id IN (7, 8);
UPDATE patient SET age = age + 1;
SELECT rows + (achieved -> 'held_back')::int + (achieved -> 'left_out')::int = 74 AS nobody_is_lost, achieved -> 'k' >= '4' AS k, achieved -> 'p' >= '2' AS p FROM tonight('nightly');
SELECT count(*) AS of_the_first_night_changed FROM (
    SELECT age, zip, count(*), array_agg(illness ORDER BY illness) FROM night_1 GROUP BY age, zip
    INTERSECT SELECT age, zip, count(*), array_agg(illness ORDER BY illness) FROM nightly GROUP BY age, zip) AS n
HAVING count(*) < 8;
SELECT count(DISTINCT sequence) AS sequences, count(*) FILTER (WHERE since > sequence) AS joined FROM sdc.memberships WHERE person::int IN (7, 8) OR person::int > 60;
-- back to the old value: the slot is there again
UPDATE patient SET illness = 'illness ' || id * id / 3 % 4 WHERE id IN (7, 8);
SELECT rows + (achieved -> 'held_back')::int + (achieved -> 'left_out')::int = 74 AS nobody_is_lost FROM tonight('nightly');
-- earlier groups are forgotten with the releases that showed them
SELECT count(*) - count(DISTINCT person) AS earlier_groups FROM sdc.membership;
SELECT count(*) AS groups_of_nobody FROM sdc.sequence_group AS g WHERE NOT EXISTS (SELECT FROM sdc.membership AS m WHERE (m.sequence, m.grp) = (g.sequence, g.grp));
-- each group that was formed has one person in each slot of its signature
SELECT count(*) FILTER (WHERE persons <> slots OR persons <> size) AS wrong, count(*) > 0 AS groups
FROM (SELECT grp, count(*) AS persons, count(DISTINCT place) AS slots, max(q.size) AS size
      FROM sdc.membership AS m JOIN (SELECT slot, count(*) OVER (PARTITION BY signature) AS size FROM sdc.sequence_slot) AS q ON q.slot = m.place
      WHERE m.person IN (SELECT id::text FROM patient WHERE id NOT IN (7, 8)) AND m.grp IN (SELECT grp FROM sdc.membership WHERE since = (SELECT max(since) FROM sdc.membership)) GROUP BY grp) AS g;
-- no groups other than whole ones were ever shown
SELECT bool_and(unchanged) AS unchanged FROM sdc.verify_release((SELECT max(id) FROM sdc.releases));

-- a sequence is not warned about, other releases are
RESET client_min_messages;
SELECT rows > 0 AS published FROM tonight('nightly');
SELECT failure($$SELECT sdc.publish_microaggregated('patient', 'other', '{age}', 4, composition => 'error')$$) AS beside_it;
SELECT rows > 0 AS published FROM sdc.publish_microaggregated('patient', 'nightly', '{age,zip}', 4, '{illness}', 2, entity => 'id', replace => true, composition => 'error',
    continues => (SELECT max(id) FROM sdc.releases));
SET client_min_messages = error;

-- what cannot be continued
SELECT failure($$SELECT sdc.publish_microaggregated('patient', 'other', '{age}', 4, continues => 0)$$);
SELECT failure(format($$SELECT sdc.publish_microaggregated('patient', 'other', '{age,zip}', 4, '{illness}', 2, entity => 'id', continues => %s)$$, min(sequence))) FROM sdc.memberships;
SELECT failure($$SELECT sdc.publish_microaggregated('patient', 'other', '{age,zip}', 4, '{illness}', 2, entity => 'id', continues => 1000000)$$);
SELECT failure($$SELECT tonight('nightly', k => 5)$$);
SELECT failure($$SELECT sdc.publish_microaggregated('patient', 'other', '{age}', 4, '{illness}', 2, t => 0.5, entity => 'id', continues => 0)$$);
SELECT failure(format($$SELECT sdc.publish_microaggregated('patient', 'other', '{age}', 4, '{illness}', 2, entity => 'id', continues => %s)$$, max(id))) FROM sdc.releases;
SELECT failure(format($$SELECT sdc.publish_anatomy('patient', 'other', '{age,zip}', 'illness', 2, entity => 'id', continues => %s)$$, max(id))) FROM sdc.releases;
CREATE VIEW adults AS SELECT * FROM patient;
SELECT failure(format($$SELECT sdc.publish_microaggregated('adults', 'other', '{age,zip}', 4, '{illness}', 2, entity => 'id', continues => %s)$$, max(id))) FROM sdc.releases;
SELECT id AS alone FROM sdc.publish_microaggregated('patient', 'alone', '{age,zip}', 4, '{illness}', 2, entity => 'id') \gset
SELECT failure(format($$SELECT sdc.publish_microaggregated('patient', 'other', '{age,zip}', 4, '{illness}', 2, entity => 'id', continues => %s)$$, :alone));
SELECT failure(format('SELECT sdc.end_sequence(%s)', :alone));

-- several rows of a person, persons of any type, strata and kept columns
CREATE TABLE visit AS
SELECT md5(i::text)::uuid AS person, i * 7 % 40 AS age, 'ward ' || i % 2 AS ward, 'illness ' || i % 5 AS illness, 'dose ' || v AS dose
FROM generate_series(1, 80) AS i, generate_series(1, 1 + i % 2) AS v;
CREATE FUNCTION visits() RETURNS sdc.release LANGUAGE sql AS $$
    SELECT sdc.publish_microaggregated('visit', 'visits', '{age}', 3, '{illness}', 2, keep => '{dose}', entity => 'person', strata => '{ward}', replace => true,
        continues => coalesce((SELECT max(id) FROM sdc.releases WHERE target = 'sequences.visits'), 0))
$$;
SELECT rows, achieved -> 'persons' AS persons FROM visits();
DELETE FROM visit WHERE person = md5('3')::uuid AND dose = 'dose 1';
INSERT INTO visit SELECT md5(i::text)::uuid, i * 7 % 40, 'ward ' || i % 2, 'illness ' || i % 5, 'dose ' || v FROM generate_series(81, 110) AS i, generate_series(1, 1 + i % 2) AS v;
SELECT (achieved -> 'persons')::int + (achieved -> 'held_back')::int + (achieved -> 'left_out')::int AS persons, achieved -> 'held_back' >= '1' AS changed_waits FROM visits();
SELECT count(*) > 0 AS groups_formed, min(persons) >= 3 AS k
FROM (SELECT count(*) AS persons FROM sdc.memberships WHERE since = (SELECT max(since) FROM sdc.memberships) GROUP BY grp) AS g;

-- a source that is made anew each night, as dbt does
CREATE VIEW anew AS SELECT * FROM patient;
CREATE FUNCTION from_anew() RETURNS sdc.release LANGUAGE sql AS $$
    SELECT sdc.publish_microaggregated('anew', 'of_anew', '{age,zip}', 4, '{illness}', 2, entity => 'id', replace => true,
        continues => coalesce((SELECT max(id) FROM sdc.releases WHERE target = 'sequences.of_anew'), 0))
$$;
SELECT rows, parameters -> 'continues' = '0' AS starts FROM from_anew();
ALTER VIEW anew RENAME TO before;
CREATE VIEW anew AS SELECT * FROM patient;
SELECT failure('SELECT from_anew()');
DROP VIEW before;
SELECT rows, parameters -> 'continues' = '0' AS starts FROM from_anew();
SELECT sdc.drop_release(id) FROM sdc.releases WHERE target = 'sequences.of_anew';

-- (p+,alpha), averaged and generalized
CREATE TABLE zips AS SELECT 'z' || i AS level0, 'z*' AS level1 FROM generate_series(0, 2) AS i;
CREATE FUNCTION categorised(hierarchies jsonb) RETURNS sdc.release LANGUAGE sql AS $$
    SELECT sdc.publish_p_alpha('patient', 'categorised', '{age,zip}', 'illness', '[["illness 0", "illness 1"], ["illness 2", "illness 3"]]', 4, 2, 0.5,
        hierarchies => hierarchies, entity => 'id', replace => true,
        continues => coalesce((SELECT max(id) FROM sdc.releases WHERE target = 'sequences.categorised'), 0))
$$;
SELECT rows FROM categorised('{"zip": "zips"}');
CREATE TABLE category_1 AS TABLE categorised;
DELETE FROM patient WHERE id IN (20, 21);
SELECT rows + (achieved -> 'left_out')::int + (achieved -> 'held_back')::int AS persons, achieved -> 'alpha' >= '0.5' AS alpha FROM categorised('{"zip": "zips"}');
SELECT count(*) AS not_shown_before FROM (TABLE categorised EXCEPT ALL TABLE category_1) AS n;
SELECT failure($$SELECT categorised(NULL)$$);

-- anatomy: everybody's group has the same values each time, counterfeits where somebody left
DELETE FROM patient WHERE illness = 'illness 9';
CREATE FUNCTION signed(l int) RETURNS sdc.release LANGUAGE sql AS $$
    SELECT sdc.publish_anatomy('patient', 'signed', '{age,zip}', 'illness', l, entity => 'id', replace => true,
        continues => coalesce((SELECT max(id) FROM sdc.releases WHERE target = 'sequences.signed'), 0))
$$;
SELECT rows, achieved -> 'counterfeits' AS counterfeits, achieved -> 'held_back' AS held_back FROM signed(2);
CREATE TABLE sets_1 AS
SELECT q.age, q.zip, s.illness FROM signed_qit AS q JOIN signed_st AS s USING (grp);
DELETE FROM patient WHERE id BETWEEN 30 AND 34;
UPDATE patient SET illness = 'illness 0' WHERE id IN (40, 41);
SELECT rows + (achieved -> 'held_back')::int AS persons, achieved -> 'counterfeits' > '0' AS counterfeits, achieved -> 'l' >= '2' AS l FROM signed(2);
SELECT (SELECT sum(count) FROM signed_st) - rows = (achieved -> 'counterfeits')::int AS published FROM sdc.releases WHERE target = 'sequences.signed';
SELECT count(*) AS new_values FROM (SELECT q.age, q.zip, s.illness FROM signed_qit AS q JOIN signed_st AS s USING (grp) EXCEPT TABLE sets_1) AS n;
SELECT round(sum(weight)) = (SELECT count(*) FROM signed_qit) AS weights FROM signed;
-- nobody with illness 3 is left: its name is known from the sequence
DELETE FROM patient WHERE illness = 'illness 3';
SELECT achieved -> 'counterfeits' > '0' AS counterfeits FROM signed(2);
SELECT failure($$SELECT signed(3)$$);
SELECT failure($$SELECT sdc.publish_anatomy('visit', 'signed_visits', '{age}', 'illness', 2, entity => 'person', continues => 0)$$);

-- others do not see who is where
CREATE ROLE sdc_sequences_reader;
GRANT USAGE ON SCHEMA sequences TO sdc_sequences_reader;
GRANT SELECT ON nightly TO sdc_sequences_reader;
SET ROLE sdc_sequences_reader;
SELECT count(*) AS memberships FROM sdc.memberships;
SELECT sequences.failure('SELECT FROM sdc.membership');
SELECT sequences.failure('SELECT FROM sdc.sequence_group');
SELECT sequences.failure(format('SELECT sdc.end_sequence(%s)', max(id))) FROM sdc.releases;
RESET ROLE;
DROP OWNED BY sdc_sequences_reader;
DROP ROLE sdc_sequences_reader;

-- persons whose texts change would all be new
CREATE TABLE retyped AS SELECT i AS id, 20 + i % 30 AS age, 'illness ' || i % 5 AS illness FROM generate_series(1, 60) AS i;
SELECT rows FROM sdc.publish_anatomy('retyped', 'retypes', '{age}', 'illness', 3, entity => 'id', continues => 0);
SELECT rows FROM sdc.publish_microaggregated('retyped', 'retypes_2', '{age}', 3, '{illness}', 2, entity => 'id', continues => 0) \g /dev/null
ALTER TABLE retyped ALTER id TYPE numeric(10,2);
SELECT rows FROM sdc.publish_anatomy('retyped', 'retypes', '{age}', 'illness', 3, entity => 'id', replace => true, continues => (SELECT id FROM sdc.releases WHERE target = 'sequences.retypes'));
SELECT rows FROM sdc.publish_microaggregated('retyped', 'retypes_2', '{age}', 3, '{illness}', 2, entity => 'id', replace => true, continues => (SELECT id FROM sdc.releases WHERE target = 'sequences.retypes_2'));
-- a sequence of which much is missing says so
SELECT sdc.drop_release(id) FROM sdc.releases WHERE target = 'sequences.retypes_2';
ALTER TABLE retyped ALTER id TYPE int;
UPDATE retyped SET illness = 'illness 9' WHERE id % 3 = 0;
SET client_min_messages = warning;
SELECT rows, achieved -> 'held_back' AS held_back FROM sdc.publish_anatomy('retyped', 'retypes', '{age}', 'illness', 3, entity => 'id', replace => true, continues => (SELECT id FROM sdc.releases WHERE target = 'sequences.retypes'));
SET client_min_messages = error;
SELECT sdc.drop_release(id) FROM sdc.releases WHERE target = 'sequences.retypes';

-- what is remembered goes with the sequence
SELECT count(DISTINCT sequence) AS sequences FROM sdc.memberships;
SELECT sdc.end_sequence((SELECT id FROM sdc.releases WHERE target = 'sequences.visits')) AS persons;
SELECT failure('SELECT visits()');
SELECT sdc.drop_release(id) FROM sdc.releases WHERE target = 'sequences.nightly';
SELECT count(DISTINCT sequence) AS sequences FROM sdc.memberships;
-- a release that somebody dropped by hand
DROP TABLE categorised;
SELECT sdc.drop_release(id) FROM sdc.releases WHERE target = 'sequences.categorised';
SELECT sdc.drop_release(id) FROM sdc.releases WHERE source IN ('sequences.patient', 'sequences.visit');
SELECT count(*) AS memberships FROM sdc.memberships;
-- five anatomies of one sequence, under five names: the attack itself says what they leave
CREATE TABLE nights (id int PRIMARY KEY, age int, height int, illness text);
CREATE PROCEDURE arrive(first int, last int) LANGUAGE sql AS $$
    INSERT INTO nights SELECT i, 20 + i * 37 % 50, 150 + i * 53 % 41, 'illness ' || i * i % 7 % 5 FROM generate_series(first, last) AS i
$$;
CALL arrive(1, 300);
CREATE TABLE independent AS TABLE nights;
CREATE FUNCTION published(night int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE continued bigint; alone sdc.release; shown sdc.release;
BEGIN
    DELETE FROM nights WHERE night > 1 AND id % 40 = night;
    UPDATE nights SET illness = 'illness ' || (id + night) % 5 WHERE night > 1 AND id % 50 = night;
    IF night > 1 THEN CALL arrive(300 + 15 * (night - 2) + 1, 300 + 15 * (night - 1)); END IF;
    SELECT coalesce(max(id), 0) INTO continued FROM sdc.releases WHERE target LIKE 'sequences.continued%';
    SELECT * INTO shown FROM sdc.publish_anatomy('nights', 'continued_' || night, '{age,height}', 'illness', 3, entity => 'id', continues => continued, seed => night);
    TRUNCATE independent; INSERT INTO independent TABLE nights;
    SELECT * INTO alone FROM sdc.publish_anatomy('independent', 'alone_' || night, '{age,height}', 'illness', 3, entity => 'id', seed => night, max_suppressed => 0.5);
    RETURN format('%s rows, %s held back, %s counterfeits', shown.rows, shown.achieved -> 'held_back', shown.achieved -> 'counterfeits');
END $$;
SELECT night, published(night) FROM generate_series(1, 5) AS night;
SELECT kind, a.attack, a.persons, round(a.measured::numeric, 2) AS measured, round(a.recall::numeric, 2) AS recall, left(a.note, 29) AS note
FROM unnest('{continued,alone}'::text[]) AS kind,
     sdc.attack_intersection((SELECT array_agg(id ORDER BY id) FROM sdc.releases WHERE target LIKE 'sequences.' || kind || '%'), 'id') AS a
WHERE a.attack <> 'intersection, alone';
DELETE FROM sdc.release;
DROP SCHEMA sequences CASCADE;
