//! Losses that ARX's own tests expect (its Loss metric on Adult, with the hierarchies that stand
//! beside the data): per column they are the certainty penalty of the lattice.

mod lattice_data;

use lattice_data::{
    Named, adult_hierarchies, adult_with_hierarchies, count, hierarchy, hierarchy_rows,
};
use sdc_engine::Unwatched;
use sdc_engine::lattice::{
    Combinations, Requirement, best_generalization, column_losses, figures, kept,
};

/// The columns in ARX's order, income last.
const KEYS: [&str; 8] = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
];

/// Adult with all nine keys, or without occupation.
fn combinations(occupation: bool) -> Option<Combinations> {
    let adult = adult_with_hierarchies()?;
    let names = KEYS
        .iter()
        .filter(|name| occupation || **name != "occupation");
    let mut keys: Vec<Named> = adult_hierarchies(&names.copied().collect::<Vec<_>>());
    keys.push(hierarchy("income", &hierarchy_rows("salary-class")));
    let (combinations, _) = count(&adult, adult.rows.iter(), &keys, &[]);
    Some(combinations)
}

fn requirement(max_suppressed: u64) -> Requirement<'static> {
    Requirement {
        k: 5,
        p: 1,
        max_suppressed,
        conditions: vec![],
    }
}

/// What the columns lose at a node with k = 5, whatever is suppressed.
fn losses(combinations: &Combinations, levels: &[usize]) -> Vec<f64> {
    let node = combinations.lattice().node(levels).unwrap();
    let kept = kept(
        combinations,
        &requirement(combinations.rows()),
        node,
        &mut Unwatched,
    );
    column_losses(combinations, node, &kept.unwrap())
}

fn mean(losses: &[f64]) -> f64 {
    losses.iter().sum::<f64>() / losses.len() as f64
}

/// What ARX makes one figure of by default.
fn geometric_mean(losses: &[f64]) -> f64 {
    let logarithms = losses.iter().map(|loss| loss.ln_1p());
    (logarithms.sum::<f64>() / losses.len() as f64).exp_m1()
}

/// Eight keys without occupation; ARX shows the losses of columns with the largest first, cut off
/// after ten digits.
#[test]
fn columns_lose_what_arx_says() {
    let Some(combinations) = combinations(false) else {
        return;
    };
    let same = |loss: f64, columns: usize| vec![loss; columns];
    let expected = [
        ([0; 8], same(0.5090179696, 8)),
        (
            [0, 0, 0, 2, 0, 0, 0, 0],
            [same(1.0, 1), same(0.3843909555, 7)].concat(),
        ),
        (
            [0, 3, 0, 0, 1, 0, 0, 0],
            [vec![0.297248193, 0.29678055], same(0.1297659306, 6)].concat(),
        ),
        (
            [1, 1, 1, 0, 1, 0, 1, 1],
            [
                same(1.0, 3),
                vec![0.3444921234, 0.258026656, 0.1193682062],
                same(0.0822889728, 2),
            ]
            .concat(),
        ),
        (
            [1, 3, 1, 0, 1, 0, 1, 0],
            [
                same(1.0, 2),
                vec![0.3280807449, 0.2398489235, 0.2391132329],
                same(0.0593130429, 3),
            ]
            .concat(),
        ),
        (
            [0, 3, 0, 2, 3, 2, 2, 1],
            [same(1.0, 5), vec![0.1924014362], same(5.967774e-4, 2)].concat(),
        ),
    ];
    for (levels, expected) in expected {
        let mut found = losses(&combinations, &levels);
        found.sort_by(|a, b| b.total_cmp(a));
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1.1e-10, "{levels:?}: {found}");
        }
    }
}

/// ARX's figure of a whole node.
#[test]
fn nodes_lose_what_arx_says() {
    let Some(combinations) = combinations(true) else {
        return;
    };
    let expected = [
        ([0, 3, 0, 0, 2, 1, 1, 1, 0], 0.22041192847984292),
        ([0, 3, 0, 1, 1, 1, 1, 2, 0], 0.26611081915757495),
    ];
    for (levels, expected) in expected {
        let found = geometric_mean(&losses(&combinations, &levels));
        // ARX rounds the loss of each column to ten digits
        assert!((found - expected).abs() < 1e-9, "{levels:?}: {found}");
    }
}

/// The nodes that ARX's tests expect as its choice, beside the best by the mean of columns.
#[test]
fn no_choice_of_arx_loses_less_than_the_best_node() {
    let choices = [
        (false, 1.0, &[0, 3, 0, 0, 1, 0, 0, 0][..]),
        (true, 1.0, &[0, 3, 0, 0, 2, 1, 1, 1, 0]),
        (true, 0.04, &[0, 3, 0, 1, 1, 1, 1, 2, 0]),
    ];
    for (occupation, share, levels) in choices {
        let Some(combinations) = combinations(occupation) else {
            return;
        };
        let limit = (share * combinations.rows() as f64) as u64;
        let requirement = requirement(limit);
        let best = best_generalization(&combinations, &requirement, &mut Unwatched).unwrap();
        let best = best.node.unwrap();
        let node = combinations.lattice().node(levels).unwrap();
        let chosen = figures(&combinations, &requirement, node, &mut Unwatched).unwrap();
        let loss = mean(&losses(&combinations, levels));
        println!(
            "{} keys, k = 5, at most {limit} rows suppressed: ARX takes {levels:?}, {} suppressed, \
             which loses {loss:.4} on average ({:.4} by its own figure); the best node {:?}, {} \
             suppressed, loses {:.4}",
            levels.len(),
            chosen.suppressed,
            geometric_mean(&losses(&combinations, levels)),
            combinations.lattice().levels(best.node),
            best.suppressed,
            best.loss,
        );
        assert!(chosen.satisfied && (chosen.loss - loss).abs() < 1e-12);
        assert!(best.loss <= loss);
    }
}
