//! `sdc.generalize`: one value at one level of its hierarchy.

use crate::pg::errors::Failure;
use crate::pg::function_call::{Call, v1};
use crate::pg::sight::Sight;
use crate::pg::text_casts::{self, TextOf};
use crate::read::hierarchy_table::{self, HierarchyTable};
use pgrx::pg_sys::{Datum, Oid};
use pgrx::prelude::*;

/// What calls of one query share: a hierarchy is read once, not once for each row.
struct Cache {
    text: TextOf,
    tables: Vec<(Oid, HierarchyTable)>,
    seen: Sight,
    encoding: Vec<u8>,
}

impl Cache {
    /// Lends the cache of this call's expression, empty when its hierarchies may have changed.
    fn with<T>(call: &Call, act: impl FnOnce(&mut Cache) -> T) -> T {
        let seen = Sight::now();
        let make = || Cache {
            text: TextOf::new(call.argument_type(0)),
            tables: Vec::new(),
            seen,
            encoding: Vec::new(),
        };
        call.with_kept(make, |cache| {
            if cache.seen != seen {
                cache.tables.clear();
                cache.seen = seen;
            }
            act(cache)
        })
    }

    fn table(&mut self, oid: Oid) -> usize {
        let known = self.tables.iter().position(|(other, _)| *other == oid);
        known.unwrap_or_else(|| {
            self.tables.push((oid, HierarchyTable::new(oid)));
            self.tables.len() - 1
        })
    }
}

fn generalize(call: &Call) -> Option<Datum> {
    let value = call.argument(0);
    let table: Oid = call.required(1, "hierarchy");
    let level: i32 = call.required(2, "level");
    Cache::with(call, |cache| {
        let place = cache.table(table);
        hierarchy_table::spell(&mut cache.text, value, &mut cache.encoding);
        let table = &cache.tables[place].1;
        let level = checked(level, table);
        let label = match table.find(&cache.encoding) {
            Some(value) => table.label(level, value),
            None if value.is_null() => None,
            None => unknown_value(table),
        };
        label.map(text_casts::to_datum)
    })
}

fn checked(level: i32, table: &HierarchyTable) -> usize {
    let known = usize::try_from(level).ok();
    known
        .filter(|&level| level <= table.top())
        .unwrap_or_else(|| {
            Failure::invalid(format!("hierarchy {} has no level {level}", table.name))
                .hint(format!("It has levels 0 to {}.", table.top()))
                .raise()
        })
}

fn unknown_value(table: &HierarchyTable) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
        format!("a value is not in hierarchy {}", table.name),
    )
    .hint("Its first column must hold the text of every value.")
    .raise()
}

v1! {
    sdc_generalize, pg_finfo_sdc_generalize => generalize;
}
