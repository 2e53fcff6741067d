//! Rows of a table of our own that are deleted by where they are. They have been read in the same
//! transaction, so nothing else can be there.

use crate::pg::statements;
use pgrx::itemptr::item_pointer_get_both;
use pgrx::pg_sys;
use std::fmt::Write;

/// Where a row is in its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowPlace {
    block: u32,
    number: u16,
}

impl RowPlace {
    pub fn of(place: pg_sys::ItemPointerData) -> Self {
        let (block, number) = item_pointer_get_both(place);
        RowPlace { block, number }
    }
}

/// So many rows are deleted by one statement.
const BATCH: usize = 10_000;

/// Deletes the rows at these places that also meet a condition.
pub fn delete(table: &str, condition: &str, places: &[RowPlace]) {
    for places in places.chunks(BATCH) {
        let mut list = String::new();
        for RowPlace { block, number } in places {
            let separator = if list.is_empty() { "" } else { "," };
            // writing to a string cannot fail
            let _ = write!(list, "{separator}\"({block},{number})\"");
        }
        statements::run(&format!(
            "DELETE FROM {table} WHERE {condition} \
             AND ctid OPERATOR(pg_catalog.=) ANY ('{{{list}}}'::pg_catalog.tid[])"
        ));
    }
}
