//! `sdc.verify_release`: whether the tables of a release are still what was published.

use crate::pg::errors::required;
use crate::pg::guard::guarded;
use crate::pg::statements;
use crate::read::relation::Source;
use crate::release::links::{self, Links};
use crate::release::{ReleaseMethod, checksum};
use pgrx::pg_sys::Oid;
use pgrx::prelude::*;

/// What is left of a table of a release.
struct TableState {
    relation: Option<String>,
    unchanged: Option<bool>,
    note: &'static str,
}

#[pg_extern(volatile, parallel_unsafe)]
fn verify_release(
    id: Option<i64>,
) -> TableIterator<
    'static,
    (
        name!(relation, Option<String>),
        name!(unchanged, Option<bool>),
        name!(note, String),
    ),
> {
    let states = guarded(|| {
        let id = required(id, "id");
        let (_, method) = links::published_by_caller(id);
        statements::seeing_own_writes(|| states(id, ReleaseMethod::named(&method)))
    });
    let row = |state: TableState| (state.relation, state.unchanged, state.note.to_string());
    TableIterator::new(states.into_iter().map(row))
}

/// Whether a table of a release is known not to be what was published.
pub fn is_changed(id: i64, method: Option<ReleaseMethod>) -> bool {
    let states = states(id, method);
    states.iter().any(|state| state.unchanged == Some(false))
}

fn states(id: i64, method: Option<ReleaseMethod>) -> Vec<TableState> {
    let published = checksums(id);
    let tables = Links::of(id).tables(method.is_some_and(ReleaseMethod::is_apart));
    let published = |place: usize| published.as_ref()?.get(place).cloned();
    let state = |(place, table)| TableState::of(table, published(place));
    tables.into_iter().enumerate().map(state).collect()
}

/// The checksums of the day of publication; version 0.2 kept none.
fn checksums(id: i64) -> Option<Vec<Option<String>>> {
    let sql = format!(
        "SELECT r.checksums FROM sdc.release r WHERE r.id OPERATOR(pg_catalog.=) {id}::pg_catalog.int8"
    );
    links::in_register(|| statements::value(&sql))
}

impl TableState {
    fn of(table: Option<Oid>, published: Option<Option<String>>) -> Self {
        let Some(table) = table.and_then(Source::find) else {
            return TableState {
                relation: None,
                unchanged: Some(false),
                note: "gone, or not yours to read",
            };
        };
        table.require_trusted();
        let now = Some(checksum::kept(&table.sql_name));
        let unchanged = published.map(|published| published == now);
        TableState {
            relation: Some(table.sql_name),
            unchanged,
            note: match unchanged {
                Some(true) => "as it was published",
                Some(false) => "changed since it was published",
                None => "published before checksums were kept",
            },
        }
    }
}
