-- Ten releases of a table of 100,000 persons of whom each night 5 % are new, 3 % gone and 2 % have another
-- illness: independent of each other, and as a sequence. What somebody who keeps all of them and knows
-- everybody's group is left with, what each costs, who waits, and how long it takes.
SET client_min_messages = error;
SELECT setseed(0.5) \g /dev/null
CREATE TABLE patient (id int PRIMARY KEY, age int, height float8, mass float8, ward text, illness text);
CREATE PROCEDURE arrive(first int, number int) LANGUAGE sql AS $$
    INSERT INTO patient
    SELECT i, 20 + floor(60 * r)::int, 150 + 20 * r + 20 * random(), 50 + 30 * r + 20 * random(), 'ward ' || floor(4 * random()),
           'illness ' || floor(14 * random() * random())
    FROM (SELECT i, random() AS r FROM generate_series(first, first + number - 1) AS i) AS p
$$;
CREATE TABLE figures (night int, method text, way text, ms numeric, rows int, held_back int, left_out int, counterfeits int, loss numeric);
-- processor time of this session in ms, which others on the same machine change less than they change the time by the clock
CREATE FUNCTION processor_ms() RETURNS numeric LANGUAGE sql AS $$ SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::numeric / 1e6 $$;
-- everybody's group and value in each night
CREATE TABLE grouped (night int, method text, way text, id int, grp int, illness text);

CREATE PROCEDURE note(night int, method text, way text, ms numeric, released sdc.release) LANGUAGE sql AS $$
    INSERT INTO figures SELECT night, method, way, ms, (released).rows, ((released).achieved -> 'held_back')::int, ((released).achieved -> 'left_out')::int,
        ((released).achieved -> 'counterfeits')::int, round(((released).loss -> 'information_loss')::numeric, 2)
$$;
CREATE PROCEDURE publish(night int, method text, way text, call text) LANGUAGE plpgsql AS $$
DECLARE released sdc.release; began numeric;
BEGIN
    -- one by itself is not compared with the one before, which has been taken back
    IF publish.way = 'alone' THEN PERFORM sdc.drop_release(id) FROM sdc.releases WHERE target LIKE '%' || CASE publish.method WHEN 'anatomy' THEN '.dissected' ELSE '.averaged' END; END IF;
    began := processor_ms();
    EXECUTE 'SELECT * FROM ' || call INTO released;
    CALL note(night, method, way, processor_ms() - began, released);
END $$;
CREATE FUNCTION last_of(name text) RETURNS bigint LANGUAGE sql AS $$ SELECT coalesce(max(id), 0) FROM sdc.releases WHERE target = 'public.' || name $$;

