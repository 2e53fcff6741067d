-- Support functions say that they are internal; every other object is commented where it is declared.
DO $comment$
DECLARE
    support regprocedure;
BEGIN
    FOR support IN
        SELECT p.oid FROM pg_catalog.pg_proc p
        WHERE p.pronamespace OPERATOR(pg_catalog.=) 'sdc'::pg_catalog.regnamespace
          AND (p.prorettype OPERATOR(pg_catalog.=) 'internal'::pg_catalog.regtype
               OR 'internal'::pg_catalog.regtype OPERATOR(pg_catalog.=) ANY (p.proargtypes))
          AND pg_catalog.obj_description(p.oid, 'pg_proc') IS NULL
    LOOP
        EXECUTE pg_catalog.format('COMMENT ON FUNCTION %s IS %L', support,
                                  'internal: support function of an aggregate');
    END LOOP;
END
$comment$;

COMMENT ON FUNCTION sdc.category(text, jsonb)
    IS 'sensitivity category of a value, where 1 is the most sensitive; categories is a JSON array of arrays of values';
COMMENT ON FUNCTION sdc.category_weight(int, int)
    IS 'weight of category i of m: (i-1)/(m-1)';
COMMENT ON FUNCTION sdc.category_distance(int, int, int)
    IS 'distance of two of m categories: |a-b|/(m-1)';

COMMENT ON FUNCTION sdc.interval_hierarchy(regclass, name, text, float8[], float8, bool)
    IS 'creates a hierarchy of ever wider intervals for a numeric column
widths: width of each level, narrowest first; origin: where one interval starts
replace: fill an existing hierarchy again';
COMMENT ON FUNCTION sdc.prefix_hierarchy(regclass, name, text, int, bool)
    IS 'creates a hierarchy that masks the text of a column from its end: 43102, 4310*, 431**, …
step: how many more characters each level masks
replace: fill an existing hierarchy again';
COMMENT ON FUNCTION sdc.date_hierarchy(regclass, name, text, text[], bool)
    IS 'creates a hierarchy of ever larger units for a column of dates or timestamps
units: from minute, hour, day, month, quarter, year and decade
replace: fill an existing hierarchy again';
COMMENT ON FUNCTION sdc.time_hierarchy(regclass, name, text, text[], text, bool)
    IS 'creates a hierarchy of ever wider bins for a column of dates or timestamps
widths: intervals without months, narrowest first; origin: where one bin starts
replace: fill an existing hierarchy again';
COMMENT ON FUNCTION sdc.grouping_hierarchy(regclass, name, text, jsonb, bool)
    IS 'creates a hierarchy from lists
groupings: a JSON array of objects, each of which groups the values or groups of the one before it
replace: fill an existing hierarchy again';
COMMENT ON FUNCTION sdc.uncovered_values(regclass, jsonb)
    IS 'the values of keys that their hierarchies do not list, and how many rows have each';
COMMENT ON SEQUENCE sdc.release_id_seq IS 'internal: numbers of releases';
COMMENT ON SCHEMA sdc IS 'pg_sdc: statistical disclosure control';
COMMENT ON FUNCTION sdc.estimate_count(text, text[])
    IS 'how many rows of the source meet all predicates, estimated from a release by anatomy or permutation; each predicate compares one column with literals';
COMMENT ON FUNCTION sdc.verify_release(bigint)
    IS 'whether each table of a release still holds the rows that were published, by the checksums of that day';
COMMENT ON FUNCTION sdc.drop_release(bigint)
    IS 'drops the tables and the view of a release under whatever names they have now; its entry stays in sdc.release_history';
COMMENT ON FUNCTION sdc.report(bigint)
    IS 'an HTML page about a release for its steward; sdc.report_release has options';
COMMENT ON FUNCTION sdc.report_release(bigint, text, int[])
    IS 'an HTML page about a release: its promise checked again, loss and distribution of each key, parameters, checksums
audience: steward or public
ks: values of k of the risk and loss curve, NULL for none';

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
