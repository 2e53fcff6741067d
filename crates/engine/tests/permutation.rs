//! Permutation on any input: groups of different values and similar keys, uniform and
//! independent permutations, work that stays within bounds.

mod statistics;

use proptest::prelude::*;
use rand::RngExt;
use sdc_engine::assign::permutation;
use sdc_engine::measure::ncp;
use sdc_engine::permute::permute;
use sdc_engine::random::generator;
use sdc_engine::{Categories, Column, Error, Monitor, Partition, Result, Table, Unwatched};
use statistics::assert_uniform;

const ROUNDS: usize = 5;

fn grouped(keys: &Table, codes: &[u32], l: usize, seed: u64) -> Result<Partition> {
    let sensitive = Categories::new(codes.to_vec());
    let mut rng = generator(Some(seed))?;
    permutation(keys, &sensitive, l, ROUNDS, &mut rng, &mut Unwatched)
}

fn most_frequent(codes: &[u32]) -> usize {
    let count = |value| codes.iter().filter(|&&code| code == value).count();
    codes.iter().map(|&code| count(code)).max().unwrap_or(0)
}

fn numeric(values: impl Iterator<Item = f64>) -> Column {
    Column::Numeric(values.collect())
}

/// Rows of a number with many ties, a number with an outlier, a category, a constant and a
/// skewed sensitive value.
fn rows() -> impl Strategy<Value = (Table, Vec<u32>)> {
    let row = (0u8..4, -1e6..1e6f64, 0u32..5, (0u32..12, 0u32..12));
    prop::collection::vec(row, 0..90).prop_map(|rows| {
        let outlier = |row: usize, value: f64| if row == 3 { 1e300 } else { value };
        let keys = vec![
            numeric(rows.iter().map(|row| f64::from(row.0))),
            numeric(
                rows.iter()
                    .enumerate()
                    .map(|(row, data)| outlier(row, data.1)),
            ),
            Column::Categorical(Categories::new(rows.iter().map(|row| row.2).collect())),
            numeric(rows.iter().map(|_| 7.0)),
        ];
        let sensitive = rows.iter().map(|row| row.3.0.min(row.3.1)).collect();
        (Table::new(keys).unwrap(), sensitive)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn eligible_rows_are_grouped_and_others_refused((keys, codes) in rows(), l in 1usize..8, seed: u64) {
        let most = most_frequent(&codes);
        match grouped(&keys, &codes, l, seed) {
            Ok(partition) => {
                prop_assert!(most * l <= codes.len());
                prop_assert_eq!(partition.rows(), codes.len());
                for members in partition.members().unwrap().iter() {
                    let values: Vec<u32> = members.iter().map(|&row| codes[row as usize]).collect();
                    prop_assert!(values.len() >= l);
                    prop_assert!(values.len() < 2 * l);
                    prop_assert_eq!(most_frequent(&values), 1);
                }
            }
            Err(error) => {
                prop_assert!(most * l > codes.len());
                let largest = codes.len() / most;
                prop_assert_eq!(error, Error::NotEligible { l, largest });
                prop_assert!(grouped(&keys, &codes, largest, seed).is_ok());
            }
        }
    }

    #[test]
    fn a_seed_repeats_the_grouping((keys, codes) in rows(), seed: u64) {
        prop_assert_eq!(grouped(&keys, &codes, 2, seed), grouped(&keys, &codes, 2, seed));
    }
}

#[test]
fn unequal_columns_and_zero_l_are_refused() {
    let keys = Table::new(vec![numeric([1.0, 2.0].into_iter())]).unwrap();
    let unequal = Error::UnequalColumns { first: 2, other: 3 };
    assert_eq!(grouped(&keys, &[0, 1, 2], 1, 1), Err(unequal));
    let refused = grouped(&keys, &[0, 1], 0, 1);
    assert!(matches!(refused, Err(Error::TooSmall { .. })));
}

/// Two numbers and a category of 12 values, and sensitive values that do not depend on them.
fn plain(rows: usize) -> (Table, Vec<u32>) {
    let mut rng = generator(Some(99)).unwrap();
    let mut column =
        |top: u32| -> Vec<u32> { (0..rows).map(|_| rng.random_range(0..top)).collect() };
    let keys = vec![
        numeric(column(1000).into_iter().map(f64::from)),
        numeric(column(1000).into_iter().map(f64::from)),
        Column::Categorical(Categories::new(column(12))),
    ];
    (Table::new(keys).unwrap(), column(40))
}

#[test]
fn similar_keys_share_a_group() {
    let (keys, codes) = plain(5000);
    let sensitive = Categories::new(codes);
    let penalty = |rounds| {
        let mut rng = generator(Some(5)).unwrap();
        let partition = permutation(&keys, &sensitive, 5, rounds, &mut rng, &mut Unwatched);
        ncp(&keys, &partition.unwrap()).unwrap() / 15_000.0
    };
    assert!(penalty(0) > 0.4);
    assert!(penalty(ROUNDS) < 0.12);
}

#[test]
fn a_lone_outlier_does_not_bar_the_split() {
    let outlier = |row: u32| if row == 17 { 1e12 } else { f64::from(row) };
    let keys = Table::new(vec![numeric((0..2000).map(outlier))]).unwrap();
    let codes: Vec<u32> = (0..2000).map(|row| row % 20).collect();
    let partition = grouped(&keys, &codes, 4, 3).unwrap();
    let members = partition.members().unwrap();
    let width = |rows: &&[u32]| rows[rows.len() - 1] - rows[0];
    let narrow = members.iter().filter(|rows| width(rows) < 100).count();
    assert!(narrow * 10 > partition.groups() * 9);
}

/// Counts how often the work reports, which it does once in some thousand rows.
#[derive(Default)]
struct Steps(u64);

impl Monitor for Steps {
    fn advance(&mut self, _done: u64) -> Result<()> {
        self.0 += 1;
        Ok(())
    }
}

#[test]
fn lopsided_splits_do_not_make_the_work_quadratic() {
    let rows = 40_000u32;
    let codes = Categories::new((0..rows).map(|row| row * 7919 % 50).collect());
    let spread = |row: u32| (-700.0 * f64::from(row) / f64::from(rows)).exp();
    let distinct = Column::Categorical(Categories::new((0..rows).collect()));
    let same = numeric((0..rows).map(|_| 1.0));
    for column in [numeric((0..rows).map(spread)), distinct, same] {
        let keys = Table::new(vec![column]).unwrap();
        let mut steps = Steps::default();
        let mut rng = generator(Some(1)).unwrap();
        permutation(&keys, &codes, 2, ROUNDS, &mut rng, &mut steps).unwrap();
        // one report in 2^14 rows; at each of 2 log2 n depths two passes to find the extremes
        // and one for each round
        let passes = 2 * rows.ilog2() as u64 * (2 + ROUNDS as u64);
        assert!(steps.0 <= (passes * u64::from(rows)) >> 14);
    }
}

/// Stops the work at its n-th report.
struct Impatient(u64);

impl Monitor for Impatient {
    fn advance(&mut self, _done: u64) -> Result<()> {
        self.0 -= 1;
        if self.0 == 0 {
            return Err(Error::Interrupted);
        }
        Ok(())
    }
}

#[test]
fn an_interrupt_stops_the_work() {
    let (keys, codes) = plain(50_000);
    let sensitive = Categories::new(codes);
    for step in [1, 20, 100] {
        let mut rng = generator(Some(1)).unwrap();
        let stopped = permutation(&keys, &sensitive, 5, ROUNDS, &mut rng, &mut Impatient(step));
        assert_eq!(stopped, Err(Error::Interrupted));
    }
    let partition = Partition::new((0..50_000).map(|row| row / 5).collect(), 10_000).unwrap();
    let stopped = permute(
        &partition,
        &mut generator(Some(1)).unwrap(),
        &mut Impatient(2),
    );
    assert_eq!(stopped, Err(Error::Interrupted));
}

#[test]
fn group_numbers_tell_nothing_of_the_rows() {
    let keys = Table::new(vec![numeric((0..40).map(f64::from))]).unwrap();
    let codes: Vec<u32> = (0..40).map(|row| row % 4).collect();
    let (mut first, mut last) = ([0; 10], [0; 10]);
    for seed in 0..5000 {
        let partition = grouped(&keys, &codes, 4, seed).unwrap();
        if partition.groups() == 10 {
            first[partition.group_of()[0] as usize] += 1;
            last[partition.group_of()[39] as usize] += 1;
        }
    }
    assert_uniform(&first);
    assert_uniform(&last);
}

/// The number of a permutation of the rows 0, 1, 2 …
fn rank(permutation: &[u32]) -> usize {
    let mut rank = 0;
    for (place, row) in permutation.iter().enumerate() {
        let smaller = permutation[place + 1..].iter().filter(|&later| later < row);
        rank = rank * (permutation.len() - place) + smaller.count();
    }
    rank
}

#[test]
fn every_permutation_of_a_group_is_equally_likely() {
    // rows 0..4 are one group between two others
    let partition = Partition::new(vec![1, 1, 1, 1, 0, 0, 2], 3).unwrap();
    let mut rng = generator(Some(3)).unwrap();
    let mut counts = [0; 24];
    for _ in 0..12_000 {
        let source = permute(&partition, &mut rng, &mut Unwatched).unwrap();
        counts[rank(&source[..4])] += 1;
        assert_eq!(source[6], 6);
    }
    assert_uniform(&counts);
}

#[test]
fn columns_and_groups_are_permuted_independently() {
    let partition = Partition::new(vec![0, 0, 0, 1, 1, 1], 2).unwrap();
    let mut rng = generator(Some(4)).unwrap();
    let (mut columns, mut groups) = ([0; 36], [0; 36]);
    for _ in 0..7200 {
        let first = permute(&partition, &mut rng, &mut Unwatched).unwrap();
        let second = permute(&partition, &mut rng, &mut Unwatched).unwrap();
        let other: Vec<u32> = first[3..].iter().map(|row| row - 3).collect();
        columns[6 * rank(&first[..3]) + rank(&second[..3])] += 1;
        groups[6 * rank(&first[..3]) + rank(&other)] += 1;
    }
    assert_uniform(&columns);
    assert_uniform(&groups);
}
