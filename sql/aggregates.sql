-- Aggregates. All share one state, groups and what is counted or measured within them, so that
-- they differ only in their arguments and final functions; those with equal arguments share
-- the work, too.

-- internal: transition functions
CREATE FUNCTION sdc.count_groups(internal, VARIADIC "any") RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_groups';
CREATE FUNCTION sdc.count_sample(internal, float8, VARIADIC "any") RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_sample';
CREATE FUNCTION sdc.count_values(internal, record, VARIADIC "any") RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_values';
CREATE FUNCTION sdc.count_values(internal, bigint, VARIADIC "any") RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_values';
CREATE FUNCTION sdc.count_values(internal, record, anyelement) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_values';
CREATE FUNCTION sdc.count_values(internal, bigint, anyelement) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_values';
CREATE FUNCTION sdc.count_values(internal, record, int) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_values';
CREATE FUNCTION sdc.count_values(internal, bigint, int) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_values';
CREATE FUNCTION sdc.count_values(internal, record, anyelement, float8) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_values_c';
CREATE FUNCTION sdc.count_values(internal, bigint, anyelement, float8) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_values_c';
CREATE FUNCTION sdc.count_values(internal, record, int, int) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_values_categories';
CREATE FUNCTION sdc.count_values(internal, bigint, int, int) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_values_categories';
CREATE FUNCTION sdc.count_values(internal, record, anyelement, regclass) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_values_hierarchy';
CREATE FUNCTION sdc.count_values(internal, bigint, anyelement, regclass) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_values_hierarchy';
CREATE FUNCTION sdc.count_rows(internal, int, record, anyelement, bool) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_rows';
CREATE FUNCTION sdc.measure_groups(internal, int, VARIADIC "any") RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_measure_groups';

-- internal: transition functions with declared types. `discernibility` and `average_group_size` have
-- arguments of one type; the others take theirs as one record, and whether the last is an array to unfold.
CREATE FUNCTION sdc.count_groups(internal, int) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_groups';
CREATE FUNCTION sdc.count_groups_across(internal, record, bool) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_groups_across';
CREATE FUNCTION sdc.count_sample_across(internal, record, bool) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_sample_across';
CREATE FUNCTION sdc.count_values_across(internal, record, bool) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_values_across';
CREATE FUNCTION sdc.count_values_c_across(internal, record, bool) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_values_c_across';
CREATE FUNCTION sdc.count_values_categories_across(internal, record, bool) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_values_categories_across';
CREATE FUNCTION sdc.count_values_hierarchy_across(internal, record, bool) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_values_hierarchy_across';
CREATE FUNCTION sdc.count_rows_across(internal, record, bool) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_count_rows_across';
CREATE FUNCTION sdc.measure_groups_across(internal, record, bool) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_measure_groups_across';

-- internal: for parallel plans
CREATE FUNCTION sdc.counts_combine(internal, internal) RETURNS internal
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_counts_combine';
CREATE FUNCTION sdc.counts_serialize(internal) RETURNS bytea
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_counts_serialize';
CREATE FUNCTION sdc.counts_deserialize(bytea, internal) RETURNS internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_counts_deserialize';

