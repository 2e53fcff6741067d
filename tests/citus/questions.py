"""What is asked of a table on one node and of the same table on three: {t} stands for the table,
and {sorted} for one whose rows are stored in the order in which those of a distributed table are put."""

SETUP = """
CREATE TYPE mood AS ENUM ('fine', 'sad');
CREATE TABLE local_rows AS
SELECT i AS id, 20 + i % 37 AS age, (i % 11)::float8 / 3 AS height, 'z' || i % 9 AS zip, 'illness ' || i % 7 AS illness,
       i % 4 + 1 AS cat, CASE WHEN i % 2 = 0 THEN 'north' ELSE 'south' END AS region, (ARRAY['fine', 'sad'])[1 + i % 2]::mood AS feeling,
       (i % 5)::numeric AS score, i % 50 AS grp, i / 2 AS person
FROM generate_series(1, 3000) AS i ORDER BY i;
CREATE TABLE local_sorted AS SELECT * FROM local_rows ORDER BY age, height, illness;
CREATE TABLE by_id (LIKE local_rows);
CREATE TABLE by_region (LIKE local_rows);
SELECT create_distributed_table('by_id', 'id');
SELECT create_distributed_table('by_region', 'region');
INSERT INTO by_id SELECT * FROM local_rows ORDER BY random();
INSERT INTO by_region SELECT * FROM local_rows ORDER BY random();
CREATE TABLE illnesses (level0 text, level1 text, level2 text);
INSERT INTO illnesses SELECT 'illness ' || i, 'kind ' || i / 3, '*' FROM generate_series(0, 6) AS i;
CREATE TABLE zips (level0 text, level1 text);
INSERT INTO zips SELECT 'z' || i, 'any' FROM generate_series(0, 8) AS i;
SELECT create_reference_table('illnesses');
SELECT create_reference_table('zips');
CREATE VIEW local_rows_view AS SELECT id, age, zip, illness, height FROM local_rows WHERE cat < 4;
CREATE VIEW local_sorted_view AS SELECT * FROM local_sorted WHERE cat < 4;
CREATE VIEW by_id_view AS SELECT id, age, zip, illness, height FROM by_id WHERE cat < 4;
CREATE VIEW by_region_view AS SELECT id, age, zip, illness, height FROM by_region WHERE cat < 4;
ANALYZE;
"""

CATEGORIES = str([[f"illness {i}" for i in range(3)], [f"illness {i}" for i in range(3, 7)]]).replace("'", '"')

# each aggregate, and figures that do not depend on the order in which numbers are added
AGGREGATES = [
    "sdc.k_anonymity(age, zip)", "sdc.k_anonymity(ROW(age, zip))", "sdc.k_anonymity(feeling, score, zip)",
    "sdc.k_anonymity(VARIADIC ARRAY[zip, illness])", "sdc.k_anonymity(ROW(age, ROW(zip)))", "sdc.k_anonymity(DISTINCT zip)", "sdc.k_anonymity(grp)",
    "sdc.reidentification_risk(age, zip)", "round(sdc.population_uniqueness(0.1, age, zip)::numeric, 9)",
    "sdc.p_sensitivity(ROW(age), illness, feeling)", "sdc.p_sensitivity(grp, illness)", "sdc.p_sensitivity(ROW(age), ROW(illness, cat))",
    "sdc.disclosures(ROW(age, zip), illness)", "sdc.l_diversity(ROW(age), illness)", "sdc.l_diversity(ROW(age), feeling)",
    "round(sdc.entropy_l_diversity(ROW(age), illness)::numeric, 9)", "sdc.recursive_l_diversity(ROW(age), illness, 2)",
    "sdc.alpha_k(ROW(age), illness)", "round(sdc.t_closeness(ROW(zip), height)::numeric, 9)",
    "round(sdc.t_closeness(ROW(zip), score)::numeric, 9)", "round(sdc.t_closeness(grp, illness)::numeric, 9)",
    "round(sdc.t_closeness(ROW(zip), illness, 'illnesses')::numeric, 9)",
    "round(sdc.t_closeness_by_value(ROW(zip), height)::numeric, 9)", "round(sdc.basic_beta_likeness(ROW(zip), illness)::numeric, 9)",
    "round(sdc.enhanced_beta_likeness(ROW(zip), illness)::numeric, 9)", "round(sdc.delta_disclosure(ROW(zip), illness)::numeric, 9)",
    "sdc.p_plus(ROW(zip), cat)", "sdc.p_plus(grp, cat)", "round(sdc.alpha_weight(ROW(zip), cat, 4)::numeric, 9)",
    "round(sdc.sse(grp, age, height)::numeric, 6)", "round(sdc.information_loss(grp, age, zip)::numeric, 6)",
    "round(sdc.ncp(grp, age, feeling)::numeric, 6)", "round(sdc.reconstruction_error(grp, ROW(age), illness, false)::numeric, 6)",
    "round(sdc.reconstruction_error(grp, ROW(age, zip), illness, true)::numeric, 6)", "sdc.discernibility(grp)", "sdc.average_group_size(grp)",
    "round(sdc.household_risk(0.001)::numeric, 9)",
]
GROUPINGS = [
    "SELECT {a} FROM {t}",
    "SELECT {a} FROM {t} WHERE age < 30",
    "SELECT string_agg(concat(x, v), ',' ORDER BY x) FROM (SELECT cat AS x, {a} AS v FROM {t} GROUP BY 1) AS s",
    "SELECT string_agg(concat(x, v), ',' ORDER BY x) FROM (SELECT region AS x, {a} AS v FROM {t} GROUP BY 1) AS s",
    "SELECT md5(string_agg(concat(x, v), ',' ORDER BY x)) FROM (SELECT id / 7 AS x, {a} AS v FROM {t} GROUP BY 1) AS s",
    "SELECT md5(string_agg(concat(x, v), ',' ORDER BY x)) FROM (SELECT id AS x, {a} AS v FROM {t} GROUP BY id) AS s",
    "SELECT {a} FROM {t} WHERE false",
    "SELECT {filtered} FROM {t}",
    "SELECT {a} FROM (SELECT * FROM {t} WHERE zip <> 'z1' ORDER BY id LIMIT 500) AS s",
]

