//! Evaluates nodes: their groups, and how these fare under a requirement.

use super::{
    Combinations, Requirement, frequency_set::FrequencySet, group_numbering::Numbering,
    group_values::GroupValues, node_loss::Loss, wildcard_core::largest_core,
};
use crate::run::Meter;
use crate::run::allocation;
use crate::{ColumnTally, Error, Monitor, Phase, Result, feasibility};

/// The figures of one node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// the node's number in the [`Lattice`](super::Lattice), which knows its levels
    pub node: usize,
    /// the sum of its levels
    pub height: usize,
    /// the groups that are left after suppression
    pub groups: u64,
    /// the rows of groups that fail
    pub suppressed: u64,
    /// the mean over all cells of the keys of what a cell loses, 0 to 1: the other values
    /// that its code covers as a share of all other values, 1 in a suppressed row; or by the
    /// [`Price`](super::Price) of the combinations
    pub loss: f64,
    /// whether no more rows are suppressed than may be
    pub satisfied: bool,
}

impl Figures {
    /// Whether a node is to be preferred: it keeps rows where the other keeps none, or loses less,
    /// or has the smaller number.
    pub(super) fn is_before(&self, other: &Figures) -> bool {
        let by_rows = other.keeps_rows().cmp(&self.keeps_rows());
        by_rows.then(self.order(other)).is_lt()
    }

    /// Whether anything is left. Where suppressed rows cost little, leaving nothing may lose least.
    pub(super) fn keeps_rows(&self) -> bool {
        self.groups > 0
    }

    /// The order of nodes by loss, then by number.
    pub(super) fn order(&self, other: &Figures) -> std::cmp::Ordering {
        let by_loss = self.loss.total_cmp(&other.loss);
        by_loss.then(self.node.cmp(&other.node))
    }
}

/// The table's counts and a requirement that they can meet, ready to evaluate nodes.
pub(super) struct Evaluator<'a> {
    combinations: &'a Combinations,
    requirement: &'a Requirement<'a>,
    max_groups: u64,
    bottom: FrequencySet,
    numbering: Numbering,
}

impl<'a> Evaluator<'a> {
    pub fn new(combinations: &'a Combinations, requirement: &'a Requirement<'a>) -> Result<Self> {
        let totals = totals(combinations)?;
        let (k, p) = (requirement.k, requirement.p);
        feasibility::require(k, p, combinations.rows(), &totals)?;
        Ok(Evaluator {
            combinations,
            requirement,
            max_groups: feasibility::max_groups(&totals, p)?.unwrap_or(u64::MAX),
            bottom: FrequencySet::bottom(combinations, watched_values(combinations, requirement)?)?,
            numbering: Numbering::default(),
        })
    }

    /// The groups of the bottom node.
    pub fn bottom(&self) -> &FrequencySet {
        &self.bottom
    }

    /// The groups of a node, from those of a node at or below it or else from the bottom.
    pub fn groups(
        &mut self,
        node: usize,
        source: Option<&FrequencySet>,
        meter: &mut Meter<'_>,
    ) -> Result<FrequencySet> {
        let source = source.unwrap_or(&self.bottom);
        let set = source.roll_up(self.combinations, node, &mut self.numbering, meter)?;
        if self.combinations.wildcards().is_empty() {
            return Ok(set);
        }
        let core = largest_core(self.combinations, self.requirement, node, &set, meter)?;
        Ok(set.with_core(core))
    }

    /// How many rows the monotone part of the requirement makes be suppressed.
    pub fn surely_suppressed(&self, set: &FrequencySet) -> u64 {
        let rows = set.rows().iter().enumerate();
        rows.filter(|&(group, _)| !self.requirement.is_partly_met(set, group))
            .map(|(_, rows)| rows)
            .sum()
    }

    /// Whether the monotone part of the requirement makes no more rows be suppressed than may.
    pub fn may_satisfy(&self, set: &FrequencySet) -> bool {
        if set.core().is_none() && self.fails_by_size(set) {
            return false;
        }
        let met = |&group: &usize| self.requirement.is_partly_met(set, group);
        let mut suppressed = 0;
        (0..set.groups()).filter(|group| !met(group)).all(|group| {
            suppressed += set.rows()[group];
            suppressed <= self.requirement.max_suppressed
        })
    }

