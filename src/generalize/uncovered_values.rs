//! `sdc.uncovered_values`: what hierarchies lack, for the eyes of the caller alone. Messages
//! reach logs, so they only count such values.

use crate::generalize::hierarchy_keys::{key_tables, relation};
use crate::pg::errors::required;
use crate::pg::guard::guarded;
use crate::pg::quoting::identifier;
use crate::pg::sql_types::{Json, Name, Relation};
use crate::pg::statements;
use crate::read::relation::Source;
use pgrx::prelude::*;
use serde_json::Value;

/// The values of keys that their hierarchies do not list, and how many rows have each.
#[pg_extern(stable, parallel_restricted)]
fn uncovered_values(
    source: Relation,
    hierarchies: Option<Json>,
) -> TableIterator<
    'static,
    (
        name!(attribute, Name),
        name!(value, Option<String>),
        name!(rows, i64),
    ),
> {
    guarded(|| {
        let hierarchies = required(hierarchies, "hierarchies");
        TableIterator::new(listed(&Source::new(source.0), &hierarchies))
    })
}

/// Column, text and rows of each such value.
fn listed(source: &Source, hierarchies: &Json) -> Vec<(Name, Option<String>, i64)> {
    let mut found = Vec::new();
    for (name, table) in key_tables(source, hierarchies) {
        if *table == Value::Null {
            continue;
        }
        let hierarchy = Source::new(relation(&name, table));
        let sql = uncovered(source, &name, &hierarchy);
        found.extend(statements::select(&sql, |row| {
            (Name(name.clone()), row.get(1), row.get(2).unwrap_or(0))
        }));
    }
    found
}

/// A query of the texts that the first column of a hierarchy lacks.
fn uncovered(source: &Source, column: &str, hierarchy: &Source) -> String {
    let first = hierarchy.attributes.iter().find(|a| !a.dropped);
    let first = first.map_or(String::new(), |attribute| identifier(&attribute.name));
    format!(
        "SELECT q.text, q.rows FROM (SELECT s.{}::pg_catalog.text AS text, pg_catalog.count(*) AS rows \
         FROM {} s GROUP BY 1) q WHERE NOT EXISTS (SELECT 1 FROM {} h \
         WHERE h.{first}::pg_catalog.text OPERATOR(pg_catalog.=) q.text \
            OR (h.{first} IS NULL AND q.text IS NULL)) ORDER BY 1",
        identifier(column),
        source.sql_name,
        hierarchy.sql_name
    )
}
