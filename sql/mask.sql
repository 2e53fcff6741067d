-- Whole-table masking: rows in, masked rows out.

CREATE FUNCTION sdc.microaggregate(
    rowtype anyelement, keys name[] DEFAULT NULL, k int DEFAULT NULL, sensitive name[] DEFAULT NULL, p int DEFAULT NULL,
    method text DEFAULT NULL, standardize bool DEFAULT true, seed bigint DEFAULT NULL,
    refine bool DEFAULT false, effort int DEFAULT NULL, nulls text DEFAULT 'value',
    categorical name[] DEFAULT NULL, weights jsonb DEFAULT NULL, entity name DEFAULT NULL,
    strata name[] DEFAULT NULL, max_suppressed float8 DEFAULT 0
) RETURNS SETOF anyelement
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_microaggregate';
COMMENT ON FUNCTION sdc.microaggregate(anyelement, name[], int, name[], int, text, bool, bigint, bool, int, text, name[], jsonb, name, name[], float8)
    IS 'rows of a table, named by its row type (NULL::my_table), whose keys are averaged over groups of at least k similar rows; a categorical key shows its most frequent value
p: fewest distinct values of each sensitive column in a group
method: how rows are grouped; see the page on microaggregation
standardize: give all numeric keys the same variance before distances are measured
seed: number that makes random choices reproducible; never registered
refine: improve groups by a local search afterwards; effort: how long it goes on, 0 to 10000
categorical: numeric keys that are codes; a group shows the most frequent one
weights: how much each key counts in distances and in the loss, 1 if left out
nulls: value (NULL in a key is a value of its own) or error
entity: column that tells persons apart; k and p then count persons
strata: columns whose values no group mixes
max_suppressed: how many rows of strata that cannot keep the promise may be left out; a share of the rows if below 1';

-- a name has no row type: this form only says what to write
CREATE FUNCTION sdc.microaggregate(
    source text, keys name[] DEFAULT NULL, k int DEFAULT NULL, sensitive name[] DEFAULT NULL, p int DEFAULT NULL,
    method text DEFAULT NULL, standardize bool DEFAULT true, seed bigint DEFAULT NULL,
    refine bool DEFAULT false, effort int DEFAULT NULL, nulls text DEFAULT 'value',
    categorical name[] DEFAULT NULL, weights jsonb DEFAULT NULL, entity name DEFAULT NULL,
    strata name[] DEFAULT NULL, max_suppressed float8 DEFAULT 0
) RETURNS SETOF text
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_microaggregate';
COMMENT ON FUNCTION sdc.microaggregate(text, name[], int, name[], int, text, bool, bigint, bool, int, text, name[], jsonb, name, name[], float8)
    IS 'an error that says how to name the row type of a table, NULL::my_table; it takes the same arguments as the other form';

CREATE FUNCTION sdc.risk_utility(
    rowtype anyelement, keys name[] DEFAULT NULL, ks int[] DEFAULT '{2,3,5,10,20,50}', sensitive name[] DEFAULT NULL,
    p int DEFAULT NULL, method text DEFAULT NULL, nulls text DEFAULT 'value', categorical name[] DEFAULT NULL,
    weights jsonb DEFAULT NULL, entity name DEFAULT NULL
) RETURNS TABLE (k int, p int, groups bigint, loss float8, risk float8, seconds float8, linkage float8)
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_risk_utility';
COMMENT ON FUNCTION sdc.risk_utility(anyelement, name[], int[], name[], int, text, text, name[], jsonb, name)
    IS 'what microaggregation of a table would cost and what risk it would leave, one row for each k
loss: percent of the variance lost; risk: average of 1/|group|; linkage: share that anyone who knows all keys links rightly; NULL where k is larger than the table or smaller than p
ks: values of k to try
p: fewest distinct values of each sensitive column in a group
method: how rows are grouped; see the page on microaggregation
nulls: value (NULL in a key is a value of its own) or error
categorical: numeric keys that are codes; a group shows the most frequent one
weights: how much each key counts in distances and in the loss, 1 if left out
entity: column that tells persons apart; k, p and the risk then count persons';

-- literals have no row type
CREATE FUNCTION sdc.risk_utility(
    source text, keys name[] DEFAULT NULL, ks int[] DEFAULT '{2,3,5,10,20,50}', sensitive name[] DEFAULT NULL,
    p int DEFAULT NULL, method text DEFAULT NULL, nulls text DEFAULT 'value', categorical name[] DEFAULT NULL,
    weights jsonb DEFAULT NULL, entity name DEFAULT NULL
) RETURNS TABLE (k int, p int, groups bigint, loss float8, risk float8, seconds float8, linkage float8)
    LANGUAGE c VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_risk_utility';
COMMENT ON FUNCTION sdc.risk_utility(text, name[], int[], name[], int, text, text, name[], jsonb, name)
    IS 'sdc.risk_utility for the name of a table';
