-- k, p, l and t are computed in two ways: by the engine's models from counts in memory, and by
-- generated SQL where groups are too many for memory or their key values are wanted. Both must
-- agree on every table: here on 300 random ones, NULLs included.
CREATE TEMP TABLE random_rows (a int, b text, x text, y numeric);
CREATE TEMP TABLE compared (property text, attribute name, agreed bool);
SELECT setseed(0.5) IS NOT NULL AS seeded;
DO $$
DECLARE
    size int;
BEGIN
    FOR size IN 1 .. 300 LOOP
        TRUNCATE random_rows;
        INSERT INTO random_rows
        SELECT nullif((random() * 4)::int, 0), nullif(chr(97 + (random() * 2)::int), 'c'),
               nullif(chr(97 + (random() * (size % 7))::int), 'b'), nullif((random() * (size % 5))::int, 1)
        FROM generate_series(1, size);
        INSERT INTO compared
        WITH checked AS (
            SELECT * FROM sdc.check_anonymity('random_rows', '{a,b}', '{x,y}', k => 4, p => 3, l => 1.7, t => 0.3)
        ), listed AS (
            SELECT property, attribute, count(*) AS groups, sum(rows) AS rows, min(actual) AS least, max(actual) AS most
            FROM sdc.violations('random_rows', '{a,b}', '{x,y}', k => 4, p => 3, l => 1.7, t => 0.3)
            GROUP BY property, attribute
        )
        SELECT c.property, c.attribute,
               c.violating_groups = coalesce(v.groups, 0) AND c.violating_rows = coalesce(v.rows, 0)
               AND (v.groups IS NULL OR abs(c.actual - CASE c.property WHEN 't-closeness' THEN v.most ELSE v.least END) < 1e-12)
        FROM checked c LEFT JOIN listed v ON v.property = c.property AND v.attribute IS NOT DISTINCT FROM c.attribute;
    END LOOP;
END $$;
SELECT property, attribute, count(*) AS tables, count(*) FILTER (WHERE agreed) AS agreed FROM compared GROUP BY 1, 2 ORDER BY 1, 2;
DROP TABLE random_rows, compared;
