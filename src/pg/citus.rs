//! What Citus says about itself, where it is there. Nothing here links to it.

use crate::pg::statements;
use pgrx::pg_sys::{self, Oid};
use std::ffi::{CStr, CString};

/// The setting that lets Citus split aggregates whose state is internal; older versions do not
/// have it, and gather rows.
pub const SPLITS: &CStr = c"citus.allow_aggregate_worker_combine_on_internal_types";

/// The value of a setting; none where nobody has defined it.
pub fn setting(name: &CStr) -> Option<CString> {
    // SAFETY: the value lives until another is looked at.
    unsafe {
        let value = pg_sys::GetConfigOption(name.as_ptr(), true, false);
        (!value.is_null()).then(|| CStr::from_ptr(value).to_owned())
    }
}

/// What RESET would set it to.
pub fn reset_value(name: &CStr) -> Option<CString> {
    // SAFETY: as above; the setting exists.
    unsafe {
        let value = pg_sys::GetConfigOptionResetString(name.as_ptr());
        (!value.is_null()).then(|| CStr::from_ptr(value).to_owned())
    }
}

/// Whether the server runs with Citus.
pub fn is_loaded() -> bool {
    setting(c"citus.shard_count").is_some()
}

/// Whether Citus would split aggregates whose state is internal.
pub fn splits_aggregates() -> bool {
    setting(SPLITS).as_deref() == Some(c"on")
}

/// Whether this process works for a query that began on another node.
pub fn is_internal_backend() -> bool {
    let name = setting(c"application_name").unwrap_or_default();
    name.to_bytes().starts_with(b"citus_internal")
}

/// Whether Citus is there in this database.
pub fn is_installed() -> bool {
    // SAFETY: a catalog look-up.
    is_loaded()
        && unsafe {
            pg_sys::get_relname_relid(
                c"pg_dist_partition".as_ptr(),
                Oid::from(pg_sys::PG_CATALOG_NAMESPACE),
            ) != pg_sys::InvalidOid
        }
}

/// Whether one of these relations is a table of Citus.
pub fn knows_any(relations: &[Oid]) -> bool {
    if relations.is_empty() || !is_installed() {
        return false;
    }
    let numbers: Vec<String> = relations
        .iter()
        .map(|oid| u32::from(*oid).to_string())
        .collect();
    let sql = format!(
        "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_dist_partition p WHERE p.logicalrelid::pg_catalog.oid \
         OPERATOR(pg_catalog.=) ANY ('{{{}}}'::pg_catalog.oid[]))",
        numbers.join(",")
    );
    statements::value::<bool>(&sql) == Some(true)
}

/// Whether a relation is a table of Citus, or a view over one: its rows come in any order.
pub fn is_spread(relation: Oid) -> bool {
    if !is_installed() {
        return false;
    }
    let sql = format!(
        "WITH RECURSIVE below (oid) AS ( \
             SELECT {}::pg_catalog.oid \
             UNION SELECT d.refobjid FROM below b \
             JOIN pg_catalog.pg_rewrite r ON r.ev_class OPERATOR(pg_catalog.=) b.oid \
             JOIN pg_catalog.pg_depend d ON d.objid OPERATOR(pg_catalog.=) r.oid \
               AND d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass \
               AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass) \
         SELECT EXISTS (SELECT 1 FROM below b JOIN pg_catalog.pg_dist_partition p \
                        ON p.logicalrelid::pg_catalog.oid OPERATOR(pg_catalog.=) b.oid)",
        u32::from(relation)
    );
    statements::value::<bool>(&sql) == Some(true)
}

/// The column by whose hash the rows of a table are spread over nodes; none for other relations.
pub fn distribution_column(relation: Oid) -> Option<String> {
    if !is_installed() {
        return None;
    }
    statements::value(&format!(
        "SELECT pg_catalog.column_to_column_name(p.logicalrelid, p.partkey) \
         FROM pg_catalog.pg_dist_partition p \
         WHERE p.logicalrelid::pg_catalog.oid OPERATOR(pg_catalog.=) {}::pg_catalog.oid \
           AND p.partmethod OPERATOR(pg_catalog.=) 'h'",
        u32::from(relation)
    ))
}

/// Where this node has the rows of a relation: a query on a worker's shard must not ask other
/// nodes, but each node holds a copy of a reference table.
pub fn local_copy(relation: Oid) -> Oid {
    if !is_internal_backend() || !is_installed() {
        return relation;
    }
    let copy = statements::value::<Oid>(&format!(
        "SELECT pg_catalog.to_regclass(pg_catalog.shard_name(s.logicalrelid, s.shardid))::pg_catalog.oid \
         FROM pg_catalog.pg_dist_shard s JOIN pg_catalog.pg_dist_partition p \
           ON p.logicalrelid OPERATOR(pg_catalog.=) s.logicalrelid \
         WHERE s.logicalrelid::pg_catalog.oid OPERATOR(pg_catalog.=) {}::pg_catalog.oid \
           AND p.partmethod OPERATOR(pg_catalog.=) 'n'",
        u32::from(relation)
    ));
    copy.unwrap_or(relation)
}
