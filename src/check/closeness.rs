//! t-closeness of a table, where the groups are too many for memory or their key values are
//! wanted: the counted values of each group, sorted by group, stream through the engine's
//! model. Memory follows the distinct values, not the groups.

use super::{Check, sql};
use crate::codec::Codec;
use crate::errors::{Failure, known};
use crate::generate_sql::identifier;
use crate::image::{self, Image};
use crate::memory::{self, Account};
use crate::order;
use crate::query::{self, Order, RowSink};
use pgrx::pg_sys::{self, Datum, Oid};
use pgrx::prelude::*;
use sdc_engine::Interner;
use sdc_engine::model::{Distribution, EqualCloseness, Group, OrderedCloseness, PrivacyModel};

/// A group and how far its values are from the table's.
pub struct Distance {
    pub rows: u64,
    pub distance: f64,
    /// the group's key values as jsonb, where they were asked for
    pub key_values: Option<Image>,
}

/// Computes the distance of each group from the table in one sensitive column. Nothing is
/// computed where nobody requires it and the column's values do not fit into `sdc.max_memory`.
pub fn distances(check: &Check, column: &str, with_keys: bool, take: &mut dyn FnMut(Distance)) {
    let Some(mut values) = Values::read(check, column) else {
        return;
    };
    let distribution = known(Distribution::from_counts(std::mem::take(
        &mut values.counts,
    )));
    let model = model(&values.codec, &values.seen, &distribution);
    let mut groups = GroupStream {
        values: &mut values,
        model: &*model,
        take,
        group: 0,
        cells: Vec::new(),
        rows: 0,
        key_values: None,
    };
    let sql = sql::values_by_group(check, &identifier(column), with_keys);
    let mut types = vec![pg_sys::INT8OID, groups.values.typ, pg_sys::INT8OID];
    types.extend(with_keys.then_some(pg_sys::JSONBOID));
    query::read(&sql, &types, Order::Queried, &mut groups);
    groups.finish_group();
}

/// Closeness to the table's distribution: ordered distance for numbers and dates, equal
/// distance otherwise.
pub fn model<'a>(
    codec: &Codec,
    values: &Interner,
    table: &'a Distribution,
) -> Box<dyn PrivacyModel + 'a> {
    match order::ranks(codec, values) {
        Some(ranks) => Box::new(known(OrderedCloseness::new(table, &ranks))),
        None => Box::new(EqualCloseness::new(table)),
    }
}

/// The distinct values of a sensitive column and how often each occurs in the table.
struct Values {
    typ: Oid,
    codec: Codec,
    seen: Interner,
    counts: Vec<u64>,
    encoding: Vec<u8>,
    account: Account,
    /// whether too much memory is an error; else the values are `full`
    required: bool,
    full: bool,
}

impl Values {
    fn read(check: &Check, column: &str) -> Option<Self> {
        let place = check.source.columns("sensitive", &[column.to_string()])[0];
        let attribute = &check.source.attributes[place];
        let mut values = Values {
            typ: attribute.typ,
            codec: Codec::new(attribute.typ, attribute.collation),
            seen: Interner::new(),
            counts: Vec::new(),
            encoding: Vec::new(),
            account: Account::default(),
            required: check.required.t.is_some(),
            full: false,
        };
        let sql = format!(
            "SELECT {} AS val, pg_catalog.count(*) AS n FROM {} GROUP BY 1",
            identifier(column),
            check.source.sql_name
        );
        let types = [attribute.typ, pg_sys::INT8OID];
        query::read(&sql, &types, Order::Queried, &mut values);
        (!values.full).then_some(values)
    }

    fn check_memory(&mut self) {
        let held = self.seen.memory() + self.codec.memory() + 8 * self.counts.capacity();
        match self.required {
            true => self.account.set(held),
            false => self.full |= !self.account.try_set(held),
        }
    }

    unsafe fn encode(&mut self, datum: Datum, null: bool) -> &[u8] {
        self.encoding.clear();
        // SAFETY: a value of the column.
        unsafe { self.codec.encode(datum, null, &mut self.encoding) };
        &self.encoding
    }

    /// The number of a value that the table holds.
    unsafe fn number(&mut self, datum: Datum, null: bool) -> u32 {
        // SAFETY: a value of the column.
        unsafe { self.encode(datum, null) };
        let number = self.seen.find(&self.encoding);
        number.unwrap_or_else(|| changing_values())
    }
}

fn changing_values() -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
        "the values of a column changed while they were read",
    )
    .hint("A view that draws random numbers cannot be checked: store its rows in a table.")
    .raise()
}

impl RowSink for Values {
    unsafe fn row(&mut self, _: *mut pg_sys::TupleTableSlot, values: &[Datum], nulls: &[bool]) {
        // SAFETY: the query's columns are the value and its count.
        unsafe { self.encode(values[0], nulls[0]) };
        let number = known(self.seen.intern(&self.encoding)) as usize;
        if number == self.counts.len() {
            memory::push(&mut self.counts, 0);
        }
        self.counts[number] += values[1].value() as u64;
        if number.is_multiple_of(1024) {
            self.check_memory();
        }
    }

    fn full(&self) -> bool {
        self.full
    }
}

/// Takes the counted values group after group.
struct GroupStream<'a> {
    values: &'a mut Values,
    model: &'a dyn PrivacyModel,
    take: &'a mut dyn FnMut(Distance),
    /// the number of the group at hand
    group: u64,
    cells: Vec<(u32, u64)>,
    rows: u64,
    key_values: Option<Image>,
}

impl GroupStream<'_> {
    fn finish_group(&mut self) {
        if self.rows == 0 {
            return;
        }
        self.cells.sort_unstable();
        let group = Group {
            rows: self.rows,
            values: &self.cells,
        };
        (self.take)(Distance {
            rows: self.rows,
            distance: self.model.figure(group),
            key_values: self.key_values.take(),
        });
        self.cells.clear();
        self.rows = 0;
    }
}

impl RowSink for GroupStream<'_> {
    unsafe fn row(&mut self, _: *mut pg_sys::TupleTableSlot, values: &[Datum], nulls: &[bool]) {
        let group = values[0].value() as u64;
        if group != self.group {
            self.finish_group();
            self.group = group;
        }
        // SAFETY: the query's columns are group, value, count and, where asked for, a jsonb.
        unsafe {
            let number = self.values.number(values[1], nulls[1]);
            let rows = values[2].value() as u64;
            memory::push(&mut self.cells, (number, rows));
            self.rows += rows;
            if nulls.get(3) == Some(&false) {
                self.key_values = Some(image::of_varlena(values[3]));
            }
        }
    }
}
