-- pg_sdc 0.2.0 to 0.3.0.

-- A function whose arguments have grown makes room for its successor. If a view or another object
-- needs it, it stays under the name NAME_before_0_3 and calls its successor (see the end).
CREATE FUNCTION pg_temp.retire(old regprocedure) RETURNS void LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $retire$
BEGIN
    EXECUTE pg_catalog.format('DROP FUNCTION %s', old);
EXCEPTION WHEN dependent_objects_still_exist THEN
    EXECUTE pg_catalog.format('ALTER FUNCTION %s RENAME TO %I', old,
        (SELECT pg_catalog.concat(p.proname, '_before_0_3') FROM pg_catalog.pg_proc p WHERE p.oid OPERATOR(pg_catalog.=) old));
END
$retire$;

-- The register is about to be written as its owner: a trigger that somebody has put on it would run so.
DO $refuse$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_trigger t
               WHERE t.tgrelid OPERATOR(pg_catalog.=) 'sdc.release'::pg_catalog.regclass::pg_catalog.oid AND NOT t.tgisinternal)
    THEN
        RAISE EXCEPTION 'somebody has put a trigger on sdc.release'
            USING ERRCODE = 'object_in_use', HINT = 'Drop it: it would run as the owner of the register.';
    END IF;
END
$refuse$;

-- The register is written by the library alone, and follows relations by their numbers.
DROP POLICY own ON sdc.release;
DROP POLICY readable ON sdc.release;
ALTER TABLE sdc.release DISABLE ROW LEVEL SECURITY;
REVOKE ALL ON sdc.release FROM PUBLIC;
ALTER TABLE sdc.release ADD COLUMN checksums text[];
COMMENT ON COLUMN sdc.release.achieved IS 'what the released rows were found to satisfy before they were released; attacks: what attacks found then, for the publisher';
COMMENT ON COLUMN sdc.release.checksums IS 'checksum of each table of the release on the day of publication; for its publisher';

-- Releases that are not there any more. They stand apart so that a row of the register has no NULL:
-- `sdc.publish_…(…) IS NOT NULL` is true. Tables that are dumped refer to each other by number alone:
-- pg_restore with several jobs does not wait for the table that a foreign key needs.
CREATE TABLE sdc.release_end (
    release     bigint PRIMARY KEY,
    replaced_by bigint,
    dropped_at  timestamptz
);
COMMENT ON TABLE sdc.release_end IS 'internal: releases that were replaced or dropped; sdc.release_history shows them';
COMMENT ON COLUMN sdc.release_end.replaced_by IS 'release that took the place of this one';
COMMENT ON COLUMN sdc.release_end.dropped_at IS 'when sdc.drop_release() took the release away';

-- The relations and the publisher of each release as the catalog knows them, so that a new name
-- loses nothing, and something else under an old name gains nothing. These numbers mean nothing in
-- another database: they are not dumped, and found again there by names and comments.
CREATE TABLE sdc.release_relation (
    release      bigint PRIMARY KEY REFERENCES sdc.release ON DELETE CASCADE,
    publisher    oid NOT NULL,
    source       oid,
    target       oid,
    keys_table   oid,
    values_table oid
);
CREATE INDEX ON sdc.release_relation (source);
CREATE INDEX ON sdc.release_relation (target);
COMMENT ON TABLE sdc.release_relation IS 'internal: relations and publisher of each release by their numbers in the catalog';

-- The register belongs to the database's data: pg_dump takes it along.
SELECT pg_catalog.pg_extension_config_dump('sdc.release_end', '');

CREATE FUNCTION sdc.relation_name(relation oid) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE SET quote_all_identifiers = off
BEGIN ATOMIC
    SELECT pg_catalog.format('%I.%I', n.nspname, c.relname)
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
    WHERE c.oid OPERATOR(pg_catalog.=) relation;
END;
COMMENT ON FUNCTION sdc.relation_name(oid) IS 'internal: the name of a relation with its schema; NULL if it is gone';

-- Asks the catalog by number: a name could be somebody else's by now.
CREATE FUNCTION sdc.readable(relation oid) RETURNS bool
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT EXISTS (
        SELECT FROM pg_catalog.pg_class c
        WHERE c.oid OPERATOR(pg_catalog.=) relation
          AND pg_catalog.has_schema_privilege(c.relnamespace, 'USAGE')
          AND pg_catalog.has_table_privilege(c.oid, 'SELECT'));
END;
COMMENT ON FUNCTION sdc.readable(oid) IS 'internal: whether the caller may read a relation';

-- Where a restored database has a relation of a release: by the comment with its number if it belongs
-- to the publisher, to a role that the publisher is a member of, or to a superuser; by its name if it
-- belongs to the publisher. Others could comment and name theirs alike.
CREATE FUNCTION sdc.restored_relation(release bigint, published_by name, kind "char", name text, holds text)
    RETURNS oid LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.oid
    FROM pg_catalog.pg_roles p
    JOIN pg_catalog.pg_class c ON c.relkind OPERATOR(pg_catalog.=) kind
    JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
    JOIN pg_catalog.pg_roles o ON o.oid OPERATOR(pg_catalog.=) c.relowner
    LEFT JOIN pg_catalog.pg_description d
           ON d.objoid OPERATOR(pg_catalog.=) c.oid AND d.objsubid OPERATOR(pg_catalog.=) 0
          AND d.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
          AND d.description OPERATOR(pg_catalog.=) pg_catalog.format('release %s of sdc.releases', release)
    WHERE p.rolname OPERATOR(pg_catalog.=) published_by
      AND (o.oid OPERATOR(pg_catalog.=) p.oid OR d.objoid IS NOT NULL AND (o.rolsuper OR EXISTS (
            SELECT FROM pg_catalog.pg_auth_members m
            WHERE m.roleid OPERATOR(pg_catalog.=) o.oid AND m.member OPERATOR(pg_catalog.=) p.oid)))
      AND (d.objoid IS NOT NULL OR ARRAY[n.nspname, c.relname]::pg_catalog.text[] OPERATOR(pg_catalog.=) pg_catalog.parse_ident(name))
      AND (holds IS NULL OR EXISTS (
            SELECT FROM pg_catalog.pg_attribute a
            WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND NOT a.attisdropped
              AND a.attname::pg_catalog.text OPERATOR(pg_catalog.=) holds))
    ORDER BY d.objoid IS NULL, c.oid
    LIMIT 1;
END;
COMMENT ON FUNCTION sdc.restored_relation(bigint, name, "char", text, text) IS 'internal: a relation of a release whose numbers are not known in this database';

-- Each release with its relations and its publisher as they are now.
CREATE VIEW sdc.registered AS
SELECT r.id, l.release IS NOT NULL AS linked, s.gone,
       CASE WHEN l.release IS NOT NULL THEN l.publisher ELSE (
            SELECT p.oid FROM pg_catalog.pg_roles p WHERE p.rolname OPERATOR(pg_catalog.=) r.published_by) END AS publisher,
       CASE WHEN l.release IS NOT NULL THEN l.source ELSE (
            SELECT c.oid FROM pg_catalog.pg_class c
            JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
            WHERE n.nspname OPERATOR(pg_catalog.=) ((pg_catalog.parse_ident(r.source))[1])::pg_catalog.name
              AND c.relname OPERATOR(pg_catalog.=) ((pg_catalog.parse_ident(r.source))[2])::pg_catalog.name) END AS source,
       CASE WHEN l.release IS NOT NULL THEN l.target
            WHEN s.gone THEN NULL
            WHEN s.commented OR (
            SELECT c.oid FROM pg_catalog.pg_class c
            JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
            WHERE n.nspname OPERATOR(pg_catalog.=) ((pg_catalog.parse_ident(r.target))[1])::pg_catalog.name
              AND c.relname OPERATOR(pg_catalog.=) ((pg_catalog.parse_ident(r.target))[2])::pg_catalog.name) IS NOT NULL
            THEN sdc.restored_relation(r.id, r.published_by, CASE WHEN s.apart THEN 'v'::pg_catalog."char" ELSE 'r'::pg_catalog."char" END, r.target, NULL) END AS target,
       CASE WHEN l.release IS NOT NULL THEN l.keys_table
            WHEN s.apart AND NOT s.gone AND s.commented
            THEN sdc.restored_relation(r.id, r.published_by, 'r'::pg_catalog."char", NULL, (r.parameters OPERATOR(pg_catalog.->) 'keys') OPERATOR(pg_catalog.->>) 0) END AS keys_table,
       CASE WHEN l.release IS NOT NULL THEN l.values_table
            WHEN s.apart AND NOT s.gone AND s.commented
            THEN sdc.restored_relation(r.id, r.published_by, 'r'::pg_catalog."char", NULL, r.parameters OPERATOR(pg_catalog.->>) 'sensitive') END AS values_table
FROM sdc.release r
LEFT JOIN sdc.release_relation l ON l.release OPERATOR(pg_catalog.=) r.id
CROSS JOIN LATERAL (SELECT r.method OPERATOR(pg_catalog.=) ANY ('{anatomy,permutation}') AS apart,
                           EXISTS (SELECT 1 FROM sdc.release_end e WHERE e.release OPERATOR(pg_catalog.=) r.id) AS gone,
                           -- hashed once for all entries: looking for each would take long where many have nothing any more
                           pg_catalog.format('release %s of sdc.releases', r.id) OPERATOR(pg_catalog.=) ANY (
                               SELECT d.description FROM pg_catalog.pg_description d
                               WHERE d.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
                                 AND d.objsubid OPERATOR(pg_catalog.=) 0) AS commented) s;
COMMENT ON VIEW sdc.registered IS 'internal: releases with their relations and publishers by their numbers in the catalog';

-- Relations that may hold the same persons: what a relation reads, its partitions, and all views over
-- any of these, and the tables that it is a part of.
CREATE FUNCTION sdc.related_relations(relation oid) RETURNS SETOF oid
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE below (oid) AS (
        SELECT relation
        UNION
        SELECT u.oid FROM below b CROSS JOIN LATERAL (
            SELECT d.refobjid AS oid FROM pg_catalog.pg_rewrite r
            JOIN pg_catalog.pg_depend d
              ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass
             AND d.objid OPERATOR(pg_catalog.=) r.oid
             AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
            WHERE r.ev_class OPERATOR(pg_catalog.=) b.oid
            UNION ALL
            SELECT i.inhrelid FROM pg_catalog.pg_inherits i WHERE i.inhparent OPERATOR(pg_catalog.=) b.oid) u),
    above (oid) AS (
        SELECT b.oid FROM below b
        UNION
        SELECT u.oid FROM above a CROSS JOIN LATERAL (
            SELECT r.ev_class AS oid FROM pg_catalog.pg_depend d
            JOIN pg_catalog.pg_rewrite r ON r.oid OPERATOR(pg_catalog.=) d.objid
            WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass
              AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
              AND d.refobjid OPERATOR(pg_catalog.=) a.oid
            UNION ALL
            SELECT i.inhparent FROM pg_catalog.pg_inherits i WHERE i.inhrelid OPERATOR(pg_catalog.=) a.oid) u)
    SELECT a.oid FROM above a;
END;
COMMENT ON FUNCTION sdc.related_relations(oid) IS 'internal: relations that share a table with this one';

