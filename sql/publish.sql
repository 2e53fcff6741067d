-- Publishing functions. What several of them take is called alike, and read by its name.

CREATE FUNCTION sdc.publish_microaggregated(
    source regclass, target text, keys name[] DEFAULT NULL, k int DEFAULT NULL,
    sensitive name[] DEFAULT NULL, p int DEFAULT NULL, keep name[] DEFAULT NULL, method text DEFAULT NULL, standardize bool DEFAULT true,
    seed bigint DEFAULT NULL, refine bool DEFAULT false, effort int DEFAULT NULL,
    allow_identifiers bool DEFAULT false, nulls text DEFAULT 'value', categorical name[] DEFAULT NULL,
    weights jsonb DEFAULT NULL, entity name DEFAULT NULL, strata name[] DEFAULT NULL, max_suppressed float8 DEFAULT 0,
    replace bool DEFAULT false, composition text DEFAULT 'warning',
    continues bigint DEFAULT NULL, l float8 DEFAULT NULL, t float8 DEFAULT NULL, attack bool DEFAULT false, attack_limit float8 DEFAULT NULL
) RETURNS sdc.release
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_publish_microaggregated';
COMMENT ON FUNCTION sdc.publish_microaggregated
    IS 'publishes a table of the named columns whose keys are averaged over groups of at least k similar rows
p: fewest distinct values of each sensitive column in a group
l, t: l-diversity and t-closeness of each sensitive column
keep: further columns to publish as they are
method: how rows are grouped; see the page on microaggregation
standardize: give all numeric keys the same variance before distances are measured
seed: number that makes random choices reproducible; never registered
refine: improve groups by a local search afterwards; effort: how long it goes on, 0 to 10000
categorical: numeric keys that are codes; a group shows the most frequent one
weights: how much each key counts in distances and in the loss, 1 if left out
nulls: value (NULL in a key is a value of its own) or error
entity: column that tells persons apart; k, p and l then count persons
strata: columns whose values no group mixes; they are published as they are
max_suppressed: how many rows of strata that cannot keep the promise may be left out; a share of the rows if below 1
allow_identifiers: publish even columns that tell who a row is about
replace: take the place of your own release of that name
composition: warning or error if the release and an earlier one together reveal more than promised
continues: release that this one continues as a sequence, 0 to start one
attack: attack the release before it is granted, and register what was found
attack_limit: refuse the release if inference is right about a larger share of persons';

CREATE FUNCTION sdc.publish_generalized(
    source regclass, target text, hierarchies jsonb DEFAULT NULL, k int DEFAULT NULL,
    sensitive name[] DEFAULT NULL, p int DEFAULT NULL, max_suppressed float8 DEFAULT 0, keep name[] DEFAULT NULL, levels jsonb DEFAULT NULL,
    l float8 DEFAULT NULL, t float8 DEFAULT NULL, alpha float8 DEFAULT NULL, categories jsonb DEFAULT NULL,
    weights jsonb DEFAULT NULL, suppression_factor float8 DEFAULT 1, allow_identifiers bool DEFAULT false,
    replace bool DEFAULT false, entity name DEFAULT NULL, composition text DEFAULT 'warning',
    strata name[] DEFAULT NULL, nulls text DEFAULT 'value', population regclass DEFAULT NULL, k_map int DEFAULT NULL, delta float8 DEFAULT NULL, attack bool DEFAULT false, attack_limit float8 DEFAULT NULL
) RETURNS sdc.release
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_publish_generalized';
COMMENT ON FUNCTION sdc.publish_generalized
    IS 'publishes a table of the named columns whose keys are generalized by hierarchies with the least loss, and leaves out failing groups
hierarchies: hierarchy table of each key, null to leave a key as it is
levels: level of each key, instead of a search
p: fewest distinct values of each sensitive column in a group
l, t: l-diversity and t-closeness of each sensitive column
alpha, categories: least weight of sensitivity categories in a group; categories lists values, most sensitive first
max_suppressed: how many rows of failing groups may be left out; a share of the rows if below 1
keep: further columns to publish as they are
weights: what each key counts in the loss; suppression_factor: what a suppressed row counts
nulls: value (NULL in a key is a value of its own), error, or wildcard (NULL matches every value)
entity: column that tells persons apart; k, p, l and alpha then count persons, t rows
strata: keys that are never generalized
population: table of the whole population; k_map: least number of its persons per group; delta: largest share of them that is in the table
allow_identifiers: publish even columns that tell who a row is about
replace: take the place of your own release of that name
composition: warning or error if the release and an earlier one together reveal more than promised
attack: attack the release before it is granted, and register what was found
attack_limit: refuse the release if inference is right about a larger share of persons';

