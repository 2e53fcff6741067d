-- pg_sdc 0.1.0 to 0.2.0: (p+,alpha) releases, reports, and the fixes that declarations need.

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
AS 'MODULE_PATHNAME', 'histogram_wrapper';
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
AS 'MODULE_PATHNAME', 'publish_p_alpha_wrapper';
CREATE FUNCTION sdc.random_order()
 RETURNS bigint
 LANGUAGE c
 PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_random_order';
CREATE FUNCTION sdc.report(release bigint)
 RETURNS text
 LANGUAGE c
 PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'report_short_wrapper';
CREATE FUNCTION sdc.report(source regclass, keys name[], sensitive name[] DEFAULT '{}', k integer DEFAULT NULL, p integer DEFAULT NULL, l double precision DEFAULT NULL, t double precision DEFAULT NULL, alpha double precision DEFAULT NULL, categories jsonb DEFAULT NULL, entity name DEFAULT NULL, audience text DEFAULT 'steward', ks integer[] DEFAULT '{2,3,5,10,20,50}')
 RETURNS text
 LANGUAGE c
 PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'report_wrapper';
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
COMMENT ON FUNCTION sdc.histogram(regclass,name[],integer,name) IS 'how many rows are in groups of which size, as bars of text; with entity the size counts persons';
COMMENT ON FUNCTION sdc.p_alpha_sensitive(integer,integer,double precision,record,integer,integer) IS 'groups of at least k similar rows with at least p distinct sensitivity categories and a total weight of at least alpha; category 1 of categories is the most sensitive, category i weighs (i-1)/(categories-1)';
COMMENT ON FUNCTION sdc.p_sensitive(integer,integer,record,record,text) IS 'groups of at least k similar rows with at least p distinct values of every sensitive column; method: k_first, p_first, p_first_lean, random_seeds, random_rows, random_rows_lean, merge, or least_loss, which tries several';
COMMENT ON FUNCTION sdc.publish_p_alpha(regclass,text,name[],name,jsonb,integer,integer,double precision,name[],text,jsonb,boolean) IS 'publishes a table of the named columns with keys masked in groups of at least k rows, p sensitivity categories and a weight of alpha, by default with the category in place of the sensitive value; publish: category, value or both; checked and entered in the register';
COMMENT ON FUNCTION sdc.random_order() IS 'internal: unpredictable numbers by which the rows of a release are sorted';
COMMENT ON FUNCTION sdc.report(bigint) IS 'an HTML page about a release for its steward; sdc.report_release has options';
COMMENT ON FUNCTION sdc.report(regclass,name[],name[],integer,integer,double precision,double precision,double precision,jsonb,name,text,integer[]) IS 'an HTML page about a table: verdict, group sizes, risk, sensitive values, and what each of ks would cost (NULL: left out); audience: steward or public';
COMMENT ON FUNCTION sdc.report_release(bigint,text,integer[]) IS 'an HTML page about a release: its promise checked again, loss and distribution of each key, parameters, checksums; audience: steward or public';
COMMENT ON FUNCTION sdc.risk_utility(anyelement,name[],integer[],name[],integer,text) IS 'what microaggregation would cost (percent of the variance lost) and what risk it would leave (average over rows of 1/|group|) for each k; NULL where k is larger than the number of rows or smaller than p';
