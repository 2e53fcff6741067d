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

-- The register of releases: a row for each, written by the function that published it.

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
    published_at timestamptz NOT NULL DEFAULT pg_catalog.now()
);
COMMENT ON TABLE sdc.release IS 'register of releases; its row type is what the publishing functions return';
COMMENT ON COLUMN sdc.release.source IS 'table that was published, with its schema';
COMMENT ON COLUMN sdc.release.target IS 'table or view that holds the release, with its schema';
COMMENT ON COLUMN sdc.release.parameters IS 'arguments of the call; never a seed';
COMMENT ON COLUMN sdc.release.achieved IS 'what the released rows were found to satisfy before they were released';
COMMENT ON COLUMN sdc.release.loss IS 'what the masking cost';

-- Looks the relation up without to_regclass(), which raises for a schema that is closed to the caller.
CREATE FUNCTION sdc.readable(target text) RETURNS bool
    LANGUAGE sql STABLE PARALLEL SAFE SET quote_all_identifiers = off
BEGIN ATOMIC
    SELECT EXISTS (
        SELECT FROM pg_catalog.pg_class c
        JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
        WHERE pg_catalog.format('%I.%I', n.nspname, c.relname) OPERATOR(pg_catalog.=) target
          AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
          AND pg_catalog.has_table_privilege(c.oid, 'SELECT'));
END;
COMMENT ON FUNCTION sdc.readable(text) IS 'internal: whether the caller may read the relation of this name';

-- Everybody keeps their own entries, and sees those of releases that they may read.
ALTER TABLE sdc.release ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON sdc.release
    USING (published_by OPERATOR(pg_catalog.=) current_user)
    WITH CHECK (published_by OPERATOR(pg_catalog.=) current_user);
CREATE POLICY readable ON sdc.release FOR SELECT
    USING (sdc.readable(target));
COMMENT ON POLICY own ON sdc.release IS 'publishers keep their own entries';
COMMENT ON POLICY readable ON sdc.release IS 'a release''s readers see its entry';
-- number, publisher and date are not the publisher's to choose
GRANT SELECT, DELETE ON sdc.release TO PUBLIC;
GRANT INSERT (source, target, method, parameters, rows, groups, suppressed, achieved, loss) ON sdc.release TO PUBLIC;

-- The register belongs to the database's data: pg_dump takes it along.
SELECT pg_catalog.pg_extension_config_dump('sdc.release', '');
SELECT pg_catalog.pg_extension_config_dump('sdc.release_id_seq', '');

CREATE VIEW sdc.releases WITH (security_barrier) AS
SELECT r.id, r.source, r.target, r.method, r.parameters, r.rows, r.groups, r.suppressed,
       r.achieved, r.loss, r.published_by, r.published_at
FROM sdc.release r
WHERE r.published_by OPERATOR(pg_catalog.=) current_user
   OR sdc.readable(r.target);
COMMENT ON VIEW sdc.releases IS 'releases that the caller published or may read';
GRANT SELECT ON sdc.releases TO PUBLIC;