CREATE FUNCTION sdc.publish_mondrian(
    source regclass, target text, keys name[] DEFAULT NULL, k int DEFAULT NULL, sensitive name[] DEFAULT NULL,
    p int DEFAULT NULL, keep name[] DEFAULT NULL, l float8 DEFAULT NULL, t float8 DEFAULT NULL, strict bool DEFAULT false,
    hierarchies jsonb DEFAULT NULL, allow_identifiers bool DEFAULT false, nulls text DEFAULT 'value',
    categorical name[] DEFAULT NULL,
    replace bool DEFAULT false, composition text DEFAULT 'warning',
    entity name DEFAULT NULL, strata name[] DEFAULT NULL, max_suppressed float8 DEFAULT 0, attack bool DEFAULT false, attack_limit float8 DEFAULT NULL
) RETURNS sdc.release
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_publish_mondrian';
COMMENT ON FUNCTION sdc.publish_mondrian
    IS 'publishes a table of the named columns whose keys show the range, set or hierarchy node of their group of at least k rows
p: fewest distinct values of each sensitive column in a group
l, t: l-diversity and t-closeness of each sensitive column
keep: further columns to publish as they are
strict: never separate rows of equal value
hierarchies: hierarchy table of a categorical key, which then shows nodes
categorical: numeric keys that are codes; a group shows the set of them
nulls: value (NULL in a key is a value of its own) or error
entity: column that tells persons apart; k, p and l then count persons
strata: columns whose values no group mixes; they are published as they are
max_suppressed: how many rows of strata that cannot keep the promise may be left out; a share of the rows if below 1
allow_identifiers: publish even columns that tell who a row is about
replace: take the place of your own release of that name
composition: warning or error if the release and an earlier one together reveal more than promised
attack: attack the release before it is granted, and register what was found
attack_limit: refuse the release if inference is right about a larger share of persons';

CREATE FUNCTION sdc.publish_perturbed(
    source regclass, target text, methods jsonb, keep name[] DEFAULT NULL, seed bigint DEFAULT NULL,
    allow_identifiers bool DEFAULT false, replace bool DEFAULT false, composition text DEFAULT 'warning',
    entity name DEFAULT NULL, strata name[] DEFAULT NULL, attack bool DEFAULT false, attack_limit float8 DEFAULT NULL
) RETURNS sdc.release
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_publish_perturbed';
COMMENT ON FUNCTION sdc.publish_perturbed
    IS 'publishes a table of the named columns, some of them perturbed; it promises no anonymity
methods: rank_swap, pram, noise, top_code, bottom_code or round for each column, with its number
keep: further columns to publish as they are
seed: number that makes random choices reproducible; never registered
entity: column that tells persons apart; all rows of a person are changed alike
strata: columns within whose values rows are perturbed
allow_identifiers: publish even columns that tell who a row is about
replace: take the place of your own release of that name
composition: warning or error if the release and an earlier one together reveal more than promised
attack: attack the release before it is granted, and register what was found
attack_limit: refuse the release if inference is right about a larger share of persons';

CREATE FUNCTION sdc.publish_suppressed(
    source regclass, target text, keys name[] DEFAULT NULL, k int DEFAULT NULL, sensitive name[] DEFAULT NULL,
    keep name[] DEFAULT NULL, importance jsonb DEFAULT NULL, reading text DEFAULT 'both', known_keys int DEFAULT NULL,
    allow_identifiers bool DEFAULT false, replace bool DEFAULT false, composition text DEFAULT 'warning',
    entity name DEFAULT NULL, strata name[] DEFAULT NULL, attack bool DEFAULT false, attack_limit float8 DEFAULT NULL
) RETURNS sdc.release
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_publish_suppressed';
COMMENT ON FUNCTION sdc.publish_suppressed
    IS 'publishes a table of the named columns with as few cells of keys blanked as possible, so that every row is like k - 1 others
sensitive: columns whose p and l are registered, though not required
keep: further columns to publish as they are
importance: what a blank costs in each key
reading: both (a blank is a value, and matches anything) or wildcard (it matches anything)
known_keys: how many keys an attacker knows, with reading wildcard
entity: column that tells persons apart; k then counts persons
strata: columns that are never blanked; each stratum is treated by itself
allow_identifiers: publish even columns that tell who a row is about
replace: take the place of your own release of that name
composition: warning or error if the release and an earlier one together reveal more than promised
attack: attack the release before it is granted, and register what was found
attack_limit: refuse the release if inference is right about a larger share of persons';

