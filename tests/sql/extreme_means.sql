-- Means and other changed values at the ends of their types' ranges: right, or refused; never stored beyond them.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
CREATE SCHEMA extreme_means;
SET search_path = extreme_means;
-- days alone reach 5.9 million years, months 178 million
CREATE TABLE spans AS SELECT i AS id, v::interval AS span FROM unnest('{170000000 years,170000000 years,-170000000 years,-170000000 years,6000000 years,6000002 years,1 day,3 days}'::text[]) WITH ORDINALITY AS t (v, i);
SELECT id, extract(epoch FROM masked.span) / 86400 / 360 AS years_of_360_days, masked.span - spans.span BETWEEN '-1 year' AND '1 year' AS near
FROM   sdc.microaggregate(NULL::spans, '{span}', 2) AS masked JOIN spans USING (id) ORDER BY id;
-- the last timestamps: a double has too few digits for them
CREATE TABLE ends AS SELECT v::timestamp AS at FROM unnest('{294276-12-31 23:59:59.999999,294276-12-31 23:59:59.999999,2000-01-01,2000-01-03}'::text[]) AS v;
SELECT * FROM sdc.microaggregate(NULL::ends, '{at}', 2);
SELECT sdc.publish_microaggregated('ends', 'released', '{at}', 2);
SELECT to_regclass('released');
SET timezone = 'UTC';
CREATE TABLE starts AS SELECT v::timestamptz AS at FROM unnest('{4713-01-01 00:00:00.000001+00 BC,4713-01-01 00:00:00.000001+00 BC,294270-01-01 00:00+00,294270-01-01 00:00+00}'::text[]) AS v;
SELECT count(*) FROM sdc.microaggregate(NULL::starts, '{at}', 2) AS t WHERE t.at::text::timestamptz = t.at;
CREATE TABLE whole AS SELECT v AS n FROM unnest('{9223372036854775807,9223372036854775807,-9223372036854775808,-9223372036854775808}'::int8[]) AS v;
SELECT * FROM sdc.microaggregate(NULL::whole, '{n}', 2);
RESET timezone;
SET client_min_messages = error;
-- coding, rounding and noise beyond the range of each type are errors, and the message has no value
CREATE TABLE numbers AS SELECT i::int2 AS small, i AS whole, i::int8 AS big, i::float4 AS short, i::float8 AS double, i::numeric(5,1) AS exact, '2020-01-01'::date + i AS day,
    '2020-01-01'::timestamp + i * '1 day'::interval AS at, '2020-01-01'::timestamptz + i * '1 day'::interval AS zoned, i * '1 day'::interval AS span FROM generate_series(1, 20) AS i;
CREATE FUNCTION coded(name text, bound text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; hint text;
BEGIN
    DROP TABLE IF EXISTS coded;
    EXECUTE format('SELECT sdc.publish_perturbed(''numbers'', ''coded'', ''{"%s": {"method": "bottom_code", "bound": %s}}'')', name, bound);
    RETURN (SELECT min(value) FROM coded, jsonb_each_text(to_jsonb(coded)));
EXCEPTION WHEN numeric_value_out_of_range THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' ', SQLERRM, detail, hint);
END $$;
SELECT bound, coded('small', bound) FROM unnest('{32767,32768}'::text[]) AS bound;
SELECT name, coded(name, bound) FROM (VALUES ('whole', '2147483648'), ('big', '1e19'), ('short', '1e39'), ('exact', '10000'), ('day', '1e10'), ('at', '1e19'), ('zoned', '1e19'), ('span', '1e30')) AS t (name, bound);
SELECT coded('day', '2145031948');
SELECT isfinite(day) FROM coded LIMIT 1;
DROP TABLE coded;
UPDATE numbers SET small = 32700;
SELECT sdc.publish_perturbed('numbers', 'coded', '{"small": {"method": "round", "unit": 1000}}');
SELECT sdc.publish_perturbed('numbers', 'coded', '{"day": {"method": "top_code", "bound": -1e10}}');
SELECT sdc.publish_perturbed('numbers', 'coded', '{"at": {"method": "top_code", "bound": -1e19}}');
SELECT sdc.noise(v, 100) OVER () FROM generate_series(1, 100), unnest('{-32768,32767}'::int2[]) AS v;
CREATE TABLE doubles AS SELECT 1.7e308::float8 AS v FROM generate_series(1, 3);
SELECT sdc.publish_perturbed('doubles', 'coded', '{"v": {"method": "round", "unit": 1.1e308}}') IS NOT NULL AS published;
RESET client_min_messages;
DELETE FROM sdc.release;
DROP SCHEMA extreme_means CASCADE;
