//! Whose code reading or writing a relation may run.

use crate::pg::statements;
use pgrx::pg_sys::Oid;

/// What is done to a relation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Reading,
    Writing,
}

/// The relation and what it leads to, object by object. Beside what PostgreSQL notes as dependencies, a
/// relation leads to its children, to what its expressions are in (a view's rule, indexes and extended
/// statistics, which the planner folds, as it does with constraints; policies; columns that are
/// computed when they are read), and to its columns' types. Rules of tables are for writers alone, and so
/// are parents: a row that is written to a partition is held against the expressions of their keys.
const REACHED: &str = "reached (classid, oid) AS ( \
    SELECT {class}, {relation}::pg_catalog.oid \
    UNION SELECT u.classid, u.oid FROM reached f CROSS JOIN LATERAL ({parts}{dependencies}{types}) u (classid, oid))";

const PARTS: &str = "SELECT {class}, i.inhrelid FROM pg_catalog.pg_inherits i \
    WHERE f.classid OPERATOR(pg_catalog.=) {class} AND i.inhparent OPERATOR(pg_catalog.=) f.oid \
    UNION ALL SELECT {class}, i.inhparent FROM pg_catalog.pg_inherits i \
    WHERE {writes} AND f.classid OPERATOR(pg_catalog.=) {class} AND i.inhrelid OPERATOR(pg_catalog.=) f.oid \
    UNION ALL SELECT 'pg_catalog.pg_rewrite'::pg_catalog.regclass, r.oid FROM pg_catalog.pg_rewrite r \
    JOIN pg_catalog.pg_class v ON v.oid OPERATOR(pg_catalog.=) r.ev_class \
    WHERE f.classid OPERATOR(pg_catalog.=) {class} AND r.ev_class OPERATOR(pg_catalog.=) f.oid \
      AND CASE WHEN v.relkind OPERATOR(pg_catalog.=) 'v' THEN r.ev_type OPERATOR(pg_catalog.=) '1' \
               ELSE {writes} AND r.ev_type OPERATOR(pg_catalog.<>) '1' END \
    UNION ALL SELECT {class}, i.indexrelid FROM pg_catalog.pg_index i \
    WHERE f.classid OPERATOR(pg_catalog.=) {class} AND i.indrelid OPERATOR(pg_catalog.=) f.oid \
    UNION ALL SELECT 'pg_catalog.pg_statistic_ext'::pg_catalog.regclass, s.oid FROM pg_catalog.pg_statistic_ext s \
    WHERE f.classid OPERATOR(pg_catalog.=) {class} AND s.stxrelid OPERATOR(pg_catalog.=) f.oid \
    UNION ALL SELECT 'pg_catalog.pg_policy'::pg_catalog.regclass, p.oid FROM pg_catalog.pg_policy p \
    WHERE f.classid OPERATOR(pg_catalog.=) {class} AND p.polrelid OPERATOR(pg_catalog.=) f.oid \
    UNION ALL SELECT 'pg_catalog.pg_constraint'::pg_catalog.regclass, c.oid FROM pg_catalog.pg_constraint c \
    WHERE f.classid OPERATOR(pg_catalog.=) {class} AND c.conrelid OPERATOR(pg_catalog.=) f.oid \
      AND c.contype OPERATOR(pg_catalog.=) 'c' \
    UNION ALL SELECT 'pg_catalog.pg_attrdef'::pg_catalog.regclass, d.oid FROM pg_catalog.pg_attrdef d \
    JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) d.adrelid \
      AND a.attnum OPERATOR(pg_catalog.=) d.adnum AND a.attgenerated OPERATOR(pg_catalog.=) 'v' \
    WHERE f.classid OPERATOR(pg_catalog.=) {class} AND d.adrelid OPERATOR(pg_catalog.=) f.oid \
    UNION ALL SELECT 'pg_catalog.pg_type'::pg_catalog.regclass, a.atttypid FROM pg_catalog.pg_attribute a \
    WHERE f.classid OPERATOR(pg_catalog.=) {class} AND a.attrelid OPERATOR(pg_catalog.=) f.oid \
      AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped ";

/// What an object uses. The relations that a relation depends on are left out: an index depends on its
/// table, a partition on its parent, and reading the part does not read the whole.
const DEPENDENCIES: &str = "UNION ALL SELECT d.refclassid, d.refobjid FROM pg_catalog.pg_depend d \
    WHERE d.classid OPERATOR(pg_catalog.=) f.classid AND d.objid OPERATOR(pg_catalog.=) f.oid \
      AND f.classid OPERATOR(pg_catalog.<>) 'pg_catalog.pg_type'::pg_catalog.regclass::pg_catalog.oid \
      AND (d.refclassid OPERATOR(pg_catalog.=) ANY ('{pg_catalog.pg_proc,pg_catalog.pg_operator,pg_catalog.pg_type,pg_catalog.pg_foreign_server}'::pg_catalog.regclass[]::pg_catalog.oid[]) \
           OR d.refclassid OPERATOR(pg_catalog.=) {class} AND f.classid OPERATOR(pg_catalog.<>) {class}) ";

