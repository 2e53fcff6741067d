//! The worked examples of the papers, and figures that an independent program gives.

use super::*;
use crate::Unwatched;
use crate::{Categories, Interner, Partition};

/// A tally of rows written as text: the group's key first, then the sensitive values.
fn tally(rows: &[&[&str]]) -> Tally {
    let column = |number: usize| {
        let mut interner = Interner::new();
        let code = |row: &&[&str]| interner.intern(row[number].as_bytes()).unwrap();
        rows.iter().map(code).collect::<Vec<u32>>()
    };
    let keys = Categories::new(column(0));
    let partition = Partition::new(keys.codes().to_vec(), keys.cardinality()).unwrap();
    let sensitive: Vec<Categories> = (1..rows[0].len())
        .map(|c| Categories::new(column(c)))
        .collect();
    Tally::new(&partition, &sensitive.iter().collect::<Vec<_>>()).unwrap()
}

fn k(tally: &Tally) -> f64 {
    worst(&KAnonymity, tally, None).unwrap().unwrap()
}

/// The least p over all sensitive columns.
fn p(tally: &Tally) -> f64 {
    let columns = 0..tally.columns().len();
    let figures = columns.map(|column| worst(&PSensitivity, tally, Some(column)).unwrap().unwrap());
    figures.fold(f64::INFINITY, f64::min)
}

#[test]
fn tv06_table_1_discloses_one_illness() {
    let table = tally(&[
        &["50 43102 M", "Colon Cancer"],
        &["30 43102 F", "Breast Cancer"],
        &["30 43102 F", "HIV"],
        &["20 43102 M", "Diabetes"],
        &["20 43102 M", "Diabetes"],
        &["50 43102 M", "Heart Disease"],
    ]);
    assert_eq!((k(&table), p(&table)), (2.0, 1.0));
    assert_eq!(disclosures(&table), 1);
    assert_eq!(
        verdict(&PSensitivity, &table, Some(0), Some(2.0), &mut Unwatched)
            .unwrap()
            .violating_rows,
        2
    );
}

#[test]
fn tv06_table_3_is_sensitive_once_an_income_changes() {
    let rows = |first_income| {
        tally(&[
            &["20 43102 F", "AIDS", first_income],
            &["20 43102 F", "AIDS", "50000"],
            &["20 43102 F", "Diabetes", "50000"],
            &["30 43102 M", "Diabetes", "30000"],
            &["30 43102 M", "Diabetes", "40000"],
            &["30 43102 M", "Heart Disease", "30000"],
            &["30 43102 M", "Heart Disease", "40000"],
        ])
    };
    let (printed, changed) = (rows("50000"), rows("40000"));
    assert_eq!(
        (k(&printed), p(&printed), disclosures(&printed)),
        (3.0, 1.0, 1)
    );
    assert_eq!(
        (k(&changed), p(&changed), disclosures(&changed)),
        (3.0, 2.0, 0)
    );
}

/// SWTLL08's conditions in the order of its Table 1, and their categories.
const CONDITIONS: [&str; 12] = [
    "HIV",
    "HIV",
    "Cancer",
    "Cancer",
    "Hepatitis",
    "Phthisis",
    "Asthma",
    "Heart Disease",
    "Flu",
    "Flu",
    "Flu",
    "Indigestion",
];

fn swtll08(groups: [&str; 12]) -> (Tally, SensitivityCategories) {
    let rows: Vec<[&str; 2]> = groups
        .into_iter()
        .zip(CONDITIONS)
        .map(|(g, c)| [g, c])
        .collect();
    let rows: Vec<&[&str]> = rows.iter().map(|row| &row[..]).collect();
    // by first appearance: HIV, Cancer, Hepatitis, Phthisis, Asthma, Heart Disease, Flu, Indigestion
    let categories = SensitivityCategories::new(vec![0, 0, 1, 1, 2, 2, 3, 3], 4).unwrap();
    (tally(&rows), categories)
}

#[test]
fn swtll08_table_5_is_sensitive_but_not_by_category() {
    let (table, categories) = swtll08(["a", "a", "a", "a", "b", "b", "b", "b", "c", "c", "c", "c"]);
    let (plus, weight) = (
        PPlus::new(&categories),
        AlphaWeight::new(&categories).unwrap(),
    );
    assert_eq!((k(&table), p(&table)), (4.0, 2.0));
    assert_eq!(
        verdict(&plus, &table, Some(0), Some(2.0), &mut Unwatched).unwrap(),
        Verdict {
            actual: Some(1.0),
            violating_groups: 2,
            violating_rows: 8
        }
    );
    assert_eq!(
        verdict(&weight, &table, Some(0), Some(2.0), &mut Unwatched).unwrap(),
        Verdict {
            actual: Some(0.0),
            violating_groups: 1,
            violating_rows: 4
        }
    );
    let weights: Vec<f64> = groups(&table, Some(0))
        .map(|group| weight.figure(group))
        .collect();
    assert_eq!(weights, [0.0, 2.0, 4.0]);
}

#[test]
fn swtll08_table_6_satisfies_both() {
    let (table, categories) = swtll08(["a", "c", "c", "a", "b", "b", "b", "b", "a", "c", "c", "a"]);
    let (plus, weight) = (
        PPlus::new(&categories),
        AlphaWeight::new(&categories).unwrap(),
    );
    for group in groups(&table, Some(0)) {
        assert_eq!((plus.figure(group), weight.figure(group)), (2.0, 2.0));
    }
    assert!(
        verdict(&plus, &table, Some(0), Some(2.0), &mut Unwatched)
            .unwrap()
            .satisfied()
    );
    assert!(
        verdict(&weight, &table, Some(0), Some(2.0), &mut Unwatched)
            .unwrap()
            .satisfied()
    );
}
