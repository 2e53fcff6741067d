//! t-closeness of a table: the counted values of each group, sorted by group, stream through
//! the engine's model; memory follows the distinct values, not the groups.

use super::{Check, sql};
use crate::codec::Codec;
use crate::errors::{self, Names};
use crate::generate_sql::identifier;
use crate::order;
use crate::query::{self, Order, RowSink};
use pgrx::JsonB;
use pgrx::pg_sys::{self, Datum};
use pgrx::prelude::*;
use sdc_engine::Interner;
use sdc_engine::model::{Distribution, EqualCloseness, Group, OrderedCloseness, PrivacyModel};

/// A group and how far its values are from the table's.
pub struct Distance {
    pub rows: u64,
    pub distance: f64,
    /// the group's key values, where they were asked for
    pub key_values: Option<JsonB>,
}

/// Computes the distance of each group from the table in one sensitive column.
pub fn distances(check: &Check, column: &str, with_keys: bool, take: &mut dyn FnMut(Distance)) {
    let mut values = Values::read(check, column);
    let distribution = known(Distribution::from_counts(std::mem::take(
        &mut values.counts,
    )));
    match order::ranks(&values.codec, &values.seen) {
        Some(ranks) => {
            let model = known(OrderedCloseness::new(&distribution, &ranks));
            stream(check, column, with_keys, &mut values, &model, take);
        }
        None => {
            let model = EqualCloseness::new(&distribution);
            stream(check, column, with_keys, &mut values, &model, take);
        }
    }
}

fn known<T>(result: sdc_engine::Result<T>) -> T {
    errors::engine(result, Names::default())
}

/// The distinct values of a sensitive column and how often each occurs in the table.
struct Values {
    codec: Codec,
    seen: Interner,
    counts: Vec<u64>,
    encoding: Vec<u8>,
}

impl Values {
    fn read(check: &Check, column: &str) -> Self {
        let place = check.source.columns("sensitive", &[column.to_string()])[0];
        let attribute = &check.source.attributes[place];
        let mut values = Values {
            codec: Codec::new(attribute.typ, attribute.collation),
            seen: Interner::new(),
            counts: Vec::new(),
            encoding: Vec::new(),
        };
        let sql = format!(
            "SELECT {} AS val, pg_catalog.count(*) AS n FROM {} GROUP BY 1",
            identifier(column),
            check.source.sql_name
        );
        query::read(&sql, Order::Queried, &mut values);
        values
    }

    /// The number of a value, a new one for a value that has not been seen.
    unsafe fn number(&mut self, datum: Datum, null: bool) -> u32 {
        self.encoding.clear();
        // SAFETY: a value of the column.
        unsafe { self.codec.encode(datum, null, &mut self.encoding) };
        known(self.seen.intern(&self.encoding))
    }
}

impl RowSink for Values {
    unsafe fn row(&mut self, _: *mut pg_sys::TupleTableSlot, values: &[Datum], nulls: &[bool]) {
        // SAFETY: the query's columns are the value and its count.
        let number = unsafe { self.number(values[0], nulls[0]) } as usize;
        self.counts.resize(self.counts.len().max(number + 1), 0);
        self.counts[number] += values[1].value() as u64;
    }
}

/// Reads the counted values group after group.
fn stream(
    check: &Check,
    column: &str,
    with_keys: bool,
    values: &mut Values,
    model: &dyn PrivacyModel,
    take: &mut dyn FnMut(Distance),
) {
    let places = check.source.columns("keys", &check.keys).into_iter();
    let attributes = places.map(|place| &check.source.attributes[place]);
    let mut groups = GroupStream {
        keys: attributes
            .map(|key| Codec::new(key.typ, key.collation))
            .collect(),
        values,
        model,
        take,
        key: Vec::new(),
        next_key: Vec::new(),
        cells: Vec::new(),
        rows: 0,
        key_values: None,
    };
    let keys = sql::key_aliases("g", check.keys.len());
    let key_values = with_keys.then(|| format!(", {}", sql::key_values(check)));
    let sql = format!(
        "SELECT {keys}, g.val, g.n{} FROM ({}) g ORDER BY {keys}",
        key_values.unwrap_or_default(),
        sql::counted_values(check, &identifier(column))
    );
    query::read(&sql, Order::Queried, &mut groups);
    groups.finish_group();
}

struct GroupStream<'a> {
    keys: Vec<Codec>,
    values: &'a mut Values,
    model: &'a dyn PrivacyModel,
    take: &'a mut dyn FnMut(Distance),
    /// the encoded keys of the group at hand, and of the row at hand
    key: Vec<u8>,
    next_key: Vec<u8>,
    cells: Vec<(u32, u64)>,
    rows: u64,
    key_values: Option<JsonB>,
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
        self.next_key.clear();
        for (place, codec) in self.keys.iter_mut().enumerate() {
            // SAFETY: the query's first columns are the keys.
            unsafe { codec.encode(values[place], nulls[place], &mut self.next_key) };
        }
        if self.next_key != self.key {
            self.finish_group();
            std::mem::swap(&mut self.key, &mut self.next_key);
        }
        let place = self.keys.len();
        if let (0, Some(&key_values)) = (self.rows, values.get(place + 2)) {
            // SAFETY: the query's last column is a jsonb, where it was asked for.
            self.key_values = unsafe { JsonB::from_datum(key_values, nulls[place + 2]) };
        }
        // SAFETY: after the keys come the value and its count.
        let number = unsafe { self.values.number(values[place], nulls[place]) };
        let rows = values[place + 1].value() as u64;
        self.cells.push((number, rows));
        self.rows += rows;
    }
}