CREATE PROCEDURE nights() LANGUAGE plpgsql AS $$
DECLARE next int := 100001; copy text;
BEGIN
    CALL arrive(1, 100000);
    FOR night IN 1 .. 10 LOOP
        IF night > 1 THEN
            DELETE FROM patient WHERE id IN (SELECT id FROM patient ORDER BY random() LIMIT 3000);
            UPDATE patient SET illness = 'illness ' || floor(14 * random() * random()) WHERE id IN (SELECT id FROM patient ORDER BY random() LIMIT 2000);
            CALL arrive(next, 5000);
            next := next + 5000;
        END IF;
        -- each way has a source of its own: nothing is compared with releases of the other ways
        FOREACH copy IN ARRAY '{averaged,averages,dissected,anatomies}'::text[] LOOP
            EXECUTE format('CREATE TABLE IF NOT EXISTS of_%s (LIKE patient)', copy);
            EXECUTE format('TRUNCATE of_%s', copy);
            EXECUTE format('INSERT INTO of_%s TABLE patient', copy);
            EXECUTE format('ANALYZE of_%s', copy);
        END LOOP;
        CALL publish(night, 'microaggregation', 'alone', $call$sdc.publish_microaggregated('of_averaged', 'averaged', '{age,height,mass,ward}', 5, '{illness}', 2, entity => 'id')$call$);
        CALL publish(night, 'microaggregation', 'sequence', format($call$sdc.publish_microaggregated('of_averages', 'averages', '{age,height,mass,ward}', 5, '{illness}', 2, entity => 'id', replace => true, continues => %s)$call$, last_of('averages')));
        CALL publish(night, 'anatomy', 'alone', $call$sdc.publish_anatomy('of_dissected', 'dissected', '{age,height,mass,ward}', 'illness', 3, entity => 'id')$call$);
        CALL publish(night, 'anatomy', 'sequence', format($call$sdc.publish_anatomy('of_anatomies', 'anatomies', '{age,height,mass,ward}', 'illness', 3, entity => 'id', replace => true, continues => %s)$call$, last_of('anatomies')));
        -- a release of its own does not say who is where: the same method numbers the rows again
        INSERT INTO grouped SELECT night, 'microaggregation', 'alone', id, sdc.p_sensitive(5, 2, ROW(age, height, mass, ward), ROW(illness)) OVER (ORDER BY id), illness FROM patient;
        INSERT INTO grouped SELECT night, 'anatomy', 'alone', p.id, q.grp, p.illness FROM dissected_qit AS q JOIN patient AS p USING (age, height, mass, ward);
        INSERT INTO grouped SELECT night, 'anatomy', 'sequence', p.id, q.grp, p.illness FROM anatomies_qit AS q JOIN patient AS p USING (age, height, mass, ward);
        INSERT INTO grouped SELECT night, 'anatomy', 'sequence', NULL, s.grp, s.illness FROM anatomies_st AS s;
        -- a group of a sequence is known by the keys that it shows
        CREATE TABLE shown AS SELECT age, height, mass, ward, array_agg(illness ORDER BY illness) AS bag FROM averages GROUP BY 1, 2, 3, 4;
        INSERT INTO bags SELECT night, hashtextextended(format('%s %s %s %s', age, height, mass, ward), 0), bag FROM shown;
        DROP TABLE shown;
        COMMIT;
    END LOOP;
END $$;
CREATE TABLE bags (night int, grp bigint, bag text[]);
CALL nights();

-- The first night again and again, each way by turns: one that starts a sequence also writes down who is where.
CREATE TABLE first_of AS SELECT * FROM patient LIMIT 100000;
CREATE TABLE first_nights (round int, method text, way text, ms numeric, by_clock numeric);
CREATE PROCEDURE first_nights(rounds int) LANGUAGE plpgsql AS $$
DECLARE way text; way_of_method text; call text; released bigint; began numeric; clock timestamptz;
BEGIN
    FOR round IN 1 .. rounds LOOP
        FOREACH way_of_method IN ARRAY '{microaggregation,anatomy}'::text[] LOOP
            FOREACH way IN ARRAY CASE round % 2 WHEN 0 THEN '{alone,sequence}'::text[] ELSE '{sequence,alone}' END LOOP
                call := CASE way_of_method WHEN 'anatomy' THEN $call$publish_anatomy('first_of', 'first', '{age,height,mass,ward}', 'illness', 3, entity => 'id'%s)$call$
                    ELSE $call$publish_microaggregated('first_of', 'first', '{age,height,mass,ward}', 5, '{illness}', 2, entity => 'id'%s)$call$ END;
                COMMIT;
                began := processor_ms();
                clock := clock_timestamp();
                EXECUTE format('SELECT id FROM sdc.' || call, CASE way WHEN 'sequence' THEN ', continues => 0' END) INTO released;
                COMMIT;
                INSERT INTO first_nights VALUES (round, way_of_method, way, processor_ms() - began, 1000 * extract(epoch FROM clock_timestamp() - clock));
                PERFORM sdc.drop_release(released);
                DELETE FROM sdc.release WHERE id = released;
            END LOOP;
        END LOOP;
    END LOOP;
END $$;
CALL first_nights(9);
ANALYZE;

-- Values that all groups of a person have in common, for those who are in all releases. Of the
-- sequence of microaggregations: groups with the same keys must have shown the same rows each night.
CREATE TABLE sets AS SELECT DISTINCT night, method, way, grp, illness FROM grouped;
CREATE INDEX ON sets (method, way, night, grp);
ANALYZE sets;
CREATE TABLE candidates AS
WITH stayed AS (
    SELECT method, way, id FROM grouped WHERE id IS NOT NULL GROUP BY 1, 2, 3 HAVING count(*) = 10 AND count(DISTINCT illness) = 1),
