//! `sdc.generalize`: one value at one level of its hierarchy.

use super::hierarchy::{self, HierarchyTable};
use crate::errors::Failure;
use crate::text::{self, TextOf};
use crate::v1::{self, v1};
use pgrx::pg_sys::{self, Datum, FunctionCallInfo, Oid};
use pgrx::prelude::*;

/// What calls of one query share: a hierarchy is read once, not once for each row.
struct Cache {
    text: TextOf,
    tables: Vec<(Oid, HierarchyTable)>,
    seen: SeenBy,
    encoding: Vec<u8>,
}

/// The snapshot and the user under which hierarchies were read. PL/pgSQL keeps the state of an expression
/// from statement to statement, between which a hierarchy may change.
#[derive(PartialEq, Eq, Clone, Copy)]
struct SeenBy {
    xmin: u32,
    xmax: u32,
    running: (u32, i32),
    command: u32,
    /// who sees: row-level security may show others other rows
    user: Oid,
}

impl SeenBy {
    fn now() -> Self {
        // SAFETY: a function runs under an active snapshot, which is only read.
        unsafe {
            let snapshot = &*pg_sys::GetActiveSnapshot();
            SeenBy {
                xmin: snapshot.xmin.into(),
                xmax: snapshot.xmax.into(),
                running: (snapshot.xcnt, snapshot.subxcnt),
                command: snapshot.curcid,
                user: pg_sys::GetUserId(),
            }
        }
    }
}

impl Cache {
    /// The cache of this call's expression, empty when its hierarchies may have changed.
    unsafe fn of<'a>(fcinfo: FunctionCallInfo) -> &'a mut Cache {
        let seen = SeenBy::now();
        // SAFETY: fn_extra is ours: null at first, then the cache, which lives as long.
        unsafe {
            let function = (*fcinfo).flinfo;
            if (*function).fn_extra.is_null() {
                let context = (*function).fn_mcxt;
                let cache = Cache {
                    text: TextOf::new(v1::argument_type(fcinfo, 0), context),
                    tables: Vec::new(),
                    seen,
                    encoding: Vec::new(),
                };
                let cache = pgrx::PgMemoryContexts::For(context).leak_and_drop_on_delete(cache);
                (*function).fn_extra = cache.cast();
            }
            let cache = &mut *(*function).fn_extra.cast::<Cache>();
            if cache.seen != seen {
                cache.tables.clear();
                cache.seen = seen;
            }
            cache
        }
    }

    fn table(&mut self, oid: Oid) -> usize {
        let known = self.tables.iter().position(|(other, _)| *other == oid);
        known.unwrap_or_else(|| {
            self.tables.push((oid, HierarchyTable::new(oid)));
            self.tables.len() - 1
        })
    }
}

unsafe fn generalize(fcinfo: FunctionCallInfo) -> Datum {
    // SAFETY: value, hierarchy and level as the SQL declaration has them.
    unsafe {
        let (value, null) = v1::argument(fcinfo, 0);
        let table = required(v1::argument(fcinfo, 1), "hierarchy");
        let level = required(v1::argument(fcinfo, 2), "level").value() as i32;
        let cache = Cache::of(fcinfo);
        let place = cache.table(Oid::from(table.value() as u32));
        hierarchy::begin(null, &mut cache.encoding);
        if !null {
            cache.text.append(value, &mut cache.encoding);
        }
        let table = &cache.tables[place].1;
        let level = checked(level, table);
        let label = match table.find(&cache.encoding) {
            Some(value) => table.label(level, value),
            None if null => None,
            None => unknown_value(table),
        };
        v1::answer(fcinfo, label.map(text::to_datum))
    }
}

fn required((datum, null): (Datum, bool), name: &str) -> Datum {
    if null {
        Failure::null(name).raise();
    }
    datum
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
