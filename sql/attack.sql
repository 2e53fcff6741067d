-- Attacks on one's own releases. All answer with the same columns.

CREATE FUNCTION sdc.attack_linkage(
    release bigint, width float8 DEFAULT 0.1, seed bigint DEFAULT NULL
) RETURNS TABLE (
    attack text, attacker text, persons bigint, promised float8, baseline float8, measured float8,
    recall float8, exceeds bool, note text
)
    LANGUAGE c STABLE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_attack_linkage';
COMMENT ON FUNCTION sdc.attack_linkage
    IS 'links each person of the source to the nearest row of a microaggregated release, and counts persons whose masked numbers are close to their own; for the steward, gives figures only';

CREATE FUNCTION sdc.attack_inference(
    release bigint, seed bigint DEFAULT NULL, confidence float8 DEFAULT 0.9
) RETURNS TABLE (
    attack text, attacker text, persons bigint, promised float8, baseline float8, measured float8,
    recall float8, exceeds bool, note text
)
    LANGUAGE c STABLE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_attack_inference';
COMMENT ON FUNCTION sdc.attack_inference
    IS 'guesses sensitive values with a model learnt from the release (deFinetti attack); the baseline is the same attack on shuffled values; for the steward, gives figures only';

CREATE FUNCTION sdc.attack_intersection(
    releases bigint[], entity name DEFAULT NULL, seed bigint DEFAULT NULL
) RETURNS TABLE (
    attack text, attacker text, persons bigint, promised float8, baseline float8, measured float8,
    recall float8, exceeds bool, note text
)
    LANGUAGE c STABLE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_attack_intersection';
COMMENT ON FUNCTION sdc.attack_intersection
    IS 'counts persons to whom several releases together leave one value, fewer than promised, or nobody else; entity tells persons of different sources apart; for the steward, gives figures only';

CREATE FUNCTION sdc.attack_membership(
    release bigint, population regclass, threshold float8 DEFAULT 0.5
) RETURNS TABLE (
    attack text, attacker text, persons bigint, promised float8, baseline float8, measured float8,
    recall float8, exceeds bool, note text
)
    LANGUAGE c STABLE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_attack_membership';
COMMENT ON FUNCTION sdc.attack_membership
    IS 'guesses who of a population is in the release; for the steward, gives figures only';

CREATE FUNCTION sdc.attack_minimality(
    release bigint, seed bigint DEFAULT NULL
) RETURNS TABLE (
    attack text, attacker text, persons bigint, promised float8, baseline float8, measured float8,
    recall float8, exceeds bool, note text
)
    LANGUAGE c STABLE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_attack_minimality';
COMMENT ON FUNCTION sdc.attack_minimality
    IS 'runs the method of a microaggregated or generalized release with p = 2 again and counts values that follow from how its groups were joined, or from why its keys were not generalized less; for the steward, gives figures only';

CREATE FUNCTION sdc.dominance(
    source regclass, keys name[], k int, share float8 DEFAULT 0.9
) RETURNS TABLE (
    attack text, attacker text, persons bigint, promised float8, baseline float8, measured float8,
    recall float8, exceeds bool, note text
)
    LANGUAGE c STABLE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_dominance';
COMMENT ON FUNCTION sdc.dominance
    IS 'counts for each numeric key the groups of k rows whose mean would show their largest member';

CREATE FUNCTION sdc.attack(
    release bigint, seed bigint DEFAULT NULL
) RETURNS TABLE (
    attack text, attacker text, persons bigint, promised float8, baseline float8, measured float8,
    recall float8, exceeds bool, note text
)
    LANGUAGE c STABLE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_attack';
COMMENT ON FUNCTION sdc.attack
    IS 'runs all attacks on a release that need nothing else; for the steward, gives figures only';