common AS (
    SELECT g.method, g.way, g.id, s.illness
    FROM stayed AS t JOIN grouped AS g USING (method, way, id) JOIN sets AS s ON (s.night, s.method, s.way, s.grp) = (g.night, g.method, g.way, g.grp)
    GROUP BY 1, 2, 3, 4 HAVING count(*) = 10)
SELECT method, way, id, count(*) AS left FROM common GROUP BY 1, 2, 3;
INSERT INTO candidates
SELECT 'microaggregation', 'sequence', m.person::int, cardinality(ARRAY(SELECT DISTINCT unnest(b.bag)))
FROM sdc.memberships AS m
JOIN sdc.releases AS r ON r.target = 'public.averages'
JOIN sdc.release_sequence AS q ON q.release = r.id AND q.sequence = m.sequence
JOIN (SELECT g.grp, hashtextextended(string_agg(g.shown, ' ' ORDER BY g.number), 0) AS keys FROM sdc.sequence_group AS g
      JOIN sdc.releases AS r ON r.target = 'public.averages' JOIN sdc.release_sequence AS q ON q.release = r.id AND q.sequence = g.sequence GROUP BY 1) AS k USING (grp)
JOIN bags AS b ON b.grp = k.keys AND b.night = 10
WHERE EXISTS (SELECT FROM candidates AS c WHERE c.method = 'microaggregation' AND c.id = m.person::int);

\echo 'Groups of the sequence that showed other rows in some night (must be 0):'
SELECT count(*) FROM (SELECT grp FROM bags GROUP BY grp HAVING count(DISTINCT bag) > 1) AS b;
\echo 'After ten nights:'
SELECT c.method, c.way, count(*) AS persons, round(avg(c.left), 2) AS values_left,
       round(100.0 * avg((c.left = 1)::int), 2) AS one_value_percent,
       round(100.0 * avg((c.left < CASE c.method WHEN 'anatomy' THEN 3 ELSE 2 END)::int), 2) AS fewer_than_promised_percent
FROM candidates AS c GROUP BY 1, 2 ORDER BY 1 DESC, 2;
\echo 'Night by night:'
SELECT s.method, s.night, a.rows AS persons, s.rows AS shown, s.held_back, s.left_out, s.counterfeits, a.loss AS loss_alone, s.loss AS loss_in_sequence, round(s.ms / a.ms, 2) AS time_ratio
FROM figures AS s JOIN figures AS a USING (night, method) WHERE s.way = 'sequence' AND a.way = 'alone' ORDER BY 1 DESC, 2;
\echo 'The first night, processor time of nine rounds:'
SELECT s.method, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY a.ms)) AS ms_alone, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY s.ms)) AS ms_of_sequence,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY s.ms / a.ms)::numeric, 2) AS ratio, round(min(s.ms / a.ms), 2) AS least, round(max(s.ms / a.ms), 2) AS most,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY s.by_clock / a.by_clock)::numeric, 2) AS ratio_by_clock
FROM first_nights AS s JOIN first_nights AS a USING (round, method) WHERE s.way = 'sequence' AND a.way = 'alone' GROUP BY 1 ORDER BY 1 DESC;

-- A small table wears a sequence out sooner: 2,000 persons, each night 3 % new, 3 % gone, 2 % with another illness.
-- What helps: to publish less often, to show chapters of illnesses (three instead of fourteen), or to start again.
-- Then somebody who keeps the last release of the old sequence and the first of the new one has both.
SELECT sdc.drop_release(id) FROM sdc.releases \g /dev/null
TRUNCATE patient, figures;
CREATE TABLE renewed (night int, method text, attack text, percent numeric);
-- starts a new sequence beside the old one, attacks both, and takes the new one back
CREATE PROCEDURE renew(night int, method text, call text) LANGUAGE plpgsql AS $$
DECLARE new bigint; old bigint := last_of(CASE renew.method WHEN 'anatomy' THEN 'anatomies' ELSE 'averages' END);
BEGIN
    EXECUTE 'SELECT id FROM ' || call INTO new;
    INSERT INTO renewed SELECT night, method, attack, round((100 * CASE attack WHEN 'intersection, one value' THEN recall ELSE measured END)::numeric, 1)
    FROM sdc.attack_intersection(ARRAY[old, new], 'id');
    PERFORM sdc.drop_release(new);
