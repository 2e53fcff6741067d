//! The lattice search on the example of TV06, and what it refuses.

use sdc_engine::{
    Error, Monitor, Result, Unwatched,
    lattice::{
        Combinations, Counter, Figures, Hierarchy, Requirement, column_losses, every_node, kept,
        minimal_generalizations,
    },
};
use std::collections::BTreeSet;

fn requirement(k: usize, p: usize, max_suppressed: u64) -> Requirement<'static> {
    Requirement {
        k,
        p,
        max_suppressed,
        conditions: vec![],
    }
}

fn minimal_levels(
    combinations: &Combinations,
    requirement: &Requirement<'_>,
) -> BTreeSet<Vec<usize>> {
    let minimal = minimal_generalizations(combinations, requirement, &mut Unwatched).unwrap();
    let levels = |figures: &Figures| combinations.lattice().levels(figures.node);
    minimal.nodes.iter().map(levels).collect()
}

/// Table 4 of TV06: Sex (M, F) and ZipCode (41076, 41099, 43102, 43103, 48201, 48202).
fn table_4() -> Combinations {
    let sex = Hierarchy::new(2, &[vec![0, 0]]).unwrap();
    let zip = Hierarchy::new(6, &[vec![0, 0, 1, 1, 2, 2], vec![0; 6]]).unwrap();
    let mut counter = Counter::new(vec![sex, zip], 0).unwrap();
    let rows = [
        [0, 0],
        [0, 0],
        [1, 1],
        [0, 1],
        [1, 2],
        [0, 2],
        [0, 2],
        [1, 3],
        [0, 5],
        [0, 4],
    ];
    for keys in rows {
        counter.add(&keys, &[]).unwrap();
    }
    counter.combinations().unwrap()
}

#[test]
fn rows_that_fail_in_table_4() {
    let combinations = table_4();
    let figures = every_node(&combinations, &requirement(3, 1, 0), &mut Unwatched).unwrap();
    let suppressed =
        |levels: [usize; 2]| figures[combinations.lattice().node(&levels).unwrap()].suppressed;
    let nodes = [[0, 0], [0, 1], [1, 0], [1, 1], [0, 2], [1, 2]];
    assert_eq!(nodes.map(suppressed), [10, 7, 7, 2, 0, 0]);
}

#[test]
fn a_node_loses_the_mean_of_its_columns() {
    let combinations = table_4();
    let requirement = requirement(3, 1, 10);
    let figures = every_node(&combinations, &requirement, &mut Unwatched).unwrap();
    for node in figures {
        let kept = kept(&combinations, &requirement, node.node, &mut Unwatched).unwrap();
        let columns = column_losses(&combinations, node.node, &kept);
        let mean = columns.iter().sum::<f64>() / 2.0;
        assert!((mean - node.loss).abs() < 1e-12, "{columns:?} of {node:?}");
    }
    // sex stays as it is, all zip codes are one, and nobody is suppressed
    let node = combinations.lattice().node(&[0, 2]).unwrap();
    let all = vec![true; combinations.len()];
    assert_eq!(column_losses(&combinations, node, &all), [0.0, 1.0]);
}

#[test]
fn minimal_nodes_of_table_4() {
    let combinations = table_4();
    for max_suppressed in 0..=10 {
        let expected: &[[usize; 2]] = match max_suppressed {
            0..=1 => &[[0, 2]],
            2..=6 => &[[0, 2], [1, 1]],
            7..=9 => &[[0, 1], [1, 0]],
            _ => &[[0, 0]],
        };
        let found = minimal_levels(&combinations, &requirement(3, 1, max_suppressed));
        let expected = expected.iter().map(|levels| levels.to_vec()).collect();
        assert_eq!(found, expected, "{max_suppressed} rows may be suppressed");
    }
}

#[test]
fn what_cannot_be_met_is_refused() {
    let combinations = table_4();
    let search =
        |k, p| minimal_generalizations(&combinations, &requirement(k, p, 0), &mut Unwatched);
    assert_eq!(search(2, 3).unwrap_err(), Error::PAboveK { p: 3, k: 2 });
    let few = Error::TooFewRows { rows: 10, k: 11 };
    assert_eq!(search(11, 1).unwrap_err(), few);
    assert!(search(0, 1).is_err());
}

#[test]
fn a_monitor_stops_the_search() {
    struct Impatient;
    impl Monitor for Impatient {
        fn advance(&mut self, _done: u64) -> Result<()> {
            Err(Error::Interrupted)
        }
    }
    let combinations = table_4();
    let found = minimal_generalizations(&combinations, &requirement(3, 1, 0), &mut Impatient);
    assert_eq!(found.unwrap_err(), Error::Interrupted);
    let all = every_node(&combinations, &requirement(3, 1, 0), &mut Impatient);
    assert_eq!(all.unwrap_err(), Error::Interrupted);
}
