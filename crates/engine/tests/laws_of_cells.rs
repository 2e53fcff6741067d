//! Bytes become a table, and what changes cells instead of forming groups gets it: every method
//! keeps its laws on any table. PROPTEST_CASES sets how many are tried.

mod random_case;

use proptest::prelude::*;
use random_case::Case;
use sdc_engine::perturb::{bottom_code, noise, pram, rank_swap, top_code};
use sdc_engine::suppress::{
    BlankReading, CellRules, alike, blank_cost, suppress_cells, wildcard_matches,
};
use sdc_engine::{Categories, Column, Error, Unwatched};
use std::collections::BTreeSet;

fn categorical(case: &Case) -> Vec<Categories> {
    let keys = case.keys.iter().filter_map(|key| match key {
        Column::Categorical(codes) => Some(codes.clone()),
        Column::Numeric(_) => None,
    });
    keys.chain(case.sensitive.iter().cloned()).collect()
}

fn numeric(case: &Case) -> impl Iterator<Item = &Vec<f64>> {
    case.keys.iter().filter_map(|key| match key {
        Column::Numeric(values) => Some(values),
        Column::Categorical(_) => None,
    })
}

/// After suppression each row has k - 1 others that look like it, or that match it.
fn suppression_keeps_its_laws(case: &Case) {
    let columns = categorical(case);
    let rows = columns[0].codes().len();
    for reading in [BlankReading::Both, BlankReading::Wildcard] {
        let rules = CellRules {
            k: case.k.max(1),
            importance: vec![1.0; columns.len()],
            reading,
            known_keys: columns.len(),
        };
        let blanked = match suppress_cells(&columns, &rules, &mut Unwatched) {
            Ok(blanked) => blanked,
            Err(error) => {
                assert!(matches!(error, Error::TooFewRows { .. }), "{error}");
                continue;
            }
        };
        let cells = (rows * columns.len()) as f64;
        assert!(blank_cost(&blanked, &rules.importance) <= cells);
        let matching = wildcard_matches(&columns, &blanked, &mut Unwatched).unwrap();
        assert!(matching.iter().all(|&count| count as usize >= rules.k));
        if reading == BlankReading::Both {
            let groups = alike(&columns, &blanked).unwrap();
            let members = groups.members().unwrap();
            assert!(members.iter().all(|rows| rows.len() >= rules.k));
        }
    }
}

/// Swapped and redrawn columns hold no value that was not there before.
fn exchange_keeps_its_laws(case: &Case) {
    let column = &case.sensitive[0];
    let ranks: Vec<Option<u32>> = column.codes().iter().copied().map(Some).collect();
    let percent = 1.0 + case.seed as f64 / 3.0;
    let mut source = rank_swap(&ranks, percent, &mut case.rng(), &mut Unwatched).unwrap();
    source.sort_unstable();
    assert!(source.iter().copied().eq(0..ranks.len() as u32));
    for keep in [0.0, case.p as f64 / 6.0, 1.0] {
        let drawn = pram(column, None, keep, &mut case.rng(), &mut Unwatched).unwrap();
        assert_eq!(drawn.len(), ranks.len());
        assert!(drawn.iter().all(|code| column.codes().contains(code)));
        assert!(keep < 1.0 || drawn == column.codes());
    }
}

/// Coded tails stay within the range of the values, and show one mean for all that is cut off.
fn tails_keep_their_laws(case: &Case) {
    for values in numeric(case).filter(|values| !values.is_empty()) {
        let share = case.seed as f64 / 255.0;
        let top = top_code(values, share).unwrap();
        let bottom = bottom_code(values, share).unwrap();
        let range = |values: &[f64]| {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (least, largest)
        };
        let (least, largest) = range(values);
        for coded in [&top, &bottom] {
            let (low, high) = range(coded);
            assert!(least <= low && high <= largest, "{low} to {high}");
        }
        for coded in [&top, &bottom] {
            let changed = values
                .iter()
                .zip(coded)
                .filter(|(before, after)| before != after);
            let means: BTreeSet<u64> = changed.map(|(_, after)| after.to_bits()).collect();
            assert!(
                means.len() <= 1,
                "a tail shows one mean, not {}",
                means.len()
            );
        }
    }
}

/// Without a share noise changes nothing but the last digits; the number of cells never changes.
fn noise_keeps_its_laws(case: &Case) {
    for values in numeric(case) {
        let columns = [&values[..]];
        for share in [0.0, 0.3] {
            let noisy = noise(&columns, share, &mut case.rng(), &mut Unwatched).unwrap();
            assert_eq!(noisy[0].len(), values.len());
            let largest = values
                .iter()
                .fold(0.0f64, |most, value| most.max(value.abs()));
            let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * largest;
            let same = noisy[0].iter().zip(values).all(close);
            assert!(share > 0.0 || largest > 1e150 || same);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2000, ..ProptestConfig::default() })]
    #[test]
    fn every_change_of_cells_keeps_its_laws(bytes in proptest::collection::vec(any::<u8>(), 0..900)) {
        let case = Case::new(&bytes);
        suppression_keeps_its_laws(&case);
        exchange_keeps_its_laws(&case);
        tails_keep_their_laws(&case);
        noise_keeps_its_laws(&case);
    }
}
