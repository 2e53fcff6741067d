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
