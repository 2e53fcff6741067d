//! Counted keys → the engine's tuples, for counting where NULL matches every value.

use crate::pg::datum_image::Image;
use crate::pg::errors::known;
use crate::pg::memory;
use crate::pg::progress::{ROWS_BETWEEN_CHECKS, Watch};
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::pg::type_capabilities;
use crate::read::codec::Codec;
use crate::read::key_counts::KeyCounts;
use pgrx::pg_sys::{self, Oid};
use sdc_engine::Interner;
use sdc_engine::risk::{KeyTuples, MatchCounts, NULL_CODE};

/// The combinations of key values that occur, and how many rows match each of them.
pub struct MatchedKeys {
    pub tuples: KeyTuples,
    pub matches: MatchCounts,
    /// what was asked for beside the keys
    pub labels: Vec<Option<Image>>,
}

impl MatchedKeys {
    /// `label` is SQL of type jsonb over the keys g.k1, g.k2 … of a group.
    pub fn read(counts: &KeyCounts, label: Option<&str>, watch: &mut Watch) -> Self {
        let (tuples, labels) = Self::unmatched(counts, label, watch);
        let matches = known(tuples.matches(watch));
        MatchedKeys {
            tuples,
            labels,
            matches,
        }
    }

    /// The combinations before anything is counted, with what was asked for beside them.
    pub fn unmatched(
        counts: &KeyCounts,
        label: Option<&str>,
        watch: &mut Watch,
    ) -> (KeyTuples, Vec<Option<Image>>) {
        let attribute = |place: usize| &counts.source.attributes[place];
        let places = counts.source.columns("keys", &counts.keys);
        let mut types: Vec<Oid> = places.iter().map(|&place| attribute(place).typ).collect();
        let columns = places.iter().map(|&place| NumberedKey {
            codec: Codec::new(attribute(place).typ, attribute(place).collation),
            seen: Interner::new(),
        });
        let mut reader = TupleReader {
            columns: columns.collect(),
            tuples: known(KeyTuples::new(places.len())),
            labels: Vec::new(),
            codes: Vec::new(),
            encoding: Vec::new(),
            bad: 0,
            watch,
        };
        types.extend([pg_sys::INT8OID, pg_sys::FLOAT8OID, pg_sys::INT4OID]);
        let mut sql = counts.groups();
        if let Some(label) = label {
            sql = format!(
                "SELECT g.*, {label} FROM ({sql}) g{}",
                order_by(&types[..places.len()])
            );
            types.push(pg_sys::JSONBOID);
        }
        statements::read(&sql, &types, Order::Queried, &mut reader);
        counts.refuse_bad(reader.bad);
        (reader.tuples, reader.labels)
    }
}

/// Keys in their own order, where they have one: lists come in the same order each time.
fn order_by(types: &[Oid]) -> String {
    if !types.iter().copied().all(type_capabilities::can_sort) {
        return String::new();
    }
    let keys: Vec<String> = (1..=types.len()).map(|key| format!("g.k{key}")).collect();
    format!(" ORDER BY {}", keys.join(", "))
}

/// Numbers the values of one key.
struct NumberedKey {
    codec: Codec,
    seen: Interner,
}

struct TupleReader<'a> {
    columns: Vec<NumberedKey>,
    tuples: KeyTuples,
    labels: Vec<Option<Image>>,
    codes: Vec<u32>,
    encoding: Vec<u8>,
    bad: i32,
    watch: &'a mut Watch,
}

impl RowSink for TupleReader<'_> {
    fn row(&mut self, row: &Row<'_>) {
        let keys = self.columns.len();
        self.codes.clear();
        for (column, cell) in self.columns.iter_mut().zip(row.cells()) {
            if cell.is_null() {
                self.codes.push(NULL_CODE);
                continue;
            }
            self.encoding.clear();
            column.codec.encode(cell, &mut self.encoding);
            self.codes.push(known(column.seen.intern(&self.encoding)));
        }
        let population = row.get::<f64>(keys + 2).unwrap_or(0.0);
        let rows = row.cell(keys).int8() as f64;
        known(self.tuples.push(&self.codes, rows, population));
        self.bad = self.bad.max(row.get(keys + 3).unwrap_or(0));
        if row.cells().len() > keys + 3 {
            let label = row.cell(keys + 3).jsonb();
            memory::push(&mut self.labels, label);
        }
        if self.tuples.len().is_multiple_of(ROWS_BETWEEN_CHECKS) {
            self.watch.tick(self.tuples.len() as u64);
        }
    }
}
