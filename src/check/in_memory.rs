//! All figures of a sensitive column from one GROUP BY query: PostgreSQL counts the rows by
//! keys and value, in parallel and spilling where it must, and the counts of each group meet
//! here, where the engine's models look at them. That takes memory for every group.

use crate::check::verdict::Line;
use crate::check::{Check, group_queries};
use crate::pg::errors::known;
use crate::pg::progress::Interrupts;
use crate::pg::quoting::identifier;
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::read::codec::Codec;
use crate::read::numbers::Number;
use pgrx::pg_sys::{self, Oid};
use sdc_engine::model::{
    Distribution, KAnonymity, LDiversity, PSensitivity, PrivacyModel, Property, verdict,
};
use sdc_engine::{PairCounts, Tally, limits};

/// What is kept of each distinct value for the figures, and what t-closeness takes beside it
/// for one that has an order: values, ranks and sums.
const BYTES_PER_VALUE: usize = 16;
const BYTES_PER_ORDERED_VALUE: usize = 80;
/// Whether there is memory for more groups is looked at every so many pairs of group and
/// value, and they may take so much meanwhile. There is another way where there is none, so
/// that it is left before an allocation fails.
const PAIRS_BETWEEN_CHECKS: usize = 256;
const LEAST_ROOM: usize = 1 << 16;

/// The verdicts on a column, and on the sizes of groups where asked for; `None` if the groups
/// do not fit into `sdc.max_memory`.
pub fn lines(check: &Check, column: &str, with_size: bool) -> Option<Vec<Line>> {
    let counted = CountedGroups::read(check, column)?;
    if !counted.can_be_judged() {
        return None;
    }
    let (tally, values) = known(counted.counts.into_tally());
    let distribution = known(Distribution::new(&tally.columns()[0]));
    let closeness = check
        .distance
        .closeness(&distribution, &counted.value, &values);
    let required = &check.required;
    let mut models: Vec<(Property, &dyn PrivacyModel, Option<f64>)> = vec![
        (
            Property::PSensitivity,
            &PSensitivity,
            required.p.map(f64::from),
        ),
        (Property::LDiversity, &LDiversity, required.l),
        (Property::TCloseness, &*closeness, required.t),
    ];
    if with_size {
        models.insert(
            0,
            (Property::KAnonymity, &KAnonymity, required.k.map(f64::from)),
        );
    }
    let line = |(property, model, required)| line(property, model, &tally, column, required);
    Some(models.into_iter().map(line).collect())
}

fn line(
    property: Property,
    model: &dyn PrivacyModel,
    tally: &Tally,
    column: &str,
    required: Option<f64>,
) -> Line {
    // the size of a group does not depend on a column
    let of_column = property != Property::KAnonymity;
    let place = of_column.then_some(0);
    let found = known(verdict(model, tally, place, required, &mut Interrupts));
    Line {
        property,
        attribute: of_column.then(|| column.to_string()),
        required,
        actual: found.actual,
        violating_groups: required.map(|_| found.violating_groups as i64),
        violating_rows: required.map(|_| found.violating_rows as i64),
    }
}

/// Rows by group and value, as long as there is memory for them.
struct CountedGroups {
    keys: Vec<Codec>,
    value: Codec,
    counts: PairCounts,
    /// the bytes of a row's keys, and those of its value
    encodings: [Vec<u8>; 2],
    pairs: usize,
    full: bool,
}

impl CountedGroups {
    fn read(check: &Check, column: &str) -> Option<Self> {
        let attribute = |argument, names: &[String]| {
            let places = check.source.columns(argument, names).into_iter();
            let attributes = places.map(|place| &check.source.attributes[place]);
            attributes.map(|a| (a.typ, a.collation)).collect::<Vec<_>>()
        };
        let keys = attribute("keys", &check.keys);
        let value = attribute("sensitive", &[column.to_string()]);
        let mut types: Vec<Oid> = keys.iter().chain(&value).map(|typ| typ.0).collect();
        types.push(pg_sys::INT8OID);
        let codec = |&(typ, collation): &(Oid, Oid)| Codec::new(typ, collation);
        let mut counted = CountedGroups {
            keys: keys.iter().map(codec).collect(),
            value: codec(&value[0]),
            counts: PairCounts::new(),
            encodings: Default::default(),
            pairs: 0,
            full: false,
        };
        let sql = group_queries::counted_values(check, &identifier(column));
        statements::read(&sql, &types, Order::Queried, &mut counted);
        (!counted.full).then_some(counted)
    }

    /// Whether there is memory for the groups to grow to the next look at them: a hash table
    /// that grows holds both its old and its new room.
    fn can_grow(&self) -> bool {
        let codecs = self.keys.iter().chain([&self.value]).map(Codec::memory);
        let held = self.counts.memory() + codecs.sum::<usize>();
        limits::fits(2 * held + LEAST_ROOM)
    }

    /// Whether there is memory for the figures: sorted counts, and the order of the values.
    fn can_be_judged(&self) -> bool {
        let ordered = Number::of(self.value.typ()).map_or(0, |_| BYTES_PER_ORDERED_VALUE);
        let order = (ordered + BYTES_PER_VALUE) * self.counts.values();
        limits::fits(self.counts.tally_memory() + order + LEAST_ROOM)
    }
}

impl RowSink for CountedGroups {
    fn row(&mut self, row: &Row<'_>) {
        let keys = self.keys.len();
        let [key, value] = &mut self.encodings;
        key.clear();
        value.clear();
        for (codec, cell) in self.keys.iter_mut().zip(row.cells()) {
            codec.encode(cell, key);
        }
        self.value.encode(row.cell(keys), value);
        let rows = row.cell(keys + 1).int8() as u64;
        known(self.counts.add(key, value, rows));
        self.pairs += 1;
        if self.pairs.is_multiple_of(PAIRS_BETWEEN_CHECKS) {
            self.full |= !self.can_grow();
        }
    }

    fn full(&self) -> bool {
        self.full
    }
}
