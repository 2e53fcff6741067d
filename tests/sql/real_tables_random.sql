-- Random tables with NULLs, several rows per person, strata and codes. Every publishing function keeps its promise
-- counted by persons by plain SQL, and shows no code that the source lacks.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SELECT setval('sdc.release_id_seq', 161600) \gset
CREATE SCHEMA random_tables;
SET search_path = random_tables;
SET client_min_messages = error;

CREATE FUNCTION draw(seed int, line int, field int, below int) RETURNS int LANGUAGE sql IMMUTABLE
RETURN abs(hashtextextended(format('%s %s %s', seed, line, field), 0) % below)::int;

CREATE TABLE visit (id int, person text, age int, height numeric(5,1), race int, region text, illness text);
CREATE PROCEDURE fill(seed int) LANGUAGE sql BEGIN ATOMIC
    DELETE FROM visit;
    INSERT INTO visit
    SELECT i, 'p' || p, CASE WHEN draw(seed, i, 2, 5) > 0 THEN 20 + draw(seed, p, 3, 30) + draw(seed, i, 4, 3) END,
           CASE WHEN draw(seed, p, 5, 8) > 0 THEN 150 + draw(seed, p, 6, 40) END,
           (ARRAY[1, 2, 5, 9, NULL])[1 + draw(seed, p, 7, 5)], 'r' || p % (1 + seed % 3),
           (ARRAY['Flu', 'HIV', 'Cancer', 'Asthma', 'Cold'])[1 + draw(seed, i, 8, 2 + seed % 4)]
    FROM  (SELECT i, draw(seed, i, 1, 24 + seed % 20) AS p FROM generate_series(1, 60 + draw(seed, 0, 0, 60)) AS i) v;
END;

-- What the groups of a query of (grp, id) have in persons: the fewest of them, the fewest values that different ones
-- bring, the least l. By König's theorem the values that are brought are the least number of values and persons that
-- together touch every pair of a person and a value.
CREATE FUNCTION by_persons(groups text, OUT k bigint, OUT p bigint, OUT l numeric, OUT persons bigint) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format($q$
        WITH g AS (SELECT DISTINCT r.grp, v.person, v.illness FROM (%s) r JOIN visit v USING (id)),
             n AS (SELECT illness, (dense_rank() OVER (ORDER BY illness) - 1)::int AS bit FROM g GROUP BY illness),
             s AS (SELECT g.grp, t, count(DISTINCT g.person) FILTER (WHERE (t >> n.bit) & 1 = 0) + bit_count(t::bit(5)) AS touched
                   FROM g JOIN n USING (illness), generate_series(0, 31) AS t GROUP BY g.grp, t),
             c AS (SELECT grp, count(DISTINCT person) AS persons FROM g GROUP BY grp),
             m AS (SELECT grp, max(n) AS most FROM (SELECT grp, count(*) AS n FROM g GROUP BY grp, illness) f GROUP BY grp)
        SELECT min(c.persons), (SELECT min(touched) FROM s), min(c.persons::numeric / m.most), (SELECT count(DISTINCT person) FROM g) FROM c JOIN m USING (grp) $q$, groups)
    INTO k, p, l, persons;
END $$;

CREATE TABLE outcome (method text, seed int, promise text, kept bool);
CREATE TABLE refusal (method text, seed int, message text);

-- Publishes, and notes what is refused; any error that is not about the data or the call is raised.
CREATE FUNCTION published(method text, seed int, call text) RETURNS sdc.release LANGUAGE plpgsql AS $$
DECLARE
    r sdc.release;
BEGIN
    EXECUTE call INTO r;
    RETURN r;
EXCEPTION WHEN SQLSTATE '22000' OR SQLSTATE '22023' OR SQLSTATE '23514' THEN
    INSERT INTO refusal VALUES (method, seed, SQLERRM);
    RETURN NULL;
END $$;

-- Enters whether groups keep k, p and l, as they are promised and as the register says.
CREATE PROCEDURE note(method text, seed int, r sdc.release, groups text, k int, p int DEFAULT NULL, l float8 DEFAULT NULL) LANGUAGE plpgsql AS $$
DECLARE
    found record;