END $$;
CREATE PROCEDURE small_nights(last int) LANGUAGE plpgsql AS $$
DECLARE next int := 2001; copy text;
BEGIN
    CALL arrive(1, 2000);
    FOR night IN 1 .. last LOOP
        IF night > 1 THEN
            DELETE FROM patient WHERE id IN (SELECT id FROM patient ORDER BY random() LIMIT 60);
            UPDATE patient SET illness = 'illness ' || floor(14 * random() * random()) WHERE id IN (SELECT id FROM patient ORDER BY random() LIMIT 40);
            CALL arrive(next, 60);
            next := next + 60;
        END IF;
        FOREACH copy IN ARRAY '{averages,anatomies,chapters,weeks}'::text[] LOOP
            EXECUTE format('CREATE TABLE IF NOT EXISTS of_%s (LIKE patient)', copy);
            EXECUTE format('TRUNCATE of_%s', copy);
            EXECUTE format('INSERT INTO of_%s TABLE patient', copy);
        END LOOP;
        UPDATE of_chapters SET illness = 'chapter ' || CASE split_part(illness, ' ', 2)::int WHEN 0 THEN 0 WHEN 1 THEN 1 WHEN 2 THEN 1 ELSE 2 END;
        CALL publish(night, 'microaggregation', 'sequence', format($call$sdc.publish_microaggregated('of_averages', 'averages', '{age,height,mass,ward}', 5, '{illness}', 2, entity => 'id', replace => true, continues => %s)$call$, last_of('averages')));
        CALL publish(night, 'anatomy', 'sequence', format($call$sdc.publish_anatomy('of_anatomies', 'anatomies', '{age,height,mass,ward}', 'illness', 3, entity => 'id', replace => true, continues => %s)$call$, last_of('anatomies')));
        CALL publish(night, 'chapters', 'sequence', format($call$sdc.publish_microaggregated('of_chapters', 'chapters', '{age,height,mass,ward}', 5, '{illness}', 2, entity => 'id', replace => true, continues => %s)$call$, last_of('chapters')));
        IF night % 7 = 1 THEN
            CALL publish(night, 'weeks', 'sequence', format($call$sdc.publish_microaggregated('of_weeks', 'weeks', '{age,height,mass,ward}', 5, '{illness}', 2, entity => 'id', replace => true, continues => %s)$call$, last_of('weeks')));
        END IF;
        IF night IN (5, 10, 20, 30, 60) THEN
            CALL renew(night, 'microaggregation', $call$sdc.publish_microaggregated('of_averages', 'again', '{age,height,mass,ward}', 5, '{illness}', 2, entity => 'id', continues => 0)$call$);
            CALL renew(night, 'anatomy', $call$sdc.publish_anatomy('of_anatomies', 'again', '{age,height,mass,ward}', 'illness', 3, entity => 'id', continues => 0)$call$);
        END IF;
        COMMIT;
    END LOOP;
END $$;
CALL small_nights(60);
\echo 'A small table, 2,000 persons every night:'
SELECT m.night, m.rows AS shown, m.held_back, m.left_out, m.loss, a.rows AS anatomy_shown, a.held_back AS anatomy_held_back, a.counterfeits
FROM figures AS m JOIN figures AS a USING (night) WHERE m.method = 'microaggregation' AND a.method = 'anatomy' AND night IN (1, 5, 10, 20, 30, 60) ORDER BY 1;
\echo 'The same with three values instead of fourteen, and published every seventh night:'
SELECT method, night, rows AS shown, held_back, left_out, loss FROM figures
WHERE method = 'chapters' AND night IN (1, 5, 10, 20, 30, 60) OR method = 'weeks' AND night IN (1, 8, 15, 22, 29, 57) ORDER BY 1, 2;
\echo 'Who keeps the last release of the old sequence and the first of a new one, percent of persons:'
SELECT method, night, attack, percent FROM renewed ORDER BY 1 DESC, 2, 3;
