-- Every object says what it is for: \df+, \dv+ and \dn+ show it.
SELECT pg_describe_object(d.classid, d.objid, 0) AS "without a comment"
FROM   pg_catalog.pg_depend d
JOIN   pg_catalog.pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE  d.deptype = 'e' AND e.extname = 'pg_sdc'
-- row types and arrays of types are members of their own from PostgreSQL 17 on
AND    NOT (d.classid = 'pg_type'::regclass AND EXISTS (SELECT FROM pg_catalog.pg_type t WHERE t.oid = d.objid AND (t.typrelid <> 0 OR t.typelem <> 0)))
AND    obj_description(d.objid, d.classid::regclass::name) IS NULL
ORDER  BY 1;
SELECT obj_description('sdc'::regnamespace, 'pg_namespace') IS NOT NULL AS "schema has a comment";
