-- Attacks on one's own releases. All answer with the same columns.

CREATE FUNCTION sdc.attack_linkage(
    release bigint, width float8 DEFAULT 0.1, seed bigint DEFAULT NULL
) RETURNS TABLE (
    attack text, attacker text, persons bigint, promised float8, baseline float8, measured float8,
    recall float8, exceeds bool, note text
)
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_attack_linkage';
COMMENT ON FUNCTION sdc.attack_linkage
    IS 'links each person of the source to the released row that is nearest, or that the person fits, and counts persons whose masked numbers are close to their own; for the steward, because it reads the source and gives figures only
width: what counts as close, in standard deviations
seed: number that makes random choices reproducible';

CREATE FUNCTION sdc.attack_inference(
    release bigint, seed bigint DEFAULT NULL, confidence float8 DEFAULT 0.9
) RETURNS TABLE (
    attack text, attacker text, persons bigint, promised float8, baseline float8, measured float8,
    recall float8, exceeds bool, note text
)
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_attack_inference';
COMMENT ON FUNCTION sdc.attack_inference
    IS 'guesses sensitive values with a model learnt from the release (deFinetti attack); the baseline is the same attack on shuffled values; for the steward, because it reads the source and gives figures only
seed: number that makes random choices reproducible
confidence: probability from which on a guess counts as sure';

CREATE FUNCTION sdc.attack_intersection(
    releases bigint[], entity name DEFAULT NULL, seed bigint DEFAULT NULL
) RETURNS TABLE (
    attack text, attacker text, persons bigint, promised float8, baseline float8, measured float8,
    recall float8, exceeds bool, note text
)
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_attack_intersection';
COMMENT ON FUNCTION sdc.attack_intersection
    IS 'counts persons to whom several releases together leave one value, fewer than promised, or nobody else; for the steward, because it reads the source and gives figures only
entity: column that tells persons of different sources apart
seed: number that makes random choices reproducible';

CREATE FUNCTION sdc.attack_membership(
    release bigint, population regclass, threshold float8 DEFAULT 0.5
) RETURNS TABLE (
    attack text, attacker text, persons bigint, promised float8, baseline float8, measured float8,
    recall float8, exceeds bool, note text
)
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_attack_membership';
COMMENT ON FUNCTION sdc.attack_membership
    IS 'guesses which persons of a population are in the release; for the steward, because it reads the source and gives figures only
threshold: how likely a person must be in it to be guessed';

CREATE FUNCTION sdc.attack_minimality(
    release bigint, seed bigint DEFAULT NULL
) RETURNS TABLE (
    attack text, attacker text, persons bigint, promised float8, baseline float8, measured float8,
    recall float8, exceeds bool, note text
)
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_attack_minimality';
COMMENT ON FUNCTION sdc.attack_minimality
    IS 'runs the method of a release with p = 2 again, and counts values that follow from how groups were joined or why keys were generalized; for the steward, because it reads the source and gives figures only
seed: number that makes random choices reproducible';

CREATE FUNCTION sdc.dominance(
    source regclass, keys name[], k int, share float8 DEFAULT 0.9
) RETURNS TABLE (
    attack text, attacker text, persons bigint, promised float8, baseline float8, measured float8,
    recall float8, exceeds bool, note text
)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_dominance';
COMMENT ON FUNCTION sdc.dominance
    IS 'counts for each numeric key the groups of k rows whose mean would show their largest member
share: part of the sum that the largest member must have to count';

CREATE FUNCTION sdc.attack(
    release bigint, seed bigint DEFAULT NULL
) RETURNS TABLE (
    attack text, attacker text, persons bigint, promised float8, baseline float8, measured float8,
    recall float8, exceeds bool, note text
)
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_attack';
COMMENT ON FUNCTION sdc.attack
    IS 'runs all attacks on a release that need no further data; for the steward, because it reads the source and gives figures only
seed: number that makes random choices reproducible';
