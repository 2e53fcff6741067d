-- What a sequence forgets: groups that persons have left, once no release that is still there shows them.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
DELETE FROM sdc.release;
CREATE SCHEMA forgotten;
SET search_path = forgotten;
CREATE TABLE patient (id int PRIMARY KEY, age int, height int, illness text);
CREATE PROCEDURE arrive(first int, last int) LANGUAGE sql AS $$
    INSERT INTO patient SELECT i, 20 + i * 37 % 50, 150 + i * 53 % 41, 'illness ' || i % 3 FROM generate_series(first, last) AS i
$$;
CALL arrive(1, 400);
-- releases of one sequence, under names of their own
CREATE FUNCTION published(night int) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE continued bigint;
BEGIN
    DELETE FROM patient WHERE night > 1 AND id % 20 = night;
    IF night > 1 THEN CALL arrive(400 + 40 * (night - 2) + 1, 400 + 40 * (night - 1)); END IF;
    SELECT coalesce(max(id), 0) INTO continued FROM sdc.releases WHERE target LIKE 'forgotten.night_%';
    RETURN r.rows > 300 FROM sdc.publish_microaggregated('patient', 'night_' || night, '{age,height}', 4, '{illness}', 2, entity => 'id', continues => continued) AS r;
END $$;
-- what is remembered, and what should have been forgotten: whoever was in another group by the first release that is there
CREATE VIEW memory AS
SELECT m.person, m.grp, m.since, (SELECT min(n.since) FROM sdc.membership AS n WHERE n.person = m.person AND n.since > m.since) <= (SELECT min(id) FROM sdc.releases) AS left_before
FROM sdc.membership AS m;
-- groups of which a member has been forgotten are not shown again
CREATE VIEW groups AS SELECT grp, count(*) AS members, count(*) FILTER (WHERE EXISTS (SELECT FROM sdc.sequence_group AS g WHERE g.grp = memory.grp)) AS shown FROM memory GROUP BY grp;
CREATE FUNCTION shows_what_is_remembered(night int) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE unknown bigint;
BEGIN
    EXECUTE format($q$SELECT count(*) FROM (SELECT age::text, height::text FROM night_%s EXCEPT
        SELECT max(shown) FILTER (WHERE number = 0), max(shown) FILTER (WHERE number = 1) FROM sdc.sequence_group GROUP BY grp) AS u$q$, night) INTO unknown;
    RETURN unknown = 0;
END $$;
SELECT night, published(night), shows_what_is_remembered(night), shows_what_is_remembered(1) AS and_the_first FROM generate_series(1, 3) AS night;
-- all releases are there: nothing is forgotten, and everybody's groups are known
SELECT count(*) > count(DISTINCT person) AS in_several, count(*) FILTER (WHERE left_before) AS to_forget, count(*) FILTER (WHERE since = (SELECT min(id) FROM sdc.releases)) AS of_the_first FROM memory;
SELECT count(*) FILTER (WHERE shown < members) AS forgotten FROM groups;
-- the first is dropped: the next publication forgets what only that one showed
SELECT FROM sdc.drop_release((SELECT min(id) FROM sdc.releases));
SELECT count(*) FILTER (WHERE left_before) > 0 AS to_forget FROM memory;
SELECT published(4), shows_what_is_remembered(2) AS second, shows_what_is_remembered(3) AS third, shows_what_is_remembered(4) AS fourth;
SELECT count(*) > count(DISTINCT person) AS in_several, count(*) FILTER (WHERE left_before) AS to_forget FROM memory;
SELECT count(*) FILTER (WHERE shown = 0) > 0 AS forgotten, count(*) FILTER (WHERE shown NOT IN (0, members)) AS by_half, count(*) FILTER (WHERE members < 4 AND shown > 0) AS of_too_few FROM groups;
-- all but the last are dropped: everybody has one group
SELECT FROM sdc.releases AS r, sdc.drop_release(r.id) WHERE r.target <> 'forgotten.night_4';
SELECT published(5), shows_what_is_remembered(4) AS fourth, shows_what_is_remembered(5) AS fifth;
SELECT FROM sdc.drop_release((SELECT min(id) FROM sdc.releases));
SELECT published(6), shows_what_is_remembered(5) AS fifth, shows_what_is_remembered(6) AS sixth;
SELECT count(*) > count(DISTINCT person) AS in_several, count(*) FILTER (WHERE left_before) AS to_forget FROM memory;
-- in the end nothing is remembered
SELECT FROM sdc.releases AS r, sdc.drop_release(r.id);
SELECT (SELECT count(*) FROM sdc.membership) AS members, (SELECT count(*) FROM sdc.sequence_group) AS groups, (SELECT count(*) FROM sdc.sequence_slot) AS slots;
DELETE FROM sdc.release;
DROP SCHEMA forgotten CASCADE;
