//! MDAV's information loss on the Census file, known from the literature.

mod census;

use sdc_engine::Unwatched;
use sdc_engine::assign::mdav;
use sdc_engine::mask::means;
use sdc_engine::measure::{Squares, utility::il1s};

fn loss(columns: &[Vec<f64>], k: usize) -> f64 {
    let space = census::space(columns);
    let partition = mdav(&space, k, &mut Unwatched).unwrap();
    Squares::new(&space, &partition).unwrap().information_loss()
}

#[test]
fn all_columns() {
    let Some(columns) = census::columns() else {
        return;
    };
    for (k, expected) in [(3, 5.692186), (4, 7.494700), (5, 9.088435), (10, 14.155930)] {
        let actual = loss(&columns, k);
        assert!((actual - expected).abs() < 1e-5, "k = {k}: {actual}");
    }
}

/// DFS07 takes the first six columns; its own p = 1 figures are another algorithm's.
#[test]
fn six_columns() {
    let Some(columns) = census::columns() else {
        return;
    };
    for (k, expected) in [(3, 3.6933), (5, 6.3500), (7, 7.9691), (10, 9.9903)] {
        let actual = loss(&columns[..6], k);
        assert!((actual - expected).abs() < 5.1e-5, "k = {k}: {actual}");
    }
}

/// IL1s over all cells, checked with independent code.
#[test]
fn distances_of_all_cells() {
    let Some(columns) = census::columns() else {
        return;
    };
    for (k, expected) in [(3, 1607.9399), (5, 2052.6536), (10, 2573.9337)] {
        let partition = mdav(&census::space(&columns), k, &mut Unwatched).unwrap();
        let column = |values: &Vec<f64>| {
            let means = means(values, &partition).unwrap();
            let groups = partition.group_of().iter();
            let masked: Vec<f64> = groups.map(|&group| means[group as usize]).collect();
            il1s(values, &masked).unwrap()
        };
        let actual: f64 = columns.iter().map(column).sum();
        assert!((actual - expected).abs() < 1e-4, "k = {k}: {actual}");
    }
}
