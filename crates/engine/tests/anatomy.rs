//! Anatomy on any input: l-diverse when eligible, refused with the largest l otherwise, and
//! random where the method says so.

mod statistics;

use proptest::prelude::*;
use sdc_engine::assign::anatomy;
use sdc_engine::measure::reconstruction_error;
use sdc_engine::random::generator;
use sdc_engine::{Categories, Error, Monitor, Partition, Result, Unwatched};
use statistics::assert_uniform;

fn grouped(codes: &[u32], l: usize, seed: u64) -> Result<Partition> {
    let sensitive = Categories::new(codes.to_vec());
    anatomy(&sensitive, l, &mut generator(Some(seed))?, &mut Unwatched)
}

fn most_frequent(codes: &[u32]) -> usize {
    let count = |value| codes.iter().filter(|&&code| code == value).count();
    codes.iter().map(|&code| count(code)).max().unwrap_or(0)
}

/// Values of which the small ones are the more frequent.
fn skewed() -> impl Strategy<Value = Vec<u32>> {
    let value = (0u32..12, 0u32..12).prop_map(|(a, b)| a.min(b));
    prop::collection::vec(value, 0..90)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn eligible_rows_are_grouped_and_others_refused(codes in skewed(), l in 1usize..8, seed: u64) {
        let rows = codes.len();
        let most = most_frequent(&codes);
        match grouped(&codes, l, seed) {
            Ok(partition) => {
                prop_assert!(most * l <= rows);
                prop_assert_eq!(partition.rows(), rows);
                prop_assert_eq!(partition.groups(), rows / l);
                for members in partition.members().unwrap().iter() {
                    let values: Vec<u32> = members.iter().map(|&row| codes[row as usize]).collect();
                    prop_assert!(values.len() >= l);
                    prop_assert_eq!(most_frequent(&values), 1);
                }
            }
            Err(error) => {
                prop_assert!(most * l > rows);
                let largest = rows / most;
                prop_assert_eq!(error, Error::NotEligible { l, largest });
                prop_assert!(grouped(&codes, largest, seed).is_ok());
            }
        }
    }

    #[test]
    fn reconstruction_error_keeps_its_bound(codes in skewed(), l in 1usize..8, seed: u64) {
        let Ok(partition) = grouped(&codes, l, seed) else { return Ok(()) };
        let error = reconstruction_error(&partition, &Categories::new(codes.clone()), None).unwrap();
        let bound = codes.len() as f64 * (1.0 - 1.0 / l as f64);
        prop_assert!(error >= bound - 1e-9);
        if codes.len() % l == 0 {
            prop_assert!(error <= bound + 1e-9);
        }
    }

    #[test]
    fn a_seed_repeats_the_grouping(codes in skewed(), seed: u64) {
        prop_assert_eq!(grouped(&codes, 2, seed), grouped(&codes, 2, seed));
    }
}

#[test]
fn a_value_may_have_just_its_share() {
    let codes = [0, 0, 0, 1, 2, 3, 4, 5, 6];
    assert_eq!(grouped(&codes, 3, 1).unwrap().groups(), 3);
    let refused = Error::NotEligible { l: 4, largest: 3 };
    assert_eq!(grouped(&codes, 4, 1), Err(refused));
}

#[test]
fn degenerate_input() {
    assert_eq!(grouped(&[], 3, 1).unwrap().groups(), 0);
    assert_eq!(grouped(&[4, 4, 4], 1, 1).unwrap().groups(), 3);
    let huge = Error::NotEligible {
        l: usize::MAX,
        largest: 2,
    };
    assert_eq!(grouped(&[0, 1], usize::MAX, 1), Err(huge));
    let zero = Error::TooSmall {
        name: "l",
        least: 1,
        actual: 0,
    };
    assert_eq!(grouped(&[0, 1], 0, 1), Err(zero));
}

#[test]
fn partners_within_a_group_are_uniform() {
    // Four rows of each of three values: whom row 0 meets of the second and of the third.
    let codes: Vec<u32> = (0..12).map(|row| row / 4).collect();
    let mut met = [0; 16];
    for seed in 0..4000 {
        let partition = grouped(&codes, 3, seed).unwrap();
        let group = partition.group_of();
        let partner =
            |rows: std::ops::Range<usize>| rows.clone().position(|row| group[row] == group[0]);
        met[4 * partner(4..8).unwrap() + partner(8..12).unwrap()] += 1;
    }
    assert_uniform(&met);
}

#[test]
fn ties_between_values_are_broken_at_random() {
    // Six values of one row each: which pairs of values end up together.
    let mut pairs = [0; 15];
    let number = |a: usize, b: usize| (0..a).map(|lower| 5 - lower).sum::<usize>() + b - a - 1;
    for seed in 0..3000 {
        let partition = grouped(&[0, 1, 2, 3, 4, 5], 2, seed).unwrap();
        let rows = partition.members().unwrap();
        let pair = rows.of((seed % 3) as usize);
        pairs[number(pair[0] as usize, pair[1] as usize)] += 1;
    }
    assert_uniform(&pairs);
}

#[test]
fn left_over_rows_are_any_row_and_join_any_group() {
    // Three rows of one value, two of the others: one row is left over for a group of three.
    let codes = [0, 0, 0, 1, 1, 2, 2];
    let (mut left_over, mut joined) = ([0; 4], [0; 3]);
    for seed in 0..6000 {
        let partition = grouped(&codes, 2, seed).unwrap();
        let members = partition.members().unwrap();
        let large = members.iter().position(|rows| rows.len() == 3).unwrap();
        joined[large] += 1;
        for &row in members.of(large).iter().filter(|&&row| row > 2) {
            left_over[row as usize - 3] += 1;
        }
    }
    assert_uniform(&joined);
    assert_uniform(&left_over);
}

#[test]
fn group_numbers_tell_nothing_of_the_rows() {
    // The rare value is taken in the last steps only, and still its group may have any number.
    let codes: Vec<u32> = (0..20)
        .map(|row| if row == 19 { 3 } else { row % 3 })
        .collect();
    let mut numbers = [0; 10];
    for seed in 0..5000 {
        let partition = grouped(&codes, 2, seed).unwrap();
        numbers[partition.group_of()[19] as usize] += 1;
    }
    assert_uniform(&numbers);
}

/// Stops the work once half of the rows are done.
struct Impatient(u64);

impl Monitor for Impatient {
    fn advance(&mut self, done: u64) -> Result<()> {
        if done > self.0 {
            return Err(Error::Interrupted);
        }
        Ok(())
    }
}

#[test]
fn an_interrupt_stops_the_work() {
    let sensitive = Categories::new((0..100_000).map(|row| row % 7).collect());
    for l in [1, 3, 6] {
        let mut rng = generator(Some(1)).unwrap();
        let stopped = anatomy(&sensitive, l, &mut rng, &mut Impatient(50_000));
        assert_eq!(stopped, Err(Error::Interrupted));
    }
}
