-- Whoever owns the schema, or may create in it, could slip in functions of their own.
DO $refuse$
BEGIN
    IF EXISTS (
        SELECT FROM pg_catalog.pg_namespace n
        JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) n.nspowner
        WHERE n.nspname OPERATOR(pg_catalog.=) 'sdc'
          AND (NOT r.rolsuper OR EXISTS (
                SELECT FROM pg_catalog.aclexplode(n.nspacl) a
                WHERE a.privilege_type OPERATOR(pg_catalog.=) 'CREATE'
                  AND a.grantee OPERATOR(pg_catalog.<>) n.nspowner)))
    THEN
        RAISE EXCEPTION 'the schema sdc belongs to others, or others may create in it'
            USING ERRCODE = 'object_in_use',
                  HINT = 'Drop it, or rename it: the extension creates its own.';
    END IF;
END
$refuse$;

-- The register of releases: a row for each, written by the function that published it. Nobody else
-- writes here: the library does as the register's owner, and users read sdc.releases.

CREATE TABLE sdc.release (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source       text NOT NULL,
    target       text NOT NULL,
    method       text NOT NULL,
    parameters   jsonb NOT NULL,
    rows         bigint NOT NULL,
    groups       bigint NOT NULL,
    suppressed   bigint NOT NULL DEFAULT 0,
    achieved     jsonb NOT NULL,
    loss         jsonb NOT NULL,
    published_by name NOT NULL DEFAULT current_user,
    published_at timestamptz NOT NULL DEFAULT pg_catalog.now(),
    checksums    text[]
);
COMMENT ON TABLE sdc.release IS 'register of releases; its row type is what the publishing functions return';
COMMENT ON COLUMN sdc.release.source IS 'table that was published, with its schema';
COMMENT ON COLUMN sdc.release.target IS 'table or view that holds the release, with its schema';
COMMENT ON COLUMN sdc.release.parameters IS 'arguments of the call; never a seed';
COMMENT ON COLUMN sdc.release.achieved IS 'what the released rows were found to satisfy before they were released; attacks: what attacks found then, for the publisher';
COMMENT ON COLUMN sdc.release.loss IS 'what the masking cost';
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
SELECT pg_catalog.pg_extension_config_dump('sdc.release', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.release_id_seq', '');
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
-- OFFSET 0 here and below keeps conditions of the query away from rows that are not for its caller:
-- EXPLAIN ANALYZE would tell how many of them meet a condition. Only numbers of releases, which say
-- nothing, are looked up by their index.
CREATE VIEW sdc.releases WITH (security_barrier) AS
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
