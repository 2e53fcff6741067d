//! The nine rows with which LHCC15 explains anatomy and permutation, with the paper's figures.

use sdc_engine::estimate::{
    anatomy_count, covered_range, covered_values, generalized_count, permutation_count, presence,
};
use sdc_engine::measure::{ncp, reconstruction_error};
use sdc_engine::{Categories, Column, Partition, Table, Tally};

const AGE: [f64; 9] = [65.0, 50.0, 70.0, 55.0, 90.0, 45.0, 50.0, 40.0, 10.0];
const MALE: [bool; 9] = [true, true, false, false, false, true, false, false, true];
/// Emphysema, Cancer, Flu, Gastritis, Dyspepsia, Pneumonia, Bronchitis
const DISEASE: [u32; 9] = [0, 1, 2, 3, 4, 2, 5, 3, 6];
const FLU: u32 = 2;

fn groups() -> Partition {
    Partition::new(vec![0, 0, 0, 0, 0, 1, 1, 1, 1], 2).unwrap()
}

fn sex() -> Categories {
    Categories::new(MALE.map(|male| u32::from(!male)).to_vec())
}

fn keys() -> Table {
    Table::new(vec![
        Column::Numeric(AGE.to_vec()),
        Column::Categorical(sex()),
    ])
    .unwrap()
}

/// Rows of age 40 to 70, of women, of flu.
fn query() -> [Vec<bool>; 3] {
    [
        AGE.iter().map(|age| (40.0..=70.0).contains(age)).collect(),
        MALE.iter().map(|male| !male).collect(),
        DISEASE.iter().map(|&disease| disease == FLU).collect(),
    ]
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[test]
fn anatomy_estimates_nine_tenths() {
    let [age, female, flu] = query();
    let keys: Vec<bool> = age.iter().zip(&female).map(|(a, b)| a & b).collect();
    assert!(close(anatomy_count(&groups(), &keys, &flu).unwrap(), 0.9));
}

#[test]
fn permutation_estimates_0_855() {
    let [age, female, flu] = query();
    let estimate = permutation_count(&groups(), &[&age, &female, &flu]).unwrap();
    assert!(close(estimate, 0.855));
}

#[test]
fn generalization_estimates_three_eighths() {
    let [_, _, flu] = query();
    let covered = [
        covered_range(&groups(), &AGE, 40.0, 70.0).unwrap(),
        covered_values(&groups(), &sex(), &[false, true]).unwrap(),
    ];
    let estimate = generalized_count(&groups(), &covered, &flu).unwrap();
    assert!(close(estimate, 0.375));
}

#[test]
fn bob_is_present_with_two_in_twenty_five() {
    let age: Vec<bool> = AGE.iter().map(|&age| age == 65.0).collect();
    assert!(close(presence(&groups(), &[&age, &MALE]).unwrap(), 0.08));
}

#[test]
fn certainty_penalty_is_13_5() {
    assert!(close(ncp(&keys(), &groups()).unwrap(), 13.5));
}

#[test]
fn a_disease_has_the_share_of_its_group() {
    let disease = Categories::new(DISEASE.to_vec());
    let tally = Tally::new(&groups(), &[&disease]).unwrap();
    let first = tally.columns()[0].of(0);
    assert_eq!(first, [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1)]);
    assert_eq!(tally.columns()[0].of(1), [(2, 1), (3, 1), (5, 1), (6, 1)]);
}

#[test]
fn reconstruction_error_of_all_different_values() {
    let disease = Categories::new(DISEASE.to_vec());
    // 5 (1 - 1/5) + 4 (1 - 1/4)
    let anatomy = reconstruction_error(&groups(), &disease, None).unwrap();
    assert!(close(anatomy, 7.0));
    // 5 - 2 (2·2 + 3·3)/125 + 5 (1/5)(13/25)(1/5) and 4 - 2 (8/64) + 4 (1/4)(1/2)(1/4)
    let permuted = reconstruction_error(&groups(), &disease, Some(&keys())).unwrap();
    assert!(close(
        permuted,
        (5.0 - 0.208 + 0.104) + (4.0 - 0.25 + 0.125)
    ));
}

#[test]
fn conditions_of_other_lengths_are_refused() {
    let short = [true; 8];
    assert!(anatomy_count(&groups(), &short, &MALE).is_err());
    assert!(covered_range(&groups(), &[1.0], 0.0, 1.0).is_err());
}
