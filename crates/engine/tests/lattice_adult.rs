//! The lattice of Adult with ARX's hierarchies.
#![allow(dead_code)]
mod lattice_data;
use lattice_data::*;
use sdc_engine::{Unwatched, lattice::*};
use std::time::Instant;

fn requirement(k: usize, p: usize, max_suppressed: u64) -> Requirement<'static> {
    Requirement {
        k,
        p,
        max_suppressed,
        conditions: vec![],
    }
}

#[test]
fn tune() {
    let Some(adult) = adult() else { return };
    let counts = count(
        &adult,
        adult.rows.iter(),
        &adult_hierarchies(&ADULT_KEYS),
        &["income"],
    );
    println!(
        "rows {} combos {}",
        counts.total_rows(),
        counts.combinations()
    );
    for ts in [0, 600, 3000] {
        for _ in 0..3 {
            let t = Instant::now();
            let m =
                minimal_generalizations(&counts, &requirement(5, 2, ts), &mut Unwatched).unwrap();
            println!(
                "ts {ts}: minimal {} evaluated {} in {:?}; first {:?} {:?}",
                m.nodes.len(),
                m.evaluated,
                t.elapsed(),
                m.nodes[0],
                counts.lattice().levels(m.nodes[0].node)
            );
        }
    }
    let t = Instant::now();
    let all = every_node(&counts, &requirement(5, 2, 600), &mut Unwatched).unwrap();
    println!("all {} in {:?}", all.len(), t.elapsed());
    let l = counts.lattice();
    let maxfail = all
        .iter()
        .filter(|f| !f.satisfied && l.successors(f.node).all(|s| all[s].satisfied))
        .count();
    let min = all
        .iter()
        .filter(|f| f.satisfied && l.predecessors(f.node).all(|s| !all[s].satisfied))
        .count();
    println!(
        "certificate {} + {}; satisfied {}",
        min,
        maxfail,
        all.iter().filter(|f| f.satisfied).count()
    );
}
#[test]
fn orders() {
    let Some(adult) = adult() else { return };
    let counts = count(
        &adult,
        adult.rows.iter(),
        &adult_hierarchies(&ADULT_KEYS),
        &["income"],
    );
    let all = every_node(&counts, &requirement(1, 1, 0), &mut Unwatched).unwrap();
    let l = counts.lattice();
    let best: u64 = (1..l.nodes())
        .map(|n| l.predecessors(n).map(|q| all[q].groups).min().unwrap())
        .sum();
    let own: u64 = all.iter().map(|f| f.groups).sum();
    println!("own {own} best {best}");
    let cost = |order: &[usize]| -> u64 {
        (1..l.nodes())
            .map(|n| {
                let c = *order.iter().rev().find(|&&c| l.level(n, c) > 0).unwrap();
                let mut lv = l.levels(n);
                lv[c] -= 1;
                all[l.node(&lv).unwrap()].groups
            })
            .sum()
    };
    let mut order: Vec<usize> = (0..8).collect();
    order.sort_by_key(|&c| std::cmp::Reverse(counts.hierarchies()[c].values()));
    println!("now {} {:?}", cost(&order), order);
    order.sort_by_key(|&c| std::cmp::Reverse(counts.hierarchies()[c].levels()));
    println!("levels {} {:?}", cost(&order), order);
    // by groups at top of the column alone
    let top = |c: usize| {
        let mut lv = vec![0; 8];
        lv[c] = counts.hierarchies()[c].levels() - 1;
        all[l.node(&lv).unwrap()].groups
    };
    let one = |c: usize| {
        let mut lv = vec![0; 8];
        lv[c] = 1;
        all[l.node(&lv).unwrap()].groups
    };
    order.sort_by_key(|&c| top(c));
    println!(
        "top {} {:?} {:?}",
        cost(&order),
        order,
        order.iter().map(|&c| (top(c), one(c))).collect::<Vec<_>>()
    );
    order.sort_by_key(|&c| one(c));
    println!("one {} {:?}", cost(&order), order);
    let mut lo = (u64::MAX, vec![]);
    // hill climb
    for _ in 0..5 {
        let mut imp = true;
        while imp {
            imp = false;
            for i in 0..8 {
                for j in i + 1..8 {
                    order.swap(i, j);
                    let c = cost(&order);
                    if c < lo.0 {
                        lo = (c, order.clone());
                        imp = true
                    } else {
                        order.swap(i, j)
                    }
                }
            }
        }
    }
    println!("climbed {:?}", lo);
}
