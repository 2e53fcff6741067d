//! Cell suppression where cells are empty already: they look like blanks, and cost nothing.

use proptest::{collection::vec, prelude::*};
use sdc_engine::suppress::{
    BlankReading, CellRules, KnownOfRows, alike, blank_cost, suppress_cells_of, wildcard_matches,
};
use sdc_engine::{Categories, Error, Monitor, Result, Unwatched};

/// The code of cells without value.
const NOTHING: u32 = 0;

struct Case {
    columns: Vec<Vec<u32>>,
    rules: CellRules,
}

fn columns(rows: usize, keys: usize) -> impl Strategy<Value = Vec<Vec<u32>>> {
    (2..=rows, 1..=keys).prop_flat_map(|(rows, keys)| vec(vec(0..3u32, rows), keys))
}

impl Case {
    fn new(columns: &[Vec<u32>], k: usize, reading: BlankReading, known_keys: usize) -> Self {
        let rules = CellRules {
            k: k.min(columns[0].len()),
            importance: (1..=columns.len())
                .map(|cost| 0.5 + cost as f64 / 2.0)
                .collect(),
            reading,
            known_keys: known_keys.min(columns.len()),
        };
        let columns = columns.to_vec();
        Case { columns, rules }
    }

    fn rows(&self) -> usize {
        self.columns[0].len()
    }

    fn empty(&self) -> Vec<u16> {
        let bits = |row: usize| {
            let columns = self.columns.iter().enumerate();
            let bits = columns.map(|(c, codes)| u16::from(codes[row] == NOTHING) << c);
            bits.fold(0, |mask, bit| mask | bit)
        };
        (0..self.rows()).map(bits).collect()
    }

    fn categories(&self) -> Vec<Categories> {
        self.columns.iter().cloned().map(Categories::new).collect()
    }

    fn found(&self) -> Vec<u16> {
        let empty = self.empty();
        let known = KnownOfRows {
            persons: None,
            empty: Some(&empty),
        };
        suppress_cells_of(&self.categories(), known, &self.rules, &mut Unwatched).unwrap()
    }

    fn cost(&self, blanked: &[u16]) -> f64 {
        blank_cost(blanked, &self.rules.importance)
    }

    /// What a cell shows; nothing where it is empty or blanked.
    fn shown(&self, blanked: &[u16], row: usize, column: usize) -> Option<u32> {
        let code = self.columns[column][row];
        (code != NOTHING && blanked[row] & (1 << column) == 0).then_some(code)
    }

    fn like(&self, blanked: &[u16], a: usize, b: usize, set: u16) -> bool {
        let mut columns = (0..self.columns.len()).filter(|column| set & (1 << column) != 0);
        columns.all(|column| {
            let (a, b) = (
                self.shown(blanked, a, column),
                self.shown(blanked, b, column),
            );
            let either = a.is_none() || b.is_none();
            a == b || (self.rules.reading == BlankReading::Wildcard && either)
        })
    }

    /// Whether the promise is kept, straight from its definition.
    fn holds(&self, blanked: &[u16]) -> bool {
        let sets = 0..1u16 << self.columns.len();
        let mut sets = sets.filter(|set| match self.rules.reading {
            BlankReading::Both => set.count_ones() as usize == self.columns.len(),
            BlankReading::Wildcard => set.count_ones() as usize == self.rules.known_keys,
        });
        sets.all(|set| {
            let alike = |a: usize| {
                (0..self.rows())
                    .filter(|&b| self.like(blanked, a, b, set))
                    .count()
            };
            (0..self.rows()).all(|row| alike(row) >= self.rules.k)
        })
    }

    /// The least cost of all ways to blank cells.
    fn optimum(&self) -> f64 {
        let mut best = f64::INFINITY;
        self.try_masks(0, &mut vec![0; self.rows()], &mut best);
        best
    }

    fn try_masks(&self, row: usize, blanked: &mut [u16], best: &mut f64) {
        if self.cost(&blanked[..row]) >= *best - 1e-9 {
            return;
        }
        if row == blanked.len() {
            if self.holds(blanked) {
                *best = self.cost(blanked);
            }
            return;
        }
        let empty = self.empty()[row];
        for mask in (0..1u16 << self.columns.len()).filter(|mask| mask & empty == 0) {
            blanked[row] = mask;
            self.try_masks(row + 1, blanked, best);
        }
        blanked[row] = 0;
    }
}

