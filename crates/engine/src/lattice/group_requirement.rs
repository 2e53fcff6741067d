//! What the groups of a node must meet.

use super::{Combinations, frequency_set::FrequencySet, group_values::GroupValues};
use crate::model::{Group, Merging, PrivacyModel};

/// A further condition on every group: a privacy model's figure for one sensitive column.
#[derive(Clone, Copy)]
pub struct Condition<'a> {
    /// gives a group its figure
    pub model: &'a dyn PrivacyModel,
    /// the sensitive column, or none for a model that looks at rows only
    pub column: Option<usize>,
    /// what the figure must be at least, or at most
    pub required: f64,
}

/// What every group must meet that is not suppressed, and how many rows may be suppressed.
/// A group that fails in any respect is suppressed: TV06 suppresses for k only, and then a
/// node above a good one may fail.
pub struct Requirement<'a> {
    /// rows of a group
    pub k: usize,
    /// distinct values of each sensitive column in a group
    pub p: usize,
    /// rows that may be suppressed
    pub max_suppressed: u64,
    /// what else a group must meet
    pub conditions: Vec<Condition<'a>>,
}

impl Requirement<'_> {
    /// Whether every node above a satisfied one is satisfied too. Groups that are sparse in the
    /// population may join one that is not, where that one may be suppressed.
    pub(super) fn is_monotone(&self, combinations: &Combinations) -> bool {
        let mut conditions = self.conditions.iter();
        let delta = combinations
            .population()
            .and_then(|(_, limits)| limits.delta);
        conditions.all(|condition| self.keeps_up(condition))
            && (delta.is_none() || self.max_suppressed == 0)
    }

    /// Whether a condition met by all groups that are kept at a node is met above it by the
    /// groups which these become part of.
    fn keeps_up(&self, condition: &Condition<'_>) -> bool {
        match condition.model.merging() {
            Merging::Any => true,
            Merging::BothMeet => self.max_suppressed == 0,
            Merging::Unknown => false,
        }
    }

    /// Whether a further condition looks at a sensitive column.
    pub(super) fn counts_values_of(&self, column: usize) -> bool {
        let looks = |condition: &Condition<'_>| condition.column == Some(column);
        self.conditions.iter().any(looks)
    }

    /// Whether a group of a node meets everything.
    pub(super) fn is_met(&self, set: &FrequencySet, group: usize) -> bool {
        if let Some(core) = set.core() {
            return core[group];
        }
        let mut conditions = self.conditions.iter();
        self.has_rows_and_values(set, group)
            && is_sparse(set, group)
            && conditions.all(|condition| condition.is_met(set, group))
    }

    /// Whether a group of a node meets the part that is monotone.
    pub(super) fn is_partly_met(&self, set: &FrequencySet, group: usize) -> bool {
        if let Some(core) = set.core() {
            return core[group];
        }
        let conditions = self.conditions.iter();
        let mut monotone = conditions.filter(|condition| self.keeps_up(condition));
        self.has_rows_and_values(set, group)
            && (self.max_suppressed > 0 || is_sparse(set, group))
            && monotone.all(|condition| condition.is_met(set, group))
    }

    fn has_rows_and_values(&self, set: &FrequencySet, group: usize) -> bool {
        let diverse = |values: &GroupValues| values.distinct(group) >= self.p;
        let population = set.population();
        set.rows()[group] >= self.k as u64
            && (self.p <= 1 || set.values().iter().all(diverse))
            && population.is_none_or(|population| population.are_enough(group))
    }
}

/// Whether few enough of a group's persons in the population are in the table.
fn is_sparse(set: &FrequencySet, group: usize) -> bool {
    let population = set.population();
    population.is_none_or(|population| population.are_sparse(group, set.rows()[group]))
}

impl Condition<'_> {
    fn is_met(&self, set: &FrequencySet, group: usize) -> bool {
        let values = self.column.map(|column| set.values()[column].counts(group));
        let figure = self.model.figure(Group {
            rows: set.rows()[group],
            values: values.unwrap_or(&[]),
        });
        self.model.holds(figure, self.required)
    }
}