-- Exact losses let a reader test guesses of the source: others than the publisher get three digits.
CREATE FUNCTION sdc.three_digits(number jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN v.n OPERATOR(pg_catalog.=) 0 THEN number
                ELSE pg_catalog.to_jsonb(pg_catalog.trim_scale(pg_catalog.round(
                    v.n, 2 OPERATOR(pg_catalog.-) pg_catalog.floor(pg_catalog.log(pg_catalog.abs(v.n)))::pg_catalog.int4))) END
    FROM (SELECT (number OPERATOR(pg_catalog.#>>) '{}')::pg_catalog.numeric AS n) v;
END;
COMMENT ON FUNCTION sdc.three_digits(jsonb) IS 'internal: a number with three significant digits';

CREATE FUNCTION sdc.rounded_loss(loss jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT COALESCE(pg_catalog.jsonb_object_agg(e.key, CASE
               WHEN pg_catalog.jsonb_typeof(e.value) OPERATOR(pg_catalog.=) 'number' THEN sdc.three_digits(e.value)
               WHEN pg_catalog.jsonb_typeof(e.value) OPERATOR(pg_catalog.=) 'object' THEN COALESCE((
                    SELECT pg_catalog.jsonb_object_agg(c.key, CASE
                               WHEN pg_catalog.jsonb_typeof(c.value) OPERATOR(pg_catalog.=) 'number' THEN sdc.three_digits(c.value) ELSE 'null'::pg_catalog.jsonb END)
                    FROM pg_catalog.jsonb_each(e.value) c), '{}'::pg_catalog.jsonb)
               ELSE 'null'::pg_catalog.jsonb END), '{}'::pg_catalog.jsonb)
    FROM pg_catalog.jsonb_each(loss) e;
END;
COMMENT ON FUNCTION sdc.rounded_loss(jsonb) IS 'internal: losses with three significant digits';

-- Publishers see their entries, readers of a release see its entry.
CREATE OR REPLACE VIEW sdc.releases WITH (security_barrier) AS
SELECT r.id, f.source, f.target, f.method, f.parameters, f.rows, f.groups, f.suppressed, f.achieved, f.loss,
       f.published_by, f.published_at, f.checksums
FROM sdc.release r
CROSS JOIN LATERAL (
    SELECT COALESCE(sdc.relation_name(l.source), r.source) AS source, COALESCE(sdc.relation_name(l.target), r.target) AS target,
           r.method, r.parameters, r.rows, r.groups, r.suppressed,
           CASE WHEN o.own THEN r.achieved ELSE r.achieved OPERATOR(pg_catalog.-) 'attacks' END AS achieved,
           CASE WHEN o.own THEN r.loss ELSE sdc.rounded_loss(r.loss) END AS loss,
           COALESCE(p.rolname, r.published_by) AS published_by, r.published_at,
           CASE WHEN o.own THEN r.checksums END AS checksums
    FROM sdc.registered l
    LEFT JOIN pg_catalog.pg_roles p ON p.oid OPERATOR(pg_catalog.=) l.publisher
    CROSS JOIN LATERAL (SELECT COALESCE(pg_catalog.pg_has_role(l.publisher, 'USAGE'), false) AS own) o
    WHERE l.id OPERATOR(pg_catalog.=) r.id AND NOT l.gone AND (o.own OR sdc.readable(l.target))
    OFFSET 0) f;
COMMENT ON VIEW sdc.releases IS 'releases that the caller published or may read; the publisher sees exact losses, checksums and figures of attacks';

-- What became of all releases, for their publishers.
CREATE VIEW sdc.release_history WITH (security_barrier) AS
SELECT r.id, f.source, f.target, f.method, f.parameters, f.rows, f.groups, f.suppressed, f.achieved, f.loss,
       f.published_by, f.published_at, f.replaced_by, f.dropped_at
FROM sdc.release r
CROSS JOIN LATERAL (
    SELECT r.source, r.target, r.method, r.parameters, r.rows, r.groups, r.suppressed, r.achieved, r.loss,
           COALESCE(p.rolname, r.published_by) AS published_by, r.published_at, e.replaced_by, e.dropped_at
    FROM sdc.registered l
    LEFT JOIN sdc.release_end e ON e.release OPERATOR(pg_catalog.=) r.id
    LEFT JOIN pg_catalog.pg_roles p ON p.oid OPERATOR(pg_catalog.=) l.publisher
    WHERE l.id OPERATOR(pg_catalog.=) r.id AND pg_catalog.pg_has_role(l.publisher, 'USAGE')
    OFFSET 0) f;
COMMENT ON VIEW sdc.release_history IS 'all releases of the caller, including those replaced or dropped, under the names at publication';
DROP FUNCTION sdc.readable(text);

-- What was released before is found by names and comments, once.
INSERT INTO sdc.release_relation (release, publisher, source, target, keys_table, values_table)
SELECT l.id, l.publisher, l.source, l.target, l.keys_table, l.values_table FROM sdc.registered l WHERE l.publisher IS NOT NULL;

-- Sequences: releases that continue each other. What a sequence remembers links persons to groups,
-- so nobody but the library reads or writes these tables; publishers read sdc.memberships.

CREATE TABLE sdc.release_sequence (
    release  bigint PRIMARY KEY,
    sequence bigint NOT NULL
);
CREATE INDEX ON sdc.release_sequence (sequence);
COMMENT ON TABLE sdc.release_sequence IS 'internal: the sequence that a release belongs to';
COMMENT ON COLUMN sdc.release_sequence.sequence IS 'first release of the sequence';

CREATE TABLE sdc.membership (
    sequence bigint NOT NULL,
    person   text NOT NULL,
    grp      int NOT NULL,
    place    int NOT NULL,
    since    bigint NOT NULL
);
CREATE INDEX ON sdc.membership USING brin (sequence);
COMMENT ON TABLE sdc.membership IS 'internal: who is in which group of a sequence; sdc.memberships shows them to its publisher';
COMMENT ON COLUMN sdc.membership.place IS 'slot of the person; 0 for anatomy';
COMMENT ON COLUMN sdc.membership.since IS 'release in which the person joined the group';

CREATE TABLE sdc.sequence_group (
    sequence bigint NOT NULL,
    grp      int NOT NULL,
    number   int NOT NULL,
    shown    text
);
CREATE INDEX ON sdc.sequence_group USING brin (sequence);
COMMENT ON TABLE sdc.sequence_group IS 'internal: what each group of a sequence shows in every release';
COMMENT ON COLUMN sdc.sequence_group.grp IS 'group of sdc.membership; for anatomy a set of values';
COMMENT ON COLUMN sdc.sequence_group.number IS 'number of the key, or of the value of the set';
COMMENT ON COLUMN sdc.sequence_group.shown IS 'the key that the group shows, or the value, as text';

CREATE TABLE sdc.sequence_slot (
    sequence  bigint NOT NULL,
    slot      int NOT NULL,
    signature int NOT NULL,
    shown     text NOT NULL
);
CREATE INDEX ON sdc.sequence_slot USING brin (sequence);
COMMENT ON TABLE sdc.sequence_slot IS 'internal: what each member of the groups of a sequence shows; not for anatomy';
COMMENT ON COLUMN sdc.sequence_slot.slot IS 'place of sdc.membership: each group has one person in each slot of its signature';
COMMENT ON COLUMN sdc.sequence_slot.signature IS 'what a group shows of its members';
COMMENT ON COLUMN sdc.sequence_slot.shown IS 'hash of what is published of the person in the slot as it is';

-- An entry that is deleted leaves nothing behind.
CREATE FUNCTION sdc.forget_release() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $forget$
BEGIN
    -- on any other table it would delete entries of others in the name of whoever deletes rows there
    IF TG_RELID OPERATOR(pg_catalog.<>) 'sdc.release'::pg_catalog.regclass THEN
        RAISE EXCEPTION USING ERRCODE = 'feature_not_supported', MESSAGE = 'sdc.forget_release() is for sdc.release alone';
    END IF;
    DELETE FROM sdc.release_end e WHERE e.release OPERATOR(pg_catalog.=) OLD.id;
    DELETE FROM sdc.release_sequence q WHERE q.release OPERATOR(pg_catalog.=) OLD.id;
    DELETE FROM sdc.membership m WHERE m.sequence OPERATOR(pg_catalog.=) OLD.id;
    DELETE FROM sdc.sequence_group g WHERE g.sequence OPERATOR(pg_catalog.=) OLD.id;
    DELETE FROM sdc.sequence_slot s WHERE s.sequence OPERATOR(pg_catalog.=) OLD.id;
    RETURN NULL;
END
$forget$;
REVOKE EXECUTE ON FUNCTION sdc.forget_release() FROM PUBLIC;
COMMENT ON FUNCTION sdc.forget_release() IS 'internal: deletes what hangs on an entry of the register';
CREATE TRIGGER forget AFTER DELETE ON sdc.release FOR EACH ROW EXECUTE FUNCTION sdc.forget_release();

-- A sequence goes on after a restore.
SELECT pg_catalog.pg_extension_config_dump('sdc.release_sequence', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.membership', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.sequence_group', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.sequence_slot', '');

CREATE VIEW sdc.memberships WITH (security_barrier) AS
SELECT o.sequence, f.person, f.grp, f.since
FROM (SELECT l.id AS sequence FROM sdc.registered l
      WHERE pg_catalog.pg_has_role(l.publisher, 'USAGE')
        AND EXISTS (SELECT FROM sdc.release_sequence q WHERE q.sequence OPERATOR(pg_catalog.=) l.id)
      OFFSET 0) o
CROSS JOIN LATERAL (
    SELECT m.person, m.grp, m.since
    FROM sdc.membership m
    WHERE m.sequence OPERATOR(pg_catalog.=) o.sequence
      AND NOT EXISTS (SELECT FROM sdc.membership n
                      WHERE n.sequence OPERATOR(pg_catalog.=) m.sequence AND n.person OPERATOR(pg_catalog.=) m.person
                        AND n.since OPERATOR(pg_catalog.>) m.since)
    OFFSET 0) f;
COMMENT ON VIEW sdc.memberships IS 'who is in which group of the caller''s sequences, and since which release; for anatomy grp is a set of values';

CREATE FUNCTION sdc.end_sequence(release bigint) RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_end_sequence';
COMMENT ON FUNCTION sdc.end_sequence(bigint)
    IS 'forgets who is in which group of the sequence that a release belongs to, and returns how many persons these were; its releases stay but cannot be continued';

-- Functions whose arguments have grown.
SELECT pg_temp.retire('sdc.assert_anonymity(regclass,name[],name[],integer,integer,double precision,double precision,double precision,jsonb,name)');
SELECT pg_temp.retire('sdc.check_anonymity(regclass,name[],name[],integer,integer,double precision,double precision,double precision,jsonb,name)');
SELECT pg_temp.retire('sdc.date_hierarchy(regclass,name,text,text[])');
SELECT pg_temp.retire('sdc.grouping_hierarchy(regclass,name,text,jsonb)');
SELECT pg_temp.retire('sdc.interval_hierarchy(regclass,name,text,double precision[],double precision)');
SELECT pg_temp.retire('sdc.lattice(regclass,jsonb,integer,name[],integer,bigint,double precision,double precision,double precision,jsonb)');
SELECT pg_temp.retire('sdc.microaggregate(anyelement,name[],integer,name[],integer,text,boolean,bigint,boolean,integer)');
SELECT pg_temp.retire('sdc.minimal_generalizations(regclass,jsonb,integer,name[],integer,bigint,double precision,double precision,double precision,jsonb)');
SELECT pg_temp.retire('sdc.prefix_hierarchy(regclass,name,text,integer)');
SELECT pg_temp.retire('sdc.publish_anatomy(regclass,text,name[],name,integer,text,bigint)');
SELECT pg_temp.retire('sdc.publish_generalized(regclass,text,jsonb,integer,name[],integer,bigint,name[],jsonb,double precision,double precision,double precision,jsonb)');
SELECT pg_temp.retire('sdc.publish_microaggregated(regclass,text,name[],integer,name[],integer,name[],text,boolean,bigint,boolean,integer)');
SELECT pg_temp.retire('sdc.publish_p_alpha(regclass,text,name[],name,jsonb,integer,integer,double precision,name[],text,jsonb,boolean)');
SELECT pg_temp.retire('sdc.publish_permutation(regclass,text,name[],name,integer,integer,text,bigint)');
SELECT pg_temp.retire('sdc.report(regclass,name[],name[],integer,integer,double precision,double precision,double precision,jsonb,name,text,integer[])');
SELECT pg_temp.retire('sdc.risk_utility(anyelement,name[],integer[],name[],integer,text)');
SELECT pg_temp.retire('sdc.violations(regclass,name[],name[],integer,integer,double precision,double precision,double precision,jsonb,name)');

CREATE TYPE sdc.column_risks AS (
    columns name[], distinction float8, separation float8, uniques bigint, risk float8, risk_without float8);

CREATE FUNCTION sdc.count_sample(internal, double precision, VARIADIC "any")
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdc_count_sample';
CREATE FUNCTION sdc.count_values(internal, record, anyelement, regclass)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdc_count_values_hierarchy';
CREATE FUNCTION sdc.count_values(internal, bigint, anyelement, regclass)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdc_count_values_hierarchy';
CREATE FUNCTION sdc.population_uniqueness_final(internal)
 RETURNS double precision
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdc_population_uniqueness';
CREATE FUNCTION sdc.t_closeness_by_value_final(internal)
 RETURNS double precision
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdc_t_closeness_by_value';
CREATE FUNCTION sdc.t_closeness_by_hierarchy_final(internal)
 RETURNS double precision
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_t_closeness_by_hierarchy';
CREATE FUNCTION sdc.publish_perturbed(source regclass, target text, methods jsonb, keep name[] DEFAULT NULL, seed bigint DEFAULT NULL, allow_identifiers boolean DEFAULT false, replace boolean DEFAULT false, composition text DEFAULT 'warning', entity name DEFAULT NULL, strata name[] DEFAULT NULL, attack boolean DEFAULT false, attack_limit double precision DEFAULT NULL)
 RETURNS sdc.release
 LANGUAGE c
AS 'MODULE_PATHNAME', 'sdc_publish_perturbed';
CREATE FUNCTION sdc.rank_swap(value anyelement, percent double precision)
 RETURNS anyelement
 LANGUAGE c
 WINDOW PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_rank_swap';
CREATE FUNCTION sdc.pram(value anyelement, keep_probability double precision)
 RETURNS anyelement
 LANGUAGE c
 WINDOW PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_pram';
CREATE FUNCTION sdc.noise(value anyelement, share double precision)
 RETURNS anyelement
 LANGUAGE c
 WINDOW PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_noise';
CREATE FUNCTION sdc.top_code(value anyelement, quantile double precision)
 RETURNS anyelement
 LANGUAGE c
 WINDOW IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdc_top_code';
CREATE FUNCTION sdc.bottom_code(value anyelement, quantile double precision)
 RETURNS anyelement
 LANGUAGE c
 WINDOW IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdc_bottom_code';
CREATE FUNCTION sdc.attack_linkage(release bigint, width double precision DEFAULT 0.1, seed bigint DEFAULT NULL)
 RETURNS TABLE(attack text, attacker text, persons bigint, promised double precision, baseline double precision, measured double precision, recall double precision, exceeds boolean, note text)
 LANGUAGE c
AS 'MODULE_PATHNAME', 'sdc_attack_linkage';
CREATE FUNCTION sdc.attack_inference(release bigint, seed bigint DEFAULT NULL, confidence double precision DEFAULT 0.9)
 RETURNS TABLE(attack text, attacker text, persons bigint, promised double precision, baseline double precision, measured double precision, recall double precision, exceeds boolean, note text)
 LANGUAGE c
AS 'MODULE_PATHNAME', 'sdc_attack_inference';
CREATE FUNCTION sdc.attack_intersection(releases bigint[], entity name DEFAULT NULL, seed bigint DEFAULT NULL)
 RETURNS TABLE(attack text, attacker text, persons bigint, promised double precision, baseline double precision, measured double precision, recall double precision, exceeds boolean, note text)
 LANGUAGE c
AS 'MODULE_PATHNAME', 'sdc_attack_intersection';
CREATE FUNCTION sdc.attack_membership(release bigint, population regclass, threshold double precision DEFAULT 0.5)
 RETURNS TABLE(attack text, attacker text, persons bigint, promised double precision, baseline double precision, measured double precision, recall double precision, exceeds boolean, note text)
 LANGUAGE c
AS 'MODULE_PATHNAME', 'sdc_attack_membership';
CREATE FUNCTION sdc.attack_minimality(release bigint, seed bigint DEFAULT NULL)
 RETURNS TABLE(attack text, attacker text, persons bigint, promised double precision, baseline double precision, measured double precision, recall double precision, exceeds boolean, note text)
 LANGUAGE c
AS 'MODULE_PATHNAME', 'sdc_attack_minimality';
CREATE FUNCTION sdc.dominance(source regclass, keys name[], k integer, share double precision DEFAULT 0.9)
 RETURNS TABLE(attack text, attacker text, persons bigint, promised double precision, baseline double precision, measured double precision, recall double precision, exceeds boolean, note text)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_dominance';
CREATE FUNCTION sdc.attack(release bigint, seed bigint DEFAULT NULL)
 RETURNS TABLE(attack text, attacker text, persons bigint, promised double precision, baseline double precision, measured double precision, recall double precision, exceeds boolean, note text)
 LANGUAGE c
AS 'MODULE_PATHNAME', 'sdc_attack';
CREATE FUNCTION sdc.check_anonymity(source regclass, keys name[] DEFAULT NULL, sensitive name[] DEFAULT NULL, k integer DEFAULT NULL, p integer DEFAULT NULL, l double precision DEFAULT NULL, t double precision DEFAULT NULL, alpha double precision DEFAULT NULL, categories jsonb DEFAULT NULL, entity name DEFAULT NULL, distance text DEFAULT 'rank', population regclass DEFAULT NULL, k_map integer DEFAULT NULL, delta double precision DEFAULT NULL, nulls text DEFAULT 'value')
 RETURNS TABLE(property text, attribute name, required double precision, actual double precision, satisfied boolean, violating_groups bigint, violating_rows bigint)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_check_anonymity';
CREATE FUNCTION sdc.violations(source regclass, keys name[] DEFAULT NULL, sensitive name[] DEFAULT NULL, k integer DEFAULT NULL, p integer DEFAULT NULL, l double precision DEFAULT NULL, t double precision DEFAULT NULL, alpha double precision DEFAULT NULL, categories jsonb DEFAULT NULL, entity name DEFAULT NULL, distance text DEFAULT 'rank', population regclass DEFAULT NULL, k_map integer DEFAULT NULL, delta double precision DEFAULT NULL, nulls text DEFAULT 'value')
 RETURNS TABLE(key_values jsonb, rows bigint, property text, attribute name, actual double precision)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_violations';
CREATE FUNCTION sdc.assert_anonymity(source regclass, keys name[] DEFAULT NULL, sensitive name[] DEFAULT NULL, k integer DEFAULT NULL, p integer DEFAULT NULL, l double precision DEFAULT NULL, t double precision DEFAULT NULL, alpha double precision DEFAULT NULL, categories jsonb DEFAULT NULL, entity name DEFAULT NULL, distance text DEFAULT 'rank', allow_empty boolean DEFAULT false, population regclass DEFAULT NULL, k_map integer DEFAULT NULL, delta double precision DEFAULT NULL, nulls text DEFAULT 'value')
 RETURNS void
 LANGUAGE c
 PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_assert_anonymity';
CREATE FUNCTION sdc.report(source text, keys name[] DEFAULT NULL, sensitive name[] DEFAULT NULL, k integer DEFAULT NULL, p integer DEFAULT NULL, l double precision DEFAULT NULL, t double precision DEFAULT NULL, alpha double precision DEFAULT NULL, categories jsonb DEFAULT NULL, entity name DEFAULT NULL, audience text DEFAULT 'steward', ks integer[] DEFAULT '{2,3,5,10,20,50}', distance text DEFAULT 'rank', population regclass DEFAULT NULL, k_map integer DEFAULT NULL, delta double precision DEFAULT NULL, weight name DEFAULT NULL)
 RETURNS text
 LANGUAGE c
 PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_report';
CREATE FUNCTION sdc.report(source regclass, keys name[], sensitive name[] DEFAULT NULL, k integer DEFAULT NULL, p integer DEFAULT NULL, l double precision DEFAULT NULL, t double precision DEFAULT NULL, alpha double precision DEFAULT NULL, categories jsonb DEFAULT NULL, entity name DEFAULT NULL, audience text DEFAULT 'steward', ks integer[] DEFAULT '{2,3,5,10,20,50}', distance text DEFAULT 'rank', population regclass DEFAULT NULL, k_map integer DEFAULT NULL, delta double precision DEFAULT NULL, weight name DEFAULT NULL)
 RETURNS text
 LANGUAGE c
 PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_report';
CREATE OR REPLACE FUNCTION sdc.histogram(source regclass, keys name[] DEFAULT NULL, width integer DEFAULT 40, entity name DEFAULT NULL)
 RETURNS TABLE(group_size text, groups bigint, rows bigint, bar text)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_histogram';
CREATE OR REPLACE FUNCTION sdc.feasibility(source regclass, sensitive name[] DEFAULT NULL, p integer DEFAULT NULL)
 RETURNS TABLE(max_p bigint, max_groups bigint, feasible boolean)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_feasibility';
CREATE FUNCTION sdc.assert_difference(old regclass, new regclass, keys name[], entity name, k integer)
 RETURNS void
 LANGUAGE c
 PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_assert_difference';
CREATE FUNCTION sdc.risk(source regclass, keys name[] DEFAULT NULL, population regclass DEFAULT NULL, weight name DEFAULT NULL, threshold double precision DEFAULT 0.2, entity name DEFAULT NULL, nulls text DEFAULT 'value')
 RETURNS TABLE(attacker text, measure text, value double precision)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_risk';
CREATE FUNCTION sdc.individual_risk(weight double precision, VARIADIC keys "any")
 RETURNS double precision
 LANGUAGE c
 WINDOW IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdc_individual_risk';
CREATE FUNCTION sdc.household_add(state double precision, risk double precision)
 RETURNS double precision
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdc_household_add';
CREATE FUNCTION sdc.household_final(state double precision)
 RETURNS double precision
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdc_household_final';
CREATE FUNCTION sdc.suda(max_size integer, VARIADIC keys "any")
 RETURNS double precision
 LANGUAGE c
 WINDOW IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdc_suda';
CREATE FUNCTION sdc.dis_suda(fraction double precision, max_size integer, VARIADIC keys "any")
 RETURNS double precision
 LANGUAGE c
 WINDOW IMMUTABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'sdc_dis_suda';
CREATE FUNCTION sdc.suda_keys(source regclass, keys name[] DEFAULT NULL, max_size integer DEFAULT 3)
 RETURNS TABLE(key name, contribution double precision, minimal_uniques bigint)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_suda_keys';
CREATE FUNCTION sdc.population_models(source regclass, keys name[] DEFAULT NULL, fraction double precision DEFAULT NULL)
 RETURNS TABLE(model text, uniques double precision, share double precision, converged boolean, chosen boolean, parameters jsonb)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_population_models';
CREATE FUNCTION sdc.column_risk(source regclass, columns name[] DEFAULT NULL, max_size integer DEFAULT 2)
 RETURNS SETOF sdc.column_risks
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_column_risk';
CREATE FUNCTION sdc.compare(source regclass, release regclass, attributes name[] DEFAULT NULL, match name DEFAULT NULL)
 RETURNS TABLE(columns name[], measure text, original double precision, released double precision, change double precision)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_compare';
CREATE FUNCTION sdc.assert_utility(source regclass, release regclass, attributes name[] DEFAULT NULL, match name DEFAULT NULL, max_mean_shift double precision DEFAULT NULL, max_ks double precision DEFAULT NULL, max_total_variation double precision DEFAULT NULL, max_missing double precision DEFAULT NULL, max_correlation_change double precision DEFAULT NULL, max_association_change double precision DEFAULT NULL, max_row_change double precision DEFAULT NULL)
 RETURNS void
 LANGUAGE c
 PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_assert_utility';
CREATE FUNCTION sdc.query_error(release bigint, queries integer DEFAULT 1000, seed bigint DEFAULT NULL)
 RETURNS double precision
 LANGUAGE c
 PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_query_error';
CREATE FUNCTION sdc.microaggregate(rowtype anyelement, keys name[] DEFAULT NULL, k integer DEFAULT NULL, sensitive name[] DEFAULT NULL, p integer DEFAULT NULL, method text DEFAULT NULL, standardize boolean DEFAULT true, seed bigint DEFAULT NULL, refine boolean DEFAULT false, effort integer DEFAULT NULL, nulls text DEFAULT 'value', categorical name[] DEFAULT NULL, weights jsonb DEFAULT NULL, entity name DEFAULT NULL, strata name[] DEFAULT NULL, max_suppressed double precision DEFAULT 0)
 RETURNS SETOF anyelement
 LANGUAGE c
 PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_microaggregate';
CREATE FUNCTION sdc.microaggregate(source text, keys name[] DEFAULT NULL, k integer DEFAULT NULL, sensitive name[] DEFAULT NULL, p integer DEFAULT NULL, method text DEFAULT NULL, standardize boolean DEFAULT true, seed bigint DEFAULT NULL, refine boolean DEFAULT false, effort integer DEFAULT NULL, nulls text DEFAULT 'value', categorical name[] DEFAULT NULL, weights jsonb DEFAULT NULL, entity name DEFAULT NULL, strata name[] DEFAULT NULL, max_suppressed double precision DEFAULT 0)
 RETURNS SETOF text
 LANGUAGE c
 PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_microaggregate';
CREATE FUNCTION sdc.risk_utility(source text, keys name[] DEFAULT NULL, ks integer[] DEFAULT '{2,3,5,10,20,50}', sensitive name[] DEFAULT NULL, p integer DEFAULT NULL, method text DEFAULT NULL, nulls text DEFAULT 'value', categorical name[] DEFAULT NULL, weights jsonb DEFAULT NULL, entity name DEFAULT NULL)
 RETURNS TABLE(k integer, p integer, groups bigint, loss double precision, risk double precision, seconds double precision, linkage double precision)
 LANGUAGE c
 PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_risk_utility';
CREATE FUNCTION sdc.risk_utility(rowtype anyelement, keys name[] DEFAULT NULL, ks integer[] DEFAULT '{2,3,5,10,20,50}', sensitive name[] DEFAULT NULL, p integer DEFAULT NULL, method text DEFAULT NULL, nulls text DEFAULT 'value', categorical name[] DEFAULT NULL, weights jsonb DEFAULT NULL, entity name DEFAULT NULL)
 RETURNS TABLE(k integer, p integer, groups bigint, loss double precision, risk double precision, seconds double precision, linkage double precision)
 LANGUAGE c
 PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_risk_utility';
CREATE FUNCTION sdc.minimal_generalizations(source regclass, hierarchies jsonb DEFAULT NULL, k integer DEFAULT NULL, sensitive name[] DEFAULT NULL, p integer DEFAULT NULL, max_suppressed double precision DEFAULT 0, l double precision DEFAULT NULL, t double precision DEFAULT NULL, alpha double precision DEFAULT NULL, categories jsonb DEFAULT NULL, weights jsonb DEFAULT NULL, suppression_factor double precision DEFAULT 1, entity name DEFAULT NULL, nulls text DEFAULT 'value')
 RETURNS TABLE(levels jsonb, height integer, groups bigint, suppressed bigint, loss double precision)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_minimal_generalizations';
CREATE FUNCTION sdc.lattice(source regclass, hierarchies jsonb DEFAULT NULL, k integer DEFAULT NULL, sensitive name[] DEFAULT NULL, p integer DEFAULT NULL, max_suppressed double precision DEFAULT 0, l double precision DEFAULT NULL, t double precision DEFAULT NULL, alpha double precision DEFAULT NULL, categories jsonb DEFAULT NULL, weights jsonb DEFAULT NULL, suppression_factor double precision DEFAULT 1, entity name DEFAULT NULL, nulls text DEFAULT 'value')
 RETURNS TABLE(levels jsonb, height integer, groups bigint, suppressed bigint, loss double precision, satisfied boolean)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_lattice';
CREATE FUNCTION sdc.publish_microaggregated(source regclass, target text, keys name[] DEFAULT NULL, k integer DEFAULT NULL, sensitive name[] DEFAULT NULL, p integer DEFAULT NULL, keep name[] DEFAULT NULL, method text DEFAULT NULL, standardize boolean DEFAULT true, seed bigint DEFAULT NULL, refine boolean DEFAULT false, effort integer DEFAULT NULL, allow_identifiers boolean DEFAULT false, nulls text DEFAULT 'value', categorical name[] DEFAULT NULL, weights jsonb DEFAULT NULL, entity name DEFAULT NULL, strata name[] DEFAULT NULL, max_suppressed double precision DEFAULT 0, replace boolean DEFAULT false, composition text DEFAULT 'warning', continues bigint DEFAULT NULL, l double precision DEFAULT NULL, t double precision DEFAULT NULL, attack boolean DEFAULT false, attack_limit double precision DEFAULT NULL)
 RETURNS sdc.release
 LANGUAGE c
AS 'MODULE_PATHNAME', 'sdc_publish_microaggregated';
CREATE FUNCTION sdc.publish_generalized(source regclass, target text, hierarchies jsonb DEFAULT NULL, k integer DEFAULT NULL, sensitive name[] DEFAULT NULL, p integer DEFAULT NULL, max_suppressed double precision DEFAULT 0, keep name[] DEFAULT NULL, levels jsonb DEFAULT NULL, l double precision DEFAULT NULL, t double precision DEFAULT NULL, alpha double precision DEFAULT NULL, categories jsonb DEFAULT NULL, weights jsonb DEFAULT NULL, suppression_factor double precision DEFAULT 1, allow_identifiers boolean DEFAULT false, replace boolean DEFAULT false, entity name DEFAULT NULL, composition text DEFAULT 'warning', strata name[] DEFAULT NULL, nulls text DEFAULT 'value', population regclass DEFAULT NULL, k_map integer DEFAULT NULL, delta double precision DEFAULT NULL, attack boolean DEFAULT false, attack_limit double precision DEFAULT NULL)
 RETURNS sdc.release
 LANGUAGE c
AS 'MODULE_PATHNAME', 'sdc_publish_generalized';
CREATE FUNCTION sdc.publish_mondrian(source regclass, target text, keys name[] DEFAULT NULL, k integer DEFAULT NULL, sensitive name[] DEFAULT NULL, p integer DEFAULT NULL, keep name[] DEFAULT NULL, l double precision DEFAULT NULL, t double precision DEFAULT NULL, strict boolean DEFAULT false, hierarchies jsonb DEFAULT NULL, allow_identifiers boolean DEFAULT false, nulls text DEFAULT 'value', categorical name[] DEFAULT NULL, replace boolean DEFAULT false, composition text DEFAULT 'warning', entity name DEFAULT NULL, strata name[] DEFAULT NULL, max_suppressed double precision DEFAULT 0, attack boolean DEFAULT false, attack_limit double precision DEFAULT NULL)
 RETURNS sdc.release
 LANGUAGE c
AS 'MODULE_PATHNAME', 'sdc_publish_mondrian';
CREATE FUNCTION sdc.publish_suppressed(source regclass, target text, keys name[] DEFAULT NULL, k integer DEFAULT NULL, sensitive name[] DEFAULT NULL, keep name[] DEFAULT NULL, importance jsonb DEFAULT NULL, reading text DEFAULT 'both', known_keys integer DEFAULT NULL, allow_identifiers boolean DEFAULT false, replace boolean DEFAULT false, composition text DEFAULT 'warning', entity name DEFAULT NULL, strata name[] DEFAULT NULL, attack boolean DEFAULT false, attack_limit double precision DEFAULT NULL)
 RETURNS sdc.release
 LANGUAGE c
AS 'MODULE_PATHNAME', 'sdc_publish_suppressed';
CREATE FUNCTION sdc.publish_p_alpha(source regclass, target text, keys name[] DEFAULT NULL, sensitive name DEFAULT NULL, categories jsonb DEFAULT NULL, k integer DEFAULT NULL, p integer DEFAULT NULL, alpha double precision DEFAULT NULL, keep name[] DEFAULT NULL, publish text DEFAULT 'category', hierarchies jsonb DEFAULT NULL, standardize boolean DEFAULT true, allow_identifiers boolean DEFAULT false, nulls text DEFAULT 'value', categorical name[] DEFAULT NULL, weights jsonb DEFAULT NULL, entity name DEFAULT NULL, strata name[] DEFAULT NULL, max_suppressed double precision DEFAULT 0, replace boolean DEFAULT false, composition text DEFAULT 'warning', continues bigint DEFAULT NULL, attack boolean DEFAULT false, attack_limit double precision DEFAULT NULL)
 RETURNS sdc.release
 LANGUAGE c
AS 'MODULE_PATHNAME', 'sdc_publish_p_alpha';
CREATE FUNCTION sdc.publish_anatomy(source regclass, target text, keys name[] DEFAULT NULL, sensitive name DEFAULT NULL, l integer DEFAULT NULL, nulls text DEFAULT 'value', seed bigint DEFAULT NULL, allow_identifiers boolean DEFAULT false, entity name DEFAULT NULL, strata name[] DEFAULT NULL, max_suppressed double precision DEFAULT 0, replace boolean DEFAULT false, composition text DEFAULT 'warning', continues bigint DEFAULT NULL, attack boolean DEFAULT false, attack_limit double precision DEFAULT NULL)
 RETURNS sdc.release
 LANGUAGE c
AS 'MODULE_PATHNAME', 'sdc_publish_anatomy';
CREATE FUNCTION sdc.publish_permutation(source regclass, target text, keys name[] DEFAULT NULL, sensitive name DEFAULT NULL, l integer DEFAULT NULL, rounds integer DEFAULT 5, nulls text DEFAULT 'value', seed bigint DEFAULT NULL, allow_identifiers boolean DEFAULT false, categorical name[] DEFAULT NULL, entity name DEFAULT NULL, strata name[] DEFAULT NULL, max_suppressed double precision DEFAULT 0, replace boolean DEFAULT false, composition text DEFAULT 'warning', attack boolean DEFAULT false, attack_limit double precision DEFAULT NULL)
 RETURNS sdc.release
 LANGUAGE c
AS 'MODULE_PATHNAME', 'sdc_publish_permutation';
CREATE FUNCTION sdc.declare(source regclass, keys name[] DEFAULT NULL, sensitive name[] DEFAULT NULL, identifiers name[] DEFAULT NULL, entity name DEFAULT NULL, categorical name[] DEFAULT NULL, strata name[] DEFAULT NULL, weight name DEFAULT NULL, keep name[] DEFAULT NULL, hierarchies jsonb DEFAULT NULL, policy text DEFAULT NULL)
 RETURNS void
 LANGUAGE c
AS 'MODULE_PATHNAME', 'sdc_declare';
CREATE FUNCTION sdc.suggest(source regclass)
 RETURNS TABLE("column" name, role text, distinct_values bigint, distinct_share double precision, null_share double precision, reason text)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'sdc_suggest';
CREATE FUNCTION sdc.interval_hierarchy(source regclass, attribute name, target text, widths double precision[], origin double precision DEFAULT 0, replace boolean DEFAULT false)
 RETURNS regclass
 LANGUAGE c
AS 'MODULE_PATHNAME', 'interval_hierarchy_wrapper';
CREATE FUNCTION sdc.prefix_hierarchy(source regclass, attribute name, target text, step integer DEFAULT 1, replace boolean DEFAULT false)
 RETURNS regclass
 LANGUAGE c
AS 'MODULE_PATHNAME', 'prefix_hierarchy_wrapper';
CREATE FUNCTION sdc.date_hierarchy(source regclass, attribute name, target text, units text[] DEFAULT '{month,year,decade}', replace boolean DEFAULT false)
 RETURNS regclass
 LANGUAGE c
AS 'MODULE_PATHNAME', 'date_hierarchy_wrapper';
CREATE FUNCTION sdc.time_hierarchy(source regclass, attribute name, target text, widths text[], origin text DEFAULT '2000-01-01', replace boolean DEFAULT false)
 RETURNS regclass
 LANGUAGE c
AS 'MODULE_PATHNAME', 'time_hierarchy_wrapper';
CREATE FUNCTION sdc.grouping_hierarchy(source regclass, attribute name, target text, groupings jsonb, replace boolean DEFAULT false)
 RETURNS regclass
 LANGUAGE c
AS 'MODULE_PATHNAME', 'grouping_hierarchy_wrapper';
CREATE FUNCTION sdc.uncovered_values(source regclass, hierarchies jsonb)
 RETURNS TABLE(attribute name, value text, rows bigint)
 LANGUAGE c
 STABLE PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'uncovered_values_wrapper';
CREATE FUNCTION sdc.verify_release(id bigint)
 RETURNS TABLE(relation text, unchanged boolean, note text)
 LANGUAGE c
AS 'MODULE_PATHNAME', 'verify_release_wrapper';

CREATE AGGREGATE sdc.t_closeness(keys record, sensitive anyelement, hierarchy regclass) (
    SFUNC = sdc.count_values, STYPE = internal, SSPACE = 65536,
    FINALFUNC = sdc.t_closeness_by_hierarchy_final, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = sdc.counts_combine, SERIALFUNC = sdc.counts_serialize,
    DESERIALFUNC = sdc.counts_deserialize, PARALLEL = RESTRICTED);
CREATE AGGREGATE sdc.t_closeness(grp bigint, sensitive anyelement, hierarchy regclass) (
    SFUNC = sdc.count_values, STYPE = internal, SSPACE = 65536,
    FINALFUNC = sdc.t_closeness_by_hierarchy_final, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = sdc.counts_combine, SERIALFUNC = sdc.counts_serialize,
    DESERIALFUNC = sdc.counts_deserialize, PARALLEL = RESTRICTED);
CREATE AGGREGATE sdc.household_risk(risk float8) (
    SFUNC = sdc.household_add, STYPE = float8, FINALFUNC = sdc.household_final,
    COMBINEFUNC = pg_catalog.float8pl, PARALLEL = SAFE);
CREATE AGGREGATE sdc.population_uniqueness(fraction float8, VARIADIC keys "any") (
    SFUNC = sdc.count_sample, STYPE = internal, SSPACE = 65536,
    FINALFUNC = sdc.population_uniqueness_final, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = sdc.counts_combine, SERIALFUNC = sdc.counts_serialize,
    DESERIALFUNC = sdc.counts_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE sdc.t_closeness_by_value(keys record, sensitive anyelement) (
    SFUNC = sdc.count_values, STYPE = internal, SSPACE = 65536,
    FINALFUNC = sdc.t_closeness_by_value_final, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = sdc.counts_combine, SERIALFUNC = sdc.counts_serialize,
    DESERIALFUNC = sdc.counts_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE sdc.t_closeness_by_value(grp bigint, sensitive anyelement) (
    SFUNC = sdc.count_values, STYPE = internal, SSPACE = 65536,
    FINALFUNC = sdc.t_closeness_by_value_final, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = sdc.counts_combine, SERIALFUNC = sdc.counts_serialize,
    DESERIALFUNC = sdc.counts_deserialize, PARALLEL = SAFE);

CREATE VIEW sdc.roles AS
SELECT c.oid::pg_catalog.regclass AS relation, a.attname AS "column",
       CASE WHEN s.objsubid OPERATOR(pg_catalog.=) 0 THEN 'policy'
            ELSE pg_catalog.regexp_replace(pg_catalog.btrim(pg_catalog.regexp_replace(s.label, '\shierarchy=.*$', '')), '\s+', ' ', 'g')
       END AS role,
       pg_catalog.btrim(pg_catalog.substring(s.label, '\shierarchy=(.*)$')) AS hierarchy,
       CASE WHEN s.objsubid OPERATOR(pg_catalog.=) 0 THEN s.label END AS policy
FROM pg_catalog.pg_seclabel s
JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) s.objoid
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
LEFT JOIN pg_catalog.pg_attribute a
    ON a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum::pg_catalog.int4 OPERATOR(pg_catalog.=) s.objsubid
   AND s.objsubid OPERATOR(pg_catalog.>) 0
WHERE s.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
  AND s.provider OPERATOR(pg_catalog.=) 'sdc'
ORDER BY n.nspname, c.relname, s.objsubid;

COMMENT ON FUNCTION sdc.assert_anonymity(regclass,name[],name[],integer,integer,double precision,double precision,double precision,jsonb,name,text,boolean,regclass,integer,double precision,text) IS 'raises an error unless a table is as anonymous as required, and says what fails and by how much
allow_empty: accept a table without rows
other arguments as in sdc.check_anonymity';
COMMENT ON FUNCTION sdc.assert_difference(regclass,regclass,name[],name,integer) IS 'raises an error unless the persons added to and removed from each group between two states of a table are none or at least k
entity: column that tells persons apart; NULL there is an error; NULL in a key is a value like any other';
COMMENT ON FUNCTION sdc.assert_utility(regclass,regclass,name[],name,double precision,double precision,double precision,double precision,double precision,double precision,double precision) IS 'raises an error unless a release is close enough to its source, and says what changed too much and by how much
attributes: columns to compare; match: column that pairs rows
max_mean_shift, max_ks, max_total_variation, max_missing, max_correlation_change, max_association_change: largest change of each figure of sdc.compare; max_row_change: largest change of the number of rows, as a share';
COMMENT ON FUNCTION sdc.attack(bigint,bigint) IS 'runs all attacks on a release that need no further data; for the steward, because it reads the source and gives figures only
seed: number that makes random choices reproducible';
COMMENT ON FUNCTION sdc.attack_inference(bigint,bigint,double precision) IS 'guesses sensitive values with a model learnt from the release (deFinetti attack); the baseline is the same attack on shuffled values; for the steward, because it reads the source and gives figures only
seed: number that makes random choices reproducible
confidence: probability from which on a guess counts as sure';
COMMENT ON FUNCTION sdc.attack_intersection(bigint[],name,bigint) IS 'counts persons to whom several releases together leave one value, fewer than promised, or nobody else; for the steward, because it reads the source and gives figures only
entity: column that tells persons of different sources apart
seed: number that makes random choices reproducible';
COMMENT ON FUNCTION sdc.attack_linkage(bigint,double precision,bigint) IS 'links each person of the source to the released row that is nearest, or that the person fits, and counts persons whose masked numbers are close to their own; for the steward, because it reads the source and gives figures only
width: what counts as close, in standard deviations
seed: number that makes random choices reproducible';
COMMENT ON FUNCTION sdc.attack_membership(bigint,regclass,double precision) IS 'guesses which persons of a population are in the release; for the steward, because it reads the source and gives figures only
threshold: how likely a person must be in it to be guessed';
COMMENT ON FUNCTION sdc.attack_minimality(bigint,bigint) IS 'runs the method of a release with p = 2 again, and counts values that follow from how groups were joined or why keys were generalized; for the steward, because it reads the source and gives figures only
seed: number that makes random choices reproducible';
COMMENT ON FUNCTION sdc.bottom_code(anyelement,double precision) IS 'the column with all values below a quantile replaced by their mean; NULL stays';
COMMENT ON FUNCTION sdc.check_anonymity(regclass,name[],name[],integer,integer,double precision,double precision,double precision,jsonb,name,text,regclass,integer,double precision,text) IS 'how anonymous a table is: a row for each property with the required and the actual figure, and how many groups and rows fail
k: rows per group; p: distinct sensitive values; l, t: l-diversity and t-closeness; alpha, categories: weight of sensitivity categories
entity: column that tells persons apart; k, p, l and alpha then count persons; NULL there is an error
distance: rank or value, for t of numbers and dates
population: table of the whole population; k_map: least number of its persons per group; delta: largest share of them that is in the table
nulls: value, error, or wildcard, which matches every value';
COMMENT ON FUNCTION sdc.column_risk(regclass,name[],integer) IS 'how well columns tell rows apart, alone and together up to max_size: groups per row, share of row pairs told apart, unique rows, average risk by these columns and by all others; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.enhanced_beta_likeness(bigint,anyelement) IS 'enhanced beta-likeness: largest relative gain (q-p)/p, infinite where a gain exceeds -ln p; NULL is a value like any other';
COMMENT ON AGGREGATE sdc.enhanced_beta_likeness(record,anyelement) IS 'enhanced beta-likeness: largest relative gain (q-p)/p, infinite where a gain exceeds -ln p; NULL is a value like any other';
COMMENT ON FUNCTION sdc.compare(regclass,regclass,name[],name) IS 'figures of a source next to those of its release, for the columns that both have: moments, quartiles, distances of distributions, correlations; ranges and sets are read back; numbers that the release took as categorical are categories
attributes: columns to compare; match: column that pairs rows';
COMMENT ON FUNCTION sdc.count_sample(internal,double precision,"any") IS 'internal: support function of an aggregate';
COMMENT ON FUNCTION sdc.count_values(internal,bigint,anyelement,regclass) IS 'internal: support function of an aggregate';
COMMENT ON FUNCTION sdc.count_values(internal,record,anyelement,regclass) IS 'internal: support function of an aggregate';
COMMENT ON FUNCTION sdc.date_hierarchy(regclass,name,text,text[],boolean) IS 'creates a hierarchy of ever larger units for a column of dates or timestamps
units: from minute, hour, day, month, quarter, year and decade
replace: fill an existing hierarchy again';
COMMENT ON FUNCTION sdc.declare(regclass,name[],name[],name[],name,name[],name[],name,name[],jsonb,text) IS 'labels the columns of a table with their roles, and the table with the policy that its releases must promise; only the owner may
an argument that is left out changes nothing; one that is given replaces all labels of its role
keys, sensitive, identifiers, categorical, strata, keep: columns of that role; entity: column that tells persons apart; weight: column of sampling weights; hierarchies: hierarchy table of each key; policy: for example k=5 p=2';
COMMENT ON FUNCTION sdc.dis_suda(double precision,integer,"any") IS 'DIS-SUDA: the SUDA score of a row as the probability that a match with it is right, in a sample of this fraction of the population; NULL is a value like any other';
COMMENT ON FUNCTION sdc.dominance(regclass,name[],integer,double precision) IS 'counts for each numeric key the groups of k rows whose mean would show their largest member
share: part of the sum that the largest member must have to count';
COMMENT ON FUNCTION sdc.drop_release(bigint) IS 'drops the tables and the view of a release under whatever names they have now; its entry stays in sdc.release_history';
COMMENT ON FUNCTION sdc.grouping_hierarchy(regclass,name,text,jsonb,boolean) IS 'creates a hierarchy from lists
groupings: a JSON array of objects, each of which groups the values or groups of the one before it
replace: fill an existing hierarchy again';
COMMENT ON FUNCTION sdc.household_add(double precision,double precision) IS 'internal: support function of an aggregate';
COMMENT ON FUNCTION sdc.household_final(double precision) IS 'internal: support function of an aggregate';
COMMENT ON FUNCTION sdc.household_risk(double precision) IS 'risk that at least one member of a household is re-identified, 1 - product of (1 - risk); members without risk (NULL) do not count';
COMMENT ON FUNCTION sdc.individual_risk(double precision,"any") IS 'risk that a row is re-identified, from its sampling weight and those of the rows with equal keys (Franconi and Polettini); OVER () for the whole sample; NULL is a value like any other in keys, and an error as weight';
COMMENT ON FUNCTION sdc.information_loss(integer,"any") IS '100 * SSE/SST: the percentage of the variance that averaging groups removes, as the mean over columns; of a categorical column the percentage of rows that differ from the most frequent value; a NULL that is filled in and a number that becomes NULL count in full';
COMMENT ON FUNCTION sdc.interval_hierarchy(regclass,name,text,double precision[],double precision,boolean) IS 'creates a hierarchy of ever wider intervals for a numeric column
widths: width of each level, narrowest first; origin: where one interval starts
replace: fill an existing hierarchy again';
COMMENT ON FUNCTION sdc.l_diversity(bigint,anyelement) IS 'frequency l-diversity: smallest |group| / rows of its most frequent sensitive value; sdc.p_sensitivity is distinct l-diversity; NULL is a value like any other';
COMMENT ON FUNCTION sdc.l_diversity(record,anyelement) IS 'frequency l-diversity: smallest |group| / rows of its most frequent sensitive value; sdc.p_sensitivity is distinct l-diversity; NULL is a value like any other';
COMMENT ON FUNCTION sdc.lattice(regclass,jsonb,integer,name[],integer,double precision,double precision,double precision,double precision,jsonb,jsonb,double precision,name,text) IS 'every combination of hierarchy levels with its groups, suppressed rows and loss; NULL is a value, which a hierarchy must list
hierarchies: hierarchy table of each key, null to leave a key as it is
k, p, l, t, alpha, categories: what each group must satisfy
max_suppressed: how many rows of failing groups may be left out; a share of the rows if below 1
weights: what each key counts in the loss; suppression_factor: what a suppressed row counts
entity: column that tells persons apart; k, p and l then count persons
nulls: value (NULL is a value) or wildcard (NULL matches every value)';
COMMENT ON FUNCTION sdc.mdav(integer,"any") IS 'groups of at least k similar rows (MDAV microaggregation); OVER (ORDER BY id) makes them reproducible; NULL in a key is a value of its own; rows with NULL in the same keys are grouped together where there are enough of them';
COMMENT ON FUNCTION sdc.microaggregate(text,name[],integer,name[],integer,text,boolean,bigint,boolean,integer,text,name[],jsonb,name,name[],double precision) IS 'an error that says how to name the row type of a table, NULL::my_table; it takes the same arguments as the other form';
COMMENT ON FUNCTION sdc.microaggregate(anyelement,name[],integer,name[],integer,text,boolean,bigint,boolean,integer,text,name[],jsonb,name,name[],double precision) IS 'rows of a table, named by its row type (NULL::my_table), whose keys are averaged over groups of at least k similar rows; a categorical key shows its most frequent value
p: fewest distinct values of each sensitive column in a group
method: how rows are grouped; see the page on microaggregation
standardize: give all numeric keys the same variance before distances are measured
seed: number that makes random choices reproducible; never registered
refine: improve groups by a local search afterwards; effort: how long it goes on, 0 to 10000
categorical: numeric keys that are codes; a group shows the most frequent one
weights: how much each key counts in distances and in the loss, 1 if left out
nulls: value (NULL in a key is a value of its own) or error
entity: column that tells persons apart; k and p then count persons
strata: columns whose values no group mixes
max_suppressed: how many rows of strata that cannot keep the promise may be left out; a share of the rows if below 1';
COMMENT ON FUNCTION sdc.minimal_generalizations(regclass,jsonb,integer,name[],integer,double precision,double precision,double precision,double precision,jsonb,jsonb,double precision,name,text) IS 'every minimal combination of hierarchy levels that meets the requirements, least loss first; NULL is a value, which a hierarchy must list
hierarchies: hierarchy table of each key, null to leave a key as it is
k, p, l, t, alpha, categories: what each group must satisfy
max_suppressed: how many rows of failing groups may be left out; a share of the rows if below 1
weights: what each key counts in the loss; suppression_factor: what a suppressed row counts
entity: column that tells persons apart; k, p and l then count persons
nulls: value (NULL is a value) or wildcard (NULL matches every value)';
COMMENT ON FUNCTION sdc.mondrian(integer,integer,record,record) IS 'groups of at least k rows with at least p distinct values of every sensitive column, by splitting the table again and again so that keys lose least (Mondrian); NULL in a key is a value of its own; rows with NULL in the same keys are grouped together where there are enough of them';
COMMENT ON FUNCTION sdc.mondrian(integer,record) IS 'groups of at least k rows by splitting the table again and again so that keys lose least (Mondrian); NULL in a key is a value of its own; rows with NULL in the same keys are grouped together where there are enough of them';
COMMENT ON FUNCTION sdc.ncp(integer,"any") IS 'normalized certainty penalty, summed over rows and columns: range of the group over range of the column, for categorical columns distinct values over distinct values; a NULL that is filled in and a number that becomes NULL count in full';
COMMENT ON FUNCTION sdc.noise(anyelement,double precision) IS 'the column plus normal noise of this share of its variance, scaled back to its mean and variance; NULL stays';
COMMENT ON FUNCTION sdc.p_alpha_sensitive(integer,integer,double precision,record,integer,integer) IS 'groups of at least k similar rows with at least p distinct sensitivity categories and a total weight of at least alpha; category i of categories weighs (i-1)/(categories-1), and 1 is the most sensitive; NULL in a numeric key is a value of its own, NULL as category an error';
COMMENT ON FUNCTION sdc.p_sensitive(integer,integer,record,record,text) IS 'groups of at least k similar rows with at least p distinct values of every sensitive column; NULL in a key is a value of its own; rows with NULL in the same keys are grouped together where there are enough of them
method: k_first, p_first, p_first_lean, random_seeds, random_rows, random_rows_lean, merge, symmetric, or least_loss, which tries several';
COMMENT ON FUNCTION sdc.permutation(integer,record,anyelement,integer) IS 'groups of at least l rows with similar keys whose sensitive values all differ, so that columns can be permuted within them; NULL in a key is a value of its own; rows with NULL in the same keys are grouped together where there are enough of them
rounds: how often a set of rows is tried before it stays together';
COMMENT ON FUNCTION sdc.population_models(regclass,name[],double precision) IS 'how many persons are unique in the population behind a sample of this fraction, by three models; whether each fit converged, and which one sdc.population_uniqueness uses; NULL is a value like any other';
COMMENT ON FUNCTION sdc.population_uniqueness(double precision,"any") IS 'share of the population that is unique in these keys, estimated from a sample of this fraction of it (Pitman up to 0.1, else the smaller of Zayatz and SNB); sdc.population_models shows the fits; NULL is a value like any other';
COMMENT ON FUNCTION sdc.population_uniqueness_final(internal) IS 'internal: support function of an aggregate';
COMMENT ON FUNCTION sdc.pram(anyelement,double precision) IS 'the column with each value kept with this probability, or else drawn again from the column''s own frequencies; NULL stays';
COMMENT ON FUNCTION sdc.prefix_hierarchy(regclass,name,text,integer,boolean) IS 'creates a hierarchy that masks the text of a column from its end: 43102, 4310*, 431**, …
step: how many more characters each level masks
replace: fill an existing hierarchy again';
COMMENT ON FUNCTION sdc.publish_anatomy(regclass,text,name[],name,integer,text,bigint,boolean,name,name[],double precision,boolean,text,bigint,boolean,double precision) IS 'publishes keys and sensitive values in two tables, target_qit and target_st, linked by random groups of at least l different values, and a view that joins them with weights
nulls: value or error
seed: number that makes random choices reproducible; never registered
entity: column that tells persons apart; no group holds two rows of a person
strata: columns whose values no group mixes; they are published as they are
max_suppressed: how many rows of strata that cannot keep the promise may be left out; a share of the rows if below 1
allow_identifiers: publish even columns that tell who a row is about
replace: take the place of your own release of that name
composition: warning or error if the release and an earlier one together reveal more than promised
continues: release that this one continues as a sequence, 0 to start one
attack: attack the release before it is granted, and register what was found
attack_limit: refuse the release if inference is right about a larger share of persons';
COMMENT ON FUNCTION sdc.publish_generalized(regclass,text,jsonb,integer,name[],integer,double precision,name[],jsonb,double precision,double precision,double precision,jsonb,jsonb,double precision,boolean,boolean,name,text,name[],text,regclass,integer,double precision,boolean,double precision) IS 'publishes a table of the named columns whose keys are generalized by hierarchies with the least loss, and leaves out failing groups
hierarchies: hierarchy table of each key, null to leave a key as it is
levels: level of each key, instead of a search
p: fewest distinct values of each sensitive column in a group
l, t: l-diversity and t-closeness of each sensitive column
alpha, categories: least weight of sensitivity categories in a group; categories lists values, most sensitive first
max_suppressed: how many rows of failing groups may be left out; a share of the rows if below 1
keep: further columns to publish as they are
weights: what each key counts in the loss; suppression_factor: what a suppressed row counts
nulls: value (NULL in a key is a value of its own), error, or wildcard (NULL matches every value)
entity: column that tells persons apart; k, p, l and alpha then count persons, t rows
strata: keys that are never generalized
population: table of the whole population; k_map: least number of its persons per group; delta: largest share of them that is in the table
allow_identifiers: publish even columns that tell who a row is about
replace: take the place of your own release of that name
composition: warning or error if the release and an earlier one together reveal more than promised
attack: attack the release before it is granted, and register what was found
attack_limit: refuse the release if inference is right about a larger share of persons';
COMMENT ON FUNCTION sdc.publish_microaggregated(regclass,text,name[],integer,name[],integer,name[],text,boolean,bigint,boolean,integer,boolean,text,name[],jsonb,name,name[],double precision,boolean,text,bigint,double precision,double precision,boolean,double precision) IS 'publishes a table of the named columns whose keys are averaged over groups of at least k similar rows
p: fewest distinct values of each sensitive column in a group
l, t: l-diversity and t-closeness of each sensitive column
keep: further columns to publish as they are
method: how rows are grouped; see the page on microaggregation
standardize: give all numeric keys the same variance before distances are measured
seed: number that makes random choices reproducible; never registered
refine: improve groups by a local search afterwards; effort: how long it goes on, 0 to 10000
categorical: numeric keys that are codes; a group shows the most frequent one
weights: how much each key counts in distances and in the loss, 1 if left out
nulls: value (NULL in a key is a value of its own) or error
entity: column that tells persons apart; k, p and l then count persons
strata: columns whose values no group mixes; they are published as they are
max_suppressed: how many rows of strata that cannot keep the promise may be left out; a share of the rows if below 1
allow_identifiers: publish even columns that tell who a row is about
replace: take the place of your own release of that name
composition: warning or error if the release and an earlier one together reveal more than promised
continues: release that this one continues as a sequence, 0 to start one
attack: attack the release before it is granted, and register what was found
attack_limit: refuse the release if inference is right about a larger share of persons';
COMMENT ON FUNCTION sdc.publish_mondrian(regclass,text,name[],integer,name[],integer,name[],double precision,double precision,boolean,jsonb,boolean,text,name[],boolean,text,name,name[],double precision,boolean,double precision) IS 'publishes a table of the named columns whose keys show the range, set or hierarchy node of their group of at least k rows
p: fewest distinct values of each sensitive column in a group
l, t: l-diversity and t-closeness of each sensitive column
keep: further columns to publish as they are
strict: never separate rows of equal value
hierarchies: hierarchy table of a categorical key, which then shows nodes
categorical: numeric keys that are codes; a group shows the set of them
nulls: value (NULL in a key is a value of its own) or error
entity: column that tells persons apart; k, p and l then count persons
strata: columns whose values no group mixes; they are published as they are
max_suppressed: how many rows of strata that cannot keep the promise may be left out; a share of the rows if below 1
allow_identifiers: publish even columns that tell who a row is about
replace: take the place of your own release of that name
composition: warning or error if the release and an earlier one together reveal more than promised
attack: attack the release before it is granted, and register what was found
attack_limit: refuse the release if inference is right about a larger share of persons';
COMMENT ON FUNCTION sdc.publish_p_alpha(regclass,text,name[],name,jsonb,integer,integer,double precision,name[],text,jsonb,boolean,boolean,text,name[],jsonb,name,name[],double precision,boolean,text,bigint,boolean,double precision) IS 'publishes a table of the named columns whose keys are masked in groups of at least k rows, p sensitivity categories and a total weight of alpha
categories: lists of sensitive values, most sensitive first
keep: further columns to publish as they are
publish: category, value or both
hierarchies: hierarchy table of a key that is generalized instead of averaged
standardize: give all numeric keys the same variance before distances are measured
categorical: numeric keys that are codes; a group shows the most frequent one
weights: how much each key counts in distances and in the loss, 1 if left out
nulls: value (NULL in a key is a value of its own) or error
entity: column that tells persons apart; each counts by their most sensitive category
strata: columns whose values no group mixes; they are published as they are
max_suppressed: how many rows of strata that cannot keep the promise may be left out; a share of the rows if below 1
allow_identifiers: publish even columns that tell who a row is about
replace: take the place of your own release of that name
composition: warning or error if the release and an earlier one together reveal more than promised
continues: release that this one continues as a sequence, 0 to start one
attack: attack the release before it is granted, and register what was found
attack_limit: refuse the release if inference is right about a larger share of persons';
COMMENT ON FUNCTION sdc.publish_permutation(regclass,text,name[],name,integer,integer,text,bigint,boolean,name[],name,name[],double precision,boolean,text,boolean,double precision) IS 'publishes keys and sensitive values in two tables, target_pqt and target_pst, permuted within groups of similar keys and at least l different values, and a view that joins them with weights
rounds: how often a set of rows is tried before it stays together
nulls: value or error
seed: number that makes random choices reproducible; never registered
categorical: numeric keys that are codes, compared by equality
entity: column that tells persons apart; no group holds two rows of a person
strata: columns whose values no group mixes; they are published as they are
max_suppressed: how many rows of strata that cannot keep the promise may be left out; a share of the rows if below 1
allow_identifiers: publish even columns that tell who a row is about
replace: take the place of your own release of that name
composition: warning or error if the release and an earlier one together reveal more than promised
attack: attack the release before it is granted, and register what was found
attack_limit: refuse the release if inference is right about a larger share of persons';
COMMENT ON FUNCTION sdc.publish_perturbed(regclass,text,jsonb,name[],bigint,boolean,boolean,text,name,name[],boolean,double precision) IS 'publishes a table of the named columns, some of them perturbed; it promises no anonymity
methods: rank_swap, pram, noise, top_code, bottom_code or round for each column, with its number
keep: further columns to publish as they are
seed: number that makes random choices reproducible; never registered
entity: column that tells persons apart; all rows of a person are changed alike
strata: columns within whose values rows are perturbed
allow_identifiers: publish even columns that tell who a row is about
replace: take the place of your own release of that name
composition: warning or error if the release and an earlier one together reveal more than promised
attack: attack the release before it is granted, and register what was found
attack_limit: refuse the release if inference is right about a larger share of persons';
COMMENT ON FUNCTION sdc.publish_suppressed(regclass,text,name[],integer,name[],name[],jsonb,text,integer,boolean,boolean,text,name,name[],boolean,double precision) IS 'publishes a table of the named columns with as few cells of keys blanked as possible, so that every row is like k - 1 others
sensitive: columns whose p and l are registered, though not required
keep: further columns to publish as they are
importance: what a blank costs in each key
reading: both (a blank is a value, and matches anything) or wildcard (it matches anything)
known_keys: how many keys an attacker knows, with reading wildcard
entity: column that tells persons apart; k then counts persons
strata: columns that are never blanked; each stratum is treated by itself
allow_identifiers: publish even columns that tell who a row is about
replace: take the place of your own release of that name
composition: warning or error if the release and an earlier one together reveal more than promised
attack: attack the release before it is granted, and register what was found
attack_limit: refuse the release if inference is right about a larger share of persons';
COMMENT ON FUNCTION sdc.query_error(bigint,integer,bigint) IS 'mean relative error of random counting queries over up to three columns of a release, compared with its source
queries: how many; seed: number that makes them reproducible';
COMMENT ON FUNCTION sdc.rank_swap(anyelement,double precision) IS 'the column with each value swapped with one whose rank is at most this percentage of the rows away; NULL stays';
COMMENT ON FUNCTION sdc.readable(oid) IS 'internal: whether the caller may read a relation';
COMMENT ON FUNCTION sdc.related_relations(oid) IS 'internal: relations that share a table with this one';
COMMENT ON FUNCTION sdc.relation_name(oid) IS 'internal: the name of a relation with its schema; NULL if it is gone';
COMMENT ON FUNCTION sdc.report(regclass,name[],name[],integer,integer,double precision,double precision,double precision,jsonb,name,text,integer[],text,regclass,integer,double precision,name) IS 'an HTML page about a table: verdict, group sizes, risk, sensitive values, and what each of ks would cost
audience: steward or public, which shows no count below k
ks: values of k of the risk and loss curve, NULL for none
weight: column with the number of persons that a row stands for
other arguments as in sdc.check_anonymity';
COMMENT ON FUNCTION sdc.report(text,name[],name[],integer,integer,double precision,double precision,double precision,jsonb,name,text,integer[],text,regclass,integer,double precision,name) IS 'sdc.report for the name of a table; keys and sensitive columns that are left out are those with that label';
COMMENT ON FUNCTION sdc.restored_relation(bigint,name,"char",text,text) IS 'internal: a relation of a release whose numbers are not known in this database';
COMMENT ON FUNCTION sdc.risk(regclass,name[],regclass,name,double precision,name,text) IS 'risk of a table for each attacker: prosecutor, journalist, marketer and membership
population: table of the whole population; weight: column with the number of persons that a row stands for; without either the table is the population
threshold: rows with a larger risk count as at risk
entity: column that tells persons apart; groups then count persons
nulls: value, error, or wildcard, which matches every value';
COMMENT ON FUNCTION sdc.risk_utility(anyelement,name[],integer[],name[],integer,text,text,name[],jsonb,name) IS 'what microaggregation of a table would cost and what risk it would leave, one row for each k
loss: percent of the variance lost; risk: average of 1/|group|; linkage: share that anyone who knows all keys links rightly; NULL where k is larger than the table or smaller than p
ks: values of k to try
p: fewest distinct values of each sensitive column in a group
method: how rows are grouped; see the page on microaggregation
nulls: value (NULL in a key is a value of its own) or error
categorical: numeric keys that are codes; a group shows the most frequent one
weights: how much each key counts in distances and in the loss, 1 if left out
entity: column that tells persons apart; k, p and the risk then count persons';
COMMENT ON FUNCTION sdc.risk_utility(text,name[],integer[],name[],integer,text,text,name[],jsonb,name) IS 'sdc.risk_utility for the name of a table';
COMMENT ON FUNCTION sdc.rounded_loss(jsonb) IS 'internal: losses with three significant digits';
COMMENT ON FUNCTION sdc.sse(integer,"any") IS 'sum of squares within groups of standardised columns; a categorical column counts the rows that differ from the most frequent value of their group, scaled to the total of a number; a NULL that is filled in and a number that becomes NULL count in full';
COMMENT ON FUNCTION sdc.suda(integer,"any") IS 'SUDA score of a row: the sum over its minimal sample uniques of at most max_size keys, where small ones weigh more; 0 for a row without any; NULL is a value like any other';
COMMENT ON FUNCTION sdc.suda_keys(regclass,name[],integer) IS 'how much each key adds to the SUDA scores of a table: its share of the scores, and the number of minimal sample uniques of at most max_size keys that contain it; NULL is a value like any other';
COMMENT ON FUNCTION sdc.suggest(regclass) IS 'suggests a role for each column of a table from its name, type, constraints and values, with the reason; read it before you call sdc.declare';
COMMENT ON FUNCTION sdc.t_closeness(bigint,anyelement) IS 't-closeness by rank: largest earth mover''s distance of any group from the table; the distance of two numbers or dates is how many distinct values lie between them, other values are all equally far apart; NULL is a value like any other and comes last';
COMMENT ON FUNCTION sdc.t_closeness(bigint,anyelement,regclass) IS 't-closeness by a hierarchy: the distance of two values is the height of their lowest common ancestor divided by the height of the hierarchy; NULL is a value, which the hierarchy must list';
COMMENT ON FUNCTION sdc.t_closeness(record,anyelement) IS 't-closeness by rank: largest earth mover''s distance of any group from the table; the distance of two numbers or dates is how many distinct values lie between them, other values are all equally far apart; NULL is a value like any other and comes last';
COMMENT ON FUNCTION sdc.t_closeness(record,anyelement,regclass) IS 't-closeness by a hierarchy: the distance of two values is the height of their lowest common ancestor divided by the height of the hierarchy; NULL is a value, which the hierarchy must list';
COMMENT ON FUNCTION sdc.t_closeness_by_hierarchy_final(internal) IS 'internal: support function of an aggregate';
COMMENT ON FUNCTION sdc.t_closeness_by_value(bigint,anyelement) IS 't-closeness by value: the distance of two numbers or dates is their difference over the column''s range; there NULL, NaN and infinities are errors, in other types NULL is a value like any other';
COMMENT ON FUNCTION sdc.t_closeness_by_value(record,anyelement) IS 't-closeness by value: the distance of two numbers or dates is their difference over the column''s range; there NULL, NaN and infinities are errors, in other types NULL is a value like any other';
COMMENT ON FUNCTION sdc.t_closeness_by_value_final(internal) IS 'internal: support function of an aggregate';
COMMENT ON FUNCTION sdc.three_digits(jsonb) IS 'internal: a number with three significant digits';
COMMENT ON FUNCTION sdc.time_hierarchy(regclass,name,text,text[],text,boolean) IS 'creates a hierarchy of ever wider bins for a column of dates or timestamps
widths: intervals without months, narrowest first; origin: where one bin starts
replace: fill an existing hierarchy again';
COMMENT ON FUNCTION sdc.top_code(anyelement,double precision) IS 'the column with all values above a quantile replaced by their mean; NULL stays';
COMMENT ON FUNCTION sdc.uncovered_values(regclass,jsonb) IS 'the values of keys that their hierarchies do not list, and how many rows have each';
COMMENT ON FUNCTION sdc.verify_release(bigint) IS 'whether each table of a release still holds the rows that were published, by the checksums of that day';
COMMENT ON FUNCTION sdc.violations(regclass,name[],name[],integer,integer,double precision,double precision,double precision,jsonb,name,text,regclass,integer,double precision,text) IS 'the groups that miss a requirement, with their key values, worst first
arguments as in sdc.check_anonymity';
COMMENT ON table sdc.release_end IS 'internal: releases that were replaced or dropped; sdc.release_history shows them';
COMMENT ON table sdc.release_relation IS 'internal: relations and publisher of each release by their numbers in the catalog';
COMMENT ON type sdc.column_risks IS 'a row of sdc.column_risk()';
COMMENT ON view sdc.registered IS 'internal: releases with their relations and publishers by their numbers in the catalog';
COMMENT ON view sdc.release_history IS 'all releases of the caller, including those replaced or dropped, under the names at publication';
COMMENT ON view sdc.releases IS 'releases that the caller published or may read; the publisher sees exact losses, checksums and figures of attacks';
COMMENT ON view sdc.roles IS 'labels of all tables: the policy of a table and the role of each labelled column';

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

-- these two have arguments of declared types, and now a transition function that has, too
CREATE OR REPLACE AGGREGATE sdc.discernibility(grp int) (
    SFUNC = sdc.count_groups, STYPE = internal, SSPACE = 65536,
    FINALFUNC = sdc.discernibility_final, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = sdc.counts_combine, SERIALFUNC = sdc.counts_serialize,
    DESERIALFUNC = sdc.counts_deserialize, PARALLEL = SAFE);
CREATE OR REPLACE AGGREGATE sdc.average_group_size(grp int) (
    SFUNC = sdc.count_groups, STYPE = internal, SSPACE = 65536,
    FINALFUNC = sdc.average_group_size_final, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = sdc.counts_combine, SERIALFUNC = sdc.counts_serialize,
    DESERIALFUNC = sdc.counts_deserialize, PARALLEL = SAFE);
COMMENT ON FUNCTION sdc.count_groups(internal,integer) IS 'internal: support function of an aggregate';
COMMENT ON FUNCTION sdc.count_groups_across(internal,record,boolean) IS 'internal: support function of an aggregate';
COMMENT ON FUNCTION sdc.count_sample_across(internal,record,boolean) IS 'internal: support function of an aggregate';
COMMENT ON FUNCTION sdc.count_values_across(internal,record,boolean) IS 'internal: support function of an aggregate';
COMMENT ON FUNCTION sdc.count_values_c_across(internal,record,boolean) IS 'internal: support function of an aggregate';
COMMENT ON FUNCTION sdc.count_values_categories_across(internal,record,boolean) IS 'internal: support function of an aggregate';
COMMENT ON FUNCTION sdc.count_values_hierarchy_across(internal,record,boolean) IS 'internal: support function of an aggregate';
COMMENT ON FUNCTION sdc.count_rows_across(internal,record,boolean) IS 'internal: support function of an aggregate';
COMMENT ON FUNCTION sdc.measure_groups_across(internal,record,boolean) IS 'internal: support function of an aggregate';

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

-- internal: what sdc.publish_microaggregated runs on the workers of Citus. Randomness comes from the
-- operating system or with the order, so nothing here is the same twice; but Citus pushes no INSERT …
-- SELECT down that holds a VOLATILE function, and PostgreSQL takes no liberties with window functions.
CREATE FUNCTION sdc.masked_stratum(record, jsonb) RETURNS record
    LANGUAGE c STABLE WINDOW PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_masked_stratum';
COMMENT ON FUNCTION sdc.masked_stratum(record, jsonb)
    IS 'internal: the rows of a window partition as sdc.publish_microaggregated shows them, in random order, with figures about them';
CREATE FUNCTION sdc.column_of(record, number int, anyelement) RETURNS anyelement
    LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'sdc_column_of';
COMMENT ON FUNCTION sdc.column_of(record, int, anyelement)
    IS 'internal: a column of a record by its number; the last argument says of which type it is';

-- What stayed for the sake of views calls its successor by the names of its arguments.
DO $forward$
DECLARE
    kept record;
    called text;
BEGIN
    FOR kept IN
        SELECT p.oid, p.proname, p.proretset, p.provolatile, p.proparallel, p.prorettype,
               pg_catalog.regexp_replace(p.proname, '_before_0_3$', '') AS successor,
               pg_catalog.pg_get_function_arguments(p.oid) AS arguments,
               pg_catalog.pg_get_function_result(p.oid) AS result,
               (SELECT pg_catalog.string_agg(pg_catalog.format('%I => $%s', p.proargnames[i], i), ', ' ORDER BY i)
                FROM pg_catalog.generate_series(1, p.pronargs) i) AS passed,
               -- a successor may have more columns
               COALESCE((SELECT pg_catalog.string_agg(pg_catalog.quote_ident(p.proargnames[i]), ', ' ORDER BY i)
                         FROM pg_catalog.generate_subscripts(p.proargmodes, 1) i
                         WHERE p.proargmodes[i] OPERATOR(pg_catalog.=) 't'), '*') AS columns
        FROM pg_catalog.pg_proc p
        WHERE p.pronamespace OPERATOR(pg_catalog.=) 'sdc'::pg_catalog.regnamespace::pg_catalog.oid
          AND p.proname::pg_catalog.text OPERATOR(pg_catalog.~~) '%\_before\_0\_3'
    LOOP
        called := CASE WHEN kept.proretset THEN pg_catalog.format('SELECT %s FROM sdc.%I(%s)', kept.columns, kept.successor, kept.passed)
                       ELSE pg_catalog.format('SELECT sdc.%I(%s)', kept.successor, kept.passed) END;
        EXECUTE pg_catalog.format('CREATE OR REPLACE FUNCTION sdc.%I(%s) RETURNS %s LANGUAGE sql %s PARALLEL %s AS %L',
            kept.proname, kept.arguments, kept.result,
            CASE WHEN kept.provolatile OPERATOR(pg_catalog.=) 'i' THEN 'IMMUTABLE' WHEN kept.provolatile OPERATOR(pg_catalog.=) 's' THEN 'STABLE' ELSE 'VOLATILE' END,
            CASE WHEN kept.proparallel OPERATOR(pg_catalog.=) 's' THEN 'SAFE' WHEN kept.proparallel OPERATOR(pg_catalog.=) 'r' THEN 'RESTRICTED' ELSE 'UNSAFE' END, called);
    END LOOP;
END
$forward$;
DROP FUNCTION pg_temp.retire(regprocedure);

-- What functions say of themselves, in plainer words.
COMMENT ON FUNCTION sdc.generalize(anyelement,regclass,integer) IS 'the label of a value at a level of a hierarchy; level 0 is the value itself, and a value that the hierarchy does not list is an error';
COMMENT ON FUNCTION sdc.generalize(text,regclass,integer) IS 'the label of a value at a level of a hierarchy; level 0 is the value itself, and a value that the hierarchy does not list is an error';
COMMENT ON FUNCTION sdc.histogram IS 'how many rows are in groups of which size, as bars of text; NULL is a value like any other
width: longest bar in characters
entity: column that tells persons apart; the size then counts persons';
COMMENT ON FUNCTION sdc.feasibility IS 'the largest p that a table allows, and the most groups that p allows, before any masking is tried; NULL is a value like any other';
COMMENT ON FUNCTION sdc.mondrian(integer,integer,record,record,regclass[]) IS 'sdc.mondrian where values that a hierarchy puts together stay together; hierarchies has one table for each key in their order, NULL for a key without one';
COMMENT ON VIEW sdc.progress IS 'long-running calls of pg_sdc in this database, and how far they are';
COMMENT ON FUNCTION sdc.category(text,jsonb) IS 'sensitivity category of a value, where 1 is the most sensitive; categories is a JSON array of arrays of values';
COMMENT ON FUNCTION sdc.estimate_count(text,text[]) IS 'how many rows of the source meet all predicates, estimated from a release by anatomy or permutation; each predicate compares one column with literals';
COMMENT ON FUNCTION sdc.report_release(bigint,text,integer[]) IS 'an HTML page about a release: its promise checked again, loss and distribution of each key, parameters, checksums
audience: steward or public
ks: values of k of the risk and loss curve, NULL for none';
COMMENT ON FUNCTION sdc.disclosures(record,"any") IS 'number of (group, sensitive column) pairs with a single value: attribute disclosures; NULL is a value like any other';
COMMENT ON FUNCTION sdc.disclosures(bigint,"any") IS 'number of (group, sensitive column) pairs with a single value: attribute disclosures; NULL is a value like any other';
COMMENT ON FUNCTION sdc.entropy_l_diversity(record,anyelement) IS 'entropy l-diversity: smallest exp(entropy) of the sensitive values of any group; NULL is a value like any other';
COMMENT ON FUNCTION sdc.entropy_l_diversity(bigint,anyelement) IS 'entropy l-diversity: smallest exp(entropy) of the sensitive values of any group; NULL is a value like any other';
COMMENT ON FUNCTION sdc.recursive_l_diversity(record,anyelement,double precision) IS 'recursive (c,l)-diversity: largest l that every group satisfies for this c; NULL is a value like any other';
COMMENT ON FUNCTION sdc.recursive_l_diversity(bigint,anyelement,double precision) IS 'recursive (c,l)-diversity: largest l that every group satisfies for this c; NULL is a value like any other';
COMMENT ON FUNCTION sdc.reconstruction_error(integer,record,anyelement,boolean) IS 'squared distance of the true rows from what a release by anatomy (permuted: by permutation) lets anyone infer, summed over rows; NULL is a value like any other';

COMMENT ON COLUMN sdc.release.id IS 'number of the release';
COMMENT ON COLUMN sdc.release.method IS 'how the rows were masked';
COMMENT ON COLUMN sdc.release.rows IS 'rows that were published';
COMMENT ON COLUMN sdc.release.groups IS 'groups that the rows form';
COMMENT ON COLUMN sdc.release.suppressed IS 'rows that were left out';
COMMENT ON COLUMN sdc.release.published_by IS 'role that published it';
COMMENT ON COLUMN sdc.release.published_at IS 'when it was published';
COMMENT ON COLUMN sdc.memberships.sequence IS 'first release of the sequence';
COMMENT ON COLUMN sdc.memberships.person IS 'text of the entity column';
COMMENT ON COLUMN sdc.memberships.grp IS 'group that the person is in; for anatomy a set of values';
COMMENT ON COLUMN sdc.memberships.since IS 'release since which the person is in it';
COMMENT ON COLUMN sdc.progress.pid IS 'process of the call';
COMMENT ON COLUMN sdc.progress.relation IS 'table or view that the call is about';
COMMENT ON COLUMN sdc.progress.phase IS 'what the call does now';
COMMENT ON COLUMN sdc.progress.done IS 'how much of this phase is done';
COMMENT ON COLUMN sdc.progress.total IS 'how much there is to do in this phase';
COMMENT ON COLUMN sdc.roles.relation IS 'table or view that has the label';
COMMENT ON COLUMN sdc.roles."column" IS 'column that has the label; NULL for a policy';
COMMENT ON COLUMN sdc.roles.role IS 'role of the column, or policy';
COMMENT ON COLUMN sdc.roles.hierarchy IS 'hierarchy table that the label names';
COMMENT ON COLUMN sdc.roles.policy IS 'what every release of the table must promise';

-- The views of the register show columns of its tables, which are described there.
DO $describe$
DECLARE
    described record;
BEGIN
    FOR described IN
        SELECT c.relname, a.attname, d.description
        FROM pg_catalog.pg_class c
        JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) c.oid
        JOIN pg_catalog.pg_attribute t ON t.attname OPERATOR(pg_catalog.=) a.attname
        JOIN pg_catalog.pg_description d ON d.objoid OPERATOR(pg_catalog.=) t.attrelid
         AND d.objsubid OPERATOR(pg_catalog.=) t.attnum::pg_catalog.int4
         AND d.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid
        WHERE c.oid OPERATOR(pg_catalog.=) ANY (ARRAY['sdc.releases', 'sdc.release_history']::pg_catalog.regclass[]::pg_catalog.oid[])
          AND t.attrelid OPERATOR(pg_catalog.=) ANY (ARRAY['sdc.release', 'sdc.release_end']::pg_catalog.regclass[]::pg_catalog.oid[])
          AND d.objsubid OPERATOR(pg_catalog.>) 0
    LOOP
        EXECUTE pg_catalog.format('COMMENT ON COLUMN sdc.%I.%I IS %L', described.relname, described.attname, described.description);
    END LOOP;
END
$describe$;

-- Default privileges may have granted others what the extension creates. They could read who is in
-- which group, write the register, or put a trigger on it, which would run as its owner.
DO $revoke$
DECLARE
    granted record;
BEGIN
    FOR granted IN
        SELECT DISTINCT c.relname, CASE WHEN c.relkind OPERATOR(pg_catalog.=) 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind,
               CASE WHEN a.grantee OPERATOR(pg_catalog.=) 0::pg_catalog.oid THEN 'PUBLIC'
                    ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) END AS grantee
        FROM pg_catalog.pg_class c CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) a
        WHERE c.relnamespace OPERATOR(pg_catalog.=) 'sdc'::pg_catalog.regnamespace::pg_catalog.oid
          AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,v,S}') AND a.grantee OPERATOR(pg_catalog.<>) c.relowner
    LOOP
        EXECUTE pg_catalog.format('REVOKE ALL ON %s sdc.%I FROM %s', granted.kind, granted.relname, granted.grantee);
    END LOOP;
END
$revoke$;
GRANT SELECT ON sdc.releases, sdc.release_history, sdc.memberships, sdc.roles, sdc.progress TO PUBLIC;
