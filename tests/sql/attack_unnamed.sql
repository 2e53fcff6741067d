-- Attacks through what the caller has not named: hierarchies in the register, relations behind a view, parts of
-- a type, a role that gets an old name. Eve owns the schema, so she can put anything under any name in it.
CREATE EXTENSION IF NOT EXISTS pg_sdc;
SET client_min_messages = error;
DELETE FROM sdc.release;
SELECT setval('sdc.release_id_seq', 800) \gset
CREATE ROLE sdc_anna;
CREATE ROLE sdc_eve;
CREATE ROLE sdc_short;
CREATE SCHEMA unnamed AUTHORIZATION sdc_eve;
GRANT ALL ON SCHEMA unnamed TO sdc_anna, sdc_short;
SET search_path = unnamed;
CREATE FUNCTION failure(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN 'none';
EXCEPTION WHEN OTHERS THEN
    RETURN format('%s: %s', SQLSTATE, SQLERRM);
END $$;
SET ROLE sdc_eve;
CREATE FUNCTION trap() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF current_user <> 'sdc_eve' THEN RAISE EXCEPTION 'this ran as %', current_user; END IF;
    RETURN 1;
END $$;

-- hierarchies become views with code: attacks do not run it, nor does publishing, which compares releases
SET ROLE sdc_anna;
CREATE TABLE visit AS SELECT i AS id, 20 + i * 7 % 40 AS age, 'ward ' || i % 4 AS ward, 'illness ' || i % 7 AS illness FROM generate_series(1, 200) AS i;
CREATE TABLE ages AS SELECT DISTINCT age, '*' AS level1 FROM visit;
CREATE TABLE wards AS SELECT DISTINCT ward, '*' AS level1 FROM visit;
SELECT id AS generalized FROM sdc.publish_generalized('visit', 'generalized', '{"age": "ages"}', 3, '{illness}', 2) \gset
SELECT id AS mondrian FROM sdc.publish_mondrian('visit', 'mondrian', '{age,ward}', 3, '{illness}', 2, hierarchies => '{"ward": "wards"}') \gset
SELECT failure(format('SELECT count(*) FROM sdc.attack_%s(%s)', attack, release)) AS before
FROM (VALUES ('minimality', :generalized), ('inference', :generalized), ('inference', :mondrian), ('linkage', :mondrian)) AS a (attack, release);
SET ROLE sdc_eve;
DROP TABLE ages, wards;
CREATE VIEW ages AS SELECT age::text, '*' AS level1 FROM generate_series(0, 99) AS age WHERE trap() = 1;
CREATE VIEW wards AS SELECT 'ward ' || ward AS ward, '*' AS level1 FROM generate_series(0, 9) AS ward WHERE trap() = 1;
GRANT SELECT ON ages, wards TO sdc_anna;
SET ROLE sdc_anna;
SELECT attack, failure(format('SELECT count(*) FROM sdc.attack_%s(%s)', attack, release))
FROM (VALUES ('minimality', :generalized), ('inference', :generalized), ('inference', :mondrian), ('linkage', :mondrian)) AS a (attack, release);
SELECT failure(format('SELECT sdc.attack_intersection(ARRAY[%s, %s])', :generalized, :mondrian));
SELECT rows FROM sdc.publish_microaggregated('visit', 'another', '{age}', 3, '{illness}');
SELECT failure($$SELECT sdc.publish_microaggregated('visit', 'attacked', '{age}', 3, '{illness}', attack => true)$$);
-- who names such a view runs its code
SELECT failure($$SELECT sdc.publish_generalized('visit', 'named', '{"age": "ages"}', 3)$$);
SELECT sdc.drop_release(id) FROM sdc.releases ORDER BY id;

-- Anna's view reads Eve's table, whose index holds code
SET ROLE sdc_eve;
CREATE TABLE eves AS SELECT i % 10 AS age, 'illness ' || i % 7 AS illness FROM generate_series(1, 200) AS i;
GRANT SELECT ON eves TO sdc_anna;
SET ROLE sdc_anna;
CREATE VIEW seen AS SELECT * FROM eves;
CREATE VIEW seen_twice AS SELECT s.* FROM seen AS s;
SELECT id AS viewed FROM sdc.publish_microaggregated('seen_twice', 'viewed', '{age}', 3, '{illness}') \gset
SELECT id AS own FROM sdc.publish_microaggregated('visit', 'own', '{age}', 3, '{illness}') \gset
SET ROLE sdc_eve;
CREATE INDEX ON eves (age) WHERE trap() = 1;
SET ROLE sdc_anna;
SELECT failure('SELECT count(*) FROM seen_twice');
SELECT failure(format('SELECT sdc.report(%s)', id)) AS report, failure(format('SELECT sdc.attack(%s)', id)) AS attack
FROM unnest(ARRAY[:viewed, :own]) AS id ORDER BY id;
SELECT sdc.drop_release(id) FROM sdc.releases ORDER BY id;

-- Eve's domain within Anna's types
SET ROLE sdc_eve;
CREATE DOMAIN part AS int;
SET ROLE sdc_anna;
CREATE TYPE pair AS (a int, b part);
CREATE TYPE span AS RANGE (subtype = part);
CREATE TYPE nested AS (c pair[]);
CREATE TABLE typed AS SELECT i % 10 AS age, NULL::pair AS pair, NULL::span AS span, NULL::nested AS nested, NULL::span_multirange AS spans, i % 7 AS other FROM generate_series(1, 100) AS i;
SELECT c AS keeps, failure(format('SELECT sdc.report(%s)', id))
FROM unnest('{other,pair,span,nested,spans}'::name[]) AS c, sdc.publish_microaggregated('typed', 'typed_' || c, '{age}', 3, keep => ARRAY[c]);
SELECT sdc.drop_release(id) FROM sdc.releases ORDER BY id;

-- a materialized view holds rows, and reading it runs nothing of Eve's
CREATE MATERIALIZED VIEW stored AS SELECT i % 10 AS age, i % 7 AS illness FROM generate_series(1, 100) AS i, (SELECT count(*) FROM pg_class) AS c;
SELECT id AS stored FROM sdc.publish_microaggregated('stored', 'of_stored', '{age}', 3, '{illness}') \gset
SELECT failure(format('SELECT sdc.attack(%s)', :stored));
SELECT sdc.drop_release(:stored);

-- who was granted TRIGGER writes code into a condition, by a domain or by a function of PostgreSQL's
SELECT rows FROM sdc.publish_microaggregated('visit', 'nightly', '{age}', 3, '{illness}');
GRANT TRIGGER ON nightly TO sdc_eve;
CREATE FUNCTION own() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER own BEFORE INSERT ON nightly FOR EACH ROW EXECUTE FUNCTION own();
SET ROLE sdc_eve;
CREATE FUNCTION caught(int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RETURN unnamed.trap() = 1; END $$;
CREATE DOMAIN trapped AS int CHECK (caught(VALUE));
CREATE TRIGGER typed BEFORE INSERT ON nightly FOR EACH ROW WHEN (NEW.age::trapped IS NULL) EXECUTE FUNCTION suppress_redundant_updates_trigger();
SET ROLE sdc_anna;
SELECT failure($$INSERT INTO nightly VALUES (1, 'flu')$$);
SELECT rows FROM sdc.publish_microaggregated('visit', 'nightly', '{age}', 3, '{illness}', replace => true);
DROP TRIGGER typed ON nightly;
SET ROLE sdc_eve;
CREATE TRIGGER written BEFORE INSERT ON nightly FOR EACH ROW WHEN (query_to_xml('SELECT unnamed.trap()', true, false, '') IS NULL)
    EXECUTE FUNCTION suppress_redundant_updates_trigger();
SET ROLE sdc_anna;
SELECT failure($$INSERT INTO nightly VALUES (1, 'flu')$$);
SELECT rows FROM sdc.publish_microaggregated('visit', 'nightly', '{age}', 3, '{illness}', replace => true);
DROP TRIGGER written ON nightly;
SELECT rows FROM sdc.publish_microaggregated('visit', 'nightly', '{age}', 3, '{illness}', replace => true);

-- ... or into the arguments of a function of Anna's own
CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN EXECUTE format('INSERT INTO %s VALUES (1)', TG_ARGV[0]); RETURN NEW; END $$;
SET ROLE sdc_eve;
CREATE TABLE trapdoor (n int);
CREATE FUNCTION springs() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM unnamed.trap(); RETURN NEW; END';
CREATE TRIGGER springs BEFORE INSERT ON trapdoor FOR EACH ROW EXECUTE FUNCTION springs();
GRANT INSERT ON trapdoor TO sdc_anna;
CREATE TRIGGER handed BEFORE INSERT ON nightly FOR EACH ROW EXECUTE FUNCTION audit('unnamed.trapdoor');
SET ROLE sdc_anna;
SELECT failure($$INSERT INTO nightly VALUES (1, 'flu')$$);
SELECT rows FROM sdc.publish_microaggregated('visit', 'nightly', '{age}', 3, '{illness}', replace => true);
DROP TRIGGER handed ON nightly;

-- ... or takes a function of Anna's own that was written for another table
SET ROLE sdc_eve;
CREATE TRIGGER moved BEFORE INSERT ON nightly FOR EACH ROW EXECUTE FUNCTION own();
SET ROLE sdc_anna;
SELECT rows FROM sdc.publish_microaggregated('visit', 'nightly', '{age}', 3, '{illness}', replace => true);
DROP TRIGGER moved ON nightly;
REVOKE TRIGGER ON nightly FROM sdc_eve;
SELECT rows FROM sdc.publish_microaggregated('visit', 'nightly', '{age}', 3, '{illness}', replace => true);

-- who was granted REFERENCES has triggers run when rows of the release go, or keeps them there
SELECT rows FROM sdc.publish_anatomy('visit', 'parted', '{age}', 'illness', 3);
CREATE UNIQUE INDEX ON parted_st (grp, illness);
GRANT REFERENCES, SELECT ON parted_st TO sdc_eve;
SET ROLE sdc_eve;
CREATE TABLE referring (grp int, illness text, FOREIGN KEY (grp, illness) REFERENCES parted_st (grp, illness) ON DELETE CASCADE);
INSERT INTO referring SELECT grp, illness FROM parted_st LIMIT 1;
CREATE TRIGGER springs BEFORE DELETE ON referring FOR EACH ROW EXECUTE FUNCTION springs();
SET ROLE sdc_anna;
SELECT rows FROM sdc.publish_anatomy('visit', 'parted', '{age}', 'illness', 3, replace => true);
SET ROLE sdc_eve;
DROP TABLE referring;
CREATE TABLE referring (grp int, illness text, FOREIGN KEY (grp, illness) REFERENCES parted_st (grp, illness));
INSERT INTO referring SELECT grp, illness FROM parted_st LIMIT 1;
SET ROLE sdc_anna;
SELECT rows FROM sdc.publish_anatomy('visit', 'parted', '{age}', 'illness', 3, replace => true);
SET ROLE sdc_eve;
DROP TABLE referring;
SET ROLE sdc_anna;
-- one of her own that writes nothing stands in the way of rows that it refers to, and of nothing else
CREATE TABLE referring (grp int, illness text, FOREIGN KEY (grp, illness) REFERENCES parted_st (grp, illness));
SELECT rows FROM sdc.publish_anatomy('visit', 'parted', '{age}', 'illness', 3, replace => true);
DROP TABLE referring;
-- but not if an index of hers calls a function of somebody else, who can change it, in whichever direction the key goes
SET ROLE sdc_eve;
CREATE FUNCTION same(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1';
SET ROLE sdc_anna;
CREATE TABLE referring (grp int, illness text, FOREIGN KEY (grp, illness) REFERENCES parted_st (grp, illness));
CREATE INDEX ON referring (grp) WHERE unnamed.same(1) = 1;
SELECT rows FROM sdc.publish_anatomy('visit', 'parted', '{age}', 'illness', 3, replace => true);
DROP TABLE referring;
CREATE TABLE illnesses AS SELECT DISTINCT illness FROM visit;
CREATE UNIQUE INDEX ON illnesses (illness);
CREATE INDEX ON illnesses (illness) WHERE unnamed.same(1) = 1;
ALTER TABLE parted_st ADD FOREIGN KEY (illness) REFERENCES illnesses (illness);
SELECT rows FROM sdc.publish_anatomy('visit', 'parted', '{age}', 'illness', 3, replace => true);
ALTER TABLE parted_st DROP CONSTRAINT parted_st_illness_fkey;
SELECT rows FROM sdc.publish_anatomy('visit', 'parted', '{age}', 'illness', 3, replace => true);
-- nor is a release that became a partition held against a key that calls such a function
SELECT rows FROM sdc.publish_microaggregated('visit', 'of_2026', '{age}', 3, '{illness}');
CREATE TABLE all_years (age int, illness text) PARTITION BY RANGE (unnamed.same(age));
ALTER TABLE all_years ATTACH PARTITION of_2026 FOR VALUES FROM (0) TO (1000);
SELECT rows FROM sdc.publish_microaggregated('visit', 'of_2026', '{age}', 3, '{illness}', replace => true);
ALTER TABLE all_years DETACH PARTITION of_2026;
SELECT rows FROM sdc.publish_microaggregated('visit', 'of_2026', '{age}', 3, '{illness}', replace => true);
DROP TABLE all_years, illnesses;
SELECT sdc.drop_release(id) FROM sdc.releases ORDER BY id;

-- Anna's view and index call functions and operators of Eve's, which change
SET ROLE sdc_eve;
CREATE FUNCTION harmless(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE FUNCTION plus(int, int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 OPERATOR(pg_catalog.+) $2';
CREATE OPERATOR unnamed.|+| (LEFTARG = int, RIGHTARG = int, FUNCTION = plus);
SET ROLE sdc_anna;
CREATE VIEW by_function AS SELECT harmless(age) AS age, illness FROM visit;
CREATE VIEW by_operator AS SELECT age OPERATOR(unnamed.|+|) 0 AS age, illness FROM visit;
CREATE TABLE by_index AS SELECT age, illness FROM visit;
CREATE INDEX ON by_index (harmless(age));
CREATE TABLE by_policy AS SELECT age, illness FROM visit;
CREATE POLICY sees ON by_policy USING (harmless(age) = age);
CREATE TABLE by_nothing AS SELECT age, illness FROM visit;
SELECT source, failure(format('SELECT sdc.attack(%s)', id)) AS attack
FROM unnest('{by_function,by_operator,by_index,by_policy,by_nothing}'::text[]) AS name, sdc.publish_microaggregated(name::regclass, 'of_' || name, '{age}', 3, '{illness}');
SELECT sdc.drop_release(id) FROM sdc.releases ORDER BY id;

-- what such objects of Anna's call in turn is Eve's: a policy's table, a cast, an aggregate, a function
SET ROLE sdc_eve;
CREATE TABLE allowed (age int);
GRANT SELECT ON allowed TO sdc_anna;
CREATE FUNCTION last(int, int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $2';
SET ROLE sdc_anna;
CREATE TYPE ward_type AS (ward int);
GRANT USAGE ON TYPE ward_type TO sdc_eve;
SET ROLE sdc_eve;
CREATE FUNCTION ward_text(ward_type) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT ''ward''';
SET ROLE sdc_anna;
CREATE CAST (ward_type AS text) WITH FUNCTION ward_text(ward_type);
CREATE AGGREGATE last_of(int) (SFUNC = last, STYPE = int);
CREATE FUNCTION wrapped(int) RETURNS int LANGUAGE sql IMMUTABLE BEGIN ATOMIC SELECT harmless($1); END;
CREATE TABLE by_allowed AS SELECT age, illness FROM visit;
CREATE POLICY sees ON by_allowed USING (NOT EXISTS (SELECT FROM allowed AS a WHERE a.age = by_allowed.age));
CREATE TABLE by_cast AS SELECT age, illness, ROW(age % 3)::ward_type AS ward FROM visit;
CREATE VIEW by_aggregate AS SELECT last_of(age) AS age, illness FROM visit GROUP BY id, illness;
CREATE VIEW by_wrapper AS SELECT wrapped(age) AS age, illness FROM visit;
SELECT source, failure(format('SELECT sdc.attack(%s)', id)) AS attack
FROM unnest('{by_allowed,by_cast,by_aggregate,by_wrapper}'::text[]) AS name, sdc.publish_microaggregated(name::regclass, 'of_' || name, '{age}', 3, '{illness}');
SELECT sdc.drop_release(id) FROM sdc.releases ORDER BY id;
-- functions of a range type of Anna's, which an index calls, are Eve's
SET ROLE sdc_eve;
CREATE FUNCTION apart(int, int) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN unnamed.trap(); END $$;
SET ROLE sdc_anna;
CREATE TYPE stay AS RANGE (subtype = int, subtype_diff = apart);
CREATE TABLE stays AS SELECT age, stay(id, id + 3) AS stay FROM visit;
SELECT rows FROM sdc.publish_microaggregated('stays', 'of_stays', '{age}', 3, keep => '{stay}', allow_identifiers => true);
CREATE INDEX ON of_stays USING gist (stay);
SELECT rows FROM sdc.publish_microaggregated('stays', 'of_stays', '{age}', 3, keep => '{stay}', allow_identifiers => true, replace => true);
SELECT sdc.drop_release(id) FROM sdc.releases ORDER BY id;
-- ... or a rule, where rows are exchanged
SELECT rows FROM sdc.publish_microaggregated('visit', 'ruled', '{age}', 3, '{illness}');
CREATE RULE springs AS ON INSERT TO ruled DO ALSO SELECT harmless(1);
SELECT rows FROM sdc.publish_microaggregated('visit', 'ruled', '{age}', 3, '{illness}', replace => true);
SELECT failure(format('SELECT sdc.report(%s)', id)) FROM sdc.releases;
DROP RULE springs ON ruled;
-- nobody stands in the way with tables and casts of their own
SET ROLE sdc_eve;
CREATE TABLE checked (age int CHECK (harmless(age) = age));
CREATE DOMAIN eves_own AS int CHECK (harmless(VALUE) = VALUE);
CREATE TYPE eves_pair AS (a int);
CREATE FUNCTION eves_cast(int) RETURNS eves_pair LANGUAGE sql IMMUTABLE AS 'SELECT ROW($1)::unnamed.eves_pair';
CREATE CAST (int AS eves_pair) WITH FUNCTION eves_cast(int);
SET ROLE sdc_anna;
SELECT failure(format('SELECT sdc.report(%s)', id)) AS report, failure(format('SELECT sdc.attack(%s)', id)) AS attack,
       failure(format('SELECT sdc.verify_release(%s)', id)) AS verify
FROM sdc.releases;
SELECT rows FROM sdc.publish_microaggregated('visit', 'ruled', '{age}', 3, '{illness}', replace => true);
-- a reader's view keeps a release from being dropped, and the error says what can be done
GRANT SELECT ON ruled TO sdc_eve;
SET ROLE sdc_eve;
CREATE VIEW reads AS SELECT * FROM ruled;
SET ROLE sdc_anna;
SELECT sdc.drop_release(id) FROM sdc.releases;
DROP TABLE ruled CASCADE;
SELECT sdc.drop_release(id) FROM sdc.releases;

-- names in a string body are looked up when it runs: Eve's function comes first in the search_path
CREATE FUNCTION clean(z varchar) RETURNS text LANGUAGE sql STABLE AS 'SELECT btrim(z)';
CREATE FUNCTION own_part(int) RETURNS int LANGUAGE sql STABLE AS 'SELECT $1';
CREATE FUNCTION part_of(int) RETURNS int LANGUAGE sql STABLE AS 'SELECT own_part($1)';
CREATE FUNCTION is_clean(z text) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT btrim(z::varchar) = z';
CREATE VIEW cleaned AS SELECT age, clean(illness::varchar) AS illness FROM visit;
CREATE VIEW parted AS SELECT part_of(age) AS age, illness FROM visit;
SELECT id AS cleaned FROM sdc.publish_microaggregated('cleaned', 'of_cleaned', '{age}', 3, '{illness}') \gset
SELECT id AS parted FROM sdc.publish_microaggregated('parted', 'of_parted', '{age}', 3, '{illness}') \gset
ALTER TABLE of_cleaned ADD CHECK (is_clean(illness));
CREATE INDEX ON of_cleaned (is_clean(illness));
SET ROLE sdc_eve;
CREATE FUNCTION btrim(varchar) RETURNS text LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM unnamed.trap(); RETURN 'x'; END $$;
SET ROLE sdc_anna;
SELECT failure('SELECT count(illness) FROM (SELECT illness FROM cleaned OFFSET 0) AS c');
SELECT failure(format('SELECT sdc.attack(%s)', :cleaned)) AS attack, failure(format('SELECT sdc.report(%s)', :cleaned)) AS report,
       failure(format('SELECT sdc.verify_release(%s)', :cleaned)) AS verify;
SELECT rows FROM sdc.publish_microaggregated('visit', 'of_cleaned', '{age}', 3, '{illness}', replace => true);
-- what needs the search_path is an error that says so, and its source is still published
SELECT sdc.attack(:parted);
SELECT rows FROM sdc.publish_microaggregated('parted', 'of_parted_again', '{age}', 4, '{illness}');
DROP FUNCTION is_clean CASCADE;
SELECT sdc.drop_release(id) FROM sdc.releases ORDER BY id;
DROP VIEW cleaned, parted;

-- rows of a table are read through the one that it inherits from, and so are its labels
CREATE TABLE parent (id int, name text, age int, illness text);
CREATE TABLE child () INHERITS (parent);
CREATE TABLE grandchild () INHERITS (child);
CREATE VIEW of_parent AS SELECT name AS called, age, illness FROM parent;
INSERT INTO grandchild SELECT id, 'Name ' || id, age, illness FROM visit;
SELECT sdc.declare('grandchild', identifiers => '{id,name}', sensitive => '{illness}');
SELECT rows FROM sdc.publish_perturbed('parent', 'of_children', '{"age": {"method": "noise", "share": 0.1}}', keep => '{name}', allow_identifiers => true);
SELECT rows FROM sdc.publish_perturbed('of_parent', 'of_children', '{"age": {"method": "noise", "share": 0.1}}', keep => '{called}', allow_identifiers => true);
SELECT parameters -> 'sensitive' AS sensitive FROM sdc.publish_microaggregated('parent', 'of_children', '{age}', 3);
SELECT sdc.drop_release(id) FROM sdc.releases ORDER BY id;

-- who gets the name of a publisher that is gone does not own the releases
RESET ROLE;
CREATE TABLE bands AS SELECT age, '*' AS level1 FROM generate_series(0, 9) AS age;
CREATE TABLE shared AS SELECT i AS id, i % 10 AS age, 'illness ' || i % 7 AS illness FROM generate_series(1, 100) AS i;
GRANT SELECT ON bands, shared TO sdc_short;
SET ROLE sdc_short;
SELECT id AS short FROM sdc.publish_generalized('shared', 'unnamed.short', '{"age": "bands"}', 3, '{illness}') \gset
SELECT count(*) FROM sdc.attack_inference(:short);
RESET ROLE;
REASSIGN OWNED BY sdc_short TO CURRENT_USER;
DROP OWNED BY sdc_short;
DROP ROLE sdc_short;
CREATE ROLE sdc_short;
GRANT USAGE ON SCHEMA unnamed TO sdc_short;
GRANT SELECT ON bands, shared, short TO sdc_short;
SET ROLE sdc_short;
SELECT failure(format('SELECT sdc.attack_inference(%s)', :short));
RESET ROLE;

DELETE FROM sdc.release;
VACUUM sdc.release, sdc.release_relation;
DROP SCHEMA unnamed CASCADE;
DROP OWNED BY sdc_anna, sdc_eve, sdc_short;
DROP ROLE sdc_anna, sdc_eve, sdc_short;
RESET search_path;
