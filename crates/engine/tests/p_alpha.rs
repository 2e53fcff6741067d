//! (p⁺,α)-sensitive k-anonymity: the example and the experiment of SWTLL08, and its laws.

mod lattice_data;

use lattice_data::{Data, adult};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;
use sdc_engine::assign::{Method, p_alpha_sensitive, p_sensitive};
use sdc_engine::model::{AlphaWeight, KAnonymity, PPlus, SensitivityCategories, worst};
use sdc_engine::{
    Categories, Column, Error, Interner, Partition, Result, Space, Table, Tally, Unwatched,
};

/// Eight conditions in four categories of two, as in the paper.
fn conditions() -> SensitivityCategories {
    SensitivityCategories::new(vec![0, 0, 1, 1, 2, 2, 3, 3], 4).unwrap()
}

fn group(space: &Space, column: &Categories, k: usize, p: usize, alpha: f64) -> Result<Partition> {
    p_alpha_sensitive(space, column, &conditions(), k, p, alpha, &mut Unwatched)
}

/// (k, p⁺, weight) of a partition.
fn figures(partition: &Partition, column: &Categories, of: &SensitivityCategories) -> [f64; 3] {
    let tally = Tally::new(partition, &[column]).unwrap();
    let weight = AlphaWeight::new(of).unwrap();
    [
        worst(&KAnonymity, &tally, None).unwrap().unwrap(),
        worst(&PPlus::new(of), &tally, Some(0)).unwrap().unwrap(),
        worst(&weight, &tally, Some(0)).unwrap().unwrap(),
    ]
}

fn categorical(values: &[&str]) -> Column {
    let mut interner = Interner::new();
    let codes = values
        .iter()
        .map(|value| interner.intern(value.as_bytes()).unwrap());
    Column::Categorical(Categories::new(codes.collect()))
}

#[test]
fn the_twelve_rows_become_three_groups() {
    let ages = [27, 28, 26, 25, 41, 48, 45, 42, 33, 37, 36, 35].map(f64::from);
    let zips = [
        14248, 14207, 14246, 14249, 13053, 13074, 13064, 13062, 14242, 14204, 14205, 14248,
    ];
    let countries = [
        "USA", "Canada", "USA", "Canada", "China", "Japan", "India", "India", "USA", "Canada",
        "Canada", "USA",
    ];
    let columns = vec![
        Column::Numeric(ages.to_vec()),
        categorical(&countries),
        Column::Numeric(zips.map(f64::from).to_vec()),
    ];
    let space = Space::new(&Table::new(columns).unwrap(), true).unwrap();
    // HIV, Cancer, Phthisis, Hepatitis, Heart Disease, Asthma, Flu, Indigestion
    let column = Categories::new(vec![0, 0, 1, 1, 3, 2, 5, 4, 6, 6, 6, 7]);
    let partition = group(&space, &column, 4, 2, 2.0).unwrap();
    assert_eq!(partition.groups(), 3);
    let [k, p, weight] = figures(&partition, &column, &conditions());
    assert!(k >= 4.0 && p >= 2.0 && weight >= 2.0);
}

/// Twenty conditions in four categories of five.
fn many_conditions() -> SensitivityCategories {
    SensitivityCategories::new((0..20).map(|condition| condition / 5).collect(), 4).unwrap()
}

/// 400 rows of Adult with conditions drawn at random, as SWTLL08 takes them.
fn experiment(adult: &Data, seed: u64) -> (Space, Categories) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut places: Vec<usize> = (0..adult.rows.len()).collect();
    places.shuffle(&mut rng);
    let column = |name: &str| -> Vec<&str> {
        let at = adult.column(name);
        let cell = |&row: &usize| adult.rows[row][at].as_str();
        places[..400].iter().map(cell).collect()
    };
    let ages = column("age");
    let columns = vec![
        Column::Numeric(ages.iter().map(|age| age.parse().unwrap()).collect()),
        categorical(&column("marital-status")),
        categorical(&column("sex")),
    ];
    let space = Space::new(&Table::new(columns).unwrap(), true).unwrap();
    let drawn = (0..400).map(|_| rng.random_range(0..20)).collect();
    (space, Categories::new(drawn))
}

/// Groups that give away their category, all rows having the same one, and groups that give
/// away that it is one of the more sensitive two.
fn disclosures(partition: &Partition, column: &Categories) -> [usize; 2] {
    let of = many_conditions();
    let category = |&row: &u32| of.of(column.codes()[row as usize]);
    let members = partition.members().unwrap();
    let alike = |rows: &&[u32]| rows.iter().all(|row| category(row) == category(&rows[0]));
    let grave = |rows: &&[u32]| rows.iter().all(|row| category(row) < 2);
    [
        members.iter().filter(alike).count(),
        members.iter().filter(grave).count(),
    ]
}

const SAMPLES: u64 = 10;

/// Disclosures under p-sensitivity of the conditions, and under (p⁺,2)-sensitivity, in all
/// samples together.
fn compare(adult: &Data, k: usize, p: usize) -> [[usize; 2]; 2] {
    let mut found = [[0; 2]; 2];
    for seed in 0..SAMPLES {
        let (space, column) = experiment(adult, seed);
        let (columns, of) = ([column], many_conditions());
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let method = Method::PFirst;
        let before = p_sensitive(&space, &columns, k, p, method, &mut rng, &mut Unwatched);
        let after = p_alpha_sensitive(&space, &columns[0], &of, k, p, 2.0, &mut Unwatched);
        for (found, partition) in found.iter_mut().zip([before.unwrap(), after.unwrap()]) {
            let more = disclosures(&partition, &columns[0]);
            *found = [found[0] + more[0], found[1] + more[1]];
        }
    }
    found
}

