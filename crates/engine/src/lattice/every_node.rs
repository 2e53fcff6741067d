//! Every node of the lattice, evaluated.

use super::{
    Combinations, Figures, Lattice, Requirement, frequency_set::FrequencySet,
    node_figures::Evaluator,
};
use crate::run::Meter;
use crate::run::allocation;
use crate::{Monitor, Phase, Result};

/// The exact figures of every node, in the order of their numbers.
pub fn every_node(
    combinations: &Combinations,
    requirement: &Requirement<'_>,
    monitor: &mut dyn Monitor,
) -> Result<Vec<Figures>> {
    let evaluator = Evaluator::new(combinations, requirement)?;
    let mut scan = LatticeWalk {
        lattice: combinations.lattice(),
        order: columns_by_codes(combinations),
        evaluator,
        figures: allocation::reserved(combinations.lattice().nodes())?,
        meter: Meter::start(monitor, Phase::Searching, combinations.lattice().nodes()),
    };
    let bottom = scan.evaluator.groups(0, None, &mut scan.meter)?;
    scan.visit(0, 0, &bottom)?;
    scan.meter.report()?;
    let mut figures = scan.figures;
    figures.sort_unstable_by_key(|figures| figures.node);
    Ok(figures)
}

/// A walk over the lattice that reaches each node once, from the node below it in the last
/// column that is generalized there. It holds the groups of one path only.
struct LatticeWalk<'a> {
    lattice: &'a Lattice,
    order: Vec<usize>,
    evaluator: Evaluator<'a>,
    figures: Vec<Figures>,
    meter: Meter<'a>,
}

impl LatticeWalk<'_> {
    /// Visits a node and those that follow from it by raising the columns from `first` on.
    fn visit(&mut self, node: usize, first: usize, set: &FrequencySet) -> Result<()> {
        self.figures.push(self.evaluator.figures(node, set));
        self.meter.grouped(1);
        for position in first..self.order.len() {
            if let Some(next) = self.lattice.above(node, self.order[position]) {
                let groups = self.evaluator.groups(next, Some(set), &mut self.meter)?;
                self.visit(next, position, &groups)?;
            }
        }
        Ok(())
    }
}

/// The key columns, that with the most values first: once it is generalized groups are few,
/// and most nodes follow from such.
fn columns_by_codes(combinations: &Combinations) -> Vec<usize> {
    let mut order: Vec<usize> = (0..combinations.lattice().columns()).collect();
    let values = |&column: &usize| combinations.hierarchies()[column].values();
    order.sort_by_key(|column| std::cmp::Reverse(values(column)));
    order
}
