-- Window functions that give each row the number of its group, from 1 within the window partition.

CREATE FUNCTION sdc.mdav(k int, VARIADIC keys "any") RETURNS int
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_mdav';
COMMENT ON FUNCTION sdc.mdav(int, VARIADIC "any")
    IS 'groups of at least k similar rows (MDAV microaggregation); OVER (ORDER BY id) is reproducible';

CREATE FUNCTION sdc.p_sensitive(
    k int, p int, keys record, sensitive record, method text DEFAULT 'p_first'
) RETURNS int
    LANGUAGE c VOLATILE WINDOW PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_p_sensitive';
COMMENT ON FUNCTION sdc.p_sensitive(int, int, record, record, text)
    IS 'groups of at least k similar rows with at least p distinct values of every sensitive column; method: k_first, p_first, p_first_lean, random_seeds or random_rows';

CREATE FUNCTION sdc.mondrian(k int, keys record) RETURNS int
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_mondrian';
COMMENT ON FUNCTION sdc.mondrian(int, record)
    IS 'groups of at least k rows by cutting the table at medians of its widest key (Mondrian, local recoding)';

CREATE FUNCTION sdc.mondrian(k int, p int, keys record, sensitive record) RETURNS int
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_mondrian';
COMMENT ON FUNCTION sdc.mondrian(int, int, record, record)
    IS 'groups of at least k rows with at least p distinct values of every sensitive column, by cutting the table at medians of its widest key (Mondrian, local recoding)';
