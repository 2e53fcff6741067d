//! V-MDAV's information loss on the Census file.

mod census;

use sdc_engine::Unwatched;
use sdc_engine::assign::v_mdav;
use sdc_engine::measure::Squares;

fn loss(columns: &[Vec<f64>], k: usize, gamma: Option<f64>) -> f64 {
    let space = census::space(columns);
    let partition = v_mdav(&space, k, gamma, &mut Unwatched).unwrap();
    Squares::new(&space, &partition).unwrap().information_loss()
}

/// The figures of an independent implementation.
#[test]
fn all_columns() {
    let Some(columns) = census::columns() else {
        return;
    };
    let figures = [
        (3, 0.2, 5.6619),
        (3, 1.1, 7.0649),
        (5, 0.2, 9.0070),
        (5, 0.4, 9.0010),
        (10, 0.2, 14.0730),
        (10, 0.5, 14.0429),
        (10, 1.0, 14.9718),
    ];
    for (k, gamma, expected) in figures {
        let actual = loss(&columns, k, Some(gamma));
        assert!(
            (actual - expected).abs() < 5.1e-5,
            "k = {k}, gamma = {gamma}: {actual}"
        );
    }
}

/// Less than MDAV loses, whatever the size of the groups.
#[test]
fn best_gamma() {
    let Some(columns) = census::columns() else {
        return;
    };
    for (k, most) in [(3, 5.6620), (5, 9.0071), (10, 14.0430)] {
        let actual = loss(&columns, k, None);
        assert!(actual <= most, "k = {k}: {actual}");
    }
}
