-- Whole-table masking: rows in, masked rows out.

CREATE FUNCTION sdc.microaggregate(
    rowtype anyelement, keys name[], k int, sensitive name[] DEFAULT '{}', p int DEFAULT 1,
    method text DEFAULT NULL, standardize bool DEFAULT true, seed bigint DEFAULT NULL,
    refine bool DEFAULT false, effort int DEFAULT NULL
) RETURNS SETOF anyelement
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_microaggregate';
COMMENT ON FUNCTION sdc.microaggregate(anyelement, name[], int, name[], int, text, bool, bigint, bool, int)
    IS 'rows of a table with its key columns replaced by the mean (or most frequent value) of groups of at least k similar rows; NULL in a numeric key is an error, elsewhere a value like any other';

CREATE FUNCTION sdc.risk_utility(
    rowtype anyelement, keys name[], ks int[] DEFAULT '{2,3,5,10,20,50}', sensitive name[] DEFAULT '{}',
    p int DEFAULT 1, method text DEFAULT NULL
) RETURNS TABLE (k int, p int, groups bigint, loss float8, risk float8, seconds float8)
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_risk_utility';
COMMENT ON FUNCTION sdc.risk_utility(anyelement, name[], int[], name[], int, text)
    IS 'what microaggregation would cost (percent of the variance lost) and what risk it would leave (average over rows of 1/|group|) for each k; NULL where k is larger than the number of rows or smaller than p';
