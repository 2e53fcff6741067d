//! The rows of a window partition → the group of each by its keys, and the weight of each group.

use crate::pg::errors::{Failure, known};
use crate::pg::memory;
use crate::pg::memory_context::Arena;
use crate::pg::progress::Watch;
use crate::read::arguments::{ArgumentReader, Records};
use crate::read::codec::Codec;
use crate::read::columns::Role;
use crate::read::key_counts::bad_weights;
use crate::read::window_batches::{Batch, Batches};
use crate::read::window_rows::WindowCall;
use pgrx::PgSqlErrorCode;
use sdc_engine::{Interner, Monitor, Phase};

/// Rows by their keys.
pub struct WeightedGroups {
    /// the group of each row
    pub group_of: Vec<u32>,
    /// rows and total weight of each group
    pub groups: Vec<(u64, f64)>,
}

/// Takes rows apart: the first argument is the weight, the others are keys.
struct WeightedKeys {
    readers: Vec<ArgumentReader>,
    codecs: Vec<Codec>,
    seen: Interner,
    /// the keys of a batch one after the other, where each ends, and the weights
    encodings: Vec<u8>,
    ends: Vec<usize>,
    weights: Vec<f64>,
    bad: u64,
}

impl WeightedGroups {
    /// Reads all rows. A weight that is null, not positive or not finite is an error, as is a group
    /// whose weights add up to infinity.
    pub fn read(call: &WindowCall<'_>, watch: &mut Watch) -> Self {
        let rows = call.rows();
        let mut found = WeightedGroups {
            group_of: memory::reserved(rows),
            groups: Vec::new(),
        };
        let mut batches = Batches::new(call, (0..call.arguments()).collect());
        let descriptors = Arena::new("pg_sdc row types");
        let mut reader = None;
        watch.start(Phase::Reading, rows as u64);
        while let Some(batch) = batches.next() {
            let make = || descriptors.within(|| WeightedKeys::new(call, &batch));
            let reader = reader.get_or_insert_with(make);
            reader.add(&batch, &mut found);
            watch.tick(found.group_of.len() as u64);
        }
        if let Some(bad) = reader.map(|reader| reader.bad).filter(|&bad| bad > 0) {
            bad_weights("weight", bad);
        }
        if found.groups.iter().any(|(_, weight)| weight.is_infinite()) {
            overflow();
        }
        found
    }
}

/// What sum() says of such weights, so that no row of the group passes for one without risk.
fn overflow() -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
        "the weights of a group add up to more than a number can hold",
    )
    .hint("A sampling weight is the number of persons that a row stands for.")
    .raise()
}

impl WeightedKeys {
    fn new(call: &WindowCall<'_>, batch: &Batch<'_>) -> Self {
        let (mut readers, mut columns) = (Vec::new(), Vec::new());
        for (argument, cell) in batch.first_row().enumerate().skip(1) {
            let label = Role::Key.label();
            let reader = ArgumentReader::new(call.call, argument, label, Records::Apart, cell);
            columns.extend(reader.columns(columns.len() + 1));
            readers.push(reader);
        }
        let codec = |column: &crate::read::arguments::ArgumentColumn| {
            Codec::new(column.typ, column.collation)
        };
        WeightedKeys {
            readers,
            codecs: columns.iter().map(codec).collect(),
            seen: Interner::new(),
            encodings: Vec::new(),
            ends: Vec::new(),
            weights: Vec::new(),
            bad: 0,
        }
    }

    fn add(&mut self, batch: &Batch<'_>, found: &mut WeightedGroups) {
        self.encodings.clear();
        self.ends.clear();
        self.weights.clear();
        batch.for_each_row(|mut row| {
            let weight = row.next().and_then(|weight| weight.get::<f64>());
            let weight = weight.filter(|weight| *weight > 0.0 && weight.is_finite());
            self.bad += u64::from(weight.is_none());
            self.weights.push(weight.unwrap_or(0.0));
            let (encodings, mut codecs) = (&mut self.encodings, self.codecs.iter_mut());
            for (reader, cell) in self.readers.iter_mut().zip(row) {
                reader.read(cell, |value| {
                    if let Some(codec) = codecs.next() {
                        codec.encode(value, encodings);
                    }
                });
            }
            self.ends.push(self.encodings.len());
        });
        let first = found.group_of.len();
        let groups = &mut found.group_of;
        known(self.seen.intern_all(&self.encodings, &self.ends, groups));
        let new = self.seen.len() - found.groups.len();
        memory::grow(&mut found.groups, new);
        found.groups.resize(self.seen.len(), (0, 0.0));
        for (&group, weight) in found.group_of[first..].iter().zip(&self.weights) {
            let (rows, total) = &mut found.groups[group as usize];
            *rows += 1;
            *total += weight;
        }
    }
}
