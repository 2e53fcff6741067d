-- The twins that Citus can split: arguments as one record give the answers of the aggregates.
CREATE SCHEMA across;
SET search_path = across;
CREATE TYPE mood AS ENUM ('fine', 'sad');
CREATE TABLE t AS
SELECT i % 50 AS grp, 20 + i % 37 AS age, (i % 11)::float8 AS height, 'z' || i % 9 AS zip, 'illness ' || i % 7 AS illness,
       i % 4 + 1 AS cat, (ARRAY['fine', 'sad', NULL])[1 + i % 3]::mood AS feeling
FROM generate_series(1, 3000) AS i;
CREATE TABLE illnesses AS SELECT 'illness ' || i AS level0, 'kind ' || i / 3 AS level1, '*' AS level2 FROM generate_series(0, 6) AS i;

SELECT sdc.k_anonymity(age, zip) = sdc.k_anonymity_across(ROW(age, zip), false) AS k,
       sdc.k_anonymity(ROW(age, feeling)) = sdc.k_anonymity_across(ROW(ROW(age, feeling)), false) AS k_of_row,
       sdc.k_anonymity(VARIADIC ARRAY[zip, illness]) = sdc.k_anonymity_across(ROW(ARRAY[zip, illness]), true) AS k_of_array,
       sdc.reidentification_risk(age, zip) = sdc.reidentification_risk_across(ROW(age, zip), false) AS risk,
       sdc.population_uniqueness(0.1, age, zip) = sdc.population_uniqueness_across(ROW(0.1::float8, age, zip), false) AS uniqueness,
       sdc.p_sensitivity(ROW(age), illness, cat) = sdc.p_sensitivity_across(ROW(ROW(age), illness, cat), false) AS p,
       sdc.p_sensitivity(ROW(age), ROW(illness, cat)) = sdc.p_sensitivity_across(ROW(ROW(age), ROW(illness, cat)), false) AS p_of_rows,
       sdc.disclosures(grp, feeling) = sdc.disclosures_across(ROW(grp, feeling), false) AS disclosures
FROM t;
SELECT sdc.l_diversity(ROW(age), illness) = sdc.l_diversity_across(ROW(ROW(age), illness), false) AS l,
       sdc.entropy_l_diversity(ROW(age), illness) = sdc.entropy_l_diversity_across(ROW(ROW(age), illness), false) AS entropy_l,
       sdc.recursive_l_diversity(ROW(age), illness, 2) = sdc.recursive_l_diversity_across(ROW(ROW(age), illness, 2::float8), false) AS recursive_l,
       sdc.alpha_k(ROW(age), illness) = sdc.alpha_k_across(ROW(ROW(age), illness), false) AS alpha_k,
       sdc.t_closeness(ROW(zip), height) = sdc.t_closeness_across(ROW(ROW(zip), height), false) AS t,
       sdc.t_closeness_by_value(ROW(zip), height) = sdc.t_closeness_by_value_across(ROW(ROW(zip), height), false) AS t_by_value,
       sdc.t_closeness(ROW(zip), illness, 'illnesses') = sdc.t_closeness_by_hierarchy_across(ROW(ROW(zip), illness, 'illnesses'::regclass), false) AS t_by_hierarchy,
       sdc.basic_beta_likeness(ROW(zip), illness) = sdc.basic_beta_likeness_across(ROW(ROW(zip), illness), false) AS beta,
       sdc.enhanced_beta_likeness(ROW(zip), illness) = sdc.enhanced_beta_likeness_across(ROW(ROW(zip), illness), false) AS enhanced_beta,
       sdc.delta_disclosure(ROW(zip), illness) = sdc.delta_disclosure_across(ROW(ROW(zip), illness), false) AS delta
FROM t;
SELECT sdc.p_plus(ROW(zip), cat) = sdc.p_plus_across(ROW(ROW(zip), cat), false) AS p_plus,
       sdc.alpha_weight(ROW(zip), cat, 4) = sdc.alpha_weight_across(ROW(ROW(zip), cat, 4), false) AS alpha_weight,
       sdc.sse(grp, age, zip) = sdc.sse_across(ROW(grp, age, zip), false) AS sse,
       sdc.information_loss(grp, age, zip) = sdc.information_loss_across(ROW(grp, age, zip), false) AS loss,
       sdc.ncp(grp, age, zip) = sdc.ncp_across(ROW(grp, age, zip), false) AS ncp,
       sdc.reconstruction_error(grp, ROW(age), illness, true) = sdc.reconstruction_error_across(ROW(grp, ROW(age), illness, true), false) AS error,
       sdc.discernibility(grp) = sdc.discernibility_across(ROW(grp), false) AS discernibility,
       sdc.average_group_size(grp) = sdc.average_group_size_across(ROW(grp), false) AS average
FROM t;

-- errors: a record that is missing, too short, or holds something of another type
SELECT sdc.k_anonymity_across(NULL::record, false) FROM t;
SELECT sdc.l_diversity_across(ROW(grp), false) FROM t;
SELECT sdc.recursive_l_diversity_across(ROW(grp, illness, 'two'::text), false) FROM t;
SELECT sdc.k_anonymity_across(ROW(grp), NULL) FROM t;
SELECT sdc.k_anonymity_across(CASE WHEN age < 30 THEN ROW(grp) ELSE ROW(zip) END, false) FROM t;
-- elsewhere than on a worker settings stay as they are
SELECT sdc.take_settings('5', '1024'), current_setting('sdc.seed') = '' AS no_seed;

SET client_min_messages = warning;
DROP SCHEMA across CASCADE;
