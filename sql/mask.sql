-- Whole-table masking: rows in, masked rows out.

CREATE FUNCTION sdc.microaggregate(
    rowtype anyelement, keys name[], k int, sensitive name[] DEFAULT '{}', p int DEFAULT 1,
    method text DEFAULT NULL, standardize bool DEFAULT true, seed bigint DEFAULT NULL,
    refine bool DEFAULT false, effort int DEFAULT NULL
) RETURNS SETOF anyelement
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_microaggregate';
COMMENT ON FUNCTION sdc.microaggregate(anyelement, name[], int, name[], int, text, bool, bigint, bool, int)
    IS 'rows of a table with its key columns replaced by the mean (or most frequent value) of groups of at least k similar rows';
