//! The node that loses least.

use super::{
    Combinations, Figures, Requirement,
    loss_bound::LossBound,
    node_search::{NodeSearch, State},
    suppression_floors::SuppressionFloors,
};
use crate::{Monitor, Result};

/// The best node, and what it took to find it.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    /// `None` where no node satisfies the requirement
    pub node: Option<Figures>,
    /// how many nodes were evaluated
    pub evaluated: usize,
}

/// Finds the node that loses least among all that satisfy a requirement, the one with the
/// smallest number where several lose the same. It need not be a minimal one: where rows are
/// suppressed, a node above may keep so many more of them that it loses less. A node that keeps
/// no row is taken only where all do.
///
/// Branch and bound from both sides. What a row loses by generalization only grows upward, so a
/// node that loses more by it than the best one known rules out all nodes above it, whatever they
/// suppress. What must be suppressed at a node must be suppressed below it, too, so each node that
/// was evaluated raises what those below it lose at least.
pub fn best_generalization(
    combinations: &Combinations,
    requirement: &Requirement<'_>,
    monitor: &mut dyn Monitor,
) -> Result<Best> {
    let bound = LossBound::new(combinations, requirement.max_suppressed)?;
    let floors = SuppressionFloors::new(combinations.lattice(), combinations.rows())?;
    let mut search = NodeSearch::new(combinations, requirement, Some((bound, floors)), monitor)?;
    search.bisect_all()?;
    if requirement.is_monotone(combinations) {
        settle(&mut search)?;
    }
    search.close_all()?;
    search.meter.report()?;
    Ok(Best {
        node: search.best,
        evaluated: search.evaluated,
    })
}

/// Where nothing is suppressed at a node, nothing is above it, and there is only more to lose:
/// such nodes need no look. A node's number is larger than those of the nodes below it.
fn settle(search: &mut NodeSearch<'_>) -> Result<()> {
    for node in 0..search.lattice.nodes() {
        search.meter.spend(search.lattice.columns())?;
        let mut below = search.lattice.predecessors(node);
        if below.any(|below| search.states[below] == State::Whole) {
            search.states[node] = State::Whole;
        }
    }
    Ok(())
}