-- internal: final functions
CREATE FUNCTION sdc.k_anonymity_final(internal) RETURNS bigint
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_k_anonymity';
CREATE FUNCTION sdc.reidentification_risk_final(internal) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_reidentification_risk';
CREATE FUNCTION sdc.population_uniqueness_final(internal) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_population_uniqueness';
CREATE FUNCTION sdc.p_sensitivity_final(internal) RETURNS bigint
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_p_sensitivity';
CREATE FUNCTION sdc.disclosures_final(internal) RETURNS bigint
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_disclosures';
CREATE FUNCTION sdc.l_diversity_final(internal) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_l_diversity';
CREATE FUNCTION sdc.entropy_l_diversity_final(internal) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_entropy_l_diversity';
CREATE FUNCTION sdc.recursive_l_diversity_final(internal) RETURNS bigint
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_recursive_l_diversity';
CREATE FUNCTION sdc.alpha_k_final(internal) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_alpha_k';
CREATE FUNCTION sdc.t_closeness_final(internal) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_t_closeness';
CREATE FUNCTION sdc.t_closeness_by_value_final(internal) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_t_closeness_by_value';
CREATE FUNCTION sdc.t_closeness_by_hierarchy_final(internal) RETURNS float8
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_t_closeness_by_hierarchy';
CREATE FUNCTION sdc.basic_beta_likeness_final(internal) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_basic_beta_likeness';
CREATE FUNCTION sdc.enhanced_beta_likeness_final(internal) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_enhanced_beta_likeness';
CREATE FUNCTION sdc.delta_disclosure_final(internal) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_delta_disclosure';
CREATE FUNCTION sdc.p_plus_final(internal) RETURNS bigint
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_p_plus';
CREATE FUNCTION sdc.alpha_weight_final(internal) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_alpha_weight';
CREATE FUNCTION sdc.sse_final(internal) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_sse';
CREATE FUNCTION sdc.information_loss_final(internal) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_information_loss';
CREATE FUNCTION sdc.ncp_final(internal) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_ncp';
CREATE FUNCTION sdc.reconstruction_error_final(internal) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_reconstruction_error';
CREATE FUNCTION sdc.discernibility_final(internal) RETURNS numeric
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_discernibility';
CREATE FUNCTION sdc.average_group_size_final(internal) RETURNS float8
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_average_group_size';

-- Each aggregate is declared from a line of this list: name, arguments, transition function,
-- comment. `keys record` has a twin that takes a group number.
DO $declare$
DECLARE
    line record;
    twin text;
