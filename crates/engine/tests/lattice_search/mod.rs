//! What searches of a lattice must find, by a look at every node.

use sdc_engine::Unwatched;
use sdc_engine::lattice::{
    Combinations, Figures, Requirement, best_generalization, minimal_generalizations,
};

/// Of all nodes, those that satisfy the requirement above no other that does are the minimal ones,
/// and the best one loses as little as any that does.
pub fn assert_found(nodes: &[Figures], combinations: &Combinations, requirement: &Requirement<'_>) {
    let lattice = combinations.lattice();
    let satisfied: Vec<&Figures> = nodes.iter().filter(|node| node.satisfied).collect();
    let below = |a: &Figures, b: &Figures| {
        let [a, b] = [a, b].map(|node| lattice.levels(node.node));
        a != b && a.iter().zip(&b).all(|(a, b)| a <= b)
    };
    let lowest = satisfied
        .iter()
        .filter(|node| !satisfied.iter().any(|other| below(other, node)));
    let mut lowest: Vec<usize> = lowest.map(|node| node.node).collect();
    lowest.sort_unstable();
    let minimal = minimal_generalizations(combinations, requirement, &mut Unwatched).unwrap();
    let mut minimal: Vec<usize> = minimal.nodes.iter().map(|node| node.node).collect();
    minimal.sort_unstable();
    assert_eq!(minimal, lowest);
    let least = satisfied.iter().map(|node| node.loss).reduce(f64::min);
    let best = best_generalization(combinations, requirement, &mut Unwatched).unwrap();
    assert_eq!(best.node.map(|node| node.loss), least);
}
