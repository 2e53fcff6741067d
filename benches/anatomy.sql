-- Anatomy and permutation of ACS through SQL: time of a whole release against the number of rows, a
-- second release of the same source (which looks for what both give away together), and estimates.
\ir acs.psql
\if :present
\else
    \quit
\endif
DO $$ BEGIN
    FOR part IN 1 .. 5 LOOP
        EXECUTE format('CREATE TABLE acs_%s AS SELECT * FROM acs LIMIT %s', part * 100, part * 100000);
    END LOOP;
END $$;
ANALYZE;

CREATE TABLE published (method text, thousand int, keys int, l int, ms numeric);
CREATE PROCEDURE publish(methods text[], thousands int[], keys int[], ls int[]) LANGUAGE plpgsql AS $$
DECLARE
    names name[] := '{age,gender,education,marital,race,work_class,hispanic_origin}';
    method text; thousand int; number int; l int; best numeric;
BEGIN
    FOREACH method IN ARRAY methods LOOP
        FOREACH thousand IN ARRAY thousands LOOP
            FOREACH number IN ARRAY keys LOOP
                FOREACH l IN ARRAY ls LOOP
                    best := NULL;
                    FOR run IN 1 .. 3 LOOP
                        best := least(best, ms(format(
                            'SELECT (SELECT groups FROM sdc.publish_%s(%L, ''release'', %L, ''salary50'', %s))',
                            method, 'acs_' || thousand, names[:number], l), 1));
                        PERFORM sdc.drop_release((SELECT max(id) FROM sdc.releases));
                    END LOOP;
                    INSERT INTO published VALUES (method, thousand, number, l, best);
                END LOOP;
            END LOOP;
        END LOOP;
    END LOOP;
END $$;

\echo 'releases of 4 keys, l = 10, in ms; growth: exponent of n from 100,000 to 500,000 rows; the target is 10,000 ms for 500,000'
CALL publish('{anatomy,permutation}', '{100,200,300,400,500}', '{4}', '{10}');
SELECT method, max(ms) FILTER (WHERE thousand = 100) AS "100,000", max(ms) FILTER (WHERE thousand = 200) AS "200,000",
       max(ms) FILTER (WHERE thousand = 300) AS "300,000", max(ms) FILTER (WHERE thousand = 400) AS "400,000",
       max(ms) FILTER (WHERE thousand = 500) AS "500,000",
       round(ln(max(ms) FILTER (WHERE thousand = 500) / max(ms) FILTER (WHERE thousand = 100)) / ln(5.0), 2) AS growth
FROM   published GROUP BY method ORDER BY method;

TRUNCATE published;
\echo 'releases of 500,000 rows in ms, by l and by the number of keys'
CALL publish('{anatomy,permutation}', '{500}', '{3,7}', '{2,10}');
SELECT method, keys, max(ms) FILTER (WHERE l = 2) AS "l = 2", max(ms) FILTER (WHERE l = 10) AS "l = 10"
FROM   published GROUP BY method, keys ORDER BY method, keys;

\echo 'a second release of the same source looks for groups that both give away; 500,000 rows, 4 keys, l = 5, in ms'
SET client_min_messages = error;
SELECT ms('SELECT (SELECT groups FROM sdc.publish_anatomy(''acs'', ''first'', ''{age,gender,education,marital}'', ''salary50'', 5))', 1) AS first,
       ms('SELECT (SELECT groups FROM sdc.publish_anatomy(''acs'', ''second'', ''{age,gender,education,marital}'', ''salary50'', 5))', 1) AS second,
       ms('SELECT (SELECT groups FROM sdc.publish_permutation(''acs'', ''third'', ''{age,gender,education,marital}'', ''salary50'', 5))', 1) AS third;

\echo 'an estimate of a count, in ms'
SELECT ms('SELECT sum(weight) FROM first WHERE age BETWEEN 30 AND 40 AND gender = 1 AND salary50 = 20') AS anatomy,
       ms('SELECT sdc.estimate_count(''third'', ''age BETWEEN 30 AND 40'', ''gender = 1'', ''salary50 = 20'')') AS permutation;
