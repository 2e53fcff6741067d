-- The aggregates in every kind of query and plan.
CREATE SCHEMA checks_plans;
SET search_path = checks_plans;
CREATE TABLE patient (id int, ward text, age int, zip text, illness text, severity int);
INSERT INTO patient VALUES
    (1, 'north', 30, '10115', 'flu', 1), (2, 'north', 30, '10115', 'flu', 2), (3, 'north', 30, '10115', 'asthma', 1),
    (4, 'north', 40, '10117', 'flu', 1), (5, 'north', 40, '10117', 'flu', 1),
    (6, 'south', 30, '10115', 'flu', 1), (7, 'south', 30, '10115', 'asthma', 3), (8, 'south', 30, '10115', 'hiv', 3),
    (9, 'south', NULL, '10117', 'hiv', 2), (10, 'south', NULL, '10117', 'flu', 2), (11, 'south', NULL, '10117', 'flu', 2);

-- No rows: NULL.
SELECT sdc.k_anonymity(age, zip), sdc.p_sensitivity(ROW(age, zip), illness), sdc.disclosures(ROW(age), illness),
       sdc.l_diversity(ROW(age), illness), sdc.entropy_l_diversity(ROW(age), illness), sdc.recursive_l_diversity(ROW(age), illness, 2),
       sdc.alpha_k(ROW(age), illness), sdc.t_closeness(ROW(age), severity), sdc.basic_beta_likeness(ROW(age), illness),
       sdc.enhanced_beta_likeness(ROW(age), illness), sdc.delta_disclosure(ROW(age), illness),
       sdc.p_plus(ROW(age), severity), sdc.alpha_weight(ROW(age), severity, 3), sdc.reidentification_risk(age)
FROM   patient WHERE false \gx

-- GROUP BY, HAVING, FILTER, ORDER BY, DISTINCT, GROUPING SETS.
SELECT ward, sdc.k_anonymity(age, zip), sdc.p_sensitivity(ROW(age, zip), illness, severity) FROM patient GROUP BY ward ORDER BY ward;
SELECT ward, sdc.k_anonymity(age, zip) FROM patient GROUP BY ward HAVING sdc.k_anonymity(age, zip) < 3;
SELECT sdc.k_anonymity(age, zip) FILTER (WHERE ward = 'south') AS south, sdc.k_anonymity(age, zip) FILTER (WHERE age > 100) AS nobody,
       sdc.p_sensitivity(ROW(age, zip), illness) FILTER (WHERE age = 30) AS p
FROM   patient;
SELECT sdc.k_anonymity(age, zip ORDER BY id DESC), sdc.k_anonymity(DISTINCT age, zip) AS combinations_once,
       sdc.p_sensitivity(DISTINCT ROW(age), illness) AS p, sdc.l_diversity(DISTINCT ROW(age), illness) AS l
FROM   patient;
SELECT ward, age, sdc.k_anonymity(zip), sdc.p_sensitivity(ROW(zip), illness) FROM patient GROUP BY GROUPING SETS ((ward), (age), ()) ORDER BY 1, 2;

-- Window calls: over everything, by partition, and growing with each row.
SELECT id, sdc.k_anonymity(age, zip) OVER () AS k, sdc.k_anonymity(age, zip) OVER (PARTITION BY ward) AS in_ward,
       sdc.p_sensitivity(ROW(age, zip), illness) OVER (ORDER BY id) AS so_far,
       sdc.k_anonymity(age) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS of_three
FROM   patient ORDER BY id;

-- Views, subqueries, prepared statements, a lateral subquery, functions.
CREATE VIEW older AS SELECT coalesce(age, 0) / 20 * 20 AS age, left(zip, 4) AS zip, illness FROM patient;
SELECT sdc.k_anonymity(age, zip), sdc.p_sensitivity(ROW(age, zip), illness) FROM older;
PREPARE anonymity (text) AS SELECT sdc.k_anonymity(age, zip) FROM patient WHERE ward = $1;
EXECUTE anonymity ('north');
EXECUTE anonymity ('south');
EXECUTE anonymity ('east');
DEALLOCATE anonymity;
SELECT ward, k FROM (VALUES ('north'), ('south')) w (ward), LATERAL (SELECT sdc.k_anonymity(age, zip) AS k FROM patient p WHERE p.ward = w.ward) q;
PREPARE diversity (float8) AS SELECT sdc.recursive_l_diversity(ROW(age), illness, $1) FROM patient;
EXECUTE diversity (1);
EXECUTE diversity (4);
DEALLOCATE diversity;

-- Keys as arguments, as one array, as a record, as a named row, as a group number of either width.
CREATE TYPE quasi_identifier AS (age int, zip text);
SELECT sdc.k_anonymity(age, severity) AS arguments, sdc.k_anonymity(VARIADIC ARRAY[age, severity]) AS list,
       sdc.k_anonymity(ROW(age, severity)) AS record, sdc.k_anonymity(ARRAY[age, severity]) AS one_array,
       sdc.k_anonymity(age::text || ',' || coalesce(severity::text, '')) FILTER (WHERE age IS NOT NULL) AS text
