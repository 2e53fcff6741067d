-- pg_sdc 0.1.0 to 0.2.0: (p+,alpha) releases, reports, and the fixes that declarations need.
-- The library of 0.3 has other C functions for what 0.3 declares anew: three of them are named here.

-- parallel workers cannot read a hierarchy in a temporary table
ALTER FUNCTION sdc.generalize(anyelement, regclass, int) PARALLEL RESTRICTED;
ALTER FUNCTION sdc.generalize(text, regclass, int) PARALLEL RESTRICTED;

-- NULL is an error that names the argument, not an answer
ALTER FUNCTION sdc.feasibility(regclass, name[], int) CALLED ON NULL INPUT;
ALTER FUNCTION sdc.interval_hierarchy(regclass, name, text, float8[], float8) CALLED ON NULL INPUT;
ALTER FUNCTION sdc.prefix_hierarchy(regclass, name, text, int) CALLED ON NULL INPUT;
ALTER FUNCTION sdc.date_hierarchy(regclass, name, text, text[]) CALLED ON NULL INPUT;
ALTER FUNCTION sdc.grouping_hierarchy(regclass, name, text, jsonb) CALLED ON NULL INPUT;
ALTER FUNCTION sdc.estimate_count(text, text[]) CALLED ON NULL INPUT;
ALTER FUNCTION sdc.drop_release(bigint) CALLED ON NULL INPUT;

-- number, publisher and date of an entry are not the publisher's to choose
REVOKE INSERT ON sdc.release FROM PUBLIC;
GRANT INSERT (source, target, method, parameters, rows, groups, suppressed, achieved, loss) ON sdc.release TO PUBLIC;
ALTER FUNCTION sdc.readable(text) SET quote_all_identifiers = off;

CREATE FUNCTION sdc.histogram(source regclass, keys name[], width integer DEFAULT 40, entity name DEFAULT NULL)
 RETURNS TABLE(group_size text, groups bigint, rows bigint, bar text)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_histogram';
CREATE FUNCTION sdc.mondrian(k integer, p integer, keys record, sensitive record, hierarchies regclass[])
 RETURNS integer
 LANGUAGE c
 WINDOW STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_mondrian';
COMMENT ON FUNCTION sdc.mondrian(integer,integer,record,record,regclass[]) IS 'the same, categorical keys cut so that values that a hierarchy puts together stay together; one hierarchy table for each key in their order, NULL for a key without one';
CREATE FUNCTION sdc.p_alpha_sensitive(k integer, p integer, alpha double precision, keys record, category integer, categories integer)
 RETURNS integer
 LANGUAGE c
 WINDOW IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdc_p_alpha_sensitive';
CREATE FUNCTION sdc.publish_p_alpha(source regclass, target text, keys name[], sensitive name, categories jsonb, k integer, p integer, alpha double precision, keep name[] DEFAULT '{}', publish text DEFAULT 'category', hierarchies jsonb DEFAULT NULL, standardize boolean DEFAULT true)
 RETURNS sdc.release
 LANGUAGE c
AS 'MODULE_PATHNAME', 'sdc_publish_p_alpha';
CREATE FUNCTION sdc.report(release bigint)
 RETURNS text
 LANGUAGE c
 PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'report_short_wrapper';
CREATE FUNCTION sdc.report(source regclass, keys name[], sensitive name[] DEFAULT '{}', k integer DEFAULT NULL, p integer DEFAULT NULL, l double precision DEFAULT NULL, t double precision DEFAULT NULL, alpha double precision DEFAULT NULL, categories jsonb DEFAULT NULL, entity name DEFAULT NULL, audience text DEFAULT 'steward', ks integer[] DEFAULT '{2,3,5,10,20,50}')
 RETURNS text
 LANGUAGE c
 PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_report';
CREATE FUNCTION sdc.report_release(release bigint, audience text DEFAULT 'steward', ks integer[] DEFAULT '{2,3,5,10,20,50}')
 RETURNS text
 LANGUAGE c
 PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'report_release_wrapper';
CREATE FUNCTION sdc.risk_utility(rowtype anyelement, keys name[], ks integer[] DEFAULT '{2,3,5,10,20,50}', sensitive name[] DEFAULT '{}', p integer DEFAULT 1, method text DEFAULT NULL)
 RETURNS TABLE(k integer, p integer, groups bigint, loss double precision, risk double precision, seconds double precision)
 LANGUAGE c
 PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_risk_utility';
