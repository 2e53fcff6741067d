//! The hierarchies by which a release shows keys, for those who measure it.

use crate::compare::HierarchyNodes;
use crate::pg::privileges;
use crate::pg::statements;
use crate::read::hierarchy_table::HierarchyTable;
use crate::read::relation::{Source, relation_of};
use crate::release::links::in_register;
use pgrx::pg_sys::Oid;
use serde_json::Value;

/// The nodes of the hierarchies that the register names for the release in a relation. They are
/// names, which the caller's search_path finds, so they are looked up for the publisher alone, and
/// where the caller trusts whose code reading them may run. Others measure the release without.
pub fn released_nodes(target: Oid) -> HierarchyNodes {
    let mut nodes = HierarchyNodes::default();
    let Some(parameters) = parameters_of(target) else {
        return nodes;
    };
    let tables = parameters["hierarchies"].as_object();
    for (column, table) in tables.into_iter().flatten() {
        let table = table.as_str().and_then(relation_of);
        let trusted = |table: &Oid| Source::find(*table).is_some_and(|table| table.is_trusted());
        if let Some(table) = table.filter(trusted) {
            let level = parameters["levels"][column].as_u64();
            let table = HierarchyTable::unnamed(table);
            nodes.add(column, &table, level.map(|level| level as usize));
        }
    }
    nodes
}

/// The parameters of the caller's latest release in a relation.
fn parameters_of(target: Oid) -> Option<Value> {
    let sql = format!(
        "SELECT e.parameters::pg_catalog.text FROM sdc.registered r \
         JOIN sdc.release e ON e.id OPERATOR(pg_catalog.=) r.id \
         WHERE r.target OPERATOR(pg_catalog.=) {}::pg_catalog.oid \
           AND r.publisher OPERATOR(pg_catalog.=) {}::pg_catalog.oid \
         ORDER BY r.id DESC LIMIT 1",
        u32::from(target),
        u32::from(privileges::caller())
    );
    let found = in_register(|| statements::value::<String>(&sql))?;
    serde_json::from_str(&found).ok()
}
