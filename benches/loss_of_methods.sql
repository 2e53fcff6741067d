-- What every publishing method loses on Adult and on Census at k = 3, 5 and 10, side by side: the
-- table in docs/utility.md.
\set needed 'adult.csv.xz census.csv'
\ir adult.psql
\if :present
\else
    \quit
\endif
SET client_min_messages = error;
CREATE TABLE adult AS SELECT age, workclass, education, marital_status, race, sex, native_country, occupation
    FROM raw WHERE '?' NOT IN (workclass, occupation, native_country);
CREATE TABLE census_13 (afnlwgt float8, agi float8, emcontrb float8, fedtax float8, ptotval float8, statetax float8, taxinc float8,
    pothval float8, intval float8, pearnval float8, fica float8, wsalval float8, ernval float8);
\copy census_13 FROM 'census.csv' CSV HEADER
-- keys as DFS07 has them; TAXINC in 15 classes as the sensitive column
CREATE TABLE census AS SELECT afnlwgt, agi, emcontrb, fedtax, ptotval, statetax,
    least(floor((taxinc - min(taxinc) OVER ()) * 15 / (max(taxinc) OVER () - min(taxinc) OVER ())), 14)::int AS class FROM census_13;
CREATE FUNCTION ranges(key name) RETURNS text LANGUAGE sql AS
$$ SELECT sdc.interval_hierarchy('census', key, 'census_' || key, (SELECT array_agg(w ORDER BY w) FROM
       (SELECT DISTINCT (range / 2 ^ i)::numeric AS w FROM generate_series(1, 5) AS i) s))
   FROM (SELECT 1 + max(v) - min(v) AS range FROM (SELECT (to_jsonb(c) ->> key)::float8 AS v FROM census c) v) r $$;
SELECT ranges(key) FROM unnest('{afnlwgt,agi,emcontrb,fedtax,ptotval,statetax}'::name[]) AS key \g /dev/null

-- categories: for (p+,alpha), the most sensitive first, by nothing but their place in the alphabet
-- or in the order of classes
CREATE TABLE data (source text, keys text, hierarchies jsonb, sensitive text, swapped jsonb, categories jsonb);
INSERT INTO data VALUES
    ('adult', '{age,workclass,education,marital_status,race,sex,native_country}', '{"age": "age", "workclass": "workclass", "education": "education",
       "marital_status": "marital_status", "race": "race", "sex": "sex", "native_country": "native_country"}', 'occupation',
     '{"age": {"method": "rank_swap", "percent": 5}, "workclass": {"method": "pram", "keep_probability": 0.8}, "education": {"method": "pram", "keep_probability": 0.8}, "marital_status": {"method": "pram", "keep_probability": 0.8}, "race": {"method": "pram", "keep_probability": 0.8},
       "sex": {"method": "pram", "keep_probability": 0.8}, "native_country": {"method": "pram", "keep_probability": 0.8}}',
     (SELECT jsonb_agg(names ORDER BY part) FROM (SELECT part, jsonb_agg(occupation ORDER BY occupation) AS names FROM
         (SELECT occupation, ntile(4) OVER (ORDER BY occupation) AS part FROM adult GROUP BY occupation) o GROUP BY part) p)),
    ('census', '{afnlwgt,agi,emcontrb,fedtax,ptotval,statetax}', '{"afnlwgt": "census_afnlwgt", "agi": "census_agi", "emcontrb": "census_emcontrb",
       "fedtax": "census_fedtax", "ptotval": "census_ptotval", "statetax": "census_statetax"}', 'class',
     '{"afnlwgt": {"method": "rank_swap", "percent": 5}, "agi": {"method": "rank_swap", "percent": 5}, "emcontrb": {"method": "rank_swap", "percent": 5}, "fedtax": {"method": "rank_swap", "percent": 5}, "ptotval": {"method": "rank_swap", "percent": 5}, "statetax": {"method": "rank_swap", "percent": 5}}',
     (SELECT jsonb_agg(names ORDER BY part) FROM (SELECT part, jsonb_agg(class::text ORDER BY class) AS names FROM
         (SELECT class, ntile(4) OVER (ORDER BY class) AS part FROM census GROUP BY class) c GROUP BY part) p));