BEGIN
    SELECT * INTO found FROM by_persons(groups);
    INSERT INTO outcome VALUES (method, seed, 'k', found.k >= k AND found.k >= (r.achieved ->> 'k')::int);
    IF p IS NOT NULL THEN
        INSERT INTO outcome VALUES (method, seed, 'p', found.p >= p AND found.p >= (r.achieved ->> 'p')::int);
    END IF;
    IF l IS NOT NULL THEN
        INSERT INTO outcome VALUES (method, seed, 'l', found.l::float8 >= l AND found.l::float8 >= (r.achieved ->> 'l')::float8 - 1e-9);
    END IF;
    INSERT INTO outcome VALUES (method, seed, 'persons', found.persons = (r.achieved ->> 'persons')::int);
END $$;

CREATE PROCEDURE note_codes(method text, seed int, codes text) LANGUAGE plpgsql AS $$
DECLARE
    unknown bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM (%s) c (code) WHERE code IS NOT NULL AND code NOT IN (SELECT race FROM visit WHERE race IS NOT NULL)', codes) INTO unknown;
    INSERT INTO outcome VALUES (method, seed, 'codes', unknown = 0);
END $$;

-- Groups by a window function mix rows that lack different values only where these are too few: `enough` is true of
-- rows that can be grouped on their own. Where even those that are left together are not enough, they go elsewhere.
CREATE PROCEDURE note_window(method text, seed int, call text, enough text, lacking text DEFAULT '(age IS NULL, height IS NULL)') LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format($q$
        WITH v AS (SELECT *, %5$s AS pattern, CASE illness WHEN 'HIV' THEN 1 WHEN 'Cancer' THEN 1 WHEN 'Asthma' THEN 2 ELSE 3 END AS category FROM visit),
             g AS (SELECT *, %1$s OVER (ORDER BY id) AS grp FROM v),
             c AS (SELECT pattern, %2$s AS whole FROM g GROUP BY pattern),
             m AS (SELECT grp FROM g JOIN c USING (pattern) GROUP BY grp HAVING count(DISTINCT pattern) > 1 AND bool_or(whole)),
             o AS (SELECT count(*) = 0 OR (%2$s) AS alone FROM g JOIN c USING (pattern) WHERE NOT whole)
        INSERT INTO outcome SELECT %3$L, %4$s, 'patterns of groups', (SELECT count(*) FROM m) = 0 FROM o WHERE alone $q$, call, enough, method, seed, lacking);
EXCEPTION WHEN SQLSTATE '22000' OR SQLSTATE '22023' OR SQLSTATE '23514' THEN
    INSERT INTO refusal VALUES (method, seed, SQLERRM);
END $$;