#[test]
fn swtll08_disclosures_fall_to_a_fifth_and_less() {
    let Some(adult) = adult() else { return };
    for (k, p) in [(3, 2), (4, 2), (3, 3), (4, 3)] {
        let [before, after] = compare(&adult, k, p);
        let mean = |count: usize| count as f64 / SAMPLES as f64;
        println!(
            "k = {k}, p = {p}: the category {:.1} → {:.1}, one of the graver two {:.1} → {:.1}",
            mean(before[0]),
            mean(after[0]),
            mean(before[1]),
            mean(after[1])
        );
        for kind in 0..2 {
            assert!(before[kind] >= 5, "little to disclose: {before:?}");
            assert!(5 * after[kind] <= before[kind], "{before:?} {after:?}");
        }
    }
}

/// Whether one single group of all rows meets what is required; by definition.
fn single_group_meets(
    column: &Categories,
    of: &SensitivityCategories,
    k: usize,
    p: usize,
    alpha: f64,
) -> bool {
    let whole = Partition::new(vec![0; column.codes().len()], 1).unwrap();
    let [rows, categories, weight] = figures(&whole, column, of);
    rows >= k as f64 && categories >= p as f64 && weight >= alpha
}

fn tables() -> impl Strategy<Value = (Vec<Column>, Vec<u32>)> {
    let column = |rows: usize| {
        prop_oneof![
            prop::collection::vec(-1.0..1.0f64, rows).prop_map(Column::Numeric),
            prop::collection::vec((0..4u8).prop_map(f64::from), rows).prop_map(Column::Numeric),
            Just(Column::Numeric(vec![7.0; rows])),
            prop::collection::vec(0..3u32, rows)
                .prop_map(|codes| Column::Categorical(Categories::new(codes))),
        ]
    };
    (1..300usize, 1..5usize).prop_flat_map(move |(rows, columns)| {
        let values = prop_oneof![
            prop::collection::vec(0..8u32, rows),
            // one value in twenty has weight
            prop::collection::vec(prop_oneof![19 => Just(0u32), 1 => 0..8u32], rows),
            Just(vec![7; rows]),
        ];
        (prop::collection::vec(column(rows), columns), values)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn results_are_valid_or_refused_where_one_group_fails(
        (columns, codes) in tables(),
        mut category_of in prop::collection::vec(0..1000u32, 8),
        categories in 2..1000u32,
        (k, p) in (1..9usize, 1..5usize),
        // multiples of a unit are where rounding matters
        (alpha, units) in (0.0..20.0f64, 0..40u32),
        round in any::<bool>(),
    ) {
        category_of.iter_mut().for_each(|category| *category %= categories);
        let of = SensitivityCategories::new(category_of, categories).unwrap();
        let alpha = match round {
            true => f64::from(units) / f64::from(categories - 1),
            false => alpha,
        };
        let column = Categories::new(codes);
        let space = Space::new(&Table::new(columns).unwrap(), true).unwrap();
        let run = || p_alpha_sensitive(&space, &column, &of, k, p, alpha, &mut Unwatched);
        let result = run();
        if p > k {
            prop_assert_eq!(result, Err(Error::PAboveK { p, k }));
            return Ok(());
        }
        prop_assert_eq!(result.is_ok(), single_group_meets(&column, &of, k, p, alpha));
        if let Ok(partition) = result {
            let [rows, distinct, weight] = figures(&partition, &column, &of);
            prop_assert!(rows >= k as f64 && distinct >= p as f64 && weight >= alpha);
            prop_assert_eq!(Ok(partition), run());
        }
    }
}

#[test]
fn no_rows_have_no_groups() {
    let space = Space::new(&Table::new(vec![Column::Numeric(vec![])]).unwrap(), true).unwrap();
    let partition = group(&space, &Categories::new(vec![]), 3, 2, 2.0).unwrap();
    assert_eq!((partition.rows(), partition.groups()), (0, 0));
}

#[test]
fn columns_must_be_equally_long() {
    let space = Space::new(
        &Table::new(vec![Column::Numeric(vec![1.0, 2.0])]).unwrap(),
        true,
    );
    let refused = group(&space.unwrap(), &Categories::new(vec![0]), 1, 1, 0.0);
    assert_eq!(refused, Err(Error::UnequalColumns { first: 2, other: 1 }));
}

/// Counts how often it is asked, and stops the work once it has been asked so often.
struct Impatient {
    asked: u32,
    patience: u32,
}

impl sdc_engine::Monitor for Impatient {
    fn advance(&mut self, _: u64) -> Result<()> {
        self.asked += 1;
        match self.asked > self.patience {
            true => Err(Error::Interrupted),
            false => Ok(()),
        }
    }
}

#[test]
fn long_work_can_be_stopped_at_any_time() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let rows = 20_000;
    let numbers = (0..rows).map(|_| rng.random()).collect();
    let space = Space::new(&Table::new(vec![Column::Numeric(numbers)]).unwrap(), true).unwrap();
    let column = Categories::new((0..rows).map(|_| rng.random_range(0..8)).collect());
    let run = |patience| {
        let mut monitor = Impatient { asked: 0, patience };
        let result = p_alpha_sensitive(&space, &column, &conditions(), 4, 2, 2.0, &mut monitor);
        (result.err(), monitor.asked)
    };
    let (refused, asked) = run(u32::MAX);
    assert_eq!(refused, None);
    assert!(asked > 3, "asked only {asked} times");
    for patience in [0, asked / 2, asked - 1] {
        assert_eq!(run(patience).0, Some(Error::Interrupted));
    }
}
