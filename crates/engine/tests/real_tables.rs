//! Tables as they come: missing values, several rows of a person, strata, codes. Every method's
//! groups keep k and p counted by persons, patterns of missing values with enough rows stay
//! unmixed, and no group shows a code that nobody has.

use proptest::prelude::*;
use sdc_engine::assign::refine::Limits;
use sdc_engine::assign::{Method, by_stratum, mondrian, p_alpha_sensitive, permutation};
use sdc_engine::model::{PersonSensitivity, PersonValues, SensitivityCategories, verify};
use sdc_engine::random::generator;
use sdc_engine::{
    Categories, Column, Error, Monitor, Partition, PersonRows, Space, Table, Unwatched, mask,
    person_tally,
};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone)]
struct RealTable {
    table: Table,
    sensitive: Vec<Categories>,
    persons: Vec<u32>,
    strata: Categories,
}

type Cells = (Option<i8>, Option<i8>, u32, u32, u32);

fn real_tables() -> impl Strategy<Value = RealTable> {
    let number = || prop::option::weighted(0.8, -9..9i8);
    let row = (number(), number(), 0..4u32, 0..5u32, 0..30u32);
    prop::collection::vec(row, 1..90).prop_map(|rows: Vec<Cells>| {
        let number = |value: Option<i8>| value.map_or(f64::NAN, f64::from);
        let codes = |code: fn(&Cells) -> u32| compact(rows.iter().map(code).collect());
        let persons = codes(|row| row.4);
        RealTable {
            table: Table::new(vec![
                Column::Numeric(rows.iter().map(|row| number(row.0)).collect()),
                Column::Numeric(rows.iter().map(|row| number(row.1)).collect()),
                Column::Categorical(codes(|row| row.2)),
            ])
            .unwrap(),
            sensitive: vec![codes(|row| row.3)],
            strata: Categories::new(persons.codes().iter().map(|person| person % 3).collect()),
            persons: persons.codes().to_vec(),
        }
    })
}

/// Codes without gaps.
fn compact(codes: Vec<u32>) -> Categories {
    let rows: Vec<u32> = (0..codes.len() as u32).collect();
    Categories::new(codes).select(&rows).unwrap()
}

fn lacking(table: &Table, row: usize) -> Vec<bool> {
    let columns = table.columns().iter();
    let lacks = |column: &Column| matches!(column, Column::Numeric(values) if values[row].is_nan());
    columns.map(lacks).collect()
}

fn distinct(codes: &Categories, rows: &[usize]) -> usize {
    let values: BTreeSet<u32> = rows.iter().map(|&row| codes.codes()[row]).collect();
    values.len()
}

fn groups(partition: &Partition) -> Vec<Vec<usize>> {
    let members = partition.members().unwrap();
    let rows = |rows: &[u32]| rows.iter().map(|&row| row as usize).collect();
    members.iter().map(rows).collect()
}

/// Rows by what they lack.
fn patterns(case: &RealTable) -> BTreeMap<Vec<bool>, Vec<usize>> {
    let mut patterns: BTreeMap<Vec<bool>, Vec<usize>> = BTreeMap::new();
    for row in 0..case.table.rows() {
        let pattern = lacking(&case.table, row);
        patterns.entry(pattern).or_default().push(row);
    }
    patterns
}

/// Every pattern that has enough rows is unmixed, unless what others left over could not be
/// grouped without it.
fn assert_unmixed(case: &RealTable, partition: &Partition, enough: &dyn Fn(&[usize]) -> bool) {
    let patterns = patterns(case);
    let few = patterns.values().filter(|rows| !enough(rows));
    let left: Vec<usize> = few.flatten().copied().collect();
    for rows in groups(partition) {
        let of: BTreeSet<Vec<bool>> = rows.iter().map(|&row| lacking(&case.table, row)).collect();
        let whole = of.iter().filter(|pattern| enough(&patterns[*pattern]));
        let whole = whole.count();
        if left.is_empty() || enough(&left) {
            assert!(
                of.len() == 1 || whole == 0,
                "a pattern of enough rows was mixed"
            );
        } else {
            // rows that are left joined groups, each of one pattern that has enough
            assert!(whole <= 1, "patterns of enough rows were mixed");
        }
    }
}

