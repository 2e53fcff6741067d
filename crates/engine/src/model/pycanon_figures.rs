//! Figures that pyCANON 1.3.6 gives for small tables. Where its formula is not the
//! definition's (see docs/pycanon.md), its figure is compared with its formula.

use super::*;
use crate::ColumnTally;

/// A row for each group, a count for each value; then pyCANON's figures.
struct Expected {
    counts: &'static [&'static [u64]],
    k: f64,
    alpha: f64,
    distinct: f64,
    entropy: f64,
    basic: f64,
    enhanced: f64,
    equal: f64,
    ordered: f64,
    delta: f64,
}

const EXPECTED: [Expected; 5] = [
    Expected {
        counts: &[
            &[3, 1, 4, 1, 5],
            &[9, 2, 6, 5, 3],
            &[5, 8, 9, 7, 9],
            &[3, 2, 3, 8, 4],
        ],
        k: 14.0,
        alpha: 0.4,
        distinct: 5.0,
        entropy: 4.0,
        basic: 0.8476190476190476,
        enhanced: 0.8476190476190476,
        equal: 0.20765832106038293,
        ordered: 0.11577319587628866,
        delta: 1.1088687888352988,
    },
    Expected {
        counts: &[&[2, 7], &[1, 8], &[2, 8], &[1, 8]],
        k: 9.0,
        alpha: 0.8888888888888888,
        distinct: 2.0,
        entropy: 1.0,
        basic: 0.37037037037037024,
        enhanced: 0.37037037037037024,
        equal: 0.06006006006006004,
        ordered: 0.06006006006006004,
        delta: 0.37806613392005006,
    },
    Expected {
        counts: &[
            &[4, 0, 1, 1, 0, 2],
            &[1, 1, 1, 1, 1, 1],
            &[0, 3, 3, 0, 0, 6],
        ],
        k: 6.0,
        alpha: 0.5,
        distinct: 3.0,
        entropy: 2.0,
        basic: 3.333333333333333,
        enhanced: 3.258096538021482,
        equal: 0.3557692307692307,
        ordered: 0.15576923076923077,
        delta: 1.466337068793427,
    },
    Expected {
        counts: &[&[1, 0, 0], &[0, 1, 0], &[0, 0, 1]],
        k: 1.0,
        alpha: 1.0,
        distinct: 1.0,
        entropy: 1.0,
        basic: 2.0000000000000004,
        enhanced: 1.0986122886681098,
        equal: 0.6666666666666667,
        ordered: 0.5000000000000002,
        delta: 1.0986122886681098,
    },
    Expected {
        counts: &[&[40, 60, 100], &[21, 29, 50], &[19, 31, 52]],
        k: 100.0,
        alpha: 0.5098039215686274,
        distinct: 3.0,
        entropy: 2.0,
        basic: 0.05524999999999991,
        enhanced: 0.05524999999999991,
        equal: 0.012730465320456505,
        ordered: 0.01002341235001468,
        delta: 0.06610838017269116,
    },
];

fn tally(counts: &[&[u64]]) -> Tally {
    let mut triples = Vec::new();
    for (group, counts) in (0..).zip(counts) {
        let cells = (0..).zip(counts.iter()).filter(|(_, count)| **count > 0);
        triples.extend(cells.map(|(value, &count)| (group, value, count)));
    }
    let sizes = counts.iter().map(|counts| counts.iter().sum()).collect();
    let column = ColumnTally::new(counts.len(), &triples).unwrap();
    Tally::from_counts(sizes, vec![column]).unwrap()
}

/// pyCANON's formula for enhanced β: the larger gain, but at most −ln of the rarest share.
fn capped(gain: f64, table: &Distribution) -> f64 {
    let rarest = table.counts().iter().copied().min().unwrap();
    gain.min((table.rows() as f64 / rarest as f64).ln())
}

#[test]
fn figures_agree() {
    for expected in EXPECTED {
        let tally = tally(expected.counts);
        let table = Distribution::new(&tally.columns()[0]).unwrap();
        let ranks: Vec<u32> = (0..table.counts().len() as u32).collect();
        let ordered = OrderedCloseness::new(&table, &ranks).unwrap();
        let figure = |model: &dyn PrivacyModel| worst(model, &tally, Some(0)).unwrap().unwrap();
        let basic = figure(&BasicLikeness::new(&table));
        let pairs = [
            (figure(&KAnonymity), expected.k),
            (figure(&AlphaK), expected.alpha),
            (figure(&LDiversity).recip(), expected.alpha),
            (figure(&PSensitivity), expected.distinct),
            (figure(&EntropyDiversity).floor(), expected.entropy),
            (basic, expected.basic),
            (capped(basic, &table), expected.enhanced),
            (figure(&EqualCloseness::new(&table)), expected.equal),
            (figure(&ordered), expected.ordered),
            (figure(&DeltaDisclosure::new(&table)), expected.delta),
        ];
        for (number, (ours, theirs)) in pairs.into_iter().enumerate() {
            assert!((ours - theirs).abs() < 1e-12, "{number}: {ours} {theirs}");
        }
    }
}
