-- Window functions that give each row the number of its group, from 1 within the window partition.

CREATE FUNCTION sdc.mdav(k int, VARIADIC keys "any") RETURNS int
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_mdav';
COMMENT ON FUNCTION sdc.mdav(int, VARIADIC "any")
    IS 'groups of at least k similar rows (MDAV microaggregation); OVER (ORDER BY id) makes them reproducible; NULL in a key is a value of its own; rows with NULL in the same keys are grouped together where there are enough of them';

CREATE FUNCTION sdc.p_sensitive(
    k int, p int, keys record, sensitive record, method text DEFAULT 'p_first'
) RETURNS int
    LANGUAGE c VOLATILE WINDOW PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_p_sensitive';
COMMENT ON FUNCTION sdc.p_sensitive(int, int, record, record, text)
    IS 'groups of at least k similar rows with at least p distinct values of every sensitive column; NULL in a key is a value of its own; rows with NULL in the same keys are grouped together where there are enough of them
method: k_first, p_first, p_first_lean, random_seeds, random_rows, random_rows_lean, merge, symmetric, or least_loss, which tries several';

CREATE FUNCTION sdc.p_alpha_sensitive(
    k int, p int, alpha float8, keys record, category int, categories int
) RETURNS int
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_p_alpha_sensitive';
COMMENT ON FUNCTION sdc.p_alpha_sensitive(int, int, float8, record, int, int)
    IS 'groups of at least k similar rows with at least p distinct sensitivity categories and a total weight of at least alpha; category i of categories weighs (i-1)/(categories-1), and 1 is the most sensitive; NULL in a numeric key is a value of its own, NULL as category an error';

CREATE FUNCTION sdc.mondrian(k int, keys record) RETURNS int
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_mondrian';
COMMENT ON FUNCTION sdc.mondrian(int, record)
    IS 'groups of at least k rows by splitting the table again and again so that keys lose least (Mondrian); NULL in a key is a value of its own; rows with NULL in the same keys are grouped together where there are enough of them';

CREATE FUNCTION sdc.mondrian(k int, p int, keys record, sensitive record) RETURNS int
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_mondrian';
COMMENT ON FUNCTION sdc.mondrian(int, int, record, record)
    IS 'groups of at least k rows with at least p distinct values of every sensitive column, by splitting the table again and again so that keys lose least (Mondrian); NULL in a key is a value of its own; rows with NULL in the same keys are grouped together where there are enough of them';

CREATE FUNCTION sdc.mondrian(k int, p int, keys record, sensitive record, hierarchies regclass[]) RETURNS int
    LANGUAGE c STABLE WINDOW PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_mondrian';
COMMENT ON FUNCTION sdc.mondrian(int, int, record, record, regclass[])
    IS 'sdc.mondrian where values that a hierarchy puts together stay together; hierarchies has one table for each key in their order, NULL for a key without one';

CREATE FUNCTION sdc.anatomy(l int, sensitive anyelement) RETURNS int
    LANGUAGE c VOLATILE WINDOW PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_anatomy';
COMMENT ON FUNCTION sdc.anatomy(int, anyelement)
    IS 'groups of at least l rows whose sensitive values all differ, drawn at random; NULL is a value like any other';

CREATE FUNCTION sdc.permutation(
    l int, keys record, sensitive anyelement, rounds int DEFAULT 5
) RETURNS int
    LANGUAGE c VOLATILE WINDOW PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_permutation';
COMMENT ON FUNCTION sdc.permutation(int, record, anyelement, int)
    IS 'groups of at least l rows with similar keys whose sensitive values all differ, so that columns can be permuted within them; NULL in a key is a value of its own; rows with NULL in the same keys are grouped together where there are enough of them
rounds: how often a set of rows is tried before it stays together';

CREATE FUNCTION sdc.permute(value anyelement) RETURNS anyelement
    LANGUAGE c VOLATILE WINDOW PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_permute';
COMMENT ON FUNCTION sdc.permute(anyelement)
    IS 'the values of a column in random order within the window partition, each order equally likely';

-- internal: what sdc.publish_microaggregated runs on the workers of Citus. Randomness comes from the
-- operating system or with the order, so nothing here is the same twice; but Citus pushes no INSERT …
-- SELECT down that holds a VOLATILE function, and PostgreSQL takes no liberties with window functions.
CREATE FUNCTION sdc.masked_stratum(record, jsonb) RETURNS record
    LANGUAGE c STABLE WINDOW PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_masked_stratum';
COMMENT ON FUNCTION sdc.masked_stratum(record, jsonb)
    IS 'internal: the rows of a window partition as sdc.publish_microaggregated shows them, in random order, with figures about them';
CREATE FUNCTION sdc.column_of(record, number int, anyelement) RETURNS anyelement
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_column_of';
COMMENT ON FUNCTION sdc.column_of(record, int, anyelement)
    IS 'internal: a column of a record by its number; the last argument says of which type it is';
