//! Whose code reading a relation may run.

use crate::pg::statements;
use pgrx::pg_sys::Oid;

/// What the relation is made of: its children and the relations that its views read, too.
const FAMILY: &str = "family (oid) AS ( \
    SELECT {relation}::pg_catalog.oid \
    UNION SELECT u.oid FROM family f CROSS JOIN LATERAL ( \
        SELECT i.inhrelid AS oid FROM pg_catalog.pg_inherits i \
        WHERE i.inhparent OPERATOR(pg_catalog.=) f.oid \
        UNION ALL SELECT d.refobjid FROM pg_catalog.pg_rewrite r \
        JOIN pg_catalog.pg_depend d ON d.objid OPERATOR(pg_catalog.=) r.oid \
          AND d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass \
          AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass \
        JOIN pg_catalog.pg_class v ON v.oid OPERATOR(pg_catalog.=) r.ev_class \
        WHERE r.ev_class OPERATOR(pg_catalog.=) f.oid \
          AND v.relkind OPERATOR(pg_catalog.=) 'v' AND r.ev_type OPERATOR(pg_catalog.=) '1') u)";

/// The expressions that reading may evaluate: of views, index columns and predicates, extended
/// statistics (the planner folds both), policies, and columns that are computed when they are read.
const EXPRESSIONS: &str = "expression (classid, objid) AS ( \
    SELECT 'pg_catalog.pg_rewrite'::pg_catalog.regclass::pg_catalog.oid, r.oid \
    FROM family f JOIN pg_catalog.pg_rewrite r ON r.ev_class OPERATOR(pg_catalog.=) f.oid \
    JOIN pg_catalog.pg_class v ON v.oid OPERATOR(pg_catalog.=) f.oid \
    WHERE v.relkind OPERATOR(pg_catalog.=) 'v' AND r.ev_type OPERATOR(pg_catalog.=) '1' \
    UNION ALL SELECT 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid, i.indexrelid \
    FROM family f JOIN pg_catalog.pg_index i ON i.indrelid OPERATOR(pg_catalog.=) f.oid \
    UNION ALL SELECT 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid, f.oid FROM family f \
    UNION ALL SELECT 'pg_catalog.pg_statistic_ext'::pg_catalog.regclass::pg_catalog.oid, s.oid \
    FROM family f JOIN pg_catalog.pg_statistic_ext s ON s.stxrelid OPERATOR(pg_catalog.=) f.oid \
    UNION ALL SELECT 'pg_catalog.pg_policy'::pg_catalog.regclass::pg_catalog.oid, p.oid \
    FROM family f JOIN pg_catalog.pg_policy p ON p.polrelid OPERATOR(pg_catalog.=) f.oid \
    UNION ALL SELECT 'pg_catalog.pg_attrdef'::pg_catalog.regclass::pg_catalog.oid, d.oid \
    FROM family f JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) f.oid \
    JOIN pg_catalog.pg_attrdef d ON d.adrelid OPERATOR(pg_catalog.=) a.attrelid \
      AND d.adnum OPERATOR(pg_catalog.=) a.attnum \
    WHERE a.attgenerated OPERATOR(pg_catalog.=) 'v'), \
  used (classid, oid) AS ( \
    SELECT d.refclassid, d.refobjid FROM expression e \
    JOIN pg_catalog.pg_depend d ON d.classid OPERATOR(pg_catalog.=) e.classid \
      AND d.objid OPERATOR(pg_catalog.=) e.objid)";

/// The types of its columns and of its expressions, and what these consist of.
const KINDS: &str = "kind (oid) AS ( \
    SELECT a.atttypid FROM pg_catalog.pg_attribute a \
    WHERE a.attrelid OPERATOR(pg_catalog.=) {relation}::pg_catalog.oid \
      AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped \
    UNION SELECT u.oid FROM used u \
    WHERE u.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass::pg_catalog.oid \
    UNION SELECT u.oid FROM kind k \
    JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) k.oid \
    CROSS JOIN LATERAL ( \
        VALUES (t.typbasetype), (t.typelem) \
        UNION ALL SELECT g.rngsubtype FROM pg_catalog.pg_range g \
        WHERE t.oid OPERATOR(pg_catalog.=) ANY (ARRAY[g.rngtypid, g.rngmultitypid]) \
        UNION ALL SELECT a.atttypid FROM pg_catalog.pg_attribute a \
        WHERE a.attrelid OPERATOR(pg_catalog.=) t.typrelid \
          AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped) u (oid)), \
  operator (oid) AS ( \
    SELECT u.oid FROM used u \
    WHERE u.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_operator'::pg_catalog.regclass::pg_catalog.oid), \
  function (oid) AS ( \
    SELECT u.oid FROM used u \
    WHERE u.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass::pg_catalog.oid \
    UNION SELECT o.oprcode::pg_catalog.oid FROM operator u \
    JOIN pg_catalog.pg_operator o ON o.oid OPERATOR(pg_catalog.=) u.oid \
    UNION SELECT d.refobjid FROM kind k \
    JOIN pg_catalog.pg_constraint c ON c.contypid OPERATOR(pg_catalog.=) k.oid \
    JOIN pg_catalog.pg_depend d ON d.objid OPERATOR(pg_catalog.=) c.oid \
      AND d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_constraint'::pg_catalog.regclass::pg_catalog.oid \
      AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass::pg_catalog.oid)";

/// The owners of all of these: of relations, types, operators and functions.
const OWNERS: &str = "SELECT c.relowner FROM pg_catalog.pg_class c \
    JOIN family f ON f.oid OPERATOR(pg_catalog.=) c.oid \
    UNION SELECT t.typowner FROM pg_catalog.pg_type t \
    JOIN kind k ON k.oid OPERATOR(pg_catalog.=) t.oid \
    UNION SELECT o.oprowner FROM pg_catalog.pg_operator o \
    JOIN operator u ON u.oid OPERATOR(pg_catalog.=) o.oid \
    UNION SELECT p.proowner FROM pg_catalog.pg_proc p \
    JOIN function u ON u.oid OPERATOR(pg_catalog.=) p.oid";

/// The owners of everything that reading the relation may evaluate.
pub fn code_owners(relation: Oid) -> Vec<Oid> {
    let sql = format!("WITH RECURSIVE {FAMILY}, {EXPRESSIONS}, {KINDS} {OWNERS}")
        .replace("{relation}", &u32::from(relation).to_string());
    let owners = statements::select(&sql, |row| row.get::<Oid>(1));
    owners.into_iter().flatten().collect()
}