/// Stops the work as soon as it is asked.
struct Impatient;

impl Monitor for Impatient {
    fn advance(&mut self, _done: u64) -> Result<()> {
        Err(Error::Interrupted)
    }
}

#[test]
fn matches_of_many_patterns_can_be_stopped() {
    let codes = |key: u32| {
        (0..4096)
            .map(move |row: u32| row.wrapping_mul(key + 7) % 5)
            .collect()
    };
    let columns: Vec<Vec<u32>> = (0..12).map(codes).collect();
    let columns: Vec<Categories> = columns.into_iter().map(Categories::new).collect();
    let blanked: Vec<u16> = (0..4096).collect();
    let found = wildcard_matches(&columns, &blanked, &mut Impatient);
    assert_eq!(found, Err(Error::Interrupted));
}

/// Strata stand behind the keys, beyond the bits of a mask, and are never blanked.
#[test]
fn strata_behind_many_keys_are_told_apart() {
    let mut columns: Vec<Categories> = (0..17).map(|_| Categories::new(vec![0, 0])).collect();
    columns.push(Categories::new(vec![0, 1]));
    let all = [u16::MAX, u16::MAX];
    assert_eq!(
        wildcard_matches(&columns, &all, &mut Unwatched),
        Ok(vec![1, 1])
    );
    assert_eq!(alike(&columns, &all).unwrap().groups(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn small_tables_are_solved_exactly(columns in columns(5, 3), k in 2usize..=3) {
        let case = Case::new(&columns, k, BlankReading::Both, 3);
        let found = case.found();
        prop_assert!(case.holds(&found));
        prop_assert!((case.cost(&found) - case.optimum()).abs() < 1e-9);
    }

    #[test]
    fn promises_are_kept_and_empty_cells_never_blanked(
        columns in columns(60, 4), k in 2usize..=5, known in 1usize..=4,
    ) {
        for reading in [BlankReading::Both, BlankReading::Wildcard] {
            let case = Case::new(&columns, k, reading, known);
            let (found, empty) = (case.found(), case.empty());
            prop_assert!(case.holds(&found));
            prop_assert!(found.iter().zip(&empty).all(|(blanked, empty)| blanked & empty == 0));
            let blank: Vec<u16> = found.iter().zip(&empty).map(|(a, b)| a | b).collect();
            let matches = wildcard_matches(&case.categories(), &blank, &mut Unwatched).unwrap();
            let groups = alike(&case.categories(), &blank).unwrap();
            for (row, &matches) in matches.iter().enumerate() {
                let like = |other: &usize| {
                    let wildcard = Case::new(&columns, k, BlankReading::Wildcard, 4);
                    wildcard.like(&found, row, *other, u16::MAX)
                };
                prop_assert_eq!(matches as usize, (0..case.rows()).filter(like).count());
            }
            let looks: std::collections::BTreeSet<Vec<Option<u32>>> = (0..case.rows())
                .map(|row| (0..columns.len()).map(|c| case.shown(&found, row, c)).collect()).collect();
            prop_assert_eq!(groups.groups(), looks.len());
        }
    }
}

/// The cost of wildcards over the optimum, on average of many small tables.
#[test]
fn costs_of_wildcards_are_near_the_optimum() {
    for known in [1, 2, 3] {
        let (mut found, mut optimum) = (0.0, 0.0);
        for seed in 0u32..60 {
            let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(known as u32);
            let mut draw = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state >> 24
            };
            let rows = 4 + draw() as usize % 2;
            let columns: Vec<Vec<u32>> = (0..3)
                .map(|_| (0..rows).map(|_| draw() % 3).collect())
                .collect();
            let case = Case::new(&columns, 2, BlankReading::Wildcard, known);
            found += case.cost(&case.found());
            optimum += case.optimum();
        }
        assert!(found <= optimum * 1.05, "{known}: {found} beside {optimum}");
    }
}