BEGIN
    FOR line IN SELECT * FROM (VALUES
        ('k_anonymity', 'VARIADIC keys "any"', 'count_groups',
         'size of the smallest group of rows with equal keys; NULL is a value like any other'),
        ('reidentification_risk', 'VARIADIC keys "any"', 'count_groups',
         'average over rows of 1/|group|: how likely a row is found by its keys; NULL is a value like any other'),
        ('population_uniqueness', 'fraction float8, VARIADIC keys "any"', 'count_sample',
         'share of the population that is unique in these keys, estimated from a sample of this fraction of it (Pitman up to 0.1, else the smaller of Zayatz and SNB); sdc.population_models shows the fits; NULL is a value like any other'),
        ('p_sensitivity', 'keys record, VARIADIC sensitive "any"', 'count_values',
         'fewest distinct values of any sensitive column in any group; NULL is a value like any other'),
        ('disclosures', 'keys record, VARIADIC sensitive "any"', 'count_values',
         'number of (group, sensitive column) pairs with a single value: attribute disclosures; NULL is a value like any other'),
        ('l_diversity', 'keys record, sensitive anyelement', 'count_values',
         'frequency l-diversity: smallest |group| / rows of its most frequent sensitive value; sdc.p_sensitivity is distinct l-diversity; NULL is a value like any other'),
        ('entropy_l_diversity', 'keys record, sensitive anyelement', 'count_values',
         'entropy l-diversity: smallest exp(entropy) of the sensitive values of any group; NULL is a value like any other'),
        ('recursive_l_diversity', 'keys record, sensitive anyelement, c float8', 'count_values',
         'recursive (c,l)-diversity: largest l that every group satisfies for this c; NULL is a value like any other'),
        ('alpha_k', 'keys record, sensitive anyelement', 'count_values',
         'alpha of (alpha,k)-anonymity: largest share of one sensitive value in any group; NULL is a value like any other'),
        ('t_closeness', 'keys record, sensitive anyelement', 'count_values',
         't-closeness by rank: largest earth mover''s distance of any group from the table; the distance of two numbers or dates is how many distinct values lie between them, other values are all equally far apart; NULL is a value like any other and comes last'),
        ('t_closeness_by_value', 'keys record, sensitive anyelement', 'count_values',
         't-closeness by value: the distance of two numbers or dates is their difference over the column''s range; there NULL, NaN and infinities are errors, in other types NULL is a value like any other'),
        ('basic_beta_likeness', 'keys record, sensitive anyelement', 'count_values',
         'basic beta-likeness: largest relative gain (q-p)/p of any sensitive value in any group; NULL is a value like any other'),
        ('enhanced_beta_likeness', 'keys record, sensitive anyelement', 'count_values',
         'enhanced beta-likeness: largest relative gain (q-p)/p, infinite where a gain exceeds -ln p; NULL is a value like any other'),
        ('delta_disclosure', 'keys record, sensitive anyelement', 'count_values',
         'delta-disclosure privacy: largest |ln(q/p)| of any sensitive value that a group has; NULL is a value like any other'),
        ('p_plus', 'keys record, category int', 'count_values',
         'p+-sensitivity: fewest distinct sensitivity categories in any group; NULL is a value like any other'),
        ('alpha_weight', 'keys record, category int, categories int', 'count_values',
         'smallest total weight of any group; a row of category i of m weighs (i-1)/(m-1)'),
        ('sse', 'grp int, VARIADIC keys "any"', 'measure_groups',
         'sum of squares within groups of standardised columns; a categorical column counts the rows that differ from the most frequent value of their group, scaled to the total of a number; a NULL that is filled in and a number that becomes NULL count in full'),
        ('information_loss', 'grp int, VARIADIC keys "any"', 'measure_groups',
         '100 * SSE/SST: the percentage of the variance that averaging groups removes, as the mean over columns; of a categorical column the percentage of rows that differ from the most frequent value; a NULL that is filled in and a number that becomes NULL count in full'),
        ('ncp', 'grp int, VARIADIC keys "any"', 'measure_groups',
         'normalized certainty penalty, summed over rows and columns: range of the group over range of the column, for categorical columns distinct values over distinct values; a NULL that is filled in and a number that becomes NULL count in full'),
        ('reconstruction_error', 'grp int, keys record, sensitive anyelement, permuted bool', 'count_rows',
         'squared distance of the true rows from what a release by anatomy (permuted: by permutation) lets anyone infer, summed over rows; NULL is a value like any other'),
        ('discernibility', 'grp int', 'count_groups',
         'sum over groups of the squared size: each row counts the rows it cannot be told from; NULL is a value like any other'),
        ('average_group_size', 'grp int', 'count_groups',
         'rows per group; NULL is a value like any other')
    ) AS declared (name, arguments, transition, comment)
    LOOP
        FOREACH twin IN ARRAY ARRAY['keys record', 'grp bigint'] LOOP
            CONTINUE WHEN twin OPERATOR(pg_catalog.=) 'grp bigint'
                 AND NOT pg_catalog.starts_with(line.arguments, 'keys record');
            EXECUTE pg_catalog.format(
                'CREATE AGGREGATE sdc.%1$I(%2$s) (
                    SFUNC = sdc.%3$I, STYPE = internal, SSPACE = 65536,
                    FINALFUNC = sdc.%4$I, FINALFUNC_MODIFY = READ_ONLY,
                    COMBINEFUNC = sdc.counts_combine, SERIALFUNC = sdc.counts_serialize,
                    DESERIALFUNC = sdc.counts_deserialize, PARALLEL = SAFE)',
                line.name, pg_catalog.replace(line.arguments, 'keys record', twin),
                line.transition, pg_catalog.concat(line.name, '_final'));
            EXECUTE pg_catalog.format('COMMENT ON AGGREGATE sdc.%I(%s) IS %L',
                line.name, pg_catalog.replace(line.arguments, 'keys record', twin), line.comment);
        END LOOP;
    END LOOP;
END
$declare$;

-- t-closeness by a hierarchy has the name of t-closeness, and a final function that reads a table,
-- which may be a temporary one: only the leader of a parallel plan sees those.
CREATE AGGREGATE sdc.t_closeness(keys record, sensitive anyelement, hierarchy regclass) (
    SFUNC = sdc.count_values, STYPE = internal, SSPACE = 65536,
    FINALFUNC = sdc.t_closeness_by_hierarchy_final, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = sdc.counts_combine, SERIALFUNC = sdc.counts_serialize,
    DESERIALFUNC = sdc.counts_deserialize, PARALLEL = RESTRICTED);
