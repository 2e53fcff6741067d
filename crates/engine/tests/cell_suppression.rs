//! Cell suppression against brute force on small tables, and its time on large ones.

mod processor_time;

use processor_time::seconds;
use proptest::{collection::vec, prelude::*};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use sdc_engine::suppress::{
    BlankReading, CellRules, alike, blank_cost, suppress_cells, wildcard_matches,
};
use sdc_engine::{Categories, Unwatched};

#[derive(Debug, Clone)]
struct Case {
    columns: Vec<Vec<u32>>,
    k: usize,
    importance: Vec<f64>,
}

fn case(rows: std::ops::RangeInclusive<usize>, keys: usize) -> impl Strategy<Value = Case> {
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

    /// The least cost of all ways to blank cells.
    fn optimum(&self, reading: BlankReading) -> f64 {
        let masks = 1u32 << self.columns.len();
        let mut blanked = vec![0u16; self.rows()];
        let mut best = f64::INFINITY;
        loop {
            let cost = self.cost(&blanked);
            if cost < best && self.holds(&blanked, reading) {
                best = cost;
            }
            let mut row = 0;
            while row < blanked.len() && u32::from(blanked[row]) + 1 == masks {
                blanked[row] = 0;
                row += 1;
            }
            match blanked.get_mut(row) {
                Some(mask) => *mask += 1,
                None => return best,
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_row_has_its_likes(case in case(3..=60, 4)) {
        for reading in [BlankReading::Both, BlankReading::Wildcard] {
            let blanked = case.blanked(reading, 4);
            prop_assert!(case.holds(&blanked, reading));
            prop_assert!(case.holds(&blanked, BlankReading::Wildcard));
        }
    }

    #[test]
    fn matches_are_those_of_the_definition(case in case(1..=40, 4), seed in any::<u64>()) {
        let mut random = ChaCha20Rng::seed_from_u64(seed);
        let blanked: Vec<u16> = (0..case.rows()).map(|_| random.random_range(0..1 << case.columns.len())).collect();
        let found = wildcard_matches(&case.columns(), &blanked).unwrap();
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
    fn single_keys_that_are_shown_are_shared(case in case(10..=40, 4)) {
        prop_assume!(case.columns.len() > 1);
        let blanked = case.blanked(BlankReading::Wildcard, 1);
        for (column, codes) in case.columns.iter().enumerate() {
            for row in (0..case.rows()).filter(|&row| blanked[row] & (1 << column) == 0) {
                let same = codes.iter().filter(|&&code| code == codes[row]).count();
                prop_assert!(same >= case.k);
            }
        }
    }
}

/// The mean of cost over optimum, on random tables of two keys and few rows.
fn ratio(reading: BlankReading, cases: usize) -> f64 {
    let mut random = ChaCha20Rng::seed_from_u64(7);
    let (mut ratios, mut counted) = (0.0, 0);
    while counted < cases {
        let rows = random.random_range(4..=8);
        let keys = random.random_range(1..=2);
        let column =
            |random: &mut ChaCha20Rng| (0..rows).map(|_| random.random_range(0..3)).collect();
        let case = Case {
            columns: (0..keys).map(|_| column(&mut random)).collect(),
            k: random.random_range(2..=3),
            importance: (0..keys)
                .map(|_| random.random_range(1..=3).into())
                .collect(),
        };
        let (optimum, found) = (case.optimum(reading), case.cost(&case.blanked(reading, 4)));
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

#[test]
fn costs_are_near_the_optimum() {
    let (both, wildcard) = (
        ratio(BlankReading::Both, 150),
        ratio(BlankReading::Wildcard, 150),
    );
    println!("cost over optimum: both readings {both:.3}, wildcards {wildcard:.3}");
    assert!(both <= 1.0 + 1e-9 && wildcard <= 1.1);
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
        // four times as many rows: sixteen times as long if every pair were looked at
        assert!(many < 10.0 * few);
    }
}
