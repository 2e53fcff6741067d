-- Every object of the extension and all that can be said about it, one line each: two databases
-- with the same lines have the same extension.
\pset format unaligned
\pset tuples_only on
\pset fieldsep ' | '
SET search_path = pg_catalog;
CREATE TEMPORARY VIEW member AS
SELECT d.classid, d.objid FROM pg_depend AS d JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE d.deptype = 'e' AND e.extname = 'pg_sdc';

SELECT 'object', pg_describe_object(classid, objid, 0), coalesce(obj_description(objid, classid::regclass::name), 'no comment') FROM member
UNION ALL
SELECT 'function', p.oid::regprocedure::text,
       CASE WHEN p.prokind = 'a' THEN concat_ws(' ', a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn, a.aggfinalmodify, a.aggtransspace, p.proparallel, pg_get_function_arguments(p.oid))
            ELSE pg_get_functiondef(p.oid) END || coalesce(p.proacl::text, '')
FROM member AS m JOIN pg_proc AS p ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid LEFT JOIN pg_aggregate AS a ON a.aggfnoid = p.oid
UNION ALL
SELECT 'relation', c.oid::regclass::text,
       concat_ws(' ', c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.reloptions,
                 coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's'::"char" ELSE 'r'::"char" END, c.relowner)), CASE c.relkind WHEN 'v' THEN pg_get_viewdef(c.oid) END)
FROM member AS m JOIN pg_class AS c ON m.classid = 'pg_class'::regclass AND m.objid = c.oid
UNION ALL
SELECT 'column', format('%s.%s', a.attrelid::regclass, a.attname),
       concat_ws(' ', a.attnum, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, pg_get_expr(d.adbin, d.adrelid), col_description(a.attrelid, a.attnum), a.attacl)
FROM member AS m JOIN pg_attribute AS a ON m.classid = 'pg_class'::regclass AND m.objid = a.attrelid AND a.attnum > 0
LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
UNION ALL
SELECT 'constraint', o.conname, pg_get_constraintdef(o.oid) FROM member AS m JOIN pg_constraint AS o ON m.classid = 'pg_class'::regclass AND m.objid = o.conrelid
UNION ALL
SELECT 'index', i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM member AS m JOIN pg_index AS i ON m.classid = 'pg_class'::regclass AND m.objid = i.indrelid
UNION ALL
SELECT 'policy', p.polname, concat_ws(' ', p.polrelid::regclass, p.polcmd, p.polroles, pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid), obj_description(p.oid, 'pg_policy'))
FROM member AS m JOIN pg_policy AS p ON m.classid = 'pg_class'::regclass AND m.objid = p.polrelid
UNION ALL
SELECT 'schema', n.nspname, concat_ws(' ', n.nspacl, obj_description(n.oid, 'pg_namespace')) FROM pg_namespace AS n WHERE n.nspname = 'sdc'
UNION ALL
SELECT 'extension', e.extname, concat_ws(' ', e.extversion, e.extrelocatable, (SELECT string_agg(t.oid::regclass::text, ',' ORDER BY t.place) FROM unnest(e.extconfig) WITH ORDINALITY AS t (oid, place)), e.extcondition)
FROM pg_extension AS e WHERE e.extname = 'pg_sdc'
ORDER BY 1, 2;
