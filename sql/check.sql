-- Functions that check a table. What they take is called alike, and read by its name: an argument
-- that all of them get is added to each, and to Check::of_arguments.

CREATE FUNCTION sdc.check_anonymity(
    source regclass, keys name[], sensitive name[] DEFAULT '{}', k int DEFAULT NULL, p int DEFAULT NULL,
    l float8 DEFAULT NULL, t float8 DEFAULT NULL, alpha float8 DEFAULT NULL, categories jsonb DEFAULT NULL,
    entity name DEFAULT NULL
) RETURNS TABLE (
    property text, attribute name, required float8, actual float8, satisfied bool,
    violating_groups bigint, violating_rows bigint
)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_check_anonymity';
COMMENT ON FUNCTION sdc.check_anonymity
    IS 'how anonymous a table is: one row per property with the required and the actual figure and how many groups and rows fail; NULL is a value like any other';

CREATE FUNCTION sdc.violations(
    source regclass, keys name[], sensitive name[] DEFAULT '{}', k int DEFAULT NULL, p int DEFAULT NULL,
    l float8 DEFAULT NULL, t float8 DEFAULT NULL, alpha float8 DEFAULT NULL, categories jsonb DEFAULT NULL,
    entity name DEFAULT NULL
) RETURNS TABLE (key_values jsonb, rows bigint, property text, attribute name, actual float8)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_violations';
COMMENT ON FUNCTION sdc.violations
    IS 'the groups that miss a requirement, with their key values, worst first; NULL is a value like any other';

-- VOLATILE: the planner leaves out a call of another kind whose result nobody reads
CREATE FUNCTION sdc.assert_anonymity(
    source regclass, keys name[], sensitive name[] DEFAULT '{}', k int DEFAULT NULL, p int DEFAULT NULL,
    l float8 DEFAULT NULL, t float8 DEFAULT NULL, alpha float8 DEFAULT NULL, categories jsonb DEFAULT NULL,
    entity name DEFAULT NULL
) RETURNS void
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_assert_anonymity';
COMMENT ON FUNCTION sdc.assert_anonymity
    IS 'raises an error that says what fails and by how much unless a table is as anonymous as required; NULL is a value like any other';

CREATE FUNCTION sdc.report(
    source regclass, keys name[], sensitive name[] DEFAULT '{}', k int DEFAULT NULL, p int DEFAULT NULL,
    l float8 DEFAULT NULL, t float8 DEFAULT NULL, alpha float8 DEFAULT NULL, categories jsonb DEFAULT NULL,
    entity name DEFAULT NULL,
    audience text DEFAULT 'steward', ks int[] DEFAULT '{2,3,5,10,20,50}'
) RETURNS text
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_report';
COMMENT ON FUNCTION sdc.report(regclass, name[], name[], int, int, float8, float8, float8, jsonb, name, text, int[])
    IS 'an HTML page about a table: verdict, group sizes, risk, sensitive values, and what each of ks would cost (NULL: left out); audience: steward or public';
