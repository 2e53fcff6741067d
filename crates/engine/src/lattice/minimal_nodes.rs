//! All minimal nodes of the lattice.

use super::{
    Combinations, Figures, Requirement,
    node_search::{NodeSearch, State},
};
use crate::run::allocation;
use crate::{Monitor, Result};

/// The minimal nodes, and what it took to find them.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimal {
    /// the nodes that satisfy the requirement while no node below them does; least loss first
    pub nodes: Vec<Figures>,
    /// how many evaluations of nodes it took; all other nodes follow from these
    pub evaluated: usize,
}

/// Finds every minimal node. The monotone part of the requirement rules out most nodes
/// without a look; the rest of it is tried on what is left, from the bottom up.
pub fn minimal_generalizations(
    combinations: &Combinations,
    requirement: &Requirement<'_>,
    monitor: &mut dyn Monitor,
) -> Result<Minimal> {
    let mut search = NodeSearch::new(combinations, requirement, None, monitor)?;
    search.bisect_all()?;
    if !requirement.is_monotone(combinations) {
        climb(&mut search)?;
    }
    search.meter.report()?;
    Ok(minimal(search))
}

/// Tries the whole requirement on the nodes that satisfy its monotone part, each after
/// those below it. What lies above a satisfied node is not minimal, whatever it meets.
fn climb(search: &mut NodeSearch<'_>) -> Result<()> {
    search.satisfied.clear();
    for node in 0..search.lattice.nodes() {
        search.meter.spend(search.lattice.columns())?;
        if search.states[node] == State::Fails || !is_lowest(search, node) {
            continue;
        }
        let set = search.groups(node)?;
        let figures = search.evaluator.figures(node, &set);
        if figures.satisfied {
            allocation::make_room(&mut search.satisfied, 1)?;
            search.satisfied.push(figures);
        } else {
            search.sources.keep(search.lattice.levels(node), set);
            search.states[node] = State::Fails;
        }
    }
    Ok(())
}

fn is_lowest(search: &NodeSearch<'_>, node: usize) -> bool {
    let mut below = search.lattice.predecessors(node);
    below.all(|below| search.states[below] == State::Fails)
}

fn minimal(mut search: NodeSearch<'_>) -> Minimal {
    let mut nodes = std::mem::take(&mut search.satisfied);
    nodes.retain(|figures| is_lowest(&search, figures.node));
    nodes.sort_unstable_by(Figures::order);
    Minimal {
        nodes,
        evaluated: search.evaluated,
    }
}
