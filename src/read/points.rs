//! What is grouped: rows, or the persons that they are about; in one piece, or stratum by
//! stratum.

use crate::pg::errors::{self, Failure, Names, known, number_of};
use crate::pg::memory;
use crate::pg::progress::Watch;
use crate::read::source_rows::KeptRows;
use crate::read::table_options::Suppression;
use sdc_engine::assign::{FailedStratum, Stratified, by_stratum};
use sdc_engine::{Categories, Column, Error, Monitor, Partition, PersonRows, Result, Table};

/// The rows of a call as its method sees them.
pub struct Points {
    pub keys: Table,
    pub sensitive: Vec<Categories>,
    /// what messages call the sensitive columns, where not by their names
    pub labels: Vec<String>,
    strata: Option<Categories>,
}

impl Points {
    /// `value` says which of a person's values of a sensitive column counts; it is also told the
    /// stratum of each person, if there are strata.
    pub fn of(
        rows: &KeptRows,
        value: impl Fn(&PersonRows, &Categories, Option<&Categories>) -> Result<Categories>,
    ) -> Self {
        let names = rows.names();
        let keys = rows.key_table();
        let strata = rows.strata.as_ref().map(|strata| match &rows.persons {
            None => known(strata.try_clone()),
            Some(persons) => errors::engine(persons.common(strata), names),
        });
        let sensitive = |column: &Categories| match &rows.persons {
            None => known(column.try_clone()),
            Some(persons) => known(value(persons, column, strata.as_ref())),
        };
        Points {
            sensitive: rows.sensitive.iter().map(sensitive).collect(),
            keys: match &rows.persons {
                None => keys,
                Some(persons) => known(persons.points(&keys)),
            },
            labels: Vec::new(),
            strata,
        }
    }

    /// Moves the keys out, for a call that needs them no longer than it takes to scale them.
    pub fn take_keys(&mut self) -> Table {
        let none = known(Table::new(vec![Column::Numeric(Vec::new())]));
        std::mem::replace(&mut self.keys, none)
    }

    /// The keys and, as one more of them, the strata: groups show both. `None` where there are no
    /// strata.
    pub fn shown(&self) -> Option<Table> {
        let strata = Column::Categorical(known(self.strata.as_ref()?.try_clone()));
        let keys = self.keys.columns().iter();
        let mut columns: Vec<Column> = keys.map(|key| known(key.try_clone())).collect();
        columns.push(strata);
        Some(known(Table::new(columns)))
    }

    fn names<'a>(&'a self, rows: &'a KeptRows) -> Names<'a> {
        match self.labels.is_empty() {
            true => rows.names(),
            false => Names {
                sensitive: &self.labels,
                ..rows.names()
            },
        }
    }

    /// Groups the points by a function of some of them, or of all for `None`. Rows of strata
    /// that cannot keep the promise are suppressed, if they may be.
    pub fn group(
        &self,
        rows: &mut KeptRows,
        suppression: Suppression,
        mut group: impl FnMut(Option<&[u32]>, &mut dyn Monitor) -> Result<Partition>,
        watch: &mut Watch,
    ) -> Partition {
        let Some(strata) = &self.strata else {
            let partition = counted_by(rows, group(None, watch), self.names(rows));
            return self.of_rows(rows, partition);
        };
        let grouped = by_stratum(strata, |rows, monitor| group(Some(rows), monitor), watch);
        let mut grouped = errors::engine(grouped, self.names(rows));
        if let Some(persons) = &rows.persons {
            grouped.group_of = known(persons.of_rows(&grouped.group_of));
        }
        without_failed(grouped, strata, suppression, rows)
    }

