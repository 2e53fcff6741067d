//! The lattice of Adult with ARX's hierarchies.
#![allow(dead_code)]
mod lattice_data;
use lattice_data::*;
use sdc_engine::{Unwatched, lattice::*};
use std::time::Instant;

fn requirement(k: usize, p: usize, max_suppressed: u64) -> Requirement<'static> {
    Requirement { k, p, max_suppressed, conditions: vec![] }
}

#[test]
fn tune() {
    let Some(adult) = adult() else { return };
    let counts = count(&adult, adult.rows.iter(), &adult_hierarchies(&ADULT_KEYS), &["income"]);
    println!("rows {} combos {}", counts.total_rows(), counts.combinations());
    for ts in [0, 600, 3000] {
        for _ in 0..3 {
        let t = Instant::now();
        let m = minimal_generalizations(&counts, &requirement(5, 2, ts), &mut Unwatched).unwrap();
        println!("ts {ts}: minimal {} evaluated {} in {:?}; first {:?} {:?}", m.nodes.len(), m.evaluated, t.elapsed(), m.nodes[0], counts.lattice().levels(m.nodes[0].node));
        }
    }
    let t = Instant::now();
    let all = every_node(&counts, &requirement(5, 2, 600), &mut Unwatched).unwrap();
    println!("all {} in {:?}", all.len(), t.elapsed());
    let l = counts.lattice();
    let maxfail = all.iter().filter(|f| !f.satisfied && l.successors(f.node).all(|s| all[s].satisfied)).count();
    let min = all.iter().filter(|f| f.satisfied && l.predecessors(f.node).all(|s| !all[s].satisfied)).count();
    println!("certificate {} + {}; satisfied {}", min, maxfail, all.iter().filter(|f| f.satisfied).count());
}
