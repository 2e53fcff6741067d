//! Privacy models: one trait that every algorithm and every check shares, so that what a
//! method promises and what the check tests cannot drift apart.
//!
//! Figures are computed from whole numbers with one division at the end wherever the
//! definition allows it, so that a group that meets a bound exactly is never failed, and one
//! that misses it never passed, by rounding.

mod anonymity;
mod closeness;
mod diversity;
mod likeness;
#[cfg(test)]
mod paper_figures;
mod person_models;
mod property;
#[cfg(test)]
mod pycanon_figures;
mod sensitivity_categories;
pub(crate) mod value_closeness;
mod value_distribution;
mod value_places;

pub use anonymity::{AlphaK, KAnonymity, PSensitivity, disclosures};
pub use closeness::{EqualCloseness, OrderedCloseness, closeness_of};
pub use diversity::{EntropyDiversity, LDiversity, RecursiveDiversity};
pub use likeness::{BasicLikeness, DeltaDisclosure, EnhancedLikeness};
pub use person_models::{
    OfFirstCategories, OfPersonRows, PersonDiversity, PersonSensitivity, PersonValues,
};
pub use property::Property;
pub use sensitivity_categories::{AlphaWeight, PPlus, SensitivityCategories};
pub use value_closeness::ValueCloseness;
pub use value_distribution::Distribution;

use crate::run::limits::Pulse;
use crate::{Error, Monitor, Result, Tally};

/// What the figure of a group costs for each value, in items merely looked at.
const FIGURE: usize = 16;

/// A monitor hears of a verdict every so many groups.
const GROUPS_BETWEEN_CALLS: u64 = 1024;

/// One group as a model sees it: its rows and how often each value of one sensitive column occurs.
#[derive(Debug, Clone, Copy)]
pub struct Group<'a> {
    pub rows: u64,
    /// (value, count) pairs, values ascending; empty for a model without sensitive column
    pub values: &'a [(u32, u64)],
}

impl Group<'_> {
    /// How often the most frequent value occurs.
    fn largest(&self) -> u64 {
        let counts = self.values.iter().map(|&(_, count)| count);
        counts.max().unwrap_or(0)
    }
}

/// Whether a figure must be at least or at most what is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    AtLeast,
    AtMost,
}

impl Bound {
    /// Whether a figure is on the wrong side of the requirement.
    pub fn misses(self, figure: f64, required: f64) -> bool {
        match self {
            Bound::AtLeast => figure < required,
            Bound::AtMost => figure > required,
        }
    }

    /// The worse of two figures.
    pub fn worse(self, a: f64, b: f64) -> f64 {
        match self {
            Bound::AtLeast => a.min(b),
            Bound::AtMost => a.max(b),
        }
    }
}

/// What becomes of a group that meets a model's requirement when it merges with another one.
/// It decides which nodes a lattice search may leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merging {
    /// It still meets it, whatever the other group is.
    Any,
    /// It still meets it if the other one does. A group that is suppressed for failing may
    /// spoil it on a node above.
    BothMeet,
    /// It may fail.
    Unknown,
}

/// What a model is, whatever the group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelKind {
    /// the name under which users know the property
    pub name: &'static str,
    /// whether the figure must be at least (k, p, l …) or at most (t, β …) the requirement
    pub bound: Bound,
    /// what a group that meets a requirement keeps when it merges with another one
    pub merging: Merging,
}

impl ModelKind {
    /// A model whose figure must be at least what is required.
    pub const fn at_least(name: &'static str, merging: Merging) -> Self {
        let bound = Bound::AtLeast;
        ModelKind {
            name,
            bound,
            merging,
        }
    }

    /// A model whose figure must be at most what is required.
    pub const fn at_most(name: &'static str, merging: Merging) -> Self {
        let bound = Bound::AtMost;
        ModelKind {
            name,
            bound,
            merging,
        }
    }
}

/// A privacy model gives each group a figure; the table's figure is the worst of them.
pub trait PrivacyModel {
    /// The model's name, the direction of its figure and what merging does to it.
    fn kind(&self) -> ModelKind;

    /// The figure of one group.
    fn figure(&self, group: Group<'_>) -> f64;

    /// Whether a group's figure meets the requirement.
    fn holds(&self, figure: f64, required: f64) -> bool {
        match self.bound() {
            Bound::AtLeast => figure >= required,
            Bound::AtMost => figure <= required,
        }
    }

    /// The name under which users know the property.
    fn name(&self) -> &'static str {
        self.kind().name
    }

    /// Whether the figure must be at least or at most the requirement.
    fn bound(&self) -> Bound {
        self.kind().bound
    }

    /// What a group that meets a requirement keeps when it merges with another one.
    fn merging(&self) -> Merging {
        self.kind().merging
    }

    /// The worse of two figures.
    fn worse(&self, a: f64, b: f64) -> f64 {
        self.bound().worse(a, b)
    }
}

/// What a check says about a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// the worst group's figure; `None` over no groups
    pub actual: Option<f64>,
    pub violating_groups: u64,
    pub violating_rows: u64,
}

impl Verdict {
    /// Whether every group meets the requirement.
    pub fn satisfied(&self) -> bool {
        self.violating_groups == 0
    }
}