-- %1$L source, %2$L target, %3$L keys, %4$s k, %5$L hierarchies, %6$L sensitive column, %7$L how keys are perturbed, %8$L categories
CREATE TABLE way (place int, name text, call text, at int[] DEFAULT '{3,5,10}');
INSERT INTO way VALUES
    (1, 'microaggregation (MDAV)', 'publish_microaggregated(%1$L, %2$L, %3$L, %4$s, ARRAY[%6$L::name])'),
    (2, '… refined', 'publish_microaggregated(%1$L, %2$L, %3$L, %4$s, ARRAY[%6$L::name], refine => true, seed => 1)'),
    (3, '… p = 2', 'publish_microaggregated(%1$L, %2$L, %3$L, %4$s, ARRAY[%6$L::name], 2, seed => 1)'),
    (4, '… l = 2', 'publish_microaggregated(%1$L, %2$L, %3$L, %4$s, ARRAY[%6$L::name], l => 2, seed => 1)'),
    (5, '… t = 0.3', 'publish_microaggregated(%1$L, %2$L, %3$L, %4$s, ARRAY[%6$L::name], t => 0.3, seed => 1)'),
    (6, '… t = 0.3, t_first', 'publish_microaggregated(%1$L, %2$L, %3$L, %4$s, ARRAY[%6$L::name], t => 0.3, method => ''t_first'', seed => 1)'),
    (7, '(p+,alpha), p = 2, alpha = 1', 'publish_p_alpha(%1$L, %2$L, %3$L, %6$L, %8$L, %4$s, 2, 1, publish => ''value'')'),
    (8, 'Mondrian', 'publish_mondrian(%1$L, %2$L, %3$L, %4$s, ARRAY[%6$L::name])'),
    (9, '… strict', 'publish_mondrian(%1$L, %2$L, %3$L, %4$s, ARRAY[%6$L::name], strict => true)'),
    (10, 'generalization, 2 % suppressed', 'publish_generalized(%1$L, %2$L, %5$L, %4$s, ARRAY[%6$L::name], max_suppressed => 0.02)'),
    (11, 'cell suppression', 'publish_suppressed(%1$L, %2$L, %3$L, %4$s, ARRAY[%6$L::name])'),
    (12, '… NULL matches anything', 'publish_suppressed(%1$L, %2$L, %3$L, %4$s, ARRAY[%6$L::name], reading => ''wildcard'')'),
    (13, 'anatomy (l = k)', 'publish_anatomy(%1$L, %2$L, %3$L, %6$L, %4$s, seed => 1)'),
    (14, 'permutation (l = k)', 'publish_permutation(%1$L, %2$L, %3$L, %6$L, %4$s, seed => 1)');
INSERT INTO way VALUES (15, 'rank swapping 5 %, PRAM 0.8 (no k)', 'publish_perturbed(%1$L, %2$L, %7$L, ARRAY[%6$L::name], 1)', '{3}');
CREATE TABLE outcome (source text, place int, name text, k int, loss text, error float8);
CREATE PROCEDURE run(d data, w way, k int) LANGUAGE plpgsql AS $$
DECLARE
    r sdc.release;
    error float8;
BEGIN
    EXECUTE 'SELECT r.* FROM sdc.' || format(w.call, d.source, 'released', d.keys, k, d.hierarchies, d.sensitive, d.swapped, d.categories) || ' AS r' INTO r;
    IF r.method NOT IN ('anatomy', 'permutation') THEN error := sdc.query_error(r.id, 500, 1); END IF;
    INSERT INTO outcome VALUES (d.source, w.place, w.name, k, coalesce(
        round((r.loss ->> 'information_loss')::numeric, 2)::text || ' % of variance', round((r.loss ->> 'ncp')::numeric, 4)::text || ' NCP',
        round((r.loss ->> 'reconstruction_error')::numeric / r.rows, 4)::text || ' of reconstruction'), error);
    PERFORM sdc.drop_release(r.id);
EXCEPTION WHEN invalid_parameter_value THEN
    INSERT INTO outcome VALUES (d.source, w.place, w.name, k, 'out of reach', NULL);
END $$;
DO $$
DECLARE
    d data; w way; k int;
BEGIN
    FOR d IN SELECT * FROM data LOOP
        FOR w IN SELECT * FROM way ORDER BY place LOOP
            FOREACH k IN ARRAY w.at LOOP CALL run(d, w, k); END LOOP;
        END LOOP;
    END LOOP;
END $$;
\echo 'loss as the method measures it, and the mean relative error of 500 counting queries'
SELECT source, name, max(loss) FILTER (WHERE k = 3) AS "k = 3", max(loss) FILTER (WHERE k = 5) AS "k = 5", max(loss) FILTER (WHERE k = 10) AS "k = 10",
       round(100 * max(error) FILTER (WHERE k = 3)::numeric, 1) AS "3: error %", round(100 * max(error) FILTER (WHERE k = 5)::numeric, 1) AS "5: error %",
       round(100 * max(error) FILTER (WHERE k = 10)::numeric, 1) AS "10: error %"
FROM outcome GROUP BY source, place, name ORDER BY source, place;
