-- Risk of random tables against the definitions, by joins and row against row. Prints what differs.
CREATE SCHEMA risk_reference;
SET search_path = risk_reference;
CREATE TABLE population (id int, a int, b int, c text);
CREATE TABLE sample (LIKE population);

-- k-map, delta, attackers: group sizes by joins that take NULL for a value.
CREATE FUNCTION by_joins(OUT attacker text, OUT measure text, OUT value float8) RETURNS SETOF record LANGUAGE sql AS $$
    WITH f AS (SELECT a, b, c, count(*)::float8 AS n FROM risk_reference.sample GROUP BY 1, 2, 3),
         p AS (SELECT a, b, c, count(*)::float8 AS n FROM risk_reference.population GROUP BY 1, 2, 3),
         g AS (SELECT f.n AS f, p.n AS F1 FROM f JOIN p ON (f.a, f.b, f.c) IS NOT DISTINCT FROM (p.a, p.b, p.c)),
         d AS (SELECT coalesce(f.n, 0) / p.n AS share FROM p LEFT JOIN f ON (f.a, f.b, f.c) IS NOT DISTINCT FROM (p.a, p.b, p.c))
    SELECT 'prosecutor', 'average', count(*) / sum(f) FROM g UNION ALL
    SELECT 'prosecutor', 'maximum', max(1 / f) FROM g UNION ALL
    SELECT 'prosecutor', 'at_risk', coalesce(sum(f) FILTER (WHERE 1 / f > 0.2), 0) / sum(f) FROM g UNION ALL
    SELECT 'prosecutor', 'uniques', count(*) FILTER (WHERE f = 1) FROM g UNION ALL
    SELECT 'journalist', 'average', greatest(sum(f / F1) / sum(f), count(*) / sum(F1)) FROM g UNION ALL
    SELECT 'journalist', 'maximum', max(1 / F1) FROM g UNION ALL
    SELECT 'journalist', 'at_risk', coalesce(sum(f) FILTER (WHERE 1 / F1 > 0.2), 0) / sum(f) FROM g UNION ALL
    SELECT 'journalist', 'k_map', min(F1) FROM g UNION ALL
    SELECT 'marketer', 'average', sum(f / F1) / sum(f) FROM g UNION ALL
    SELECT 'marketer', 'expected_reidentifications', sum(f / F1) FROM g UNION ALL
    SELECT 'membership', 'delta_min', min(share) FROM d UNION ALL
    SELECT 'membership', 'delta_max', max(share) FROM d $$;
-- the same where NULL matches every value, row against row
CREATE FUNCTION by_rows(OUT attacker text, OUT measure text, OUT value float8) RETURNS SETOF record LANGUAGE sql AS $$
    WITH m AS (SELECT (SELECT count(*) FROM risk_reference.sample o WHERE (s.a = o.a) IS NOT FALSE AND (s.b = o.b) IS NOT FALSE AND (s.c = o.c) IS NOT FALSE)::float8 AS f,
                      (SELECT count(*) FROM risk_reference.population o WHERE (s.a = o.a) IS NOT FALSE AND (s.b = o.b) IS NOT FALSE AND (s.c = o.c) IS NOT FALSE)::float8 AS F1
               FROM risk_reference.sample s),
         d AS (SELECT (SELECT count(*) FROM risk_reference.sample o WHERE (s.a = o.a) IS NOT FALSE AND (s.b = o.b) IS NOT FALSE AND (s.c = o.c) IS NOT FALSE)::float8
                    / (SELECT count(*) FROM risk_reference.population o WHERE (s.a = o.a) IS NOT FALSE AND (s.b = o.b) IS NOT FALSE AND (s.c = o.c) IS NOT FALSE) AS share
               FROM risk_reference.population s)
    SELECT 'prosecutor', 'average', avg(1 / f) FROM m UNION ALL
    SELECT 'prosecutor', 'maximum', max(1 / f) FROM m UNION ALL
    SELECT 'prosecutor', 'uniques', count(*) FILTER (WHERE f = 1) FROM m UNION ALL
    SELECT 'journalist', 'k_map', min(F1) FROM m UNION ALL
    SELECT 'marketer', 'average', avg(1 / F1) FROM m UNION ALL
    SELECT 'membership', 'delta_min', min(share) FROM d UNION ALL
    SELECT 'membership', 'delta_max', max(share) FROM d $$;