COMMENT ON FUNCTION sdc.publish_p_alpha(regclass,text,name[],name,jsonb,integer,integer,double precision,name[],text,jsonb,boolean) IS 'publishes a table of the named columns with keys masked in groups of at least k rows, p sensitivity categories and a weight of alpha, by default with the category in place of the sensitive value; publish: category, value or both; checked and entered in the register';
COMMENT ON FUNCTION sdc.report(bigint) IS 'an HTML page about a release for its steward; sdc.report_release has options';
COMMENT ON FUNCTION sdc.report(regclass,name[],name[],integer,integer,double precision,double precision,double precision,jsonb,name,text,integer[]) IS 'an HTML page about a table: verdict, group sizes, risk, sensitive values, and what each of ks would cost (NULL: left out); audience: steward or public';
COMMENT ON FUNCTION sdc.report_release(bigint,text,integer[]) IS 'an HTML page about a release: its promise checked again, loss and distribution of each key, parameters, checksums; audience: steward or public';
COMMENT ON FUNCTION sdc.risk_utility(anyelement,name[],integer[],name[],integer,text) IS 'what microaggregation would cost (percent of the variance lost) and what risk it would leave (average over rows of 1/|group|) for each k; NULL where k is larger than the number of rows or smaller than p';

-- every function says what NULL means to it
COMMENT ON AGGREGATE sdc.alpha_k(bigint,anyelement) IS 'alpha of (alpha,k)-anonymity: largest share of one sensitive value in any group; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.alpha_k(record,anyelement) IS 'alpha of (alpha,k)-anonymity: largest share of one sensitive value in any group; NULL is a value like any other';
COMMENT ON FUNCTION sdc.assert_anonymity(regclass,name[],name[],integer,integer,double precision,double precision,double precision,jsonb,name) IS 'raises an error that says what fails and by how much unless a table is as anonymous as required; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.average_group_size(integer) IS 'rows per group; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.basic_beta_likeness(bigint,anyelement) IS 'basic beta-likeness: largest relative gain (q-p)/p of any sensitive value in any group; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.basic_beta_likeness(record,anyelement) IS 'basic beta-likeness: largest relative gain (q-p)/p of any sensitive value in any group; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.delta_disclosure(bigint,anyelement) IS 'delta-disclosure privacy: largest |ln(q/p)| of any sensitive value that a group has; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.delta_disclosure(record,anyelement) IS 'delta-disclosure privacy: largest |ln(q/p)| of any sensitive value that a group has; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.discernibility(integer) IS 'sum over groups of the squared size: each row counts the rows it cannot be told from; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.disclosures(bigint,VARIADIC "any") IS '(group, sensitive column) pairs with one single value: attribute disclosures; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.disclosures(record,VARIADIC "any") IS '(group, sensitive column) pairs with one single value: attribute disclosures; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.enhanced_beta_likeness(bigint,anyelement) IS 'enhanced beta-likeness: the same gain, infinite where it exceeds -ln p; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.enhanced_beta_likeness(record,anyelement) IS 'enhanced beta-likeness: the same gain, infinite where it exceeds -ln p; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.entropy_l_diversity(bigint,anyelement) IS 'entropy l-diversity: least exp(entropy) of the sensitive values of any group; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.entropy_l_diversity(record,anyelement) IS 'entropy l-diversity: least exp(entropy) of the sensitive values of any group; NULL is a value like any other';
COMMENT ON FUNCTION sdc.feasibility(regclass,name[],integer) IS 'largest feasible p and the most groups that p allows, before any masking is tried; NULL is a value like any other';
COMMENT ON FUNCTION sdc.histogram(regclass,name[],integer,name) IS 'how many rows are in groups of which size, as bars of text; with entity the size counts persons; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.information_loss(integer,VARIADIC "any") IS '100 * SSE/SST: the share of the variance that lies within groups, lost when they are averaged; NULL in a numeric key is an error, in another one a value like any other';
COMMENT ON AGGREGATE sdc.l_diversity(bigint,anyelement) IS 'frequency l-diversity: least |group| / rows of its most frequent sensitive value; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.l_diversity(record,anyelement) IS 'frequency l-diversity: least |group| / rows of its most frequent sensitive value; NULL is a value like any other';
COMMENT ON FUNCTION sdc.lattice(regclass,jsonb,integer,name[],integer,bigint,double precision,double precision,double precision,jsonb) IS 'every combination of hierarchy levels with its groups, suppressed rows and loss; NULL is a value, which a hierarchy must list';
COMMENT ON FUNCTION sdc.mdav(integer,VARIADIC "any") IS 'groups of at least k similar rows (MDAV microaggregation); OVER (ORDER BY id) is reproducible; NULL in a numeric key is an error, elsewhere a value like any other';
COMMENT ON FUNCTION sdc.microaggregate(anyelement,name[],integer,name[],integer,text,boolean,bigint,boolean,integer) IS 'rows of a table with its key columns replaced by the mean (or most frequent value) of groups of at least k similar rows; NULL in a numeric key is an error, elsewhere a value like any other';
COMMENT ON FUNCTION sdc.minimal_generalizations(regclass,jsonb,integer,name[],integer,bigint,double precision,double precision,double precision,jsonb) IS 'every minimal combination of hierarchy levels that meets the requirements, least loss first; NULL is a value, which a hierarchy must list';
COMMENT ON FUNCTION sdc.mondrian(integer,integer,record,record) IS 'groups of at least k rows with at least p distinct values of every sensitive column, by cutting the table at medians of its widest key (Mondrian, local recoding); NULL in a numeric key is an error, elsewhere a value like any other';
COMMENT ON FUNCTION sdc.mondrian(integer,record) IS 'groups of at least k rows by cutting the table at medians of its widest key (Mondrian, local recoding); NULL in a numeric key is an error, elsewhere a value like any other';
COMMENT ON AGGREGATE sdc.ncp(integer,VARIADIC "any") IS 'normalized certainty penalty, summed over rows and columns: range of the group over range of the column, for categorical columns distinct values over distinct values; NULL in a numeric key is an error, in another one a value like any other';
COMMENT ON FUNCTION sdc.p_alpha_sensitive(integer,integer,double precision,record,integer,integer) IS 'groups of at least k similar rows with at least p distinct sensitivity categories and a total weight of at least alpha; category 1 of categories is the most sensitive, category i weighs (i-1)/(categories-1); NULL in a numeric key or as category is an error';
COMMENT ON AGGREGATE sdc.p_plus(bigint,integer) IS 'p+-sensitivity: fewest distinct sensitivity categories in any group; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.p_plus(record,integer) IS 'p+-sensitivity: fewest distinct sensitivity categories in any group; NULL is a value like any other';
COMMENT ON FUNCTION sdc.p_sensitive(integer,integer,record,record,text) IS 'groups of at least k similar rows with at least p distinct values of every sensitive column; method: k_first, p_first, p_first_lean, random_seeds, random_rows, random_rows_lean, merge, or least_loss, which tries several; NULL in a numeric key is an error, elsewhere a value like any other';
COMMENT ON FUNCTION sdc.permutation(integer,record,anyelement,integer) IS 'groups of at least l rows with similar keys whose sensitive values all differ, for permuting columns within them; a set of rows is tried rounds times before it is left unsplit; NULL in a numeric key is an error, elsewhere a value like any other';
COMMENT ON FUNCTION sdc.publish_microaggregated(regclass,text,name[],integer,name[],integer,name[],text,boolean,bigint,boolean,integer) IS 'publishes a table of the named columns with keys microaggregated into groups of at least k rows; NULL in a numeric key is an error, elsewhere a value; checked and entered in the register';
COMMENT ON AGGREGATE sdc.reconstruction_error(integer,record,anyelement,boolean) IS 'squared distance of the true rows from what a release by anatomy (permuted: by permutation) lets one infer, summed over rows; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.recursive_l_diversity(bigint,anyelement,double precision) IS 'recursive (c,l)-diversity: largest l that holds in every group; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.recursive_l_diversity(record,anyelement,double precision) IS 'recursive (c,l)-diversity: largest l that holds in every group; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.reidentification_risk(VARIADIC "any") IS 'average over rows of 1/|group|: how likely a row is found by its keys; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.sse(integer,VARIADIC "any") IS 'within-group sum of squares of standardised columns; a categorical column counts the rows that differ from the most frequent value; NULL in a numeric key is an error, in another one a value like any other';
COMMENT ON AGGREGATE sdc.t_closeness(bigint,anyelement) IS 't-closeness: largest earth mover''s distance of any group from the table; ordered distance for numbers and dates, equal distance otherwise; NULL is a value like any other, after all others in their order';
COMMENT ON AGGREGATE sdc.t_closeness(record,anyelement) IS 't-closeness: largest earth mover''s distance of any group from the table; ordered distance for numbers and dates, equal distance otherwise; NULL is a value like any other, after all others in their order';
COMMENT ON FUNCTION sdc.violations(regclass,name[],name[],integer,integer,double precision,double precision,double precision,jsonb,name) IS 'the groups that miss a requirement, with their key values, worst first; NULL is a value like any other';
