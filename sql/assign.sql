-- Window functions that give each row the number of its group, from 1 within the window partition.

CREATE FUNCTION sdc.mdav(k int, VARIADIC keys "any") RETURNS int
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_mdav';
COMMENT ON FUNCTION sdc.mdav(int, VARIADIC "any")
    IS 'groups of at least k similar rows (MDAV microaggregation); OVER (ORDER BY id) is reproducible';