/// The same for methods whose groups nobody joins: the smallest patterns are taken in, and no
/// more of them than what is left over needs.
fn assert_smallest_mixed(
    case: &RealTable,
    partition: &Partition,
    enough: &dyn Fn(&[usize]) -> bool,
) {
    let patterns = patterns(case);
    let (mut apart, few): (Vec<_>, Vec<_>) = patterns.values().partition(|rows| enough(rows));
    let mut left: Vec<usize> = few.into_iter().flatten().copied().collect();
    apart.sort_by_key(|rows| std::cmp::Reverse(rows.len()));
    let mut largest = 0;
    while !left.is_empty() && !enough(&left) {
        let Some(smallest) = apart.pop() else { break };
        largest = smallest.len();
        left.extend(smallest);
    }
    for rows in groups(partition) {
        let of: BTreeSet<Vec<bool>> = rows.iter().map(|&row| lacking(&case.table, row)).collect();
        let whole = |pattern: &Vec<bool>| {
            let rows = &patterns[pattern];
            enough(rows) && rows.len() > largest
        };
        assert!(
            of.len() == 1 || !of.iter().any(whole),
            "a pattern of enough rows was mixed"
        );
    }
}

/// Whether rows are k with p values.
fn varied(case: &RealTable, k: usize, p: usize) -> impl Fn(&[usize]) -> bool {
    move |rows| rows.len() >= k && distinct(&case.sensitive[0], rows) >= p
}

fn assert_groups(case: &RealTable, partition: &Partition, k: usize, p: usize) {
    for rows in groups(partition) {
        assert!(rows.len() >= k && distinct(&case.sensitive[0], &rows) >= p);
    }
}

/// Whether no value is that of more than 1/l of the rows.
fn eligible(codes: &Categories, rows: &[usize], l: usize) -> bool {
    let of = |value: u32| rows.iter().filter(move |&&row| codes.codes()[row] == value);
    let most = rows.iter().map(|&row| of(codes.codes()[row]).count());
    rows.len() >= l && most.max().unwrap_or(0) * l <= rows.len()
}

/// What groups show is in the source: means within the range, codes that some row has.
fn assert_shown(case: &RealTable, partition: &Partition) {
    for column in case.table.columns() {
        match column {
            Column::Numeric(values) => {
                let shown = mask::means(values, partition).unwrap();
                for (rows, shown) in groups(partition).iter().zip(shown) {
                    let there: Vec<f64> = rows
                        .iter()
                        .map(|&row| values[row])
                        .filter(|v| !v.is_nan())
                        .collect();
                    let hidden = 2 * there.len() <= rows.len() && there.len() < rows.len();
                    assert_eq!(shown.is_nan(), hidden);
                    if !hidden {
                        let mean = there.iter().sum::<f64>() / there.len() as f64;
                        assert!((mean - shown).abs() < 1e-9);
                    }
                }
            }
            Column::Categorical(codes) => {
                let shown = mask::modes(codes, partition).unwrap();
                for (rows, shown) in groups(partition).iter().zip(shown) {
                    assert!(rows.iter().any(|&row| codes.codes()[row] == shown));
                }
            }
        }
    }
}

/// The squared distance of two rows in one column, from the values themselves: numbers in standard
/// deviations; a missing one lies at the mean, one more than the range away from all numbers.
fn distance_by_definition(column: &Column, a: usize, b: usize) -> f64 {
    let values = match column {
        Column::Categorical(codes) => {
            return f64::from(u8::from(codes.codes()[a] != codes.codes()[b]));
        }
        Column::Numeric(values) => values,
    };
    let there = || values.iter().filter(|value| !value.is_nan());
    let count = there().count() as f64;
    let mean = there().sum::<f64>() / count;
    let deviation = (there().map(|x| (x - mean).powi(2)).sum::<f64>() / count).sqrt();
    let range = there().fold(f64::MIN, |a, &b| a.max(b)) - there().fold(f64::MAX, |a, &b| a.min(b));
    let scaled = |x: f64| if deviation > 0.0 { x / deviation } else { 0.0 };
    match (values[a].is_nan(), values[b].is_nan()) {
        (true, true) => 0.0,
        (false, false) => scaled(values[a] - values[b]).powi(2),
        (true, false) => scaled(values[b] - mean).powi(2) + (scaled(range) + 1.0).powi(2),
        (false, true) => scaled(values[a] - mean).powi(2) + (scaled(range) + 1.0).powi(2),
    }
}

