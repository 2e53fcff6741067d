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
-- The comment of each function names every argument that may be left out, or names the function that explains it.
CREATE TEMPORARY VIEW commented AS
SELECT p.oid, p.proname, p.proargnames[p.pronargs - p.pronargdefaults + 1 : p.pronargs] AS optional,
       (SELECT string_agg(obj_description(o.oid, 'pg_proc'), ' ') FROM pg_catalog.pg_proc o
        WHERE o.pronamespace = p.pronamespace AND o.proname = p.proname) AS text
FROM   pg_catalog.pg_proc p
WHERE  p.pronamespace = 'sdc'::regnamespace AND obj_description(p.oid, 'pg_proc') NOT LIKE 'internal:%';
SELECT c.oid::regproc AS function, argument AS "not explained"
FROM   commented c, unnest(c.optional) AS argument
LEFT   JOIN LATERAL (SELECT string_agg(o.text, ' ') AS text FROM commented o
                     WHERE o.proname = substring(c.text FROM 'arguments as in sdc\.(\w+)')) explained ON true
WHERE  argument NOT IN ('keys', 'sensitive') AND concat(c.text, ' ', explained.text) !~ format('\m%s\M', argument)
ORDER  BY 1, 2;
