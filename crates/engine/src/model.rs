//! Privacy models: one trait that every algorithm and every check shares, so that what a
//! method promises and what the check tests cannot drift apart.

use crate::{Error, Result, Tally};

/// One group as a model sees it: its rows and how often each value of one sensitive column occurs.
#[derive(Debug, Clone, Copy)]
pub struct Group<'a> {
    pub rows: u64,
    /// (value, count) pairs, values ascending; empty for a model without sensitive column
    pub values: &'a [(u32, u64)],
}

/// Whether a figure must be at least or at most what is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    AtLeast,
    AtMost,
}

/// A privacy model gives each group a figure; the table's figure is the worst of them.
pub trait PrivacyModel {
    /// The name under which users know the property.
    fn name(&self) -> &'static str;

    /// Whether the figure must be at least (k, p, l …) or at most (t, β …) the requirement.
    fn bound(&self) -> Bound {
        Bound::AtLeast
    }

    /// The figure of one group.
    fn figure(&self, group: Group<'_>) -> f64;

    /// Whether a group's figure meets the requirement.
    fn holds(&self, figure: f64, required: f64) -> bool {
        match self.bound() {
            Bound::AtLeast => figure >= required,
            Bound::AtMost => figure <= required,
        }
    }

    /// The worse of two figures.
    fn worse(&self, a: f64, b: f64) -> f64 {
        match self.bound() {
            Bound::AtLeast => a.min(b),
            Bound::AtMost => a.max(b),
        }
    }
}

/// k-anonymity: the number of rows of a group.
pub struct KAnonymity;

impl PrivacyModel for KAnonymity {
    fn name(&self) -> &'static str {
        "k-anonymity"
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        group.rows as f64
    }
}

/// p-sensitivity (TV06): the number of distinct sensitive values of a group.
pub struct PSensitivity;

impl PrivacyModel for PSensitivity {
    fn name(&self) -> &'static str {
        "p-sensitivity"
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        group.values.len() as f64
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
pub fn worst(model: &dyn PrivacyModel, tally: &Tally, column: Option<usize>) -> Option<f64> {
    let figures = groups(tally, column).map(|group| model.figure(group));
    figures.reduce(|a, b| model.worse(a, b))
}

/// Checks a result before it leaves the engine: every group must meet the requirement.
pub fn verify(
    model: &dyn PrivacyModel,
    tally: &Tally,
    column: Option<usize>,
    required: f64,
) -> Result<()> {
    match worst(model, tally, column) {
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
    use crate::{Categories, Partition};

    #[test]
    fn worst_group_decides() {
        let partition = Partition::new(vec![0, 0, 1, 1, 1], 2).unwrap();
        let values = Categories::new(vec![0, 0, 0, 1, 2]);
        let tally = Tally::new(&partition, &[&values]);
        assert_eq!(worst(&KAnonymity, &tally, None), Some(2.0));
        assert_eq!(worst(&PSensitivity, &tally, Some(0)), Some(1.0));
        assert!(verify(&KAnonymity, &tally, None, 2.0).is_ok());
        assert!(verify(&PSensitivity, &tally, Some(0), 2.0).is_err());
    }
}
