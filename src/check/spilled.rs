//! t-closeness of a table, where the groups are too many for memory or their key values are
//! wanted: the counted values of each group, sorted by group, stream through the engine's
//! model. Memory follows the distinct values, not the groups.

use crate::check::{Check, group_queries};
use crate::pg::cell::Cell;
use crate::pg::datum_image::Image;
use crate::pg::errors::{Failure, known};
use crate::pg::memory;
use crate::pg::quoting::identifier;
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::read::codec::Codec;
use pgrx::pg_sys::{self, Oid};
use pgrx::prelude::*;
use sdc_engine::model::{Distribution, Group, PrivacyModel};
use sdc_engine::{Interner, limits};

/// Whether there is memory for more values is looked at every so many values, and they may
/// take so much meanwhile.
const VALUES_BETWEEN_CHECKS: usize = 256;
const LEAST_ROOM: usize = 1 << 16;

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
    let Some(mut values) = TableValues::read(check, column) else {
        return;
    };
    let distribution = known(Distribution::from_counts(std::mem::take(
        &mut values.counts,
    )));
    let model = check
        .distance
        .closeness(&distribution, &values.codec, &values.seen);
    let mut groups = GroupStream {
        values: &mut values,
        model: &*model,
        take,
        with_keys,
        group: 0,
        cells: Vec::new(),
        rows: 0,
        key_values: None,
    };
    let sql = group_queries::values_by_group(check, &identifier(column), with_keys);
    let mut types = vec![pg_sys::INT8OID, groups.values.typ, pg_sys::INT8OID];
    types.extend(with_keys.then_some(pg_sys::JSONBOID));
    statements::read(&sql, &types, Order::Queried, &mut groups);
    groups.finish_group();
}

/// The distinct values of a sensitive column and how often each occurs in the table.
struct TableValues {
    typ: Oid,
    codec: Codec,
    seen: Interner,
    counts: Vec<u64>,
    encoding: Vec<u8>,
    /// whether too much memory is an error; else the values are `full`
    required: bool,
    full: bool,
}

impl TableValues {
    fn read(check: &Check, column: &str) -> Option<Self> {
        let place = check.source.columns("sensitive", &[column.to_string()])[0];
        let attribute = &check.source.attributes[place];
        let mut values = TableValues {
            typ: attribute.typ,
            codec: Codec::new(attribute.typ, attribute.collation),
            seen: Interner::new(),
            counts: Vec::new(),
            encoding: Vec::new(),
            required: check.required.t.is_some(),
            full: false,
        };
        let sql = format!(
            "SELECT {} AS val, pg_catalog.count(*) AS n FROM {} GROUP BY 1",
            identifier(column),
            check.source.sql_name
        );
        let types = [attribute.typ, pg_sys::INT8OID];
        statements::read(&sql, &types, Order::Queried, &mut values);
        (!values.full).then_some(values)
    }

    /// Whether the values and what is made of them can grow to the next look at them.
    fn can_grow(&self) -> bool {
        let held = self.seen.memory() + self.codec.memory() + 8 * self.counts.capacity();
        self.required || limits::fits(2 * held + LEAST_ROOM)
    }

    fn encode(&mut self, cell: Cell<'_>) {
        self.encoding.clear();
        self.codec.encode(cell, &mut self.encoding);
    }

    /// The number of a value that the table holds.
    fn number(&mut self, cell: Cell<'_>) -> u32 {
        self.encode(cell);
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

impl RowSink for TableValues {
    fn row(&mut self, row: &Row<'_>) {
        self.encode(row.cell(0));
        let number = known(self.seen.intern(&self.encoding)) as usize;
        if number == self.counts.len() {
            memory::push(&mut self.counts, 0);
        }
        self.counts[number] += row.cell(1).int8() as u64;
        if number.is_multiple_of(VALUES_BETWEEN_CHECKS) {
            self.full |= !self.can_grow();
        }
    }

    fn full(&self) -> bool {
        self.full
    }
}

/// Takes the counted values group after group.
struct GroupStream<'a> {
    values: &'a mut TableValues,
    model: &'a dyn PrivacyModel,
    take: &'a mut dyn FnMut(Distance),
    with_keys: bool,
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
    fn row(&mut self, row: &Row<'_>) {
        let group = row.cell(0).int8() as u64;
        if group != self.group {
            self.finish_group();
            self.group = group;
        }
        let number = self.values.number(row.cell(1));
        let rows = row.cell(2).int8() as u64;
        memory::push(&mut self.cells, (number, rows));
        self.rows += rows;
        // the key values stand in one of the group's rows
        if self.with_keys && !row.cell(3).is_null() {
            self.key_values = row.cell(3).jsonb();
        }
    }
}
