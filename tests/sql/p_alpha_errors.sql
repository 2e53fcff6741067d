-- (p+,alpha)-sensitivity: SQLSTATE, message, detail and hint of every refusal, and never a value out of the data.
CREATE SCHEMA p_alpha_errors_test;
SET search_path = p_alpha_errors_test;
CREATE FUNCTION refusal(query text, OUT code text, OUT message text, OUT detail text, OUT hint text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    message := 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
END $$;

CREATE TABLE patient (id int, age int, country text, condition text);
INSERT INTO patient VALUES
    (1, 27, 'USA', 'HIV'), (2, 28, 'Canada', 'HIV'), (3, 26, 'USA', 'Cancer'), (4, 25, 'Canada', 'Flu'),
    (5, 41, 'China', 'Asthma'), (6, 48, 'Japan', 'Flu'), (7, 45, 'India', 'Asthma');
CREATE VIEW nobody AS SELECT * FROM patient WHERE false;
CREATE VIEW categorised AS SELECT *, CASE condition WHEN 'HIV' THEN 1 WHEN 'Cancer' THEN 2 WHEN 'Asthma' THEN 3 ELSE 4 END AS category FROM patient;

\pset format unaligned
\pset tuples_only on
\x on

-- what not even one single group meets is refused, with what would be possible
SELECT * FROM refusal($$SELECT sdc.p_alpha_sensitive(3, 2, 12.5, ROW(age), category, 4) OVER () FROM categorised$$);
SELECT * FROM refusal($$SELECT sdc.p_alpha_sensitive(3, 2, 'infinity', ROW(age), category, 4) OVER () FROM categorised$$);
SELECT * FROM refusal($$SELECT sdc.p_alpha_sensitive(5, 5, 1, ROW(age), category, 5) OVER () FROM categorised$$);
SELECT * FROM refusal($$SELECT sdc.p_alpha_sensitive(8, 2, 1, ROW(age), category, 4) OVER () FROM categorised$$);
SELECT * FROM refusal($$SELECT sdc.p_alpha_sensitive(2, 3, 1, ROW(age), category, 4) OVER () FROM categorised$$);

-- parameters that make no sense
SELECT * FROM refusal($$SELECT sdc.p_alpha_sensitive(0, 1, 1, ROW(age), category, 4) OVER () FROM categorised$$);
SELECT * FROM refusal($$SELECT sdc.p_alpha_sensitive(3, 0, 1, ROW(age), category, 4) OVER () FROM categorised$$);
SELECT * FROM refusal($$SELECT sdc.p_alpha_sensitive(3, 2, -1, ROW(age), category, 4) OVER () FROM categorised$$);
SELECT * FROM refusal($$SELECT sdc.p_alpha_sensitive(3, 2, 'NaN', ROW(age), category, 4) OVER () FROM categorised$$);
SELECT * FROM refusal($$SELECT sdc.p_alpha_sensitive(3, 1, 0, ROW(age), 1, 1) OVER () FROM categorised$$);
SELECT * FROM refusal($$SELECT sdc.p_alpha_sensitive(3, 1, NULL, ROW(age), category, 4) OVER () FROM categorised$$);

-- categories outside their range, and none at all
SELECT * FROM refusal($$SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW(age), category, 3) OVER () FROM categorised$$);
SELECT * FROM refusal($$SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW(age), category - 1, 4) OVER () FROM categorised$$);
SELECT * FROM refusal($$SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW(age), nullif(category, 3), 4) OVER () FROM categorised$$);

-- no rows to publish
SELECT * FROM refusal($$SELECT sdc.publish_p_alpha('nobody', 'released', '{age}', 'condition', '[["HIV"],["Cancer"],["Asthma"],["Flu"]]', 3, 2, 1)$$);

-- NULL in a numeric key is a place of its own, infinity an error; in a categorical one NULL is a value
SELECT * FROM refusal($$SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW(nullif(age, 41)), category, 4) OVER () FROM categorised$$);
SELECT * FROM refusal($$SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW('NaN'::float8 * age), category, 4) OVER () FROM categorised$$);
SELECT count(sdc) FROM (SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW(nullif(country, 'USA')), category, 4) OVER () AS sdc FROM categorised) s;
-- without OVER
SELECT * FROM refusal($$SELECT sdc.p_alpha_sensitive(3, 2, 1, ROW(age), category, 4) FROM categorised$$);

