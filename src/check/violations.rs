//! The groups that miss a requirement, worst first.

use crate::check::{Check, Figure, brought_values, group_queries, spilled, wildcards};
use crate::pg::datum_image::Image;
use crate::pg::errors::known;
use crate::pg::memory;
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::read::null_reading::NullReading;
use pgrx::pg_sys;
use sdc_engine::model::Property;
use sdc_engine::sorting;
use std::rc::Rc;

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
    pub property: Property,
    pub attribute: Option<Rc<str>>,
    required: f64,
}

/// All violations: those that reach least of what is required first, and of those the ones
/// with the most rows; then in the order of properties and keys.
pub fn violations(check: &Check) -> Vec<Violation> {
    let mut found = Found::default();
    if check.nulls == NullReading::Wildcard {
        unmatched_rows(check, &mut found);
        return found.sorted();
    }
    let queries = check.groups();
    let mut watch = check.watch(queries.len() + check.sensitive.len());
    for (done, groups) in (0..).zip(queries) {
        watch.tick(done);
        if let Some(sql) = group_queries::violations(check, &groups) {
            let mut failing = FailingGroups {
                missed: groups.figures.iter().map(Missed::of).collect(),
                found: &mut found,
            };
            let mut types = vec![pg_sys::JSONBOID, pg_sys::INT8OID];
            types.resize(2 + groups.figures.len(), pg_sys::FLOAT8OID);
            statements::read(&sql, &types, Order::Queried, &mut failing);
        }
    }
    if let (Some(p), Some(entity)) = (check.required.p, &check.entity) {
        for column in &check.sensitive {
            few_brought(check, (entity, column), f64::from(p), &mut found);
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

    fn is_missed_by(&self, actual: f64) -> bool {
        self.property.bound().misses(actual, self.required)
    }

    /// The share of the requirement that a figure reaches.
    fn reached(&self, actual: f64) -> f64 {
        match self.property.larger_is_better() {
            true => actual / self.required,
            false => self.required / actual,
        }
    }
}

/// The combinations of keys with too few matches.
fn unmatched_rows(check: &Check, found: &mut Found) {
    wildcards::unmatched(check, &group_queries::key_values(check), &mut |unmatched| {
        let missed = Missed {
            property: unmatched.property,
            attribute: None,
            required: unmatched.required,
        };
        let reached = missed.reached(unmatched.actual);
        found.push(
            unmatched.key_values,
            unmatched.rows,
            unmatched.actual,
            reached,
            missed,
        );
    });
}

/// The groups whose persons bring fewer than p values.
fn few_brought(check: &Check, (entity, column): (&str, &str), p: f64, found: &mut Found) {
    let missed = Missed {
        property: Property::PSensitivity,
        attribute: Some(column.into()),
        required: p,
    };
    brought_values::groups(check, entity, column, true, &mut |group| {
        let actual = group.brought as f64;
        if let Some(key_values) = group.key_values.filter(|_| missed.is_missed_by(actual)) {
            let reached = missed.reached(actual);
            found.push(key_values, group.rows, actual, reached, missed.clone());
        }
    });
}

/// The groups whose values are farther than t from the table's.
fn distant_groups(check: &Check, column: &str, t: f64, found: &mut Found) {
    let missed = Missed {
        property: Property::TCloseness,
        attribute: Some(column.into()),
        required: t,
    };
    spilled::distances(check, column, true, &mut |group| {
        if let Some(key_values) = group.key_values.filter(|_| group.distance > t) {
            let reached = missed.required / group.distance;
            let rows = group.rows as i64;
            found.push(key_values, rows, group.distance, reached, missed.clone());
        }
    });
}

/// Where a property stands in the order in which users know them.
fn property_place(property: Property) -> Option<usize> {
    Property::ALL.iter().position(|other| *other == property)
}

#[derive(Default)]
struct Found {
    violations: Vec<Violation>,
}

impl Found {
    fn push(&mut self, key_values: Image, rows: i64, actual: f64, reached: f64, missed: Missed) {
        let violation = Violation {
            key_values,
            rows,
            actual,
            missed,
            reached,
            place: self.violations.len(),
        };
        memory::push(&mut self.violations, violation);
        memory::room(0);
    }

    fn sorted(mut self) -> Vec<Violation> {
        let sorted = sorting::sort_by(&mut self.violations, |a, b| {
            let worse = a.reached.total_cmp(&b.reached);
            let place = |v: &Violation| (property_place(v.missed.property), v.place);
            let larger = b.rows.cmp(&a.rows);
            worse.then(larger).then(place(a).cmp(&place(b)))
        });
        known(sorted);
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
    fn row(&mut self, row: &Row<'_>) {
        let rows = row.cell(1).int8();
        for (missed, cell) in self.missed.iter().zip(row.cells().skip(2)) {
            let actual = cell.float8();
            if let Some(missed) = missed.as_ref().filter(|m| m.is_missed_by(actual))
                && let Some(key_values) = row.cell(0).jsonb()
            {
                let reached = missed.reached(actual);
                self.found
                    .push(key_values, rows, actual, reached, missed.clone());
            }
        }
    }
}
