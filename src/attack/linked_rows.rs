//! What links the rows of releases without a sensitive column: the columns beside the keys that
//! all of them show as they are. A row of a person's group in one release is ruled out if no row
//! of the person's group in another has its values there.

use crate::attack::attack_figures::{Finding, share};
use crate::attack::attacked_release::AttackedRelease;
use crate::attack::coded_rows::{self, CodedColumn, Combined};
use crate::pg::errors::known;
use crate::pg::memory;
use crate::pg::progress::Watch;
use sdc_engine::ColumnTally;
use sdc_engine::attack::{Intersected, NOWHERE};

const ATTACKER: &str =
    "knows a person's group in every release, and compares columns that all show";

/// The columns that all releases show beside their keys, numbered alike in all of them.
pub struct LinkedRows {
    columns: Vec<CodedColumn>,
    combined: Combined,
}

impl LinkedRows {
    /// `None` if a release has a sensitive column, or nothing links them.
    pub fn of(releases: &[AttackedRelease]) -> Option<Self> {
        if releases.iter().any(|release| !release.sensitive.is_empty()) {
            return None;
        }
        let shown = releases.iter().map(AttackedRelease::shown_beside_keys);
        let shown: Vec<Vec<String>> = shown.collect::<Option<_>>()?;
        let (first, others) = shown.split_first()?;
        let in_all = |name: &&String| others.iter().all(|shown| shown.contains(name));
        let column = |name: &String| CodedColumn::new(&releases[0].source, name);
        let columns: Vec<CodedColumn> = first.iter().filter(in_all).map(column).collect();
        let alike = |release: &AttackedRelease| {
            let of = |column: &CodedColumn| release.source.attribute(&column.name);
            columns
                .iter()
                .all(|column| of(column).is_some_and(|own| own.typ == column.typ))
        };
        (!columns.is_empty() && releases.iter().all(alike)).then(|| LinkedRows {
            columns,
            combined: Combined::default(),
        })
    }

    /// What each row of a source shows, and what the groups of its rows show.
    pub fn read(
        &mut self,
        release: &AttackedRelease,
        (own, groups): (&[u32], usize),
        watch: &mut Watch,
    ) -> (Vec<u32>, ColumnTally) {
        let mut columns: Vec<&mut CodedColumn> = self.columns.iter_mut().collect();
        let codes = coded_rows::read(&release.source, &mut columns, watch);
        let values = self.combined.tell_apart(&codes);
        let mut triples = Vec::new();
        for (&group, &value) in own.iter().zip(&values).filter(|of| *of.0 != NOWHERE) {
            memory::push(&mut triples, (group, value, 1));
        }
        (values, known(ColumnTally::new(groups, &triples)))
    }

    /// The findings about persons in all releases together, and about each release alone.
    pub fn written(
        &self,
        releases: &[AttackedRelease],
        (together, alone): (&Intersected, &[Intersected]),
        caveat: &str,
    ) -> Vec<Finding> {
        let names: Vec<&str> = self.columns.iter().map(|column| &*column.name).collect();
        let promised: Vec<String> = releases
            .iter()
            .map(|of| promised_rows(of).to_string())
            .collect();
        let finding = |attack, part: fn(&Intersected) -> u64, note: String| {
            let shares = alone.iter().filter_map(|of| share(part(of), of.persons));
            Finding {
                attack,
                attacker: ATTACKER,
                persons: together.persons,
                promised: Some(0.0),
                baseline: shares.reduce(f64::max),
                measured: share(part(together), together.persons),
                recall: share(part(together), together.persons),
                margin: 0.0,
                note,
            }
        };
        let linked = format!("Rows are linked by {}.{caveat}", names.join(", "));
        let fewer = format!("The releases promise k = {}.", promised.join(", "));
        let nobody = "Nobody else is in all of these persons' groups.".into();
        vec![
            finding("intersection, one row", |found| found.one_row, linked),
            finding("intersection, fewer rows", |found| found.few_rows, fewer),
            Finding {
                promised: None,
                ..finding("intersection, alone", |found| found.alone, nobody)
            },
        ]
    }
}

/// How many persons of a release's groups are promised to look alike.
pub fn promised_rows(release: &AttackedRelease) -> u64 {
    release.parameter("k").map_or(0, |k| k as u64)
}
