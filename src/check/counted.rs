//! All figures of a sensitive column from one GROUP BY query: PostgreSQL counts the rows by
//! keys and value, in parallel and spilling where it must, and the counts of each group meet
//! here, where the engine's models look at them. That takes memory for every group.

use super::lines::Line;
use super::{Check, closeness, sql};
use crate::codec::Codec;
use crate::errors::known;
use crate::generate_sql::identifier;
use crate::memory::Account;
use crate::number::Number;
use crate::progress::Interrupts;
use crate::query::{self, Order, RowSink};
use pgrx::pg_sys::{self, Datum, Oid};
use sdc_engine::model::{
    Distribution, KAnonymity, LDiversity, PSensitivity, PrivacyModel, verdict,
};
use sdc_engine::{PairCounts, Tally};

const PAIRS_BETWEEN_CHECKS: u32 = 4096;

/// What t-closeness takes for each distinct value that has an order: values, ranks and sums.
const BYTES_PER_ORDERED_VALUE: usize = 80;

/// The verdicts on a column, and on the sizes of groups where asked for; `None` if the groups
/// do not fit into `sdc.max_memory`.
pub fn lines(check: &Check, column: &str, with_size: bool) -> Option<Vec<Line>> {
    let counted = CountedGroups::read(check, column)?;
    let (tally, values) = known(counted.counts.into_tally());
    let distribution = known(Distribution::new(&tally.columns()[0]));
    let closeness = closeness::model(&counted.value, &values, &distribution);
    let required = &check.required;
    let mut lines = Vec::new();
    if with_size {
        lines.push(line(&KAnonymity, &tally, None, required.k.map(f64::from)));
    }
    let of_values: [(&dyn PrivacyModel, Option<f64>); 3] = [
        (&PSensitivity, required.p.map(f64::from)),
        (&LDiversity, required.l),
        (&*closeness, required.t),
    ];
    let of_column = |(model, required)| line(model, &tally, Some(column), required);
    lines.extend(of_values.into_iter().map(of_column));
    Some(lines)
}

fn line(
    model: &dyn PrivacyModel,
    tally: &Tally,
    attribute: Option<&str>,
    required: Option<f64>,
) -> Line {
    let column = attribute.map(|_| 0);
    let found = known(verdict(model, tally, column, required, &mut Interrupts));
    Line {
        property: model.name(),
        attribute: attribute.map(str::to_string),
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
    account: Account,
    pairs: u32,
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
            account: Account::default(),
            pairs: 0,
            full: false,
        };
        let sql = sql::counted_values(check, &identifier(column));
        query::read(&sql, &types, Order::Queried, &mut counted);
        counted.check_memory();
        (!counted.full).then_some(counted)
    }

    fn check_memory(&mut self) {
        let codecs = self.keys.iter().chain([&self.value]).map(Codec::memory);
        let held = self.counts.memory() + codecs.sum::<usize>();
        let ordered = Number::of(self.value.typ()).map_or(0, |_| BYTES_PER_ORDERED_VALUE);
        let order = ordered * self.counts.values();
        self.full |= !self.account.try_set(held + order);
    }
}

impl RowSink for CountedGroups {
    unsafe fn row(&mut self, _: *mut pg_sys::TupleTableSlot, values: &[Datum], nulls: &[bool]) {
        let keys = self.keys.len();
        let [key, value] = &mut self.encodings;
        key.clear();
        value.clear();
        // SAFETY: the query's columns are the keys, the value and its rows.
        unsafe {
            for (codec, (&datum, &null)) in self.keys.iter_mut().zip(values.iter().zip(nulls)) {
                codec.encode(datum, null, key);
            }
            self.value.encode(values[keys], nulls[keys], value);
        }
        let rows = values[keys + 1].value() as u64;
        known(self.counts.add(key, value, rows));
        self.pairs += 1;
        if self.pairs.is_multiple_of(PAIRS_BETWEEN_CHECKS) {
            self.check_memory();
        }
    }

    fn full(&self) -> bool {
        self.full
    }
}
