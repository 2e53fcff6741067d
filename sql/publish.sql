-- Publishing functions. What several of them take is called alike, and read by its name.

CREATE FUNCTION sdc.publish_microaggregated(
    source regclass, target text, keys name[] DEFAULT NULL, k int DEFAULT NULL,
    sensitive name[] DEFAULT NULL, p int DEFAULT NULL, keep name[] DEFAULT NULL, method text DEFAULT NULL, standardize bool DEFAULT true,
    seed bigint DEFAULT NULL, refine bool DEFAULT false, effort int DEFAULT NULL,
    allow_identifiers bool DEFAULT false, nulls text DEFAULT 'value', categorical name[] DEFAULT NULL,
    weights jsonb DEFAULT NULL, entity name DEFAULT NULL, strata name[] DEFAULT NULL, max_suppressed numeric DEFAULT 0,
    replace bool DEFAULT false, composition text DEFAULT 'warning',
    continues bigint DEFAULT NULL, l float8 DEFAULT NULL, t float8 DEFAULT NULL, attack bool DEFAULT false, attack_limit float8 DEFAULT NULL
) RETURNS sdc.release
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_publish_microaggregated';
COMMENT ON FUNCTION sdc.publish_microaggregated
    IS 'publishes a table of the named columns with keys microaggregated into groups of at least k rows, or persons; NULL in a numeric key is a place of its own (nulls: value or error), elsewhere a value; checked and entered in the register';

CREATE FUNCTION sdc.publish_generalized(
    source regclass, target text, hierarchies jsonb DEFAULT NULL, k int DEFAULT NULL,
    sensitive name[] DEFAULT NULL, p int DEFAULT NULL, max_suppressed numeric DEFAULT 0, keep name[] DEFAULT NULL, levels jsonb DEFAULT NULL,
    l float8 DEFAULT NULL, t float8 DEFAULT NULL, alpha float8 DEFAULT NULL, categories jsonb DEFAULT NULL,
    weights jsonb DEFAULT NULL, suppression_factor float8 DEFAULT 1, allow_identifiers bool DEFAULT false,
    replace bool DEFAULT false, entity name DEFAULT NULL, composition text DEFAULT 'warning',
    strata name[] DEFAULT NULL, nulls text DEFAULT 'value', population regclass DEFAULT NULL, k_map int DEFAULT NULL, delta float8 DEFAULT NULL, attack bool DEFAULT false, attack_limit float8 DEFAULT NULL
) RETURNS sdc.release
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_publish_generalized';
COMMENT ON FUNCTION sdc.publish_generalized
    IS 'publishes a table of the named columns with keys generalized as little as possible and rows of failing groups suppressed; checked and entered in the register';

CREATE FUNCTION sdc.publish_mondrian(
    source regclass, target text, keys name[] DEFAULT NULL, k int DEFAULT NULL, sensitive name[] DEFAULT NULL,
    p int DEFAULT NULL, keep name[] DEFAULT NULL, l float8 DEFAULT NULL, t float8 DEFAULT NULL, strict bool DEFAULT false,
    hierarchies jsonb DEFAULT NULL, allow_identifiers bool DEFAULT false, nulls text DEFAULT 'value',
    categorical name[] DEFAULT NULL,
    replace bool DEFAULT false, composition text DEFAULT 'warning',
    entity name DEFAULT NULL, strata name[] DEFAULT NULL, max_suppressed numeric DEFAULT 0, attack bool DEFAULT false, attack_limit float8 DEFAULT NULL
) RETURNS sdc.release
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_publish_mondrian';
COMMENT ON FUNCTION sdc.publish_mondrian
    IS 'publishes a table of the named columns with keys recoded group by group: ranges of numbers and dates, sets of values or nodes of hierarchies; strict never parts rows of equal value; checked and entered in the register';

CREATE FUNCTION sdc.publish_perturbed(
    source regclass, target text, methods jsonb, keep name[] DEFAULT NULL, seed bigint DEFAULT NULL,
    allow_identifiers bool DEFAULT false, replace bool DEFAULT false, composition text DEFAULT 'warning',
    entity name DEFAULT NULL, strata name[] DEFAULT NULL, attack bool DEFAULT false, attack_limit float8 DEFAULT NULL
) RETURNS sdc.release
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_publish_perturbed';
COMMENT ON FUNCTION sdc.publish_perturbed
    IS 'publishes a table of the named columns, some of them perturbed by rank_swap, pram, noise, top_code or bottom_code; promises no anonymity; entered in the register';

