-- One value at one level of its hierarchy, for any SELECT and for views. Not for parallel
-- workers, which cannot read a hierarchy in a temporary table.

CREATE FUNCTION sdc.generalize(value anyelement, hierarchy regclass, level int) RETURNS text
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_generalize';
COMMENT ON FUNCTION sdc.generalize(anyelement, regclass, int)
    IS 'the label of a value at a level of a hierarchy; level 0 is the value itself, and a value that the hierarchy does not list is an error';

-- literals have no type that anyelement could take
CREATE FUNCTION sdc.generalize(value text, hierarchy regclass, level int) RETURNS text
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_generalize';
COMMENT ON FUNCTION sdc.generalize(text, regclass, int)
    IS 'the label of a value at a level of a hierarchy; level 0 is the value itself, and a value that the hierarchy does not list is an error';

-- The lattice that hierarchies span: the same requirements, every minimal node or every node.

CREATE FUNCTION sdc.minimal_generalizations(
    source regclass, hierarchies jsonb DEFAULT NULL, k int DEFAULT NULL, sensitive name[] DEFAULT NULL, p int DEFAULT NULL,
    max_suppressed float8 DEFAULT 0, l float8 DEFAULT NULL, t float8 DEFAULT NULL, alpha float8 DEFAULT NULL,
    categories jsonb DEFAULT NULL, weights jsonb DEFAULT NULL, suppression_factor float8 DEFAULT 1,
    entity name DEFAULT NULL, nulls text DEFAULT 'value'
) RETURNS TABLE (levels jsonb, height int, groups bigint, suppressed bigint, loss float8)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_minimal_generalizations';
COMMENT ON FUNCTION sdc.minimal_generalizations
    IS 'every minimal combination of hierarchy levels that meets the requirements, least loss first; NULL is a value, which a hierarchy must list
hierarchies: hierarchy table of each key, null to leave a key as it is
k, p, l, t, alpha, categories: what each group must satisfy
max_suppressed: how many rows of failing groups may be left out; a share of the rows if below 1
weights: what each key counts in the loss; suppression_factor: what a suppressed row counts
entity: column that tells persons apart; k, p and l then count persons
nulls: value (NULL is a value) or wildcard (NULL matches every value)';

CREATE FUNCTION sdc.lattice(
    source regclass, hierarchies jsonb DEFAULT NULL, k int DEFAULT NULL, sensitive name[] DEFAULT NULL, p int DEFAULT NULL,
    max_suppressed float8 DEFAULT 0, l float8 DEFAULT NULL, t float8 DEFAULT NULL, alpha float8 DEFAULT NULL,
    categories jsonb DEFAULT NULL, weights jsonb DEFAULT NULL, suppression_factor float8 DEFAULT 1,
    entity name DEFAULT NULL, nulls text DEFAULT 'value'
) RETURNS TABLE (levels jsonb, height int, groups bigint, suppressed bigint, loss float8, satisfied bool)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_lattice';
COMMENT ON FUNCTION sdc.lattice
    IS 'every combination of hierarchy levels with its groups, suppressed rows and loss; NULL is a value, which a hierarchy must list
hierarchies: hierarchy table of each key, null to leave a key as it is
k, p, l, t, alpha, categories: what each group must satisfy
max_suppressed: how many rows of failing groups may be left out; a share of the rows if below 1
weights: what each key counts in the loss; suppression_factor: what a suppressed row counts
entity: column that tells persons apart; k, p and l then count persons
nulls: value (NULL is a value) or wildcard (NULL matches every value)';
