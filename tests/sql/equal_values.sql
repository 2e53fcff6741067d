-- Values that are equal but do not look alike: 1.0 and 1.00, 0.0 and -0.0, '1 month' and '30 days', letters
-- under a collation that does not tell them apart. A reader tells them apart all the same, so that rows of
-- one group must show one of them.
SET client_min_messages = error;
CREATE SCHEMA equal_values;
SET search_path = equal_values, public;

CREATE TABLE visit AS
SELECT i AS id, i % 3 AS ward, CASE i WHEN 7 THEN 1.000 ELSE 1.0 END AS dose, CASE i WHEN 8 THEN -0.0 ELSE 0.0 END::float8 AS gain,
       CASE i WHEN 9 THEN interval '1 month' ELSE interval '30 days' END AS stay, CASE i WHEN 10 THEN ARRAY[2.0] ELSE ARRAY[2.00] END AS doses,
       CASE i WHEN 11 THEN 'a  '::bpchar ELSE 'a'::bpchar END AS code, 'illness ' || i % 5 AS illness
FROM generate_series(1, 120) AS i;
-- twenty rows that can only be blanked
UPDATE visit SET dose = id WHERE id > 100;

CREATE FUNCTION smallest(release text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE least bigint;
BEGIN
    EXECUTE format('SELECT min(rows) FROM (SELECT count(*) AS rows FROM %s GROUP BY (to_jsonb(r) - ''illness'' - ''illness_category'')::text || r.gain::text) AS g', release || ' r') INTO least;
    RETURN least;
END $$;

-- k as the register has it and as a reader counts it, by texts
SELECT achieved->>'k' AS k FROM sdc.publish_suppressed('visit', 'suppressed', '{dose,gain,stay,doses,code}', 5);
SELECT smallest('suppressed');
SELECT achieved->>'k' AS k FROM sdc.publish_suppressed('visit', 'suppressed_in_strata', '{ward}', 5, strata => '{gain,stay,doses,code}');
SELECT smallest('suppressed_in_strata');
SELECT achieved->>'k' AS k FROM sdc.publish_microaggregated('visit', 'averaged', '{ward,dose}', 5, '{illness}', strata => '{gain,stay,doses,code}');
SELECT smallest('averaged');
SELECT achieved->>'k' AS k FROM sdc.publish_mondrian('visit', 'cut', '{ward,dose}', 5, '{illness}', strata => '{gain,stay,doses,code}');
SELECT smallest('cut');
SELECT achieved->>'k' AS k FROM sdc.publish_generalized('visit', 'generalized', '{"ward": null}', 5, '{illness}', strata => '{gain,stay,doses,code}');
SELECT smallest('generalized');
SELECT achieved->>'k' AS k FROM sdc.publish_generalized('visit', 'kept', '{"ward": null, "gain": null, "stay": null, "doses": null, "code": null}', 5, '{illness}');
SELECT smallest('kept');
SELECT achieved->>'k' AS k FROM sdc.publish_p_alpha('visit', 'p_alpha', '{ward,dose}', 'illness', '[["illness 0", "illness 1"], ["illness 2", "illness 3", "illness 4"]]', 5, 2, 0.5, strata => '{gain,stay,doses,code}');
SELECT smallest('p_alpha');

-- with persons, and in a sequence
SELECT achieved->>'k' AS k FROM sdc.publish_microaggregated('visit', 'sequence', '{ward,dose}', 5, '{illness}', strata => '{gain,stay,doses,code}', entity => 'id', continues => 0);
SELECT smallest('sequence');

DO $$ BEGIN PERFORM sdc.drop_release(id) FROM sdc.releases WHERE target LIKE 'equal\_values.%'; END $$;
DROP SCHEMA equal_values CASCADE;
