-- One value at one level of its hierarchy, for any SELECT and for views. Not for parallel
-- workers, which cannot read a hierarchy in a temporary table.

CREATE FUNCTION sdc.generalize(value anyelement, hierarchy regclass, level int) RETURNS text
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_generalize';
COMMENT ON FUNCTION sdc.generalize(anyelement, regclass, int)
    IS 'what a value is called at a level of a hierarchy; level 0 is the value itself, a value that is not in the hierarchy an error';

-- literals have no type that anyelement could take
CREATE FUNCTION sdc.generalize(value text, hierarchy regclass, level int) RETURNS text
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_generalize';
COMMENT ON FUNCTION sdc.generalize(text, regclass, int)
    IS 'what a value is called at a level of a hierarchy; level 0 is the value itself, a value that is not in the hierarchy an error';

-- The lattice that hierarchies span: the same requirements, every minimal node or every node.

CREATE FUNCTION sdc.minimal_generalizations(
    source regclass, hierarchies jsonb DEFAULT NULL, k int DEFAULT NULL, sensitive name[] DEFAULT NULL, p int DEFAULT NULL,
    max_suppressed numeric DEFAULT 0, l float8 DEFAULT NULL, t float8 DEFAULT NULL, alpha float8 DEFAULT NULL,
    categories jsonb DEFAULT NULL, weights jsonb DEFAULT NULL, suppression_factor float8 DEFAULT 1,
    entity name DEFAULT NULL, nulls text DEFAULT 'value'
) RETURNS TABLE (levels jsonb, height int, groups bigint, suppressed bigint, loss float8)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_minimal_generalizations';
COMMENT ON FUNCTION sdc.minimal_generalizations
    IS 'every minimal combination of hierarchy levels that meets the requirements, least loss first; NULL is a value, which a hierarchy must list';

CREATE FUNCTION sdc.lattice(
    source regclass, hierarchies jsonb DEFAULT NULL, k int DEFAULT NULL, sensitive name[] DEFAULT NULL, p int DEFAULT NULL,
    max_suppressed numeric DEFAULT 0, l float8 DEFAULT NULL, t float8 DEFAULT NULL, alpha float8 DEFAULT NULL,
    categories jsonb DEFAULT NULL, weights jsonb DEFAULT NULL, suppression_factor float8 DEFAULT 1,
    entity name DEFAULT NULL, nulls text DEFAULT 'value'
) RETURNS TABLE (levels jsonb, height int, groups bigint, suppressed bigint, loss float8, satisfied bool)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_lattice';
COMMENT ON FUNCTION sdc.lattice
    IS 'every combination of hierarchy levels with its groups, suppressed rows and loss; NULL is a value, which a hierarchy must list';
