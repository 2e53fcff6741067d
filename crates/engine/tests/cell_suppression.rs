//! Cell suppression against brute force on small tables, and its time on large ones.

mod processor_time;

use processor_time::seconds;
use proptest::{collection::vec, prelude::*};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use sdc_engine::suppress::{
    BlankReading, CellRules, KnownOfRows, agreeing_persons, alike, blank_cost, suppress_cells,
    suppress_cells_of, wildcard_matches,
};
use sdc_engine::{Categories, Unwatched};
use std::ops::RangeInclusive;

fn of(persons: &[u32]) -> KnownOfRows<'_> {
    KnownOfRows {
        persons: Some(persons),
        empty: None,
    }
}

#[derive(Debug, Clone)]
struct Case {
    columns: Vec<Vec<u32>>,
    k: usize,
    importance: Vec<f64>,
}

fn case(rows: RangeInclusive<usize>, keys: usize) -> impl Strategy<Value = Case> {
    (rows, 1..=keys, 2usize..=3).prop_flat_map(|(rows, keys, k)| {
        let importance = vec(prop_oneof![Just(1.0), 0.5..3.0f64], keys);
        (vec(vec(0..3u32, rows), keys), importance).prop_map(move |(columns, importance)| Case {
            columns,
            k: k.min(rows),
            importance,
        })
    })
}

impl Case {
    fn columns(&self) -> Vec<Categories> {
        self.columns.iter().cloned().map(Categories::new).collect()
    }

    fn rows(&self) -> usize {
        self.columns[0].len()
    }

    fn blanked(&self, reading: BlankReading, known_keys: usize) -> Vec<u16> {
        let (k, importance) = (self.k, self.importance.clone());
        let rules = CellRules {
            k,
            importance,
            reading,
            known_keys,
        };
        suppress_cells(&self.columns(), &rules, &mut Unwatched).unwrap()
    }

    fn cost(&self, blanked: &[u16]) -> f64 {
        blank_cost(blanked, &self.importance)
    }

    fn matches(&self, blanked: &[u16], a: usize, b: usize) -> bool {
        let mut columns = self.columns.iter().enumerate();
        columns.all(|(c, codes)| (blanked[a] | blanked[b]) & (1 << c) != 0 || codes[a] == codes[b])
    }

    fn looks_like(&self, blanked: &[u16], a: usize, b: usize) -> bool {
        blanked[a] == blanked[b] && self.matches(blanked, a, b)
    }

    fn holds(&self, blanked: &[u16], reading: BlankReading) -> bool {
        let like = |a: usize, b: usize| match reading {
            BlankReading::Both => self.looks_like(blanked, a, b),
            BlankReading::Wildcard => self.matches(blanked, a, b),
        };
        let count = |a: usize| (0..self.rows()).filter(|&b| like(a, b)).count();
        (0..self.rows()).all(|row| count(row) >= self.k)
    }

    /// Whether each row has k matches for everybody who knows so many keys, whichever these are.
    fn holds_for(&self, blanked: &[u16], known: usize) -> bool {
        let sets = 0..1u16 << self.columns.len();
        let known = known.min(self.columns.len());
        let mut sets = sets.filter(|set| set.count_ones() as usize == known);
        sets.all(|set| {
            let hidden: Vec<u16> = blanked.iter().map(|mask| mask | !set).collect();
            self.holds(&hidden, BlankReading::Wildcard)
        })
    }

    /// The least cost of all ways to blank cells such that wildcards match in each set of so many
    /// keys, if it is below `cost`; else `cost`. All ways are tried, row after row, and given up
    /// once they cost as much.
    fn optimum_of_wildcards(&self, cost: f64, known: usize) -> f64 {
        let mut blanked = vec![0u16; self.rows()];
        let mut best = cost;
        self.try_masks(0, 0.0, known, &mut blanked, &mut best);
        best
    }

    fn try_masks(&self, row: usize, cost: f64, known: usize, blanked: &mut [u16], best: &mut f64) {
        if cost >= *best - 1e-9 {
            return;
        }
        if row == blanked.len() {
            if self.holds_for(blanked, known) {
                *best = cost;
            }
            return;
        }
        for mask in 0..1u16 << self.columns.len() {
            blanked[row] = mask;
            self.try_masks(row + 1, cost + self.cost(&[mask]), known, blanked, best);
        }
        blanked[row] = 0;
    }

    /// The least cost of all ways to blank cells such that rows look alike: of all partitions into
    /// groups of k rows or more, by sets of rows.
    fn optimum_of_groups(&self) -> f64 {
        let rows = self.rows();
        let mut least = vec![f64::INFINITY; 1 << rows];
        least[0] = 0.0;
        for set in 1usize..1 << rows {
            let first = 1 << set.trailing_zeros();
            // the group of the first row, and the rest
            let others = set ^ first;
            let mut some = others;
            loop {
                let group = some | first;
                if group.count_ones() as usize >= self.k && least[set ^ group].is_finite() {
                    let cost = least[set ^ group] + self.cost_of_group(group);
                    least[set] = least[set].min(cost);
                }
                if some == 0 {
                    break;
                }
                some = (some - 1) & others;
            }
        }
        least[(1 << rows) - 1]
    }