FROM   patient;
SELECT sdc.p_sensitivity(ROW(age, zip), illness) AS record, sdc.p_sensitivity(ROW(age, zip)::quasi_identifier, illness) AS named,
       sdc.p_sensitivity(ROW(age, zip), VARIADIC ARRAY[illness, ward]) AS list
FROM   patient;
WITH grouped AS (SELECT *, dense_rank() OVER (ORDER BY age, zip) AS grp FROM patient)
SELECT ARRAY[sdc.k_anonymity(age, zip), sdc.k_anonymity(grp), sdc.k_anonymity(grp::int), sdc.k_anonymity(grp::smallint)] AS k,
       ARRAY[sdc.p_sensitivity(ROW(age, zip), illness), sdc.p_sensitivity(grp, illness), sdc.p_sensitivity(grp::int, illness), sdc.p_sensitivity(grp::smallint, illness)] AS p,
       ARRAY[sdc.disclosures(ROW(age, zip), illness), sdc.disclosures(grp, illness), sdc.disclosures(grp::int, illness)] AS disclosures,
       ARRAY[sdc.l_diversity(ROW(age, zip), illness), sdc.l_diversity(grp, illness), sdc.l_diversity(grp::int, illness)] AS l,
       ARRAY[sdc.entropy_l_diversity(ROW(age, zip), illness), sdc.entropy_l_diversity(grp, illness), sdc.entropy_l_diversity(grp::int, illness)] AS entropy_l,
       ARRAY[sdc.recursive_l_diversity(ROW(age, zip), illness, 3), sdc.recursive_l_diversity(grp, illness, 3), sdc.recursive_l_diversity(grp::int, illness, 3)] AS recursive_l,
       ARRAY[sdc.alpha_k(ROW(age, zip), illness), sdc.alpha_k(grp, illness), sdc.alpha_k(grp::int, illness)] AS alpha,
       ARRAY[sdc.t_closeness(ROW(age, zip), severity), sdc.t_closeness(grp, severity), sdc.t_closeness(grp::int, severity)] AS t,
       ARRAY[sdc.basic_beta_likeness(ROW(age, zip), illness), sdc.basic_beta_likeness(grp, illness), sdc.basic_beta_likeness(grp::int, illness)] AS beta,
       ARRAY[sdc.enhanced_beta_likeness(ROW(age, zip), illness), sdc.enhanced_beta_likeness(grp, illness), sdc.enhanced_beta_likeness(grp::int, illness)] AS enhanced_beta,
       ARRAY[sdc.delta_disclosure(ROW(age, zip), illness), sdc.delta_disclosure(grp, illness), sdc.delta_disclosure(grp::int, illness)] AS delta,
       ARRAY[sdc.p_plus(ROW(age, zip), severity), sdc.p_plus(grp, severity), sdc.p_plus(grp::int, severity)] AS p_plus,
       ARRAY[sdc.alpha_weight(ROW(age, zip), severity, 3), sdc.alpha_weight(grp, severity, 3), sdc.alpha_weight(grp::int, severity, 3)] AS weight
FROM   grouped \gx

-- Parallel plans. Equal keys are spelt differently (1.0, 1.00) in different rows, so that the
-- processes must agree on what is equal.
CREATE TABLE visit (id int, region text, age numeric, zip text, illness text, stay int, cost numeric) PARTITION BY LIST (region);
CREATE TABLE visit_north PARTITION OF visit FOR VALUES IN ('north');
CREATE TABLE visit_south PARTITION OF visit FOR VALUES IN ('south');
CREATE TABLE visit_rest PARTITION OF visit DEFAULT;
INSERT INTO visit
SELECT i, (ARRAY['north', 'south', 'east', 'west'])[1 + abs(hashint4(i)) % 4],
       round((abs(hashint4(i + 1)) % 30) / 10.0, 1 + i % 3),
       CASE WHEN hashint4(i + 2) % 20 <> 0 THEN '101' || abs(hashint4(i + 2)) % 6 END,
       (ARRAY['flu', 'asthma', 'hiv', 'gastritis', 'fracture'])[1 + abs(hashint4(i + 3)) % 5],
       1 + abs(hashint4(i + 4)) % 9, round((abs(hashint4(i + 5)) % 40) / 4.0, 2 + i % 2)