CREATE FUNCTION sdc.publish_suppressed(
    source regclass, target text, keys name[] DEFAULT NULL, k int DEFAULT NULL, sensitive name[] DEFAULT NULL,
    keep name[] DEFAULT NULL, importance jsonb DEFAULT NULL, reading text DEFAULT 'both', known_keys int DEFAULT NULL,
    allow_identifiers bool DEFAULT false, replace bool DEFAULT false, composition text DEFAULT 'warning',
    entity name DEFAULT NULL, strata name[] DEFAULT NULL, attack bool DEFAULT false, attack_limit float8 DEFAULT NULL
) RETURNS sdc.release
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_publish_suppressed';
COMMENT ON FUNCTION sdc.publish_suppressed
    IS 'publishes a table of the named columns with as few cells of keys as possible blanked so that every row is like k - 1 others; reading: both (a blank is a value, and matches anything, too) or wildcard; known_keys: only sets of so many keys are protected; checked and entered in the register';

CREATE FUNCTION sdc.publish_p_alpha(
    source regclass, target text, keys name[] DEFAULT NULL, sensitive name DEFAULT NULL,
    categories jsonb DEFAULT NULL, k int DEFAULT NULL, p int DEFAULT NULL, alpha float8 DEFAULT NULL,
    keep name[] DEFAULT NULL, publish text DEFAULT 'category', hierarchies jsonb DEFAULT NULL,
    standardize bool DEFAULT true, allow_identifiers bool DEFAULT false, nulls text DEFAULT 'value', categorical name[] DEFAULT NULL,
    weights jsonb DEFAULT NULL, entity name DEFAULT NULL, strata name[] DEFAULT NULL, max_suppressed numeric DEFAULT 0,
    replace bool DEFAULT false, composition text DEFAULT 'warning',
    continues bigint DEFAULT NULL, attack bool DEFAULT false, attack_limit float8 DEFAULT NULL
) RETURNS sdc.release
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_publish_p_alpha';
COMMENT ON FUNCTION sdc.publish_p_alpha
    IS 'publishes a table of the named columns with keys masked in groups of at least k rows, p sensitivity categories and a weight of alpha, by default with the category in place of the sensitive value; publish: category, value or both; checked and entered in the register';

CREATE FUNCTION sdc.publish_anatomy(
    source regclass, target text, keys name[] DEFAULT NULL, sensitive name DEFAULT NULL,
    l int DEFAULT NULL, nulls text DEFAULT 'value', seed bigint DEFAULT NULL, allow_identifiers bool DEFAULT false, entity name DEFAULT NULL,
    strata name[] DEFAULT NULL, max_suppressed numeric DEFAULT 0,
    replace bool DEFAULT false, composition text DEFAULT 'warning',
    continues bigint DEFAULT NULL, attack bool DEFAULT false, attack_limit float8 DEFAULT NULL
) RETURNS sdc.release
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_publish_anatomy';
COMMENT ON FUNCTION sdc.publish_anatomy
    IS 'publishes keys and sensitive values in two tables linked by random groups of l different values (target_qit, target_st), and a view with weights; nulls: value or error';

CREATE FUNCTION sdc.publish_permutation(
    source regclass, target text, keys name[] DEFAULT NULL, sensitive name DEFAULT NULL,
    l int DEFAULT NULL, rounds int DEFAULT 5, nulls text DEFAULT 'value', seed bigint DEFAULT NULL,
    allow_identifiers bool DEFAULT false, categorical name[] DEFAULT NULL, entity name DEFAULT NULL,
    strata name[] DEFAULT NULL, max_suppressed numeric DEFAULT 0,
    replace bool DEFAULT false, composition text DEFAULT 'warning',
    attack bool DEFAULT false, attack_limit float8 DEFAULT NULL
) RETURNS sdc.release
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_publish_permutation';
COMMENT ON FUNCTION sdc.publish_permutation
    IS 'publishes keys and sensitive values in two tables linked by groups of similar keys and l different values, every column permuted within its group (target_pqt, target_pst), and a view with weights; nulls: value or error';
