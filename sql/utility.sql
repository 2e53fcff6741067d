-- What masking did to the data.

CREATE FUNCTION sdc.compare(source regclass, release regclass, attributes name[] DEFAULT NULL, match name DEFAULT NULL)
RETURNS TABLE (columns name[], measure text, original float8, released float8, change float8)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_compare';
COMMENT ON FUNCTION sdc.compare
    IS 'figures of a source next to those of its release, for the columns that both have: moments, quartiles, distances of distributions, correlations; ranges and sets are read back; numbers that the release took as categorical are categories
attributes: columns to compare; match: column that pairs rows';

CREATE FUNCTION sdc.assert_utility(
    source regclass, release regclass, attributes name[] DEFAULT NULL, match name DEFAULT NULL,
    max_mean_shift float8 DEFAULT NULL, max_ks float8 DEFAULT NULL, max_total_variation float8 DEFAULT NULL,
    max_missing float8 DEFAULT NULL, max_correlation_change float8 DEFAULT NULL,
    max_association_change float8 DEFAULT NULL, max_row_change float8 DEFAULT NULL
) RETURNS void
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_assert_utility';
COMMENT ON FUNCTION sdc.assert_utility
    IS 'raises an error unless a release is close enough to its source, and says what changed too much and by how much
attributes: columns to compare; match: column that pairs rows
max_mean_shift, max_ks, max_total_variation, max_missing, max_correlation_change, max_association_change: largest change of each figure of sdc.compare; max_row_change: largest change of the number of rows, as a share';

CREATE FUNCTION sdc.query_error(release bigint, queries int DEFAULT 1000, seed bigint DEFAULT NULL) RETURNS float8
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_query_error';
COMMENT ON FUNCTION sdc.query_error
    IS 'mean relative error of random counting queries over up to three columns of a release, compared with its source
queries: how many; seed: number that makes them reproducible';