FROM   generate_series(1, 30000) i;
ANALYZE visit;
-- entropy adds up logarithms in the order of the rows: its last digit may differ
CREATE VIEW figures AS
SELECT sdc.k_anonymity(age, zip) AS k, sdc.reidentification_risk(age, zip) AS risk,
       sdc.p_sensitivity(ROW(age, zip), illness, stay, cost) AS p, sdc.disclosures(ROW(age, zip), illness, stay, cost) AS disclosures,
       sdc.l_diversity(ROW(age, zip), illness) AS l, round(sdc.entropy_l_diversity(ROW(age, zip), cost)::numeric, 10) AS entropy_l,
       sdc.recursive_l_diversity(ROW(age, zip), illness, 1.5) AS recursive_l, sdc.alpha_k(ROW(age, zip), illness) AS alpha,
       sdc.t_closeness(ROW(age, zip), cost) AS t_ordered, sdc.t_closeness(ROW(age, zip), illness) AS t_equal,
       sdc.basic_beta_likeness(ROW(age, zip), illness) AS beta, sdc.delta_disclosure(ROW(age, zip), illness) AS delta,
       sdc.p_plus(ROW(age, zip), stay) AS p_plus, sdc.alpha_weight(ROW(age, zip), stay, 9) AS weight
FROM   visit;
CREATE VIEW figures_by_region AS
SELECT region, sdc.k_anonymity(age, zip) AS k, sdc.p_sensitivity(ROW(age, zip), illness, cost) AS p, sdc.t_closeness(ROW(age, zip), cost) AS t
FROM   visit GROUP BY region;
SET max_parallel_workers_per_gather = 0;
CREATE TEMPORARY TABLE serial AS SELECT * FROM figures;
CREATE TEMPORARY TABLE serial_by_region AS SELECT * FROM figures_by_region;
SELECT * FROM serial \gx
SELECT * FROM serial_by_region ORDER BY region;
-- the same by plain SQL
SELECT min(n) AS k, min(illnesses) AS p_illness, min(stays) AS p_stay, min(costs) AS p_cost FROM (
    SELECT count(*) AS n, count(DISTINCT illness) AS illnesses, count(DISTINCT stay) AS stays, count(DISTINCT cost) AS costs
    FROM visit GROUP BY age, zip) g;

SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT sdc.k_anonymity(age, zip), sdc.p_sensitivity(ROW(age, zip), illness, cost) FROM visit_north;
SELECT p.* IS NOT DISTINCT FROM s.* AS parallel FROM figures p, serial s;
SELECT bool_and(p.* IS NOT DISTINCT FROM s.*) AS parallel_by_region FROM figures_by_region p JOIN serial_by_region s USING (region);
SET parallel_leader_participation = off;
SELECT p.* IS NOT DISTINCT FROM s.* AS workers_only FROM figures p, serial s;
RESET parallel_leader_participation;

-- Partitionwise: a partial aggregate for each partition, combined above them.
CREATE FUNCTION plan_steps(query text) RETURNS TABLE (step text, times bigint) LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    CREATE TEMPORARY TABLE plan_line (line text) ON COMMIT DROP;
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP INSERT INTO plan_line VALUES (line); END LOOP;
    RETURN QUERY SELECT (regexp_match(p.line, '(Partial|Finalize) '))[1], count(*) FROM plan_line p WHERE p.line ~ '(Partial|Finalize) ' GROUP BY 1 ORDER BY 1;
    DROP TABLE plan_line;
END $$;
SET enable_partitionwise_aggregate = on;
SELECT * FROM plan_steps('SELECT sdc.k_anonymity(age, zip) FROM visit');
SELECT p.* IS NOT DISTINCT FROM s.* AS partitionwise FROM figures p, serial s;
SELECT bool_and(p.* IS NOT DISTINCT FROM s.*) AS partitionwise_by_region FROM figures_by_region p JOIN serial_by_region s USING (region);
SET max_parallel_workers_per_gather = 0;
SELECT * FROM plan_steps('SELECT sdc.k_anonymity(age, zip) FROM visit');
SELECT p.* IS NOT DISTINCT FROM s.* AS partitionwise_serial FROM figures p, serial s;
-- some processes see no rows at all
SET max_parallel_workers_per_gather = 2;
SELECT sdc.k_anonymity(age, zip), sdc.p_sensitivity(ROW(age, zip), cost) FROM visit WHERE id = 1;
SELECT sdc.k_anonymity(age, zip), sdc.p_sensitivity(ROW(age, zip), cost) FROM visit WHERE id < 0;
-- an aggregate beside others that share its counts
SELECT sdc.k_anonymity(age, zip), sdc.reidentification_risk(age, zip) > 0 AS risky, count(*), sdc.k_anonymity(age, zip) = min(1) FROM visit;
-- groups that change under hash and sort
SET enable_hashagg = off;
SELECT bool_and(p.* IS NOT DISTINCT FROM s.*) AS sorted FROM figures_by_region p JOIN serial_by_region s USING (region);
RESET enable_hashagg;
SET enable_sort = off;
SELECT bool_and(p.* IS NOT DISTINCT FROM s.*) AS hashed FROM figures_by_region p JOIN serial_by_region s USING (region);

RESET ALL;
SET client_min_messages = warning;
DROP SCHEMA checks_plans CASCADE;