-- special uniques: every set of keys, every row
CREATE FUNCTION minimal_uniques() RETURNS TABLE (id int, set int, weight float8) LANGUAGE sql AS $$
    WITH sets AS (SELECT set FROM generate_series(1, 7) set),
         uniq AS (SELECT s.id, set FROM risk_reference.sample s, sets
                  WHERE (SELECT count(*) FROM risk_reference.sample o
                         WHERE (set & 1 = 0 OR o.a IS NOT DISTINCT FROM s.a) AND (set & 2 = 0 OR o.b IS NOT DISTINCT FROM s.b)
                           AND (set & 4 = 0 OR o.c IS NOT DISTINCT FROM s.c)) = 1)
    SELECT u.id, u.set, CASE length(replace(u.set::bit(3)::text, '0', '')) WHEN 1 THEN 2 ELSE 1 END::float8
    FROM   uniq u WHERE NOT EXISTS (SELECT FROM uniq o WHERE o.id = u.id AND o.set & u.set = o.set AND o.set <> u.set) $$;
CREATE FUNCTION suda_by_sets() RETURNS TABLE (id int, score float8) LANGUAGE sql AS
$$ SELECT id, sum(weight) FROM risk_reference.minimal_uniques() GROUP BY 1 $$;
-- scores as chances: U unique rows, P rows in pairs, DIS = U·π/(U·π + P·(1−π)), 1/(1 + (U/DIS − U)/(σ^Q · Σσ^−Q)), Q = 1 + (8−m)/20
CREATE FUNCTION dis_suda_by_formula(fraction float8) RETURNS TABLE (id int, risk float8) LANGUAGE sql AS $$
    WITH sizes AS (SELECT count(*) AS n FROM risk_reference.sample GROUP BY a, b, c),
         n AS (SELECT count(*) FILTER (WHERE n = 1)::float8 AS u, 2.0 * count(*) FILTER (WHERE n = 2) AS p FROM sizes),
         dis AS (SELECT u, u * fraction / (u * fraction + p * (1 - fraction)) AS dis FROM n WHERE u > 0),
         q AS (SELECT sum(score ^ -(1 + (8 - 3) / 20.0)) AS all_scores FROM risk_reference.suda_by_sets())
    SELECT id, 1 / (1 + (u / dis - u) / (score ^ (1 + (8 - 3) / 20.0) * all_scores)) FROM risk_reference.suda_by_sets(), dis, q $$;
-- what each key has of all scores, and in how many minimal uniques it is
CREATE FUNCTION keys_by_sets() RETURNS TABLE (key name, contribution float8, minimal_uniques bigint) LANGUAGE sql AS $$
    SELECT k.key, coalesce(sum(weight) FILTER (WHERE set & bit > 0), 0) / sum(weight), count(*) FILTER (WHERE set & bit > 0)
    FROM   risk_reference.minimal_uniques(), (VALUES ('a', 1), ('b', 2), ('c', 4)) k (key, bit) GROUP BY 1 $$;
-- dangerous columns: every set of columns, every pair of rows; without any column all rows are alike
CREATE FUNCTION columns_by_pairs() RETURNS TABLE (columns name[], distinction float8, separation float8, uniques bigint, risk_without float8) LANGUAGE sql AS $$
    WITH sets AS (SELECT set, ARRAY(SELECT c FROM (VALUES ('a', 1), ('b', 2), ('c', 4)) k (c, bit) WHERE set & bit > 0 ORDER BY c)::name[] AS columns FROM generate_series(1, 7) set),
         alike AS (SELECT set, s.id, o.id AS other FROM sets, risk_reference.sample s, risk_reference.sample o
                   WHERE (set & 1 = 0 OR o.a IS NOT DISTINCT FROM s.a) AND (set & 2 = 0 OR o.b IS NOT DISTINCT FROM s.b) AND (set & 4 = 0 OR o.c IS NOT DISTINCT FROM s.c)),
         sizes AS (SELECT set, id, count(*)::float8 AS n FROM alike GROUP BY 1, 2),
         figures AS (SELECT set, avg(1 / n) AS distinction, count(*) FILTER (WHERE n = 1) AS uniques, sum(n - 1) AS pairs, count(*)::float8 AS rows FROM sizes GROUP BY 1)
    SELECT columns, f.distinction, 1 - f.pairs / nullif(f.rows * (f.rows - 1), 0), f.uniques, coalesce(w.distinction, 1 / f.rows)
    FROM   sets JOIN figures f USING (set) LEFT JOIN figures w ON w.set = 7 - f.set $$;

DO $$
DECLARE
    differing record;
