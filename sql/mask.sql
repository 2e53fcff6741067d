-- Whole-table masking: rows in, masked rows out.

CREATE FUNCTION sdc.microaggregate(
    rowtype anyelement, keys name[] DEFAULT NULL, k int DEFAULT NULL, sensitive name[] DEFAULT NULL, p int DEFAULT NULL,
    method text DEFAULT NULL, standardize bool DEFAULT true, seed bigint DEFAULT NULL,
    refine bool DEFAULT false, effort int DEFAULT NULL, nulls text DEFAULT 'value',
    categorical name[] DEFAULT NULL, weights jsonb DEFAULT NULL, entity name DEFAULT NULL,
    strata name[] DEFAULT NULL, max_suppressed numeric DEFAULT 0
) RETURNS SETOF anyelement
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_microaggregate';
COMMENT ON FUNCTION sdc.microaggregate(anyelement, name[], int, name[], int, text, bool, bigint, bool, int, text, name[], jsonb, name, name[], numeric)
    IS 'rows of a table with its key columns replaced by the mean (or most frequent value) of groups of at least k similar rows, or persons; NULL in a numeric key is a place of its own (nulls: value or error), elsewhere a value like any other';

-- a name has no row type: this form only says what to write
CREATE FUNCTION sdc.microaggregate(
    source text, keys name[] DEFAULT NULL, k int DEFAULT NULL, sensitive name[] DEFAULT NULL, p int DEFAULT NULL,
    method text DEFAULT NULL, standardize bool DEFAULT true, seed bigint DEFAULT NULL,
    refine bool DEFAULT false, effort int DEFAULT NULL, nulls text DEFAULT 'value',
    categorical name[] DEFAULT NULL, weights jsonb DEFAULT NULL, entity name DEFAULT NULL,
    strata name[] DEFAULT NULL, max_suppressed numeric DEFAULT 0
) RETURNS SETOF text
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_microaggregate';
COMMENT ON FUNCTION sdc.microaggregate(text, name[], int, name[], int, text, bool, bigint, bool, int, text, name[], jsonb, name, name[], numeric)
    IS 'an error that says how to name the row type of a table, NULL::my_table';

CREATE FUNCTION sdc.risk_utility(
    rowtype anyelement, keys name[] DEFAULT NULL, ks int[] DEFAULT '{2,3,5,10,20,50}', sensitive name[] DEFAULT NULL,
    p int DEFAULT NULL, method text DEFAULT NULL, nulls text DEFAULT 'value', categorical name[] DEFAULT NULL,
    weights jsonb DEFAULT NULL, entity name DEFAULT NULL
) RETURNS TABLE (k int, p int, groups bigint, loss float8, risk float8, seconds float8, linkage float8)
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_risk_utility';
COMMENT ON FUNCTION sdc.risk_utility(anyelement, name[], int[], name[], int, text, text, name[], jsonb, name)
    IS 'what microaggregation would cost (percent of the variance lost) and what risk it would leave (average over rows, or persons, of 1/|group|; linkage: share that somebody who knows all keys links rightly) for each k; NULL where k is larger than their number or smaller than p';

-- literals have no row type
CREATE FUNCTION sdc.risk_utility(
    source text, keys name[] DEFAULT NULL, ks int[] DEFAULT '{2,3,5,10,20,50}', sensitive name[] DEFAULT NULL,
    p int DEFAULT NULL, method text DEFAULT NULL, nulls text DEFAULT 'value', categorical name[] DEFAULT NULL,
    weights jsonb DEFAULT NULL, entity name DEFAULT NULL
) RETURNS TABLE (k int, p int, groups bigint, loss float8, risk float8, seconds float8, linkage float8)
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_risk_utility';
COMMENT ON FUNCTION sdc.risk_utility(text, name[], int[], name[], int, text, text, name[], jsonb, name)
    IS 'the same for the name of a table';