    /// Groups all points, or those of each stratum; `None` where a stratum has too few points or
    /// values.
    pub fn group_all(
        &self,
        rows: &KeptRows,
        mut group: impl FnMut(Option<&[u32]>, &mut dyn Monitor) -> Result<Partition>,
        watch: &mut Watch,
    ) -> Option<Partition> {
        let Some(strata) = &self.strata else {
            return Some(errors::engine(group(None, watch), self.names(rows)));
        };
        let grouped = by_stratum(strata, |rows, monitor| group(Some(rows), monitor), watch);
        let Stratified {
            group_of,
            groups,
            failed,
        } = errors::engine(grouped, self.names(rows));
        failed
            .is_empty()
            .then(|| known(Partition::new(group_of, groups)))
    }

    /// Groups all points as one stratum among others; what it lacks where it cannot keep the promise.
    pub fn group_stratum(
        &self,
        rows: &KeptRows,
        mut group: impl FnMut(Option<&[u32]>, &mut dyn Monitor) -> Result<Partition>,
        watch: &mut Watch,
    ) -> std::result::Result<Partition, String> {
        let points = rows.persons.as_ref().map_or(rows.rows, PersonRows::len);
        let stratum = Categories::new(memory::collected((0..points).map(|_| 0)));
        let grouped = by_stratum(&stratum, |rows, monitor| group(Some(rows), monitor), watch);
        let grouped = errors::engine(grouped, self.names(rows));
        if let Some(failed) = grouped.failed.first() {
            return Err(reason(failed, rows));
        }
        let partition = known(Partition::new(grouped.group_of, grouped.groups));
        Ok(self.of_rows(rows, partition))
    }

    /// Groups some of the points, or those of each stratum. Points that cannot keep the promise
    /// have no group.
    pub fn group_some(
        &self,
        rows: &KeptRows,
        chosen: &[u32],
        mut group: impl FnMut(Option<&[u32]>, &mut dyn Monitor) -> Result<Partition>,
        watch: &mut Watch,
    ) -> Stratified {
        let strata = match &self.strata {
            Some(strata) => known(strata.select(chosen)),
            None => Categories::new(memory::collected(chosen.iter().map(|_| 0))),
        };
        let of_stratum = |places: &[u32], monitor: &mut dyn Monitor| {
            let points = places.iter().map(|&place| chosen[place as usize]);
            group(Some(&memory::collected(points)), monitor)
        };
        errors::engine(by_stratum(&strata, of_stratum, watch), self.names(rows))
    }

    /// The groups of rows that groups of points make.
    pub fn of_rows(&self, rows: &KeptRows, points: Partition) -> Partition {
        match &rows.persons {
            None => points,
            Some(persons) => {
                let group_of = known(persons.of_rows(points.group_of()));
                known(Partition::new(group_of, points.groups()))
            }
        }
    }
}

/// Groups rows, whomever they are about: all at once for `None`, or those of each stratum. Rows
/// of strata that cannot keep the promise are suppressed, if they may be.
pub fn group_rows(
    rows: &mut KeptRows,
    suppression: Suppression,
    mut group: impl FnMut(Option<&[u32]>, &mut dyn Monitor) -> Result<Partition>,
    watch: &mut Watch,
) -> Partition {
    let Some(strata) = rows.strata.as_ref().map(|strata| known(strata.try_clone())) else {
        return counted_by(rows, group(None, watch), rows.names());
    };
    let grouped = by_stratum(&strata, |rows, monitor| group(Some(rows), monitor), watch);
    let grouped = errors::engine(grouped, rows.names());
    without_failed(grouped, &strata, suppression, rows)
}

/// The groups of rows, those of strata that failed left out.
fn without_failed(
    mut grouped: Stratified,
    strata: &Categories,
    suppression: Suppression,
    rows: &mut KeptRows,
) -> Partition {
    if !grouped.failed.is_empty() {
        refuse_failed(strata, &grouped, suppression, rows);
        let kept = memory::collected(grouped.group_of.iter().map(|&group| group != NONE));
        grouped.group_of.retain(|&group| group != NONE);
        rows.suppress(kept);
    }
    known(Partition::new(grouped.group_of, grouped.groups))
}

