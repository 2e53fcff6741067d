-- Random histories through SQL: persons come, go, come back and change their value, and three sequences go on.
-- What the engine's tests prove of every possible world rests on this: a group shows what it has always shown,
-- or nothing, all groups of a person show the same, and everybody's set of values is the same in each anatomy.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
DELETE FROM sdc.release;
CREATE SCHEMA histories;
SET search_path = histories;
SELECT setseed(0.17) \g /dev/null
CREATE TABLE person (id int PRIMARY KEY, x float8, y float8, illness text);
CREATE TABLE gone (LIKE person);
-- each sequence has a source of its own: nothing is compared with releases of the others
CREATE TABLE of_averages (LIKE person);
CREATE TABLE of_categories (LIKE person);
CREATE TABLE of_anatomies (LIKE person);
CREATE SEQUENCE person_id;
CREATE FUNCTION any_illness() RETURNS text LANGUAGE sql AS $$ SELECT 'illness ' || floor(4 * random()) $$;
CREATE PROCEDURE arrive(number int) LANGUAGE sql AS $$
    INSERT INTO person SELECT nextval('person_id'), random(), random(), any_illness() FROM generate_series(1, number)
$$;
CREATE PROCEDURE night_passes() LANGUAGE plpgsql AS $$
BEGIN
    WITH away AS (DELETE FROM person WHERE id IN (SELECT id FROM person ORDER BY random() LIMIT floor(4 * random())::int) RETURNING *)
    INSERT INTO gone SELECT * FROM away;
    WITH back AS (DELETE FROM gone WHERE id IN (SELECT id FROM gone ORDER BY random() LIMIT floor(2 * random())::int) RETURNING *)
    INSERT INTO person SELECT * FROM back;
    UPDATE person SET illness = any_illness(), x = x + 1 WHERE id IN (SELECT id FROM person ORDER BY random() LIMIT floor(2 * random())::int);
    CALL arrive(floor(6 * random())::int);
END $$;
-- what each group of a table shows; groups are told apart by their keys
CREATE TABLE shown (history int, night int, method text, k int, p int, keys text, bag text[]);
-- what is shown of the group of each person, whatever the group
CREATE TABLE person_bags (history int, night int, method text, person text, keys text, bag text[]);
-- everybody's set of values in the anatomies
CREATE TABLE signed (history int, night int, id int, illness text, values text[]);
CREATE TABLE figures (history int, night int, method text, sums bool, held_back int, left_out int, counterfeits int);
CREATE FUNCTION last_of(name text) RETURNS bigint LANGUAGE sql AS $$ SELECT coalesce(max(id), 0) FROM sdc.releases WHERE target = 'histories.' || name $$;
CREATE PROCEDURE publish(history int, night int, k int, p int) LANGUAGE plpgsql AS $$
DECLARE method text; released sdc.release;
BEGIN
    FOREACH method IN ARRAY '{averages,categories,anatomies}'::text[] LOOP
        EXECUTE format('TRUNCATE of_%s', method);
        EXECUTE format('INSERT INTO of_%s TABLE person', method);
        CASE method
        WHEN 'averages' THEN SELECT * INTO released FROM sdc.publish_microaggregated('of_averages', 'averages', '{x,y}', k, '{illness}', p, entity => 'id', replace => true, continues => last_of('averages'));
        WHEN 'categories' THEN SELECT * INTO released FROM sdc.publish_p_alpha('of_categories', 'categories', '{x,y}', 'illness', '[["illness 0", "illness 1"], ["illness 2", "illness 3"]]', k, 2, 1, entity => 'id', replace => true, continues => last_of('categories'));
        ELSE SELECT * INTO released FROM sdc.publish_anatomy('of_anatomies', 'anatomies', '{x,y}', 'illness', p, entity => 'id', replace => true, continues => last_of('anatomies'));
        END CASE;
        INSERT INTO figures SELECT history, night, method,
            released.rows + (released.achieved ->> 'held_back')::int + coalesce((released.achieved ->> 'left_out')::int, 0) + released.suppressed = (SELECT count(*) FROM person),
            (released.achieved ->> 'held_back')::int, (released.achieved ->> 'left_out')::int, (released.achieved ->> 'counterfeits')::int;
    END LOOP;
    INSERT INTO shown SELECT history, night, 'averages', k, p, format('%s %s', x, y), array_agg(illness ORDER BY illness) FROM averages GROUP BY x, y
    UNION ALL SELECT history, night, 'categories', k, 2, format('%s %s', x, y), array_agg(illness_category::text ORDER BY illness_category) FROM categories GROUP BY x, y;
    INSERT INTO person_bags
    SELECT s.history, s.night, s.method, m.person, s.keys, s.bag
    FROM shown AS s
    JOIN sdc.releases AS r ON r.target = 'histories.' || s.method
    JOIN sdc.release_sequence AS q ON q.release = r.id
    JOIN (SELECT g.sequence, g.grp, string_agg(g.shown, ' ' ORDER BY g.number) AS keys FROM sdc.sequence_group AS g GROUP BY 1, 2) AS k ON (k.sequence, k.keys) = (q.sequence, s.keys)
    JOIN sdc.memberships AS m ON (m.sequence, m.grp) = (k.sequence, k.grp)
    WHERE (s.history, s.night) = (publish.history, publish.night);
    INSERT INTO signed
    SELECT history, night, o.id, o.illness, v.values
    FROM anatomies_qit AS q JOIN person AS o USING (x, y)
    JOIN (SELECT grp, array_agg(s.illness ORDER BY s.illness) AS values FROM anatomies_st AS s, generate_series(1, s.count) GROUP BY grp) AS v USING (grp);
