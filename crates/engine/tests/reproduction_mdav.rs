//! MDAV's information loss on the Census file, known from the literature.

mod census;

use sdc_engine::Unwatched;
use sdc_engine::assign::mdav;
use sdc_engine::measure::Squares;

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