BEGIN
    PERFORM setseed(0.18);
    FOR run IN 1 .. 150 LOOP
        DELETE FROM population;
        DELETE FROM sample;
        INSERT INTO population
        SELECT i, nullif((random() * 3)::int, 0), nullif((random() * 2)::int, 0), nullif(chr(96 + (random() * 2)::int), '`')
        FROM   generate_series(1, 5 + run % 30) i;
        INSERT INTO sample SELECT * FROM population WHERE id = 1 OR random() < 0.1 + 0.8 * (run % 7) / 6.0;
        FOR differing IN
            SELECT 'risk' AS what, run AS run, r.measure FROM by_joins() r JOIN sdc.risk('sample', '{a,b,c}', population => 'population') s USING (attacker, measure)
            WHERE abs(r.value - s.value) > 1e-9 OR s.value IS NULL
            UNION ALL
            SELECT 'wildcard', run, r.measure FROM by_rows() r JOIN sdc.risk('sample', '{a,b,c}', population => 'population', nulls => 'wildcard') s USING (attacker, measure)
            WHERE abs(r.value - s.value) > 1e-9 OR s.value IS NULL
            UNION ALL
            SELECT 'check', run, property FROM sdc.check_anonymity('sample', '{a,b,c}', population => 'population', nulls => 'wildcard') s
            JOIN   by_rows() r ON (property = 'k-map' AND measure = 'k_map') OR (property = 'k-anonymity' AND attacker = 'prosecutor' AND measure = 'maximum')
            WHERE  abs(CASE property WHEN 'k-map' THEN r.value ELSE 1 / r.value END - s.actual) > 1e-9
            UNION ALL
            SELECT 'suda', run, q.id::text FROM (SELECT id, sdc.suda(3, a, b, c) OVER () AS score FROM sample) q
            LEFT   JOIN suda_by_sets() u USING (id) WHERE q.score <> coalesce(u.score, 0)
            UNION ALL
            SELECT 'dis_suda', run, q.id::text FROM (SELECT id, sdc.dis_suda(0.1, 3, a, b, c) OVER () AS risk FROM sample) q
            LEFT   JOIN dis_suda_by_formula(0.1) u USING (id) WHERE abs(q.risk - coalesce(u.risk, 0)) < 1e-9 IS NOT TRUE
            UNION ALL
            SELECT 'suda_keys', run, k.key FROM sdc.suda_keys('sample', '{a,b,c}', 3) k LEFT JOIN keys_by_sets() u USING (key)
            WHERE  round(k.contribution::numeric, 9) IS DISTINCT FROM round(u.contribution::numeric, 9) OR k.minimal_uniques <> coalesce(u.minimal_uniques, 0)
            UNION ALL
            SELECT 'column_risk', run, u.columns::text FROM columns_by_pairs() u LEFT JOIN sdc.column_risk('sample', '{a,b,c}', 3) k USING (columns)
            WHERE  abs(k.distinction - u.distinction) < 1e-9 IS NOT TRUE OR abs(k.risk - u.distinction) < 1e-9 IS NOT TRUE OR k.uniques IS DISTINCT FROM u.uniques
                OR round(k.separation::numeric, 9) IS DISTINCT FROM round(u.separation::numeric, 9) OR round(k.risk_without::numeric, 9) IS DISTINCT FROM round(u.risk_without::numeric, 9)
            UNION ALL
            SELECT 'suda_keys of one', run, k.key FROM (SELECT sum(minimal_uniques) AS n, min(key::text) AS key FROM sdc.suda_keys('sample', '{a}', 1)) k
            WHERE  k.n <> (SELECT count(*) FROM (SELECT FROM sample GROUP BY a HAVING count(*) = 1) q)
        LOOP
            RAISE WARNING '%', differing;
        END LOOP;
    END LOOP;
END $$;

-- k-map, delta-presence and the attackers alone against joins, on two thousand more
DO $$
DECLARE
    differing record;
BEGIN
    PERFORM setseed(0.81);
    FOR run IN 1 .. 2000 LOOP
        TRUNCATE population, sample;
        INSERT INTO population
        SELECT i, nullif((random() * 3)::int, 0), nullif((random() * 2)::int, 0), nullif(chr(96 + (random() * 2)::int), '`')
        FROM   generate_series(1, 2 + run % 25) i;
        INSERT INTO sample SELECT * FROM population WHERE id = 1 OR random() < 0.1 + 0.8 * (run % 7) / 6.0;
        FOR differing IN
            SELECT run AS run, r.measure FROM by_joins() r JOIN sdc.risk('sample', '{a,b,c}', population => 'population') s USING (attacker, measure)
            WHERE abs(r.value - s.value) > 1e-9 OR s.value IS NULL
        LOOP
            RAISE WARNING '%', differing;
        END LOOP;
    END LOOP;
END $$;

SET client_min_messages = warning;
DROP SCHEMA risk_reference CASCADE;
