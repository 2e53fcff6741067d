//! Minimality against generalization: what the attack takes for certain holds in every possible
//! world of small tables.

use proptest::prelude::*;
use sdc_engine::Unwatched;
use sdc_engine::attack::attack_recoding;
use sdc_engine::lattice::{Combinations, Counter, Hierarchy, Requirement, best_generalization};

/// Two keys of four and two values.
fn counted(rows: &[(u32, u32)], values: &[u32]) -> Combinations {
    let age = Hierarchy::new(4, &[vec![0, 0, 1, 1], vec![0; 4]]).unwrap();
    let sex = Hierarchy::new(2, &[vec![0; 2]]).unwrap();
    let mut counter = Counter::new(vec![age, sex], 1).unwrap();
    for (&(age, sex), value) in rows.iter().zip(values) {
        counter.add(&[age, sex], &[&value.to_le_bytes()]).unwrap();
    }
    counter.combinations().unwrap()
}

fn requirement(k: usize) -> Requirement<'static> {
    Requirement {
        k,
        p: 2,
        max_suppressed: 0,
        conditions: Vec::new(),
    }
}

fn chosen(combinations: &Combinations, k: usize) -> Option<usize> {
    let best = best_generalization(combinations, &requirement(k), &mut Unwatched);
    best.ok()?.node.map(|figures| figures.node)
}

/// What a reader sees of a table: the node, and the values of each released group.
fn seen(rows: &[(u32, u32)], values: &[u32], k: usize) -> Option<(usize, Vec<(u32, u32, u32)>)> {
    let combinations = counted(rows, values);
    let node = chosen(&combinations, k)?;
    let levels = combinations.lattice().levels(node);
    let code = |column: usize, value: u32| {
        combinations.hierarchies()[column].code_of(levels[column])[value as usize]
    };
    let shown = rows.iter().zip(values);
    let shown = shown.map(|(&(age, sex), &value)| (code(0, age), code(1, sex), value));
    let mut shown: Vec<_> = shown.collect();
    shown.sort_unstable();
    Some((node, shown))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..Default::default() })]

    #[test]
    fn what_is_certain_holds_in_every_world(
        table in prop::collection::vec((0..4u32, 0..2u32, 0..3u32), 4..8), k in 2..3usize,
    ) {
        let rows: Vec<(u32, u32)> = table.iter().map(|row| (row.0, row.1)).collect();
        let values: Vec<u32> = table.iter().map(|row| row.2).collect();
        let combinations = counted(&rows, &values);
        let Some(node) = chosen(&combinations, k) else { return Ok(()); };
        let found = attack_recoding(&combinations, k, node, &mut Unwatched).unwrap();
        // what is certain is true
        prop_assert_eq!(found.certain, found.right);
        // as many persons at most have one value in all tables that are released alike
        let here = seen(&rows, &values, k);
        let mut same = vec![true; rows.len()];
        for world in 0..3u32.pow(rows.len() as u32) {
            let other: Vec<u32> = (0..rows.len() as u32).map(|row| world / 3u32.pow(row) % 3).collect();
            if seen(&rows, &other, k) == here {
                let differ = other.iter().zip(&values).map(|(a, b)| a == b);
                same.iter_mut().zip(differ).for_each(|(same, equal)| *same &= equal);
            }
        }
        let certain = same.iter().filter(|&&same| same).count() as u64;
        prop_assert!(found.certain <= certain, "{} of {certain}", found.certain);
    }
}

/// Four ages, of which the two youngest are both ill: ages by twenty would do for k, and were
/// not chosen.
#[test]
fn a_node_that_was_passed_over_tells_why() {
    let rows = [(0, 0), (1, 0), (2, 0), (2, 0), (3, 0)];
    let values = [1, 1, 2, 3, 4];
    let combinations = counted(&rows, &values);
    let node = chosen(&combinations, 2).unwrap();
    let found = attack_recoding(&combinations, 2, node, &mut Unwatched).unwrap();
    assert_eq!((found.certain, found.right), (2, 2));
    assert!(found.better >= 1 && found.explained >= 1);
}