/// The groups of a tally as the model sees them: of sensitive column `column`, or none.
fn groups<'a>(tally: &'a Tally, column: Option<usize>) -> impl Iterator<Item = Group<'a>> {
    let sizes = tally.sizes().iter().enumerate();
    sizes.map(move |(group, &rows)| Group {
        rows,
        values: column.map_or(&[], |column| tally.columns()[column].of(group)),
    })
}

/// The worst figure over all groups; `None` over no groups.
pub fn worst(
    model: &dyn PrivacyModel,
    tally: &Tally,
    column: Option<usize>,
) -> Result<Option<f64>> {
    let mut pulse = Pulse::default();
    let mut worst = None;
    for group in groups(tally, column) {
        pulse.spend(FIGURE * (1 + group.values.len()))?;
        let figure = model.figure(group);
        worst = worst
            .map(|worst| model.worse(worst, figure))
            .or(Some(figure));
    }
    Ok(worst)
}

/// The worst figure and how many groups and rows miss the requirement, if there is one.
pub fn verdict(
    model: &dyn PrivacyModel,
    tally: &Tally,
    column: Option<usize>,
    required: Option<f64>,
    monitor: &mut dyn Monitor,
) -> Result<Verdict> {
    let mut verdict = Verdict {
        actual: None,
        violating_groups: 0,
        violating_rows: 0,
    };
    let mut pulse = Pulse::default();
    for (done, group) in (0u64..).zip(groups(tally, column)) {
        if done.is_multiple_of(GROUPS_BETWEEN_CALLS) {
            monitor.advance(done)?;
        }
        // few groups may have millions of values
        pulse.spend(FIGURE * (1 + group.values.len()))?;
        let figure = model.figure(group);
        let actual = verdict.actual.map(|actual| model.worse(actual, figure));
        verdict.actual = actual.or(Some(figure));
        if required.is_some_and(|required| !model.holds(figure, required)) {
            verdict.violating_groups += 1;
            verdict.violating_rows += group.rows;
        }
    }
    Ok(verdict)
}

/// Checks a result before it leaves the engine: every group must meet the requirement.
pub fn verify(
    model: &dyn PrivacyModel,
    tally: &Tally,
    column: Option<usize>,
    required: f64,
) -> Result<()> {
    match worst(model, tally, column)? {
        Some(figure) if !model.holds(figure, required) => Err(Error::Broken(format!(
            "{} of {figure} where {required} was promised",
            model.name()
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Categories, Partition, Unwatched};

    /// A group with these values and counts.
    pub(super) fn group(cells: &[(u32, u64)]) -> Group<'_> {
        let rows = cells.iter().map(|cell| cell.1).sum();
        Group {
            rows,
            values: cells,
        }
    }

    fn tally() -> Tally {
        let partition = Partition::new(vec![0, 0, 1, 1, 1], 2).unwrap();
        let values = Categories::new(vec![0, 0, 0, 1, 2]);
        Tally::new(&partition, &[&values]).unwrap()
    }

    #[test]
    fn worst_group_decides() {
        let tally = tally();
        assert_eq!(worst(&KAnonymity, &tally, None), Ok(Some(2.0)));
        assert_eq!(worst(&PSensitivity, &tally, Some(0)), Ok(Some(1.0)));
        assert!(verify(&KAnonymity, &tally, None, 2.0).is_ok());
        assert!(verify(&PSensitivity, &tally, Some(0), 2.0).is_err());
    }

    #[test]
    fn verdict_counts_groups_and_rows_that_fail() {
        let failing = |model: &dyn PrivacyModel, column, required| {
            let verdict = verdict(model, &tally(), column, Some(required), &mut Unwatched).unwrap();
            let count = (verdict.violating_groups, verdict.violating_rows);
            assert_eq!(verdict.satisfied(), count.0 == 0);
            (verdict.actual, count)
        };
        assert_eq!(failing(&KAnonymity, None, 2.0), (Some(2.0), (0, 0)));
        assert_eq!(failing(&KAnonymity, None, 3.0), (Some(2.0), (1, 2)));
        assert_eq!(failing(&KAnonymity, None, 4.0), (Some(2.0), (2, 5)));
        assert_eq!(failing(&AlphaK, Some(0), 0.5), (Some(1.0), (1, 2)));
    }

    #[test]
    fn what_is_not_required_is_not_missed() {
        let verdict = verdict(&KAnonymity, &tally(), None, None, &mut Unwatched).unwrap();
        assert_eq!(verdict.actual, Some(2.0));
        assert!(verdict.satisfied());
    }

    #[test]
    fn a_long_verdict_can_be_stopped() {
        struct Impatient;
        impl Monitor for Impatient {
            fn advance(&mut self, done: u64) -> Result<()> {
                match done {
                    0 => Ok(()),
                    _ => Err(Error::Interrupted),
                }
            }
        }
        let many = Tally::from_counts(vec![1; 5000], vec![]).unwrap();
        let stopped = verdict(&KAnonymity, &many, None, None, &mut Impatient);
        assert_eq!(stopped, Err(Error::Interrupted));
    }

    #[test]
    fn no_groups_have_no_figure_and_break_nothing() {
        let empty = Tally::from_counts(vec![], vec![]).unwrap();
        assert_eq!(worst(&KAnonymity, &empty, None), Ok(None));
        let verdict = verdict(&KAnonymity, &empty, None, Some(5.0), &mut Unwatched);
        assert_eq!(verdict.unwrap().actual, None);
        assert!(verify(&KAnonymity, &empty, None, 5.0).is_ok());
    }
}
