-- What an attacker could do with a table.

CREATE FUNCTION sdc.risk(
    source regclass, keys name[] DEFAULT NULL, population regclass DEFAULT NULL, weight name DEFAULT NULL,
    threshold float8 DEFAULT 0.2, entity name DEFAULT NULL, nulls text DEFAULT 'value'
) RETURNS TABLE (attacker text, measure text, value float8)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_risk';
COMMENT ON FUNCTION sdc.risk(regclass, name[], regclass, name, float8, name, text)
    IS 'risk of a table for each attacker: prosecutor, journalist, marketer and membership
population: table of the whole population; weight: column with the number of persons that a row stands for; without either the table is the population
threshold: rows with a larger risk count as at risk
entity: column that tells persons apart; groups then count persons
nulls: value, error, or wildcard, which matches every value';

CREATE FUNCTION sdc.individual_risk(weight float8, VARIADIC keys "any") RETURNS float8
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_individual_risk';
COMMENT ON FUNCTION sdc.individual_risk(float8, VARIADIC "any")
    IS 'risk that a row is re-identified, from its sampling weight and those of the rows with equal keys (Franconi and Polettini); OVER () for the whole sample; NULL is a value like any other in keys, and an error as weight';

CREATE FUNCTION sdc.household_add(state float8, risk float8) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_household_add';
COMMENT ON FUNCTION sdc.household_add(float8, float8) IS 'internal: support function of an aggregate';
CREATE FUNCTION sdc.household_final(state float8) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_household_final';
COMMENT ON FUNCTION sdc.household_final(float8) IS 'internal: support function of an aggregate';
CREATE AGGREGATE sdc.household_risk(risk float8) (
    SFUNC = sdc.household_add, STYPE = float8, FINALFUNC = sdc.household_final,
    COMBINEFUNC = pg_catalog.float8pl, PARALLEL = SAFE);
COMMENT ON AGGREGATE sdc.household_risk(float8)
    IS 'risk that at least one member of a household is re-identified, 1 - product of (1 - risk); members without risk (NULL) do not count';

CREATE FUNCTION sdc.suda(max_size int, VARIADIC keys "any") RETURNS float8
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_suda';
COMMENT ON FUNCTION sdc.suda(int, VARIADIC "any")
    IS 'SUDA score of a row: the sum over its minimal sample uniques of at most max_size keys, where small ones weigh more; 0 for a row without any; NULL is a value like any other';

CREATE FUNCTION sdc.dis_suda(fraction float8, max_size int, VARIADIC keys "any") RETURNS float8
    LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_dis_suda';
COMMENT ON FUNCTION sdc.dis_suda(float8, int, VARIADIC "any")
    IS 'DIS-SUDA: the SUDA score of a row as the probability that a match with it is right, in a sample of this fraction of the population; NULL is a value like any other';

CREATE FUNCTION sdc.suda_keys(source regclass, keys name[] DEFAULT NULL, max_size int DEFAULT 3)
RETURNS TABLE (key name, contribution float8, minimal_uniques bigint)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_suda_keys';
COMMENT ON FUNCTION sdc.suda_keys(regclass, name[], int)
    IS 'how much each key adds to the SUDA scores of a table: its share of the scores, and the number of minimal sample uniques of at most max_size keys that contain it; NULL is a value like any other';

CREATE FUNCTION sdc.population_models(source regclass, keys name[] DEFAULT NULL, fraction float8 DEFAULT NULL)
RETURNS TABLE (model text, uniques float8, share float8, converged bool, chosen bool, parameters jsonb)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_population_models';
COMMENT ON FUNCTION sdc.population_models(regclass, name[], float8)
    IS 'how many persons are unique in the population behind a sample of this fraction, by three models; whether each fit converged, and which one sdc.population_uniqueness uses; NULL is a value like any other';

-- a type of its own, because RETURNS TABLE cannot name a column like an argument
CREATE TYPE sdc.column_risks AS (
    columns name[], distinction float8, separation float8, uniques bigint, risk float8, risk_without float8);
COMMENT ON TYPE sdc.column_risks IS 'a row of sdc.column_risk()';
CREATE FUNCTION sdc.column_risk(source regclass, columns name[] DEFAULT NULL, max_size int DEFAULT 2)
RETURNS SETOF sdc.column_risks
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_column_risk';
COMMENT ON FUNCTION sdc.column_risk(regclass, name[], int)
    IS 'how well columns tell rows apart, alone and together up to max_size: groups per row, share of row pairs told apart, unique rows, average risk by these columns and by all others; NULL is a value like any other';
