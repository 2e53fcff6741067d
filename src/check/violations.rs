//! The groups that miss a requirement, worst first.

use super::{Check, Figure, closeness, sql};
use crate::errors::{self, Names};
use crate::image::{self, Image};
use crate::memory::{self, Account};
use crate::query::{self, Order, RowSink};
use pgrx::pg_sys::{self, Datum};
use sdc_engine::Monitor;
use std::rc::Rc;

/// Memory is checked every so many violations.
const BETWEEN_CHECKS: usize = 1024;

/// A group that misses a requirement.
pub struct Violation {
    /// the group's key values as jsonb
    pub key_values: Image,
    pub rows: i64,
    pub actual: f64,
    /// which requirement
    pub missed: Missed,
    /// the share of the requirement that is reached
    reached: f64,
    place: usize,
}

/// The requirement that a group misses.
#[derive(Clone)]
pub struct Missed {
    pub property: &'static str,
    pub attribute: Option<Rc<str>>,
    required: f64,
}

/// All violations: those that reach least of what is required first, and of those the ones
/// with the most rows; then in the order of properties and keys.
pub fn violations(check: &Check) -> Vec<Violation> {
    let mut found = Found::default();
    let queries = check.groups();
    let mut watch = check.watch(queries.len() + check.sensitive.len());
    for (done, groups) in (0..).zip(queries) {
        errors::engine(watch.advance(done), Names::default());
        if let Some(sql) = sql::violations(check, &groups) {
            let mut failing = FailingGroups {
                missed: groups.figures.iter().map(Missed::of).collect(),
                found: &mut found,
            };
            let mut types = vec![pg_sys::JSONBOID, pg_sys::INT8OID];
            types.resize(2 + groups.figures.len(), pg_sys::FLOAT8OID);
            query::read(&sql, &types, Order::Queried, &mut failing);
        }
    }
    if let Some(t) = check.required.t {
        for column in &check.sensitive {
            distant_groups(check, column, t, &mut found);
        }
    }
    found.sorted()
}

impl Missed {
    fn of(figure: &Figure) -> Option<Self> {
        Some(Missed {
            property: figure.property,
            attribute: figure.attribute.as_deref().map(Rc::from),
            required: figure.required?,
        })
    }
}

/// The groups whose values are farther than t from the table's.
fn distant_groups(check: &Check, column: &str, t: f64, found: &mut Found) {
    let missed = Missed {
        property: "t-closeness",
        attribute: Some(column.into()),
        required: t,
    };
    closeness::distances(check, column, true, &mut |group| {
        if let Some(key_values) = group.key_values.filter(|_| group.distance > t) {
            let reached = missed.required / group.distance;
            let rows = group.rows as i64;
            found.push(key_values, rows, group.distance, reached, missed.clone());
        }
    });
}

#[derive(Default)]
struct Found {
    violations: Vec<Violation>,
    key_bytes: usize,
    account: Account,
}

impl Found {
    fn push(&mut self, key_values: Image, rows: i64, actual: f64, reached: f64, missed: Missed) {
        self.key_bytes += size_of_val(&*key_values);
        let violation = Violation {
            key_values,
            rows,
            actual,
            missed,
            reached,
            place: self.violations.len(),
        };
        memory::push(&mut self.violations, violation);
        if self.violations.len().is_multiple_of(BETWEEN_CHECKS) {
            let held = size_of::<Violation>() * self.violations.capacity();
            self.account.set(held + self.key_bytes);
        }
    }

    fn sorted(mut self) -> Vec<Violation> {
        self.violations.sort_unstable_by(|a, b| {
            let worse = a.reached.total_cmp(&b.reached);
            worse.then((b.rows, a.place).cmp(&(a.rows, b.place)))
        });
        self.violations
    }
}

/// Takes the groups of a query that miss one of its requirements at least.
struct FailingGroups<'a> {
    /// for each figure of the query, if something is required of it
    missed: Vec<Option<Missed>>,
    found: &'a mut Found,
}

impl RowSink for FailingGroups<'_> {
    unsafe fn row(&mut self, _: *mut pg_sys::TupleTableSlot, values: &[Datum], _: &[bool]) {
        let rows = values[1].value() as i64;
        for (missed, datum) in self.missed.iter().zip(&values[2..]) {
            let actual = f64::from_bits(datum.value() as u64);
            if let Some(missed) = missed.as_ref().filter(|m| actual < m.required) {
                // SAFETY: the query's first column is a jsonb.
                let key_values = unsafe { image::of_varlena(values[0]) };
                let reached = actual / missed.required;
                self.found
                    .push(key_values, rows, actual, reached, missed.clone());
            }
        }
    }
}