/// The same in a space.
fn distance_in(space: &Space, a: usize, b: usize) -> f64 {
    let numbers = space.numeric().iter().map(|x| (x[a] - x[b]).powi(2));
    let codes = space.categorical().iter().map(|column| column.codes());
    let codes = codes.filter(|codes| codes[a] != codes[b]).count();
    numbers.sum::<f64>() + codes as f64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn distances_to_missing_values_are_those_of_the_definition(case in real_tables()) {
        let space = Space::new(&case.table, true).unwrap();
        let (columns, rows) = (case.table.columns(), 0..case.table.rows());
        for (a, b) in rows.clone().flat_map(|a| rows.clone().map(move |b| (a, b))) {
            let expected: f64 = columns.iter().map(|column| distance_by_definition(column, a, b)).sum();
            let found = distance_in(&space, a, b);
            prop_assert!((found - expected).abs() < 1e-9 * (1.0 + expected), "{} {}", found, expected);
        }
    }

    #[test]
    fn no_number_is_as_far_from_another_as_from_a_missing_one(case in real_tables()) {
        let Column::Numeric(values) = &case.table.columns()[0] else { return Ok(()) };
        let table = Table::new(vec![Column::Numeric(values.clone())]).unwrap();
        let space = Space::new(&table, true).unwrap();
        let (gaps, numbers): (Vec<usize>, Vec<usize>) = (0..values.len()).partition(|&row| values[row].is_nan());
        let pairs = numbers.iter().flat_map(|&a| numbers.iter().map(move |&b| (a, b)));
        let widest = pairs.map(|(a, b)| distance_in(&space, a, b)).fold(0.0, f64::max);
        for (&gap, &number) in gaps.iter().flat_map(|gap| numbers.iter().map(move |number| (gap, number))) {
            prop_assert!(distance_in(&space, gap, number) > widest);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn every_method_keeps_k_and_p_and_patterns(case in real_tables(), k in 1..7usize, p in 1..4usize, seed in any::<u64>()) {
        let space = Space::new(&case.table, true).unwrap();
        for name in Method::NAMES {
            let method = Method::named(name).unwrap();
            if method == Method::Univariate || (p > 1 && !method.is_p_sensitive()) {
                continue;
            }
            for effort in [None, Some(0)] {
                let mut rng = generator(Some(seed)).unwrap();
                let limits = Limits { k, p, sensitive: &case.sensitive };
                match method.group_refined(&space, limits, |_| effort, &mut rng, &mut Unwatched) {
                    Ok(partition) => {
                        assert_groups(&case, &partition, k, p);
                        assert_unmixed(&case, &partition, &varied(&case, k, p));
                        assert_shown(&case, &partition);
                    }
                    Err(Error::TooFewRows { .. } | Error::PAboveK { .. } | Error::TooFewValues { .. }) => {}
                    Err(other) => prop_assert!(false, "{name}: {other}"),
                }
            }
        }
        match mondrian(&case.table, &case.sensitive, k, p, &mut Unwatched) {
            Ok(partition) => {
                assert_groups(&case, &partition, k, p);
                assert_smallest_mixed(&case, &partition, &varied(&case, k, p));
            }
            Err(Error::TooFewRows { .. } | Error::PAboveK { .. } | Error::TooFewValues { .. }) => {}
            Err(other) => prop_assert!(false, "mondrian: {other}"),
        }
        let mut rng = generator(Some(seed)).unwrap();
        match permutation(&case.table, &case.sensitive[0], p, 3, &mut rng, &mut Unwatched) {
            Ok(partition) => {
                for rows in groups(&partition) {
                    prop_assert!(rows.len() >= p && distinct(&case.sensitive[0], &rows) == rows.len());
                }
                assert_smallest_mixed(&case, &partition, &|rows| eligible(&case.sensitive[0], rows, p));
            }
            Err(Error::NotEligible { .. }) => {}
            Err(other) => prop_assert!(false, "permutation: {other}"),
        }
    }

    #[test]
    fn weights_of_categories_are_kept_by_patterns(case in real_tables(), k in 1..5usize, p in 1..3usize) {
        let space = Space::new(&case.table, true).unwrap();
        let all: Vec<u32> = (0..5).collect();
        let categories = SensitivityCategories::new(all, 5).unwrap();
        let (values, alpha) = (&case.sensitive[0], 0.5);
        match p_alpha_sensitive(&space, values, &categories, k, p, alpha, &mut Unwatched) {
            Ok(partition) => {
                assert_groups(&case, &partition, k, p);
                assert_shown(&case, &partition);
                for rows in groups(&partition) {
                    let weight: u32 = rows.iter().map(|&row| values.codes()[row]).sum();
                    prop_assert!(f64::from(weight) / 4.0 >= alpha);
                }
                let weight = |rows: &[usize]| rows.iter().map(|&row| values.codes()[row]).sum::<u32>();
                let enough = |rows: &[usize]| varied(&case, k, p)(rows) && f64::from(weight(rows)) / 4.0 >= alpha;
                assert_unmixed(&case, &partition, &enough);
            }
            Err(Error::TooFewRows { .. } | Error::PAboveK { .. } | Error::TooFewValues { .. } | Error::WeightTooLarge { .. }) => {}
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn persons_and_strata_are_kept_together_and_apart(case in real_tables(), k in 1..5usize, p in 1..3usize, seed in any::<u64>()) {
        let persons = PersonRows::new(&Categories::new(case.persons.clone())).unwrap();
        let points = persons.points(&case.table).unwrap();
        let space = Space::new(&points, true).unwrap();
        let strata = persons.common(&case.strata).unwrap();
        let sensitive = [persons.representatives(&case.sensitive[0], Some(&strata), p).unwrap()];
        let method = if p > 1 { Method::LeastLoss } else { Method::Mdav };
        let mut rng = generator(Some(seed)).unwrap();
        let group = |rows: &[u32], monitor: &mut dyn Monitor| {
            let values = vec![sensitive[0].select(rows)?];
            method.group(&space.select(rows)?, &values, k, p, &mut rng, monitor)
        };
        let found = match by_stratum(&strata, group, &mut Unwatched) {
            Ok(found) => found,
            Err(Error::PAboveK { .. }) => return Ok(()),
            Err(other) => panic!("{other}"),
        };
        let group_of = persons.of_rows(&found.group_of).unwrap();
        let kept: Vec<u32> = (0..).zip(&group_of).filter(|(_, group)| **group != u32::MAX).map(|(row, _)| row).collect();
        let lost: usize = found.failed.iter().map(|failed| failed.size).sum();
        let few = found.failed.iter().all(|failed| {
            matches!(failed.reason, Error::TooFewRows { .. } | Error::TooFewValues { .. })
        });
        prop_assert!(few);
        let kept_groups: Vec<u32> = kept.iter().map(|&row| group_of[row as usize]).collect();
        let partition = Partition::new(kept_groups, found.groups).unwrap();
        let of = persons.select(&kept).unwrap();
        prop_assert_eq!(of.len() + lost, persons.len());
        let values = [case.sensitive[0].pick(&kept).unwrap()];
        let tally = person_tally(&of, &partition).unwrap();
        prop_assert!(tally.sizes().iter().all(|&size| size >= k as u64));
        let brought = PersonValues::of_persons(&of, &values[0]).unwrap();
        verify(&PersonSensitivity(&brought), &tally, Some(0), p as f64).unwrap();
        for rows in groups(&partition) {
            let all: Vec<usize> = rows.iter().map(|&row| kept[row] as usize).collect();
            prop_assert_eq!(distinct(&case.strata, &all), 1);
            prop_assert!(distinct(&case.sensitive[0], &all) >= p);
            let counted: BTreeSet<u32> = all.iter().map(|&row| case.persons[row]).collect();
            prop_assert!(counted.len() >= k);
        }
    }
}
