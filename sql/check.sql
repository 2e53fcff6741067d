-- Functions that check a table. What they take is called alike, and read by its name: an argument
-- that all of them get is added to each, and to Check::of_arguments.

CREATE FUNCTION sdc.check_anonymity(
    source regclass, keys name[] DEFAULT NULL, sensitive name[] DEFAULT NULL, k int DEFAULT NULL, p int DEFAULT NULL,
    l float8 DEFAULT NULL, t float8 DEFAULT NULL, alpha float8 DEFAULT NULL, categories jsonb DEFAULT NULL,
    entity name DEFAULT NULL, distance text DEFAULT 'rank', population regclass DEFAULT NULL, k_map int DEFAULT NULL,
    delta float8 DEFAULT NULL, nulls text DEFAULT 'value'
) RETURNS TABLE (
    property text, attribute name, required float8, actual float8, satisfied bool,
    violating_groups bigint, violating_rows bigint
)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_check_anonymity';
COMMENT ON FUNCTION sdc.check_anonymity
    IS 'how anonymous a table is: a row for each property with the required and the actual figure, and how many groups and rows fail
k: rows per group; p: distinct sensitive values; l, t: l-diversity and t-closeness; alpha, categories: weight of sensitivity categories
entity: column that tells persons apart; k, p, l and alpha then count persons; NULL there is an error
distance: rank or value, for t of numbers and dates
population: table of the whole population; k_map: least number of its persons per group; delta: largest share of them that is in the table
nulls: value, error, or wildcard, which matches every value';

CREATE FUNCTION sdc.violations(
    source regclass, keys name[] DEFAULT NULL, sensitive name[] DEFAULT NULL, k int DEFAULT NULL, p int DEFAULT NULL,
    l float8 DEFAULT NULL, t float8 DEFAULT NULL, alpha float8 DEFAULT NULL, categories jsonb DEFAULT NULL,
    entity name DEFAULT NULL, distance text DEFAULT 'rank', population regclass DEFAULT NULL, k_map int DEFAULT NULL,
    delta float8 DEFAULT NULL, nulls text DEFAULT 'value'
) RETURNS TABLE (key_values jsonb, rows bigint, property text, attribute name, actual float8)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_violations';
COMMENT ON FUNCTION sdc.violations
    IS 'the groups that miss a requirement, with their key values, worst first
arguments as in sdc.check_anonymity';

-- VOLATILE: the planner leaves out a call of another kind whose result nobody reads
CREATE FUNCTION sdc.assert_anonymity(
    source regclass, keys name[] DEFAULT NULL, sensitive name[] DEFAULT NULL, k int DEFAULT NULL, p int DEFAULT NULL,
    l float8 DEFAULT NULL, t float8 DEFAULT NULL, alpha float8 DEFAULT NULL, categories jsonb DEFAULT NULL,
    entity name DEFAULT NULL, distance text DEFAULT 'rank', allow_empty bool DEFAULT false,
    population regclass DEFAULT NULL, k_map int DEFAULT NULL, delta float8 DEFAULT NULL, nulls text DEFAULT 'value'
) RETURNS void
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_assert_anonymity';
COMMENT ON FUNCTION sdc.assert_anonymity
    IS 'raises an error unless a table is as anonymous as required, and says what fails and by how much
allow_empty: accept a table without rows
other arguments as in sdc.check_anonymity';

-- with a default for keys, sdc.report(7) could be a release as well as a table
CREATE FUNCTION sdc.report(
    source regclass, keys name[], sensitive name[] DEFAULT NULL, k int DEFAULT NULL, p int DEFAULT NULL,
    l float8 DEFAULT NULL, t float8 DEFAULT NULL, alpha float8 DEFAULT NULL, categories jsonb DEFAULT NULL,
    entity name DEFAULT NULL,
    audience text DEFAULT 'steward', ks int[] DEFAULT '{2,3,5,10,20,50}', distance text DEFAULT 'rank',
    population regclass DEFAULT NULL, k_map int DEFAULT NULL, delta float8 DEFAULT NULL, weight name DEFAULT NULL
) RETURNS text
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_report';
COMMENT ON FUNCTION sdc.report(regclass, name[], name[], int, int, float8, float8, float8, jsonb, name, text, int[], text, regclass, int, float8, name)
    IS 'an HTML page about a table: verdict, group sizes, risk, sensitive values, and what each of ks would cost
audience: steward or public, which shows no count below k
ks: values of k of the risk and loss curve, NULL for none
weight: column with the number of persons that a row stands for
other arguments as in sdc.check_anonymity';

-- literals: the same arguments for the name of a table, whose keys may be labelled, or the number of a release
CREATE FUNCTION sdc.report(
    source text, keys name[] DEFAULT NULL, sensitive name[] DEFAULT NULL, k int DEFAULT NULL, p int DEFAULT NULL,
    l float8 DEFAULT NULL, t float8 DEFAULT NULL, alpha float8 DEFAULT NULL, categories jsonb DEFAULT NULL,
    entity name DEFAULT NULL,
    audience text DEFAULT 'steward', ks int[] DEFAULT '{2,3,5,10,20,50}', distance text DEFAULT 'rank',
    population regclass DEFAULT NULL, k_map int DEFAULT NULL, delta float8 DEFAULT NULL, weight name DEFAULT NULL
) RETURNS text
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_report';
COMMENT ON FUNCTION sdc.report(text, name[], name[], int, int, float8, float8, float8, jsonb, name, text, int[], text, regclass, int, float8, name)
    IS 'sdc.report for the name of a table; keys and sensitive columns that are left out are those with that label';

CREATE FUNCTION sdc.histogram(
    source regclass, keys name[] DEFAULT NULL, width int DEFAULT 40, entity name DEFAULT NULL
) RETURNS TABLE (group_size text, groups bigint, rows bigint, bar text)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_histogram';
COMMENT ON FUNCTION sdc.histogram
    IS 'how many rows are in groups of which size, as bars of text; NULL is a value like any other
width: longest bar in characters
entity: column that tells persons apart; the size then counts persons';

CREATE FUNCTION sdc.feasibility(source regclass, sensitive name[] DEFAULT NULL, p int DEFAULT NULL)
    RETURNS TABLE (max_p bigint, max_groups bigint, feasible bool)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_feasibility';
COMMENT ON FUNCTION sdc.feasibility
    IS 'the largest p that a table allows, and the most groups that p allows, before any masking is tried; NULL is a value like any other';

-- VOLATILE, as every assertion
CREATE FUNCTION sdc.assert_difference(old regclass, new regclass, keys name[], entity name, k int) RETURNS void
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_assert_difference';
COMMENT ON FUNCTION sdc.assert_difference(regclass, regclass, name[], name, int)
    IS 'raises an error unless the persons added to and removed from each group between two states of a table are none or at least k
entity: column that tells persons apart; NULL there is an error; NULL in a key is a value like any other';
