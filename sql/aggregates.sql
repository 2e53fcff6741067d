-- The state of all checking aggregates: groups and the sensitive values within them.

CREATE FUNCTION sdc.count_groups(internal, VARIADIC "any") RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_groups';
CREATE FUNCTION sdc.counts_combine(internal, internal) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_counts_combine';
CREATE FUNCTION sdc.counts_serialize(internal) RETURNS bytea
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_counts_serialize';
CREATE FUNCTION sdc.counts_deserialize(bytea, internal) RETURNS internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_counts_deserialize';

COMMENT ON FUNCTION sdc.count_groups(internal, VARIADIC "any")
    IS 'internal: counts rows by their keys';
COMMENT ON FUNCTION sdc.counts_combine(internal, internal)
    IS 'internal: adds the counts of two processes';
COMMENT ON FUNCTION sdc.counts_serialize(internal)
    IS 'internal: counts as bytes, for another process';
COMMENT ON FUNCTION sdc.counts_deserialize(bytea, internal)
    IS 'internal: counts from bytes';

CREATE FUNCTION sdc.k_anonymity_final(internal) RETURNS bigint
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_k_anonymity';
COMMENT ON FUNCTION sdc.k_anonymity_final(internal) IS 'internal: final function';

CREATE AGGREGATE sdc.k_anonymity(VARIADIC keys "any") (
    SFUNC = sdc.count_groups, STYPE = internal, SSPACE = 65536,
    FINALFUNC = sdc.k_anonymity_final, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = sdc.counts_combine, SERIALFUNC = sdc.counts_serialize,
    DESERIALFUNC = sdc.counts_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE sdc.k_anonymity(VARIADIC "any")
    IS 'size of the smallest group of rows with equal keys; NULL is a value like any other';

-- What a grouping costs: aggregates over (group number, columns).

CREATE FUNCTION sdc.measure_groups(internal, int, VARIADIC "any") RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_measure_groups';
COMMENT ON FUNCTION sdc.measure_groups(internal, int, VARIADIC "any")
    IS 'internal: gathers moments and counts of columns within groups';

CREATE FUNCTION sdc.sse_final(internal) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_sse';
COMMENT ON FUNCTION sdc.sse_final(internal) IS 'internal: final function';

CREATE AGGREGATE sdc.sse(grp int, VARIADIC keys "any") (
    SFUNC = sdc.measure_groups, STYPE = internal, SSPACE = 65536,
    FINALFUNC = sdc.sse_final, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = sdc.counts_combine, SERIALFUNC = sdc.counts_serialize,
    DESERIALFUNC = sdc.counts_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE sdc.sse(int, VARIADIC "any")
    IS 'within-group sum of squares of standardised columns; a categorical column counts the rows that differ from the most frequent value';

CREATE FUNCTION sdc.information_loss_final(internal) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_information_loss';
COMMENT ON FUNCTION sdc.information_loss_final(internal) IS 'internal: final function';

CREATE AGGREGATE sdc.information_loss(grp int, VARIADIC keys "any") (
    SFUNC = sdc.measure_groups, STYPE = internal, SSPACE = 65536,
    FINALFUNC = sdc.information_loss_final, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = sdc.counts_combine, SERIALFUNC = sdc.counts_serialize,
    DESERIALFUNC = sdc.counts_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE sdc.information_loss(int, VARIADIC "any")
    IS '100 * SSE/SST: the share of the variance that lies within groups, and is lost when they are averaged';