    /// What it costs to make the rows of a set look alike.
    fn cost_of_group(&self, group: usize) -> f64 {
        let rows = || (0..self.rows()).filter(|row| group & (1 << row) != 0);
        let differ = |codes: &&Vec<u32>| {
            rows().any(|row| Some(codes[row]) != rows().next().map(|row| codes[row]))
        };
        let columns = self.columns.iter().zip(&self.importance);
        let cost: f64 = columns
            .filter(|(codes, _)| differ(codes))
            .map(|(_, cost)| cost)
            .sum();
        cost * f64::from(group.count_ones())
    }

    fn optimum(&self, reading: BlankReading, found: f64, known: usize) -> f64 {
        match reading {
            BlankReading::Both => self.optimum_of_groups(),
            BlankReading::Wildcard => self.optimum_of_wildcards(found, known),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_row_is_like_rows_of_k_persons(
        case in case(3..=30, 4),
        persons in vec(0..9u32, 30),
        known in 1usize..=4,
    ) {
        let (columns, persons) = (case.columns(), &persons[..case.rows()]);
        let distinct = |rows: &mut dyn Iterator<Item = usize>| {
            rows.map(|row| persons[row]).collect::<std::collections::BTreeSet<u32>>().len()
        };
        for reading in [BlankReading::Both, BlankReading::Wildcard] {
            let importance = case.importance.clone();
            let rules = CellRules { k: case.k, importance, reading, known_keys: columns.len() };
            let found = suppress_cells_of(&columns, of(persons), &rules, &mut Unwatched);
            if distinct(&mut (0..case.rows())) < case.k {
                prop_assert!(found.is_err());
                continue;
            }
            let blanked = found.unwrap();
            let like = |a: usize, b: usize| match reading {
                BlankReading::Both => case.looks_like(&blanked, a, b),
                BlankReading::Wildcard => case.matches(&blanked, a, b),
            };
            let count = |a: usize| distinct(&mut (0..case.rows()).filter(|&b| like(a, b)));
            let fewest = (0..case.rows()).map(count).min().unwrap();
            prop_assert!(fewest >= case.k);
            let agreeing = agreeing_persons(&columns, &blanked, persons).unwrap().unwrap();
            let matching = |a: usize| distinct(&mut (0..case.rows()).filter(|&b| case.matches(&blanked, a, b)));
            prop_assert!(agreeing >= case.k && agreeing <= (0..case.rows()).map(matching).min().unwrap());
            // fewer known keys need no more cells than all of them
            let rules = CellRules { known_keys: known.min(columns.len()), reading: BlankReading::Wildcard, ..rules };
            suppress_cells_of(&columns, of(persons), &rules, &mut Unwatched).unwrap();
        }
    }

    #[test]
    fn every_row_has_its_likes(case in case(3..=60, 4)) {
        for reading in [BlankReading::Both, BlankReading::Wildcard] {
            let blanked = case.blanked(reading, 4);
            prop_assert!(case.holds(&blanked, reading));
            prop_assert!(case.holds(&blanked, BlankReading::Wildcard));
        }
    }

    #[test]
    fn every_row_has_its_likes_for_whoever_knows_some_keys(case in case(3..=60, 4), known in 1usize..=4) {
        let blanked = case.blanked(BlankReading::Wildcard, known);
        prop_assert!(case.holds_for(&blanked, known));
    }

    #[test]
    fn matches_are_those_of_the_definition(case in case(1..=40, 4), seed in any::<u64>()) {
        let mut random = ChaCha20Rng::seed_from_u64(seed);
        let blanked: Vec<u16> = (0..case.rows()).map(|_| random.random_range(0..1 << case.columns.len())).collect();
        let found = wildcard_matches(&case.columns(), &blanked, &mut Unwatched).unwrap();
        for (row, found) in found.into_iter().enumerate() {
            let naive = (0..case.rows()).filter(|&other| case.matches(&blanked, row, other)).count();
            prop_assert_eq!(found as usize, naive);
        }
        let groups = alike(&case.columns(), &blanked).unwrap();
        for a in 0..case.rows() {
            for b in 0..case.rows() {
                let same = groups.group_of()[a] == groups.group_of()[b];
                prop_assert_eq!(same, case.looks_like(&blanked, a, b));
            }
        }
    }

    #[test]
    fn single_keys_that_are_shown_are_shared_or_may_be_blanks(case in case(10..=40, 4)) {
        prop_assume!(case.columns.len() > 1);
        let blanked = case.blanked(BlankReading::Wildcard, 1);
        for (column, codes) in case.columns.iter().enumerate() {
            for row in (0..case.rows()).filter(|&row| blanked[row] & (1 << column) == 0) {
                let may_be = |&other: &usize| codes[other] == codes[row] || blanked[other] & (1 << column) != 0;
                prop_assert!((0..case.rows()).filter(may_be).count() >= case.k);
            }
        }
    }
}

/// The mean of cost over optimum on random tables.
fn ratio(reading: BlankReading, rows: RangeInclusive<usize>, keys: usize, cases: usize) -> f64 {
    ratio_for(reading, rows, 1..=keys, keys, cases)
}

/// The same against those who know so many keys.
fn ratio_for(
    reading: BlankReading,
    rows: RangeInclusive<usize>,
    keys: RangeInclusive<usize>,
    known: usize,
    cases: usize,
) -> f64 {
    let mut random = ChaCha20Rng::seed_from_u64(7);
    let (mut ratios, mut counted) = (0.0, 0);
    while counted < cases {
        let rows = random.random_range(rows.clone());
        let keys = random.random_range(keys.clone());
        let column =
            |random: &mut ChaCha20Rng| (0..rows).map(|_| random.random_range(0..3)).collect();
        let case = Case {
            columns: (0..keys).map(|_| column(&mut random)).collect(),
            k: random.random_range(2..=3),
            importance: (0..keys)
                .map(|_| random.random_range(1..=3).into())
                .collect(),
        };
        let blanked = case.blanked(reading, known);
        let holds = match reading {
            BlankReading::Both => case.holds(&blanked, reading),
            BlankReading::Wildcard => case.holds_for(&blanked, known),
        };
        assert!(holds);
        let found = case.cost(&blanked);
        let optimum = case.optimum(reading, found, known);
        assert!(
            found >= optimum - 1e-9,
            "{case:?}: {found} is less than {optimum}"
        );
        if optimum > 0.0 {
            ratios += found / optimum;
            counted += 1;
        }
    }
    ratios / cases as f64
}

/// Up to 12 rows that must look alike are solved exactly; 13 rows show what is done beyond.
#[test]
fn costs_are_near_the_optimum() {
    let exact = ratio(BlankReading::Both, 4..=12, 4, 200);
    let wildcards = ratio(BlankReading::Wildcard, 4..=12, 2, 200);
    let beyond = [(13, 100), (15, 20), (16, 20)]
        .map(|(rows, cases)| (rows, ratio(BlankReading::Both, rows..=rows, 4, cases)));
    println!(
        "cost over optimum: both readings {exact:.3}, wildcards {wildcards:.3} on up to 12 rows; \
         both readings by rows {beyond:.3?}"
    );
    assert!(exact <= 1.0 + 1e-9 && wildcards <= 1.1);
    assert!(beyond.iter().all(|(_, ratio)| *ratio <= 1.1));
}

/// Against attackers who know some keys only, and with more keys on fewer rows.
#[test]
fn costs_for_sets_of_keys_are_near_the_optimum() {
    let wildcard = |rows, keys, known, cases| {
        let found = ratio_for(BlankReading::Wildcard, rows, keys..=keys, known, cases);
        println!("cost over optimum: {keys} keys, {known} of them known: {found:.3}");
        found
    };
    assert!(wildcard(4..=7, 3, 3, 60) <= 1.1);
    assert!(wildcard(4..=7, 3, 2, 60) <= 1.1);
    assert!(wildcard(4..=7, 3, 1, 60) <= 1.1);
    assert!(wildcard(4..=12, 2, 1, 100) <= 1.1);
}

fn random_columns(rows: usize) -> Vec<Categories> {
    let mut random = ChaCha20Rng::seed_from_u64(3);
    let mut column = |values: u32| {
        let code = |_| (f64::from(values) * random.random::<f64>().powi(2)) as u32;
        Categories::new((0..rows).map(code).collect())
    };
    [75, 2, 16, 7, 40, 9].map(&mut column).into()
}

#[test]
fn time_is_not_quadratic_in_the_rows_of_six_keys() {
    for reading in [BlankReading::Both, BlankReading::Wildcard] {
        let rules = CellRules {
            k: 5,
            importance: vec![1.0; 6],
            reading,
            known_keys: 6,
        };
        let [few, many] = [25_000, 100_000].map(|rows| {
            let columns = random_columns(rows);
            seconds(2, || {
                let blanked = suppress_cells(&columns, &rules, &mut Unwatched).unwrap();
                assert_eq!(blanked.len(), rows);
            })
        });
        println!("{reading:?}: {few:.2} s for 25000 rows, {many:.2} s for 100000");
        assert!(many <= 10.0);
        // four times as many rows: sixteen times as long if every pair were looked at
        assert!(many < 10.0 * few);
    }
}
