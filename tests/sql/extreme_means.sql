-- Means at the ends of their types' ranges: right, or refused; never stored beyond them.
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
DROP SCHEMA extreme_means CASCADE;
