-- The public surface: people script against every line of this list, so a difference here is
-- an addition to announce or a break to avoid.
LOAD 'pg_sdc';
\pset format unaligned
\pset tuples_only on
\pset fieldsep ' | '
CREATE TEMPORARY VIEW member AS
SELECT d.classid, d.objid
FROM   pg_catalog.pg_depend d
JOIN   pg_catalog.pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE  d.deptype = 'e' AND e.extname = 'pg_sdc'
-- row types and arrays of types are members of their own from PostgreSQL 17 on
AND    NOT (d.classid = 'pg_type'::regclass AND EXISTS (SELECT FROM pg_catalog.pg_type t WHERE t.oid = d.objid AND (t.typrelid <> 0 OR t.typelem <> 0)));
-- functions: kind, name and arguments, result, volatility, parallel safety, what else is unusual
SELECT CASE p.prokind WHEN 'f' THEN 'function' WHEN 'a' THEN 'aggregate' WHEN 'w' THEN 'window' ELSE 'procedure' END,
       format('%s(%s)', p.oid::regproc, pg_get_function_arguments(p.oid)),
       pg_get_function_result(p.oid),
       CASE p.provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' ELSE 'volatile' END,
       CASE p.proparallel WHEN 's' THEN 'parallel safe' WHEN 'r' THEN 'parallel restricted' ELSE 'parallel unsafe' END
       || CASE WHEN p.proisstrict THEN ', strict' ELSE '' END
       || CASE WHEN p.prosecdef THEN ', security definer' ELSE '' END
       || coalesce(', set ' || array_to_string(p.proconfig, ', '), '')
       || CASE WHEN has_function_privilege('public', p.oid, 'EXECUTE') THEN '' ELSE ', not for everyone' END
FROM   member m JOIN pg_catalog.pg_proc p ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
ORDER  BY format('%s(%s)', p.oid::regproc, pg_get_function_arguments(p.oid)) COLLATE "C";
-- everything else
SELECT pg_describe_object(classid, objid, 0)
FROM   member WHERE classid <> 'pg_proc'::regclass
ORDER  BY pg_describe_object(classid, objid, 0) COLLATE "C";
-- columns of views, tables and composite types
SELECT format('%s.%s', c.oid::regclass, a.attname), format_type(a.atttypid, a.atttypmod),
       CASE WHEN c.relkind = 'c' OR has_table_privilege('public', c.oid, 'SELECT') THEN '' ELSE 'not for everyone' END
FROM   member m JOIN pg_catalog.pg_class c ON m.classid = 'pg_class'::regclass AND m.objid = c.oid
JOIN   pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
ORDER  BY c.oid::regclass::text COLLATE "C", a.attnum;
-- settings
SELECT name, vartype, context, boot_val, coalesce(unit, ''), short_desc
FROM   pg_catalog.pg_settings WHERE name LIKE 'sdc.%'
ORDER  BY name COLLATE "C";
DROP VIEW member;