-- The same of a release: such rows show NULL where they lack a value, and nowhere else.
CREATE PROCEDURE note_shown(method text, seed int, relation text, enough text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format($q$
        WITH v AS (SELECT *, (age IS NULL, height IS NULL) AS pattern FROM visit),
             c AS (SELECT pattern, %2$s AS whole FROM v GROUP BY pattern),
             o AS (SELECT count(*) = 0 OR (%2$s) AS alone FROM v JOIN c USING (pattern) WHERE NOT whole)
        INSERT INTO outcome SELECT %3$L, %4$s, 'patterns', coalesce(bool_and(v.pattern = (r.age IS NULL, r.height IS NULL)), true)
        FROM %1$s r JOIN v USING (id) JOIN c USING (pattern), o WHERE whole AND alone HAVING count(*) > 0 $q$, relation, enough, method, seed);
END $$;

-- the sets that a local recoding shows as their elements
CREATE FUNCTION elements(relation regclass) RETURNS text LANGUAGE sql
RETURN format('SELECT unnest(race::int[]) FROM %s WHERE race IS NOT NULL', relation);

CREATE PROCEDURE run(seed int) LANGUAGE plpgsql AS $$
DECLARE
    k int := 2 + seed % 3;
    p int := 1 + (seed / 3) % least(3, 2 + seed % 3);
    l float8 := (ARRAY[NULL, 1.1, 1.25])[1 + seed % 3];
    persons text := 'entity => ''person'', strata => ''{region}'', keep => ''{id}'', allow_identifiers => true';
    sensitive text := format('sensitive => ''{illness}'', p => %s', p);
    left_out text := 'max_suppressed => 0.6';
    enough text := format('count(*) >= %s AND count(DISTINCT illness) >= %s', k, p);
    r sdc.release;
    n bigint;
BEGIN
    CALL fill(seed);
    DROP TABLE IF EXISTS ages;
    PERFORM sdc.interval_hierarchy('visit', 'age', 'ages', '{10,30}');

    -- checks of the table itself count as plain SQL does
    INSERT INTO outcome
    SELECT 'checks', seed, c.property, c.actual = CASE c.property WHEN 'k-anonymity' THEN b.k WHEN 'p-sensitivity' THEN b.p ELSE b.l END::float8
           AND (c.property <> 'p-sensitivity' OR c.violating_groups = (SELECT count(*) FROM sdc.violations('visit', '{race,region}', '{illness}', k => 1, p => 2, entity => 'person') v
                                                                       WHERE v.property = 'p-sensitivity'))
    FROM sdc.check_anonymity('visit', '{race,region}', '{illness}', k => 1, p => 2, entity => 'person') c,
         by_persons('SELECT id, (race, region) AS grp FROM visit') b
    WHERE c.property IN ('k-anonymity', 'p-sensitivity', 'l-diversity');

    r := published('microaggregated', seed, format('SELECT * FROM sdc.publish_microaggregated(''visit'', ''m%s'', ''{age,height,race}'', %s, categorical => ''{race}'', %s, %s, %s, seed => 1) r',
                                                   seed, k, sensitive, persons, left_out));
    IF r.id IS NOT NULL THEN
        CALL note('microaggregated', seed, r, format('SELECT id, (age, height, race, region) AS grp FROM m%s', seed), k, p);
        CALL note_codes('microaggregated', seed, format('SELECT race FROM m%s', seed));
    END IF;

    r := published('mondrian', seed, format('SELECT * FROM sdc.publish_mondrian(''visit'', ''c%s'', ''{age,height,race}'', %s, categorical => ''{race}'', %s, %s, %s, l => %L, strict => %L) r',
                                            seed, k, sensitive, persons, left_out, l, seed % 2 = 0));
    IF r.id IS NOT NULL THEN
        CALL note('mondrian', seed, r, format('SELECT id, (age, height, race, region) AS grp FROM c%s', seed), k, p, l);
        CALL note_codes('mondrian', seed, elements(('c' || seed)::regclass));
    END IF;

    r := published('generalized', seed, format('SELECT * FROM sdc.publish_generalized(''visit'', ''g%s'', ''{"age": "ages", "race": null}'', %s, %s, %s, %s, l => %L) r',
                                               seed, k, sensitive, persons, 'max_suppressed => 0.95', l));
    IF r.id IS NOT NULL THEN
        CALL note('generalized', seed, r, format('SELECT id, (age, race, region) AS grp FROM g%s', seed), k, p, l);
        CALL note_codes('generalized', seed, format('SELECT race FROM g%s', seed));
    END IF;

    r := published('suppressed', seed, format('SELECT * FROM sdc.publish_suppressed(''visit'', ''s%s'', ''{age,height,race}'', %s, %s) r', seed, k, persons));
    IF r.id IS NOT NULL THEN
        CALL note('suppressed', seed, r, format('SELECT id, (age, height, race, region) AS grp FROM s%s', seed), k);
        CALL note_codes('suppressed', seed, format('SELECT race FROM s%s', seed));
    END IF;

    r := published('suppressed, wildcard', seed, format('SELECT * FROM sdc.publish_suppressed(''visit'', ''w%s'', ''{age,height,race}'', %s, %s, reading => ''wildcard'') r', seed, k, persons));
    IF r.id IS NOT NULL THEN
        EXECUTE format('SELECT min(persons) FROM (SELECT a.id, count(DISTINCT v.person) AS persons FROM w%1$s a JOIN w%1$s b
                            ON a.region = b.region AND coalesce(a.age = b.age, true) AND coalesce(a.height = b.height, true) AND coalesce(a.race = b.race, true)
                            JOIN visit v ON v.id = b.id GROUP BY a.id) m', seed) INTO n;
        INSERT INTO outcome VALUES ('suppressed, wildcard', seed, 'k', n >= k AND n >= (r.achieved ->> 'k_wildcard')::int);
    END IF;

    r := published('p_alpha', seed, format('SELECT * FROM sdc.publish_p_alpha(''visit'', ''a%s'', ''{age,height,race}'', ''illness'', ''[["HIV","Cancer"],["Asthma"],["Flu","Cold"]]'', %s, %s, 0.5, categorical => ''{race}'', %s, %s) r',
                                           seed, k, least(p, 2), persons, left_out));
    IF r.id IS NOT NULL THEN
        CALL note('p_alpha', seed, r, format('SELECT id, (age, height, race, region) AS grp FROM a%s', seed), k);
        CALL note_codes('p_alpha', seed, format('SELECT race FROM a%s', seed));
        EXECUTE format('SELECT count(*) FROM (SELECT count(DISTINCT c) AS categories, sum(c) / 2.0 AS weight
                            FROM (SELECT (g.age, g.height, g.race, g.region) AS grp, person,
                                         min(CASE WHEN v.illness IN (''HIV'', ''Cancer'') THEN 0 WHEN v.illness = ''Asthma'' THEN 1 ELSE 2 END) AS c
                                  FROM a%s g JOIN visit v USING (id) GROUP BY 1, 2) q GROUP BY grp) f WHERE categories < %s OR weight < 0.5', seed, least(p, 2)) INTO n;
        INSERT INTO outcome VALUES ('p_alpha', seed, 'p and alpha', n = 0);
    END IF;

    FOR n IN 0..1 LOOP
        r := published((ARRAY['anatomy', 'permutation'])[n + 1], seed,
                       format('SELECT * FROM sdc.publish_%s(''visit'', ''%s%s'', ''{id,age,race}'', ''illness'', 2, entity => ''person'', strata => ''{region}'', %s, allow_identifiers => true, seed => 1) r',
                              (ARRAY['anatomy', 'permutation'])[n + 1], (ARRAY['x', 'y'])[n + 1], seed, left_out));
        IF r.id IS NOT NULL THEN
            EXECUTE format('INSERT INTO outcome SELECT %L, %s, ''l persons, no stratum crossed'', bool_and(rows = persons AND rows >= 2 AND regions = 1 AND rows >= 2 * most)
                            FROM (SELECT grp, count(*) AS rows, count(DISTINCT person) AS persons, count(DISTINCT q.region) AS regions
                                  FROM %s q JOIN visit v USING (id) GROUP BY grp) k
                            JOIN (SELECT grp, max(n) AS most FROM (SELECT grp, illness, %s AS n FROM %s GROUP BY grp, illness) c GROUP BY grp) s USING (grp)',
                           r.method, seed, (ARRAY['x', 'y'])[n + 1] || seed || (ARRAY['_qit', '_pqt'])[n + 1],
                           (ARRAY['sum(count)', 'count(*)'])[n + 1], (ARRAY['x', 'y'])[n + 1] || seed || (ARRAY['_st', '_pst'])[n + 1]);
            CALL note_codes(r.method, seed, format('SELECT race FROM %s', (ARRAY['x', 'y'])[n + 1] || seed || (ARRAY['_qit', '_pqt'])[n + 1]));
        END IF;
    END LOOP;

    -- rows of one person that have one value get one value; values stay in their stratum; NULL stays NULL
    r := published('perturbed', seed, format('SELECT * FROM sdc.publish_perturbed(''visit'', ''n%s'', ''{"race": {"method": "pram", "keep_probability": 0.3}, "height": {"method": "rank_swap", "percent": 30}, "age": {"method": "noise", "share": 0.5}}'', %s, seed => 1) r',
                                             seed, persons));
    CALL note_codes('perturbed', seed, format('SELECT race FROM n%s', seed));
    EXECUTE format('INSERT INTO outcome SELECT ''perturbed'', %1$s, ''persons alike'', max(races) <= 1 AND max(heights) = 1
                    FROM (SELECT v.person, count(DISTINCT n.race) AS races, count(DISTINCT coalesce(n.height, 0)) AS heights FROM n%1$s n JOIN visit v USING (id) GROUP BY v.person) p', seed);
    EXECUTE format('INSERT INTO outcome SELECT ''perturbed'', %1$s, ''values of the stratum'', bool_and((n.height IS NULL) = (v.height IS NULL) AND (n.age IS NULL) = (v.age IS NULL)
                        AND (n.height IS NULL OR EXISTS (SELECT FROM visit o WHERE o.region = n.region AND o.height = n.height)) AND n.region = v.region)
                    FROM n%1$s n JOIN visit v USING (id)', seed);
    EXECUTE format('INSERT INTO outcome SELECT ''perturbed'', %1$s, ''one shift for each person'', max(most - least) <= 1
                    FROM (SELECT max(n.age - v.age) AS most, min(n.age - v.age) AS least FROM n%1$s n JOIN visit v USING (id) WHERE v.age IS NOT NULL GROUP BY v.person) p', seed);

    -- without persons: rows that lack the same values stay unmixed, wherever they are enough
    CALL note_window('mdav', seed, format('sdc.mdav(%s, age, height)', k), format('count(*) >= %s', k));
    CALL note_window('p_sensitive', seed, format('sdc.p_sensitive(%s, %s, ROW(age, height), ROW(illness), ''least_loss'')', k, p), enough);
    CALL note_window('mondrian', seed, format('sdc.mondrian(%s, %s, ROW(age, height), ROW(illness))', k, p), enough);
    CALL note_window('permutation', seed, 'sdc.permutation(2, ROW(age), illness)',
                     'count(*) >= 2 * cardinality(array_positions(array_agg(illness), mode() WITHIN GROUP (ORDER BY illness)))', '(age IS NULL)');
    CALL note_window('p_alpha', seed, format('sdc.p_alpha_sensitive(%s, %s, 0.5, ROW(age, height), category, 3)', k, least(p, 2)),
                     format('count(*) >= %s AND count(DISTINCT category) >= %s AND sum(category - 1) / 2.0 >= 0.5', k, least(p, 2)));

    r := published('rows', seed, format('SELECT * FROM sdc.publish_microaggregated(''visit'', ''u%s'', ''{age,height}'', %s, keep => ''{id}'', allow_identifiers => true, weights => ''{"age": 3, "height": 0.5}'') r', seed, k));
    CALL note_shown('microaggregated', seed, format('u%s', seed), format('count(*) >= %s', k));
    FOR n IN 0..1 LOOP
        r := published('rows', seed, format('SELECT * FROM sdc.publish_%s(''visit'', ''v%s_%s'', ''{age,height}'', %s, %s, keep => ''{id}'', allow_identifiers => true) r',
                                            (ARRAY['microaggregated', 'mondrian'])[n + 1], n, seed, k, sensitive));
        IF r.id IS NOT NULL THEN
            CALL note_shown(r.method || ', p', seed, format('v%s_%s', n, seed), enough);
        END IF;
    END LOOP;
END $$;

DO $$
BEGIN
    FOR seed IN 1..15 LOOP
        CALL run(seed);
    END LOOP;
END $$;

SELECT method, promise, count(*) > 4 AS often, count(*) FILTER (WHERE kept IS NOT TRUE) AS broken FROM outcome GROUP BY 1, 2 ORDER BY 1, 2;
SELECT count(*) AS internal FROM refusal WHERE message ~ 'bug|promise of|fails its own';

DROP SCHEMA random_tables CASCADE;
DELETE FROM sdc.release WHERE source LIKE 'random_tables.%';
RESET search_path;