    /// Whether sizes alone show that too many rows must be suppressed. TV06's condition 2
    /// bounds the groups that are *left*: those beyond it, of at least k rows each, must be
    /// suppressed too. (The paper compares the groups before suppression, which is unsound.)
    fn fails_by_size(&self, set: &FrequencySet) -> bool {
        let k = self.requirement.k as u64;
        let (mut large, mut suppressed) = (0u64, 0);
        for &rows in set.rows() {
            if rows >= k {
                large += 1;
            } else {
                suppressed += rows;
            }
        }
        if self.requirement.p > 1 {
            suppressed += large.saturating_sub(self.max_groups).saturating_mul(k);
        }
        suppressed > self.requirement.max_suppressed
    }

    /// The exact figures of a node.
    pub fn figures(&self, node: usize, set: &FrequencySet) -> Figures {
        let mut loss = Loss::new(self.combinations, node);
        let mut groups = 0;
        for (group, (&member, &rows)) in set.members().iter().zip(set.rows()).enumerate() {
            if self.requirement.is_met(set, group) {
                loss.keep(member, rows);
                groups += 1;
            } else {
                loss.suppress(rows);
            }
        }
        Figures {
            node,
            height: self.combinations.lattice().height(node),
            groups,
            suppressed: loss.suppressed(),
            loss: loss.mean(),
            satisfied: loss.suppressed() <= self.requirement.max_suppressed,
        }
    }
}

/// The exact figures of one node.
pub fn figures(
    combinations: &Combinations,
    requirement: &Requirement<'_>,
    node: usize,
    monitor: &mut dyn Monitor,
) -> Result<Figures> {
    let (evaluator, set) = evaluated(combinations, requirement, node, monitor)?;
    Ok(evaluator.figures(node, &set))
}

/// For each combination whether its rows are kept at a node or suppressed.
pub fn kept(
    combinations: &Combinations,
    requirement: &Requirement<'_>,
    node: usize,
    monitor: &mut dyn Monitor,
) -> Result<Vec<bool>> {
    let (evaluator, set) = evaluated(combinations, requirement, node, monitor)?;
    let group_of = evaluator.numbering.group_of().iter();
    allocation::collected(group_of.map(|&group| requirement.is_met(&set, group as usize)))
}

/// The groups of one node, and what evaluated them.
pub(super) fn evaluated<'a>(
    combinations: &'a Combinations,
    requirement: &'a Requirement<'a>,
    node: usize,
    monitor: &mut dyn Monitor,
) -> Result<(Evaluator<'a>, FrequencySet)> {
    if node >= combinations.lattice().nodes() {
        return Err(Error::Broken("a node outside the lattice".into()));
    }
    let mut evaluator = Evaluator::new(combinations, requirement)?;
    let set = evaluator.groups(node, None, &mut Meter::start(monitor, Phase::Searching, 1))?;
    Ok((evaluator, set))
}

/// What must be known of each sensitive column.
fn watched_values(
    combinations: &Combinations,
    requirement: &Requirement<'_>,
) -> Result<Vec<GroupValues>> {
    let column_of = |condition: &super::Condition<'_>| condition.column;
    let top = requirement.conditions.iter().filter_map(column_of).max();
    if top.is_some_and(|top| top >= combinations.tally().columns().len()) {
        return Err(Error::Broken("a condition on no sensitive column".into()));
    }
    let columns = combinations.tally().columns().iter().enumerate();
    let watched = columns.map(|(column, tally)| {
        let counted = requirement.counts_values_of(column);
        match counted || requirement.p > 1 {
            true => GroupValues::new(tally, counted),
            false => Ok(GroupValues::Unwatched),
        }
    });
    watched.collect()
}

/// How often each value of each sensitive column occurs in the table.
fn totals(combinations: &Combinations) -> Result<Vec<Vec<u64>>> {
    let columns = combinations.tally().columns().iter();
    columns.map(ColumnTally::totals).collect()
}