-- releases: what they refuse
SELECT * FROM refusal($$SELECT sdc.publish_p_alpha('patient', 'released', '{age}', 'condition', '[["HIV"],["Cancer"],["Asthma"],["Flu"]]', 3, 2, 1, publish => 'values')$$);
SELECT * FROM refusal($$SELECT sdc.publish_p_alpha('patient', 'released', '{age}', 'condition', '[["HIV"],["Cancer","Asthma"]]', 3, 2, 1)$$);
SELECT * FROM refusal($$SELECT sdc.publish_p_alpha('patient', 'released', '{age}', 'condition', '[["HIV","Cancer","Asthma","Flu"]]', 3, 1, 0)$$);
SELECT * FROM refusal($$SELECT sdc.publish_p_alpha('patient', 'released', '{age}', 'condition', '{"HIV": 1}', 3, 2, 1)$$);
SELECT * FROM refusal($$SELECT sdc.publish_p_alpha('patient', 'released', '{age}', 'condition', '[["HIV"],["Cancer"],["Asthma"],["Flu"]]', 5, 5, 1)$$);
SELECT * FROM refusal($$SELECT sdc.publish_p_alpha('patient', 'released', '{age}', 'condition', '[["HIV"],["Cancer"],["Asthma"],["Flu"]]', 3, 2, 9)$$);
SELECT * FROM refusal($$SELECT sdc.publish_p_alpha('patient', 'released', '{}', 'condition', '[["HIV"],["Cancer"],["Asthma"],["Flu"]]', 3, 2, 1)$$);
SELECT * FROM refusal($$SELECT sdc.publish_p_alpha('patient', 'released', '{age,condition}', 'condition', '[["HIV"],["Cancer"],["Asthma"],["Flu"]]', 3, 2, 1)$$);
SELECT * FROM refusal($$SELECT sdc.publish_p_alpha('patient', 'released', '{age}', 'condition', '[["HIV"],["Cancer"],["Asthma"],["Flu"]]', 3, 2, 1, keep => '{age}')$$);
SELECT * FROM refusal($$SELECT sdc.publish_p_alpha('patient', 'released', '{age}', 'illness', '[["HIV"],["Cancer"],["Asthma"],["Flu"]]', 3, 2, 1)$$);
SELECT * FROM refusal($$SELECT sdc.publish_p_alpha('patient', 'patient', '{age}', 'condition', '[["HIV"],["Cancer"],["Asthma"],["Flu"]]', 3, 2, 1)$$);
-- the name of the column of categories may be taken
CREATE VIEW taken AS SELECT *, 1 AS condition_category FROM patient;
SELECT * FROM refusal($$SELECT sdc.publish_p_alpha('taken', 'released', '{age}', 'condition', '[["HIV"],["Cancer"],["Asthma"],["Flu"]]', 3, 2, 1, keep => '{condition_category}')$$);
SELECT rows FROM sdc.publish_p_alpha('taken', 'not_taken', '{age}', 'condition', '[["HIV"],["Cancer"],["Asthma"],["Flu"]]', 3, 2, 1, keep => '{condition_category}', publish => 'value');
SELECT sdc.drop_release(id) FROM sdc.releases WHERE target = 'p_alpha_errors_test.not_taken';
-- a sensitive value that is NULL has no category
CREATE TABLE with_null AS SELECT id, age, nullif(condition, 'Flu') AS condition FROM patient;
SELECT * FROM refusal($$SELECT sdc.publish_p_alpha('with_null', 'released', '{age}', 'condition', '[["HIV"],["Cancer"],["Asthma"],["Flu"]]', 3, 2, 1)$$);
-- hierarchies must be of keys, cover their values, and have something common
CREATE TABLE country_hierarchy (value text, region text);
INSERT INTO country_hierarchy VALUES ('USA', 'America'), ('Canada', 'America'), ('China', 'Asia'), ('Japan', 'Asia');
SELECT * FROM refusal($$SELECT sdc.publish_p_alpha('patient', 'released', '{age}', 'condition', '[["HIV"],["Cancer"],["Asthma"],["Flu"]]', 3, 2, 1, hierarchies => '{"country": "country_hierarchy"}')$$);
SELECT * FROM refusal($$SELECT sdc.publish_p_alpha('patient', 'released', '{country}', 'condition', '[["HIV"],["Cancer"],["Asthma"],["Flu"]]', 3, 2, 1, hierarchies => '{"country": "country_hierarchy"}')$$);
INSERT INTO country_hierarchy VALUES ('India', 'Asia');
SELECT * FROM refusal($$SELECT sdc.publish_p_alpha('patient', 'released', '{country}', 'condition', '[["HIV"],["Cancer"],["Asthma"],["Flu"]]', 7, 2, 1, hierarchies => '{"country": "country_hierarchy"}')$$);
-- nothing of all that was left behind
SELECT to_regclass('released'), count(*) FROM sdc.releases WHERE target LIKE 'p\_alpha\_errors\_test.%';

DROP SCHEMA p_alpha_errors_test CASCADE;