CREATE FUNCTION sdc.publish_p_alpha(
    source regclass, target text, keys name[] DEFAULT NULL, sensitive name DEFAULT NULL,
    categories jsonb DEFAULT NULL, k int DEFAULT NULL, p int DEFAULT NULL, alpha float8 DEFAULT NULL,
    keep name[] DEFAULT NULL, publish text DEFAULT 'category', hierarchies jsonb DEFAULT NULL,
    standardize bool DEFAULT true, allow_identifiers bool DEFAULT false, nulls text DEFAULT 'value', categorical name[] DEFAULT NULL,
    weights jsonb DEFAULT NULL, entity name DEFAULT NULL, strata name[] DEFAULT NULL, max_suppressed float8 DEFAULT 0,
    replace bool DEFAULT false, composition text DEFAULT 'warning',
    continues bigint DEFAULT NULL, attack bool DEFAULT false, attack_limit float8 DEFAULT NULL
) RETURNS sdc.release
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_publish_p_alpha';
COMMENT ON FUNCTION sdc.publish_p_alpha
    IS 'publishes a table of the named columns whose keys are masked in groups of at least k rows, p sensitivity categories and a total weight of alpha
categories: lists of sensitive values, most sensitive first
keep: further columns to publish as they are
publish: category, value or both
hierarchies: hierarchy table of a key that is generalized instead of averaged
standardize: give all numeric keys the same variance before distances are measured
categorical: numeric keys that are codes; a group shows the most frequent one
weights: how much each key counts in distances and in the loss, 1 if left out
nulls: value (NULL in a key is a value of its own) or error
entity: column that tells persons apart; each counts by their most sensitive category
strata: columns whose values no group mixes; they are published as they are
max_suppressed: how many rows of strata that cannot keep the promise may be left out; a share of the rows if below 1
allow_identifiers: publish even columns that tell who a row is about
replace: take the place of your own release of that name
composition: warning or error if the release and an earlier one together reveal more than promised
continues: release that this one continues as a sequence, 0 to start one
attack: attack the release before it is granted, and register what was found
attack_limit: refuse the release if inference is right about a larger share of persons';

CREATE FUNCTION sdc.publish_anatomy(
    source regclass, target text, keys name[] DEFAULT NULL, sensitive name DEFAULT NULL,
    l int DEFAULT NULL, nulls text DEFAULT 'value', seed bigint DEFAULT NULL, allow_identifiers bool DEFAULT false, entity name DEFAULT NULL,
    strata name[] DEFAULT NULL, max_suppressed float8 DEFAULT 0,
    replace bool DEFAULT false, composition text DEFAULT 'warning',
    continues bigint DEFAULT NULL, attack bool DEFAULT false, attack_limit float8 DEFAULT NULL
) RETURNS sdc.release
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_publish_anatomy';
COMMENT ON FUNCTION sdc.publish_anatomy
    IS 'publishes keys and sensitive values in two tables, target_qit and target_st, linked by random groups of at least l different values, and a view that joins them with weights
nulls: value or error
seed: number that makes random choices reproducible; never registered
entity: column that tells persons apart; no group holds two rows of a person
strata: columns whose values no group mixes; they are published as they are
max_suppressed: how many rows of strata that cannot keep the promise may be left out; a share of the rows if below 1
allow_identifiers: publish even columns that tell who a row is about
replace: take the place of your own release of that name
composition: warning or error if the release and an earlier one together reveal more than promised
continues: release that this one continues as a sequence, 0 to start one
attack: attack the release before it is granted, and register what was found
attack_limit: refuse the release if inference is right about a larger share of persons';

CREATE FUNCTION sdc.publish_permutation(
    source regclass, target text, keys name[] DEFAULT NULL, sensitive name DEFAULT NULL,
    l int DEFAULT NULL, rounds int DEFAULT 5, nulls text DEFAULT 'value', seed bigint DEFAULT NULL,
    allow_identifiers bool DEFAULT false, categorical name[] DEFAULT NULL, entity name DEFAULT NULL,
    strata name[] DEFAULT NULL, max_suppressed float8 DEFAULT 0,
    replace bool DEFAULT false, composition text DEFAULT 'warning',
    attack bool DEFAULT false, attack_limit float8 DEFAULT NULL
) RETURNS sdc.release
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_publish_permutation';
COMMENT ON FUNCTION sdc.publish_permutation
    IS 'publishes keys and sensitive values in two tables, target_pqt and target_pst, permuted within groups of similar keys and at least l different values, and a view that joins them with weights
rounds: how often a set of rows is tried before it stays together
nulls: value or error
seed: number that makes random choices reproducible; never registered
categorical: numeric keys that are codes, compared by equality
entity: column that tells persons apart; no group holds two rows of a person
strata: columns whose values no group mixes; they are published as they are
max_suppressed: how many rows of strata that cannot keep the promise may be left out; a share of the rows if below 1
allow_identifiers: publish even columns that tell who a row is about
replace: take the place of your own release of that name
composition: warning or error if the release and an earlier one together reveal more than promised
attack: attack the release before it is granted, and register what was found
attack_limit: refuse the release if inference is right about a larger share of persons';