COMMENT ON AGGREGATE sdc.t_closeness(record, anyelement, regclass)
    IS 't-closeness by a hierarchy: the distance of two values is the height of their lowest common ancestor divided by the height of the hierarchy; NULL is a value, which the hierarchy must list';
CREATE AGGREGATE sdc.t_closeness(grp bigint, sensitive anyelement, hierarchy regclass) (
    SFUNC = sdc.count_values, STYPE = internal, SSPACE = 65536,
    FINALFUNC = sdc.t_closeness_by_hierarchy_final, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = sdc.counts_combine, SERIALFUNC = sdc.counts_serialize,
    DESERIALFUNC = sdc.counts_deserialize, PARALLEL = RESTRICTED);
COMMENT ON AGGREGATE sdc.t_closeness(bigint, anyelement, regclass)
    IS 't-closeness by a hierarchy: the distance of two values is the height of their lowest common ancestor divided by the height of the hierarchy; NULL is a value, which the hierarchy must list';

-- The same over servers. Citus splits an aggregate only if its arguments have declared types, so each
-- has a twin that takes them as one record: sdc.k_anonymity(age, zip) is
-- sdc.k_anonymity_across(ROW(age, zip), false). With pg_sdc preloaded after Citus a query over
-- distributed tables gets the twins by itself.
DO $declare$
DECLARE
    line record;
BEGIN
    FOR line IN SELECT * FROM (VALUES
        ('k_anonymity', 'count_groups'), ('reidentification_risk', 'count_groups'),
        ('population_uniqueness', 'count_sample'),
        ('p_sensitivity', 'count_values'), ('disclosures', 'count_values'), ('l_diversity', 'count_values'),
        ('entropy_l_diversity', 'count_values'), ('recursive_l_diversity', 'count_values_c'),
        ('alpha_k', 'count_values'), ('t_closeness', 'count_values'), ('t_closeness_by_value', 'count_values'),
        ('t_closeness_by_hierarchy', 'count_values_hierarchy'),
        ('basic_beta_likeness', 'count_values'), ('enhanced_beta_likeness', 'count_values'),
        ('delta_disclosure', 'count_values'), ('p_plus', 'count_values'),
        ('alpha_weight', 'count_values_categories'),
        ('sse', 'measure_groups'), ('information_loss', 'measure_groups'), ('ncp', 'measure_groups'),
        ('reconstruction_error', 'count_rows'),
        ('discernibility', 'count_groups'), ('average_group_size', 'count_groups')
    ) AS declared (name, transition)
    LOOP
        EXECUTE pg_catalog.format(
            'CREATE AGGREGATE sdc.%1$I(arguments record, unfold bool) (
                SFUNC = sdc.%2$I, STYPE = internal, SSPACE = 65536,
                FINALFUNC = sdc.%3$I, FINALFUNC_MODIFY = READ_ONLY,
                COMBINEFUNC = sdc.counts_combine, SERIALFUNC = sdc.counts_serialize,
                DESERIALFUNC = sdc.counts_deserialize, PARALLEL = %4$s)',
            pg_catalog.concat(line.name, '_across'), pg_catalog.concat(line.transition, '_across'),
            pg_catalog.concat(line.name, '_final'),
            CASE WHEN line.name OPERATOR(pg_catalog.=) 't_closeness_by_hierarchy' THEN 'RESTRICTED' ELSE 'SAFE' END);
        EXECUTE pg_catalog.format('COMMENT ON AGGREGATE sdc.%I(record, bool) IS %L',
            pg_catalog.concat(line.name, '_across'), pg_catalog.concat('sdc.', line.name,
            ' with its arguments as one record, so that Citus can split it; unfold: the last of them is an array of columns'));
    END LOOP;
END
$declare$;

-- internal: settings that travel with a query of Citus
CREATE FUNCTION sdc.take_settings(seed text, max_memory text) RETURNS bool
    LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'sdc_take_settings';
COMMENT ON FUNCTION sdc.take_settings(text, text)
    IS 'internal: true; on a worker of Citus it sets sdc.seed and sdc.max_memory for the query at hand';

-- Sensitivity categories: the function keeps them from row to row.
CREATE FUNCTION sdc.category(value text, categories jsonb) RETURNS int
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'category_wrapper';
