-- Single columns perturbed, within each window partition. What is drawn anew at each query can be
-- averaged out: for others to read, freeze it with sdc.publish_perturbed().

CREATE FUNCTION sdc.rank_swap(value anyelement, percent float8) RETURNS anyelement
    LANGUAGE c VOLATILE WINDOW PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_rank_swap';
COMMENT ON FUNCTION sdc.rank_swap(anyelement, float8)
    IS 'the column with each value swapped with one whose rank is at most this percentage of the rows away; NULL stays';

CREATE FUNCTION sdc.pram(value anyelement, keep_probability float8) RETURNS anyelement
    LANGUAGE c VOLATILE WINDOW PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_pram';
COMMENT ON FUNCTION sdc.pram(anyelement, float8)
    IS 'the column with each value kept with this probability, or else drawn again from the column''s own frequencies; NULL stays';

CREATE FUNCTION sdc.noise(value anyelement, share float8) RETURNS anyelement
    LANGUAGE c VOLATILE WINDOW PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_noise';
COMMENT ON FUNCTION sdc.noise(anyelement, float8)
    IS 'the column plus normal noise of this share of its variance, scaled back to its mean and variance; NULL stays';

CREATE FUNCTION sdc.top_code(value anyelement, quantile float8) RETURNS anyelement
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_top_code';
COMMENT ON FUNCTION sdc.top_code(anyelement, float8)
    IS 'the column with all values above a quantile replaced by their mean; NULL stays';

CREATE FUNCTION sdc.bottom_code(value anyelement, quantile float8) RETURNS anyelement
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_bottom_code';
COMMENT ON FUNCTION sdc.bottom_code(anyelement, float8)
    IS 'the column with all values below a quantile replaced by their mean; NULL stays';