/// What types consist of, the constraints of domains, the functions of ranges (an index on a range
/// calls them), and casts to PostgreSQL's own types. Others cannot add any of these to a type.
const TYPES: &str = "UNION ALL SELECT f.classid, p.oid FROM pg_catalog.pg_type t CROSS JOIN LATERAL ( \
        VALUES (t.typbasetype), (t.typelem) \
        UNION ALL SELECT g.rngsubtype FROM pg_catalog.pg_range g \
        WHERE t.oid OPERATOR(pg_catalog.=) ANY (ARRAY[g.rngtypid, g.rngmultitypid]) \
        UNION ALL SELECT a.atttypid FROM pg_catalog.pg_attribute a \
        WHERE a.attrelid OPERATOR(pg_catalog.=) t.typrelid \
          AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped) p (oid) \
    WHERE f.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass::pg_catalog.oid \
      AND t.oid OPERATOR(pg_catalog.=) f.oid AND p.oid OPERATOR(pg_catalog.<>) 0::pg_catalog.oid \
    UNION ALL SELECT 'pg_catalog.pg_constraint'::pg_catalog.regclass, c.oid FROM pg_catalog.pg_constraint c \
    WHERE f.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass::pg_catalog.oid \
      AND c.contypid OPERATOR(pg_catalog.=) f.oid \
    UNION ALL SELECT 'pg_catalog.pg_proc'::pg_catalog.regclass, p.oid FROM pg_catalog.pg_range g \
    CROSS JOIN LATERAL (VALUES (g.rngcanonical::pg_catalog.oid), (g.rngsubdiff::pg_catalog.oid)) p (oid) \
    WHERE f.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass::pg_catalog.oid \
      AND f.oid OPERATOR(pg_catalog.=) ANY (ARRAY[g.rngtypid, g.rngmultitypid]) \
      AND p.oid OPERATOR(pg_catalog.<>) 0::pg_catalog.oid \
    UNION ALL SELECT 'pg_catalog.pg_proc'::pg_catalog.regclass, k.castfunc FROM pg_catalog.pg_cast k \
    JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) k.casttarget \
      AND t.typnamespace OPERATOR(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace::pg_catalog.oid \
    WHERE f.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass::pg_catalog.oid \
      AND k.castsource OPERATOR(pg_catalog.=) f.oid AND k.castfunc OPERATOR(pg_catalog.<>) 0::pg_catalog.oid";

/// The owners of all of these: of relations, types, operators, functions and foreign servers.
const OWNERS: &str = "SELECT c.relowner FROM pg_catalog.pg_class c \
    JOIN reached f ON f.oid OPERATOR(pg_catalog.=) c.oid AND f.classid OPERATOR(pg_catalog.=) {class} \
    UNION SELECT t.typowner FROM pg_catalog.pg_type t JOIN reached f ON f.oid OPERATOR(pg_catalog.=) t.oid \
     AND f.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass::pg_catalog.oid \
    UNION SELECT o.oprowner FROM pg_catalog.pg_operator o JOIN reached f ON f.oid OPERATOR(pg_catalog.=) o.oid \
     AND f.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_operator'::pg_catalog.regclass::pg_catalog.oid \
    UNION SELECT p.proowner FROM pg_catalog.pg_proc p JOIN reached f ON f.oid OPERATOR(pg_catalog.=) p.oid \
     AND f.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass::pg_catalog.oid \
    UNION SELECT s.srvowner FROM pg_catalog.pg_foreign_server s JOIN reached f ON f.oid OPERATOR(pg_catalog.=) s.oid \
     AND f.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_foreign_server'::pg_catalog.regclass::pg_catalog.oid";

/// The owners of everything that an access to the relation may evaluate.
pub fn code_owners(relation: Oid, access: Access) -> Vec<Oid> {
    let sql = format!("WITH RECURSIVE {REACHED} {OWNERS}")
        .replace("{parts}", PARTS)
        .replace("{dependencies}", DEPENDENCIES)
        .replace("{types}", TYPES)
        .replace(
            "{class}",
            "'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid",
        )
        .replace("{relation}", &u32::from(relation).to_string())
        .replace("{writes}", &(access == Access::Writing).to_string());
    let owners = statements::select(&sql, |row| row.get::<Oid>(1));
    owners.into_iter().flatten().collect()
}