END $$;
CREATE PROCEDURE histories(number int) LANGUAGE plpgsql AS $$
DECLARE k int; p int;
BEGIN
    FOR history IN 1 .. number LOOP
        TRUNCATE person, gone;
        CALL arrive(40);
        UPDATE person SET illness = 'illness ' || id % 4;
        k := 2 + history % 3;
        p := 2 + history % 2;
        FOR night IN 1 .. 5 LOOP
            CALL publish(history, night, greatest(k, p), p);
            CALL night_passes();
        END LOOP;
        PERFORM sdc.drop_release(id) FROM sdc.releases;
        IF EXISTS (SELECT FROM sdc.memberships) THEN RAISE 'a sequence that has ended is remembered'; END IF;
        COMMIT;
    END LOOP;
END $$;
CALL histories(20);
-- nothing was seen if nothing happened
SELECT method, bool_and(sums) AS nobody_is_lost, sum(held_back) > 100 AS held_back, sum(left_out) > 200 AS left_out, sum(counterfeits) > 50 AS counterfeits
FROM figures GROUP BY method ORDER BY method;
-- a group shows the same values each night that it is shown, at least k rows and p values
SELECT method, count(*) > 150 AS groups, count(*) FILTER (WHERE bags > 1) AS changed, count(*) FILTER (WHERE nights BETWEEN 2 AND 4) > 50 AS come_and_go
FROM (SELECT method, count(DISTINCT bag) AS bags, count(*) AS nights FROM shown GROUP BY history, method, keys) AS g GROUP BY method ORDER BY method;
-- persons are in several groups, and all of them show the same
SELECT method, count(*) FILTER (WHERE groups > 1) > 30 AS in_several, count(*) FILTER (WHERE bags > 1) AS changed
FROM (SELECT method, count(DISTINCT keys) AS groups, count(DISTINCT bag) AS bags FROM person_bags GROUP BY history, method, person) AS p GROUP BY method ORDER BY method;
SELECT count(*) AS too_small FROM shown WHERE cardinality(bag) < k OR cardinality(ARRAY(SELECT DISTINCT unnest(bag))) < p;
-- everybody has one set of values, l different ones, the own among them
SELECT count(*) > 500 AS persons, count(*) FILTER (WHERE sets > 1) AS other_sets
FROM (SELECT count(DISTINCT values) AS sets FROM signed GROUP BY history, id) AS s;
SELECT count(*) AS wrong_sets FROM signed
WHERE illness <> ALL (values) OR cardinality(values) < 2 + history % 2 OR cardinality(values) <> cardinality(ARRAY(SELECT DISTINCT unnest(values)));
DELETE FROM sdc.release;
DROP SCHEMA histories CASCADE;