/// The mark of a row without a group.
const NONE: u32 = u32::MAX;

/// Groups of all rows or persons; what are too few is called by its name.
fn counted_by(rows: &KeptRows, groups: Result<Partition>, names: Names<'_>) -> Partition {
    match (groups, &rows.persons) {
        (Err(Error::TooFewRows { rows, k }), Some(_)) => too_few_persons(rows, k).raise(),
        (
            Err(Error::TooFewValues {
                p,
                column,
                distinct,
            }),
            Some(_),
        ) => Failure::invalid(format!(
            "p = {p} cannot be reached: different persons have only {} of {}",
            number_of(distinct as u64, "value"),
            names.sensitive(column)
        ))
        .hint(format!("The largest feasible p is {distinct}."))
        .raise(),
        (groups, _) => errors::engine(groups, names),
    }
}

/// Fewer persons than a group needs.
fn too_few_persons(persons: usize, k: usize) -> Failure {
    let counted = number_of(persons as u64, "person");
    let verb = if persons == 1 { "is" } else { "are" };
    Failure::invalid(format!("{counted} {verb} fewer than k = {k}"))
        .hint(format!("The largest feasible k is {persons}."))
}

/// Refuses strata that fail with more rows than may be left out.
fn refuse_failed(
    strata: &Categories,
    grouped: &Stratified,
    suppression: Suppression,
    rows: &KeptRows,
) {
    let lost = grouped.group_of.iter().filter(|&&group| group == NONE);
    if let Some(first) = grouped.failed.first() {
        let failed = FailedStrata {
            reason: reason(first, rows),
            strata: (grouped.failed.len(), strata.cardinality()),
            rows: (lost.count(), rows.rows),
        };
        failed.refuse(suppression);
    }
}

/// Strata that cannot keep the promise.
pub struct FailedStrata {
    /// what the first of them lacks
    pub reason: String,
    /// how many there are, of how many
    pub strata: (usize, usize),
    /// how many rows they have, of how many
    pub rows: (usize, usize),
}

impl FailedStrata {
    /// Refuses them if they have more rows than may be left out.
    pub fn refuse(&self, suppression: Suppression) {
        let FailedStrata {
            reason,
            strata: (count, of),
            rows: (lost, all),
        } = self;
        if lost == all {
            Failure::invalid(format!("no stratum can keep the promise: {reason}"))
                .hint("Require less, or name fewer strata.")
                .raise();
        }
        if *lost <= suppression.of(*all) {
            return;
        }
        let failing = format!(
            "{count} of {of} strata fail, with {} in all",
            number_of(*lost as u64, "row")
        );
        let failure = Failure::invalid(format!("a stratum cannot keep the promise: {reason}"));
        match suppression {
            Suppression::Never => failure
                .detail(format!("{failing}."))
                .hint("Require less, or name fewer strata."),
            _ => failure
                .detail(format!(
                    "{failing}; max_suppressed allows {}.",
                    suppression.of(*all)
                ))
                .hint(format!(
                    "Use max_suppressed => {lost} to leave their rows out, require less, or name fewer strata."
                )),
        }
        .raise();
    }
}

/// What a stratum lacks.
fn reason(failed: &FailedStratum, rows: &KeptRows) -> String {
    let Names { sensitive, .. } = rows.names();
    let counted = rows.persons.as_ref().map_or("row", |_| "person");
    match &failed.reason {
        Error::TooFewRows { rows, k } => {
            format!("{} where k = {k}", number_of(*rows as u64, counted))
        }
        Error::TooFewValues {
            p,
            column,
            distinct,
        } => format!(
            "{} of {} where p = {p}",
            number_of(*distinct as u64, "distinct value"),
            sensitive
                .get(*column)
                .map_or("a sensitive column", String::as_str)
        ),
        Error::OutOfReach {
            property,
            required,
            figure,
            ..
        } => format!("{property} of {figure} where {required} is required"),
        other => other.to_string(),
    }
}
