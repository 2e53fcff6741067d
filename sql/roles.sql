-- Roles and policies: security labels of the provider sdc.
CREATE FUNCTION sdc.declare(
    source regclass, keys name[] DEFAULT NULL, sensitive name[] DEFAULT NULL,
    identifiers name[] DEFAULT NULL, entity name DEFAULT NULL, categorical name[] DEFAULT NULL,
    strata name[] DEFAULT NULL, weight name DEFAULT NULL, keep name[] DEFAULT NULL,
    hierarchies jsonb DEFAULT NULL, policy text DEFAULT NULL
) RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'sdc_declare';
COMMENT ON FUNCTION sdc.declare
    IS 'labels the columns of a table with their roles, and the table with the policy that its releases must promise; only the owner may
an argument that is left out changes nothing; one that is given replaces all labels of its role
keys, sensitive, identifiers, categorical, strata, keep: columns of that role; entity: column that tells persons apart; weight: column of sampling weights; hierarchies: hierarchy table of each key; policy: for example k=5 p=2';

CREATE FUNCTION sdc.suggest(source regclass)
    RETURNS TABLE ("column" name, role text, distinct_values bigint, distinct_share float8, null_share float8, reason text)
    LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sdc_suggest';
COMMENT ON FUNCTION sdc.suggest
    IS 'suggests a role for each column of a table from its name, type, constraints and values, with the reason; read it before you call sdc.declare';

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
COMMENT ON VIEW sdc.roles IS 'labels of all tables: the policy of a table and the role of each labelled column';