CHECKS = [
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.check_anonymity('{t}', '{{age,zip}}', '{{illness}}', k => 2, p => 2, l => 2, t => 0.2) AS x",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.check_anonymity('{t}', '{{region,age}}', '{{illness,zip}}') AS x",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.check_anonymity('{t}', '{{id}}', '{{illness}}', k => 2, p => 2, l => 2) AS x",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.check_anonymity('{t}', '{{region,zip}}', '{{illness}}', k => 5, t => 0.1) AS x",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.check_anonymity('{t}', '{{region,zip}}') AS x",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.check_anonymity('{t}', '{{region,zip}}', '{{illness}}', entity => 'person', k => 5, p => 2) AS x",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.check_anonymity('{t}', '{{zip}}', '{{illness}}', entity => 'person') AS x",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.check_anonymity('{t}', '{{region,zip}}', '{{illness}}', p => 2, alpha => 1, categories => '%s') AS x" % CATEGORIES,
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.check_anonymity('{t}', '{{zip}}', '{{illness}}', p => 2, alpha => 1, categories => '%s') AS x" % CATEGORIES,
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.check_anonymity('{t}', '{{zip,cat}}', nulls => 'wildcard', k => 3) AS x",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.check_anonymity('{t}', '{{zip,cat}}', population => '{t}', k_map => 3) AS x",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.check_anonymity('{t}_view', '{{age,zip}}', '{{illness}}', k => 2) AS x",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.violations('{t}', '{{age,zip}}', '{{illness}}', k => 10, t => 0.1) AS x",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.violations('{t}', '{{region,zip}}', '{{illness}}', k => 170) AS x",
    "SELECT x::text FROM sdc.feasibility('{t}', '{{illness,zip}}', 3) AS x",
    "SELECT string_agg(x::text, ',') FROM sdc.histogram('{t}', '{{age,zip}}') AS x",
    "SELECT sdc.assert_anonymity('{t}', '{{region,zip}}', '{{illness}}', k => 5, p => 2) IS NOT NULL",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.risk('{t}', '{{age,zip}}') AS x",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.column_risk('{t}', '{{age,zip,cat}}') AS x",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.column_risk('{t}', '{{region,zip,cat}}') AS x",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.suda_keys('{t}', '{{age,zip,cat}}', 3) AS x",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.population_models('{t}', '{{age,zip}}', 0.1) AS x",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.suggest('{t}') AS x",
    "SELECT sdc.assert_difference('{t}', '{t}', '{{zip}}', 'id', 2) IS NOT NULL",
]

HIERARCHIES = [
    "SELECT string_agg(concat(g, n), ',' ORDER BY g) FROM (SELECT sdc.generalize(illness, 'illnesses', 1) AS g, count(*) AS n FROM {t} GROUP BY 1) AS s",
    "SELECT md5(string_agg(concat(id, g), ',' ORDER BY id)) FROM (SELECT id, sdc.generalize(illness, 'illnesses', 2) AS g FROM {t}) AS s",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.minimal_generalizations('{t}', '{{\"zip\": \"zips\", \"illness\": \"illnesses\"}}', 10, '{{cat}}', 2) AS x",
    "SELECT string_agg(x::text, ',' ORDER BY x::text) FROM sdc.lattice('{t}', '{{\"zip\": \"zips\", \"illness\": \"illnesses\"}}', 10) AS x",
    "SELECT count(*) FROM sdc.uncovered_values('{t}', '{{\"zip\": \"illnesses\"}}')",
]

MASKS = [
    "SELECT md5(string_agg(g::text, ',' ORDER BY id)) FROM (SELECT id, sdc.mdav(5, age, height) OVER (ORDER BY id) AS g FROM {t}) AS s",
    "SELECT md5(string_agg(g::text, ',' ORDER BY id)) FROM (SELECT id, sdc.mdav(5, age, height) OVER (PARTITION BY region ORDER BY id) AS g FROM {t}) AS s",
    "SELECT md5(string_agg(g::text, ',' ORDER BY id)) FROM (SELECT id, sdc.mondrian(5, ROW(age, height)) OVER (PARTITION BY region ORDER BY id) AS g FROM {t}) AS s",
    "SELECT md5(string_agg(m::text, ',' ORDER BY m::text)) FROM sdc.microaggregate(NULL::{t}, '{{age,height}}', 5, '{{illness}}', 2, seed => 7) AS m",
    "SELECT md5(string_agg(m::text, ',' ORDER BY m::text)) FROM sdc.microaggregate(NULL::{t}, '{{age,height}}', 5, '{{illness}}', 2, method => 'random_rows', seed => 7) AS m",
    "SELECT md5(string_agg(m::text, ',' ORDER BY m::text)) FROM sdc.microaggregate(NULL::{t}, '{{age,height}}', 5, refine => true, seed => 7) AS m",
    "SELECT string_agg(concat_ws(' ', k, groups, loss, risk), ',' ORDER BY k) FROM sdc.risk_utility('{sorted}', '{{age,height}}', '{{2,5,10}}', '{{illness}}', 2)",
    "SELECT string_agg(concat_ws(' ', k, groups, loss, risk), ',' ORDER BY k) FROM sdc.risk_utility('{sorted}_view', '{{age,height}}', '{{3}}')",
]
