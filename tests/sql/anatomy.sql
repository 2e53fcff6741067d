-- Anatomy and permutation: the nine rows of LHCC15, releases apart, estimates, errors.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
CREATE TABLE nine (name text, age int, sex text, disease text, grp int);
INSERT INTO nine VALUES
    ('Bob', 65, 'M', 'Emphysema', 1), ('Alex', 50, 'M', 'Cancer', 1), ('Jane', 70, 'F', 'Flu', 1), ('Lily', 55, 'F', 'Gastritis', 1),
    ('Andy', 90, 'F', 'Dyspepsia', 1), ('Mary', 45, 'M', 'Flu', 2), ('Linda', 50, 'F', 'Pneumonia', 2), ('Lucy', 40, 'F', 'Gastritis', 2),
    ('Sarah', 10, 'M', 'Bronchitis', 2);

-- the paper's figures on the paper's grouping: NCP 13.5; anatomy 0.9; permutation 0.855
SELECT sdc.ncp(grp, age, sex) AS ncp, sdc.discernibility(grp), sdc.average_group_size(grp),
       sdc.reconstruction_error(grp, ROW(age, sex), disease, false) AS reconstruction_error
FROM nine;
SELECT round(sum(keys * flu / n), 3) AS anatomy, round(sum(n * (in_range / n) * (women / n) * (flu / n)), 3) AS permutation
FROM (SELECT count(*)::numeric AS n, count(*) FILTER (WHERE age BETWEEN 40 AND 70 AND sex = 'F')::numeric AS keys,
             count(*) FILTER (WHERE age BETWEEN 40 AND 70)::numeric AS in_range, count(*) FILTER (WHERE sex = 'F')::numeric AS women,
             count(*) FILTER (WHERE disease = 'Flu')::numeric AS flu
      FROM nine GROUP BY grp) g;

-- groups of different values, by window functions
SELECT sdc.l_diversity(g, disease) >= 3 AS diverse FROM (SELECT *, sdc.anatomy(3, disease) OVER () AS g FROM nine) s;
SELECT sdc.l_diversity(g, disease) >= 3 AS diverse FROM (SELECT *, sdc.permutation(3, ROW(age, sex), disease) OVER () AS g FROM nine) s;
-- a shuffled column keeps its values, within the window partition
SELECT sex, array_agg(disease ORDER BY disease) = array_agg(shuffled ORDER BY shuffled) AS same_values
FROM (SELECT sex, disease, sdc.permute(disease) OVER (PARTITION BY sex) AS shuffled FROM nine) s GROUP BY sex ORDER BY sex;
-- every order is equally likely: 6 orders of three values, 1,200 draws, chi-square with 5 degrees of freedom
SET sdc.seed = 11;
CREATE TABLE draws AS SELECT draw, i, sdc.permute(i) OVER (PARTITION BY draw ORDER BY i) AS got FROM generate_series(1, 1200) AS draw, generate_series(1, 3) AS i;
SELECT count(*) AS orders, sum((n - 200) ^ 2 / 200.0) < 20.5 AS uniform
FROM (SELECT count(*) AS n FROM (SELECT string_agg(got::text, '' ORDER BY i) AS o FROM draws GROUP BY draw) d GROUP BY o) c;
RESET sdc.seed;

-- a release apart: keys and values in tables of their own, a view whose weights add up to the rows
SELECT rows, groups, achieved, parameters FROM sdc.publish_anatomy('nine', 'nine_anatomy', '{age,sex}', 'disease', 4);
SELECT sum(weight) AS rows FROM nine_anatomy;
SELECT abs(sum(weight) - sdc.estimate_count('nine_anatomy', 'age BETWEEN 40 AND 70', 'sex = ''F''', 'disease = ''Flu''')) < 1e-9 AS same
FROM nine_anatomy WHERE age BETWEEN 40 AND 70 AND sex = 'F' AND disease = 'Flu';
SELECT min(n) AS least_values FROM (SELECT count(*) AS n FROM nine_anatomy_st GROUP BY grp) s;
SELECT count(*) AS not_in_source FROM (SELECT age, sex FROM nine_anatomy_qit EXCEPT ALL SELECT age, sex FROM nine) s;
SELECT rows, groups, achieved FROM sdc.publish_permutation('nine', 'nine_permuted', '{age,sex}', 'disease', 4);
SELECT abs(sdc.estimate_count('nine_permuted', 'age BETWEEN 40 AND 70') - 7) < 1e-9 AS exact_for_one_column;

-- predicates are comparisons of one column, nothing else
SELECT sdc.estimate_count('nine_permuted', 'age > 1; DROP TABLE nine');
SELECT sdc.estimate_count('nine_permuted', 'pg_sleep(1) IS NULL');
SELECT sdc.estimate_count('nine_permuted', 'name = ''Bob''');
-- largest feasible l
SELECT * FROM sdc.publish_anatomy('nine', 'nine_five', '{age,sex}', 'disease', 5);
SELECT sdc.anatomy(5, disease) OVER () FROM nine;

-- a reader of the release does not reach the source
CREATE ROLE sdc_reader;
GRANT SELECT ON nine_anatomy TO sdc_reader;
SET ROLE sdc_reader;
SELECT sum(weight) FROM nine_anatomy;
SELECT count(*) FROM nine;
SELECT count(*) FROM nine_anatomy_qit;
RESET ROLE;

-- dropping a release takes its tables, its view and its entry
SELECT sdc.drop_release(id) FROM sdc.releases WHERE target = 'public.nine_anatomy';
SELECT to_regclass('nine_anatomy') IS NULL AND to_regclass('nine_anatomy_qit') IS NULL AND to_regclass('nine_anatomy_st') IS NULL AS gone,
       count(*) FILTER (WHERE target = 'public.nine_anatomy') AS entries FROM sdc.releases;
SELECT sdc.drop_release(-1);
SELECT sdc.drop_release(id) FROM sdc.releases WHERE target = 'public.nine_permuted';
DROP TABLE nine, draws;
DROP ROLE sdc_reader;
