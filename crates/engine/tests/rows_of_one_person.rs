//! Persons with several rows of one value, in groups of different values: what their groups have
//! in common, found by brute force.

use proptest::prelude::*;
use rand::RngExt;
use sdc_engine::assign::{anatomy_of_persons, permutation_of_persons};
use sdc_engine::random::generator;
use sdc_engine::{Categories, Column, Error, Monitor, Partition, Result, Table, Unwatched};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Default)]
struct Rows {
    values: Vec<u32>,
    persons: Vec<u32>,
    keys: Vec<f64>,
}

impl Rows {
    /// Persons of a value, a number of rows and a key.
    fn of(persons: &[(u32, usize, Option<u8>)]) -> Self {
        let mut rows = Rows::default();
        for (person, &(value, count, key)) in (0..).zip(persons) {
            rows.values.extend(std::iter::repeat_n(value, count));
            rows.persons.extend(std::iter::repeat_n(person, count));
            let key = key.map_or(f64::NAN, f64::from);
            rows.keys.extend(std::iter::repeat_n(key, count));
        }
        rows
    }

    fn sensitive(&self) -> Categories {
        Categories::new(self.values.clone())
    }

    fn permuted(&self, l: usize, rounds: usize, seed: u64) -> Result<Partition> {
        self.permuted_under(l, rounds, seed, &mut Unwatched)
    }

    fn permuted_under(
        &self,
        l: usize,
        rounds: usize,
        seed: u64,
        monitor: &mut dyn Monitor,
    ) -> Result<Partition> {
        let keys = Table::new(vec![Column::Numeric(self.keys.clone())])?;
        let (mut rng, of) = (generator(Some(seed))?, Some(&self.persons[..]));
        permutation_of_persons(&keys, &self.sensitive(), of, l, rounds, &mut rng, monitor)
    }

    fn dissected(&self, l: usize, seed: u64) -> Result<Partition> {
        self.dissected_under(l, seed, &mut Unwatched)
    }

    fn dissected_under(&self, l: usize, seed: u64, monitor: &mut dyn Monitor) -> Result<Partition> {
        let (mut rng, of) = (generator(Some(seed))?, Some(&self.persons[..]));
        anatomy_of_persons(&self.sensitive(), of, l, &mut rng, monitor)
    }

    /// For each person with several rows of one value, how many values all groups share in
    /// which the person has a row.
    fn values_left(&self, group_of: &[u32]) -> Vec<usize> {
        let mut shown: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        let mut own: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (row, &group) in group_of.iter().enumerate() {
            shown.entry(group).or_default().insert(self.values[row]);
            own.entry(self.persons[row]).or_default().push(row);
        }
        let several = own.values().filter(|rows| rows.len() > 1);
        let constant = several.filter(|rows| {
            let value = self.values[rows[0]];
            rows.iter().all(|&row| self.values[row] == value)
        });
        let left = constant.map(|rows| {
            let sets = rows.iter().map(|&row| shown[&group_of[row]].clone());
            sets.reduce(|a, b| &a & &b).unwrap().len()
        });
        left.collect()
    }

    /// The same of the values that a person has in some possible world: the rows of each group
    /// have its values in some order, and all rows of each of these persons the same one.
    fn values_in_worlds(&self, group_of: &[u32]) -> Vec<usize> {
        let mut people: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (row, &person) in self.persons.iter().enumerate() {
            people.entry(person).or_default().push(row);
        }
        let people: Vec<Vec<usize>> = people.into_values().collect();
        let mut open: BTreeSet<(u32, u32)> = BTreeSet::new();
        open.extend(group_of.iter().copied().zip(self.values.iter().copied()));
        let mut world = Vec::new();
        let mut possible = vec![BTreeSet::new(); people.len()];
        self.worlds(&people, group_of, &mut open, &mut world, &mut possible);
        let several = people.iter().zip(possible);
        let several = several.filter(|(rows, _)| rows.len() > 1);
        several.map(|(_, values)| values.len()).collect()
    }

    fn worlds(
        &self,
        people: &[Vec<usize>],
        group_of: &[u32],
        open: &mut BTreeSet<(u32, u32)>,
        world: &mut Vec<u32>,
        possible: &mut [BTreeSet<u32>],
    ) {
        let Some(rows) = people.get(world.len()) else {
            for (value, possible) in world.iter().zip(possible) {
                possible.insert(*value);
            }
            return;
        };
        for value in 0..=*self.values.iter().max().unwrap() {
            let cells: Vec<_> = rows.iter().map(|&row| (group_of[row], value)).collect();
            if cells.iter().all(|cell| open.contains(cell)) {
                cells.iter().for_each(|cell| _ = open.remove(cell));
                world.push(value);
                self.worlds(people, group_of, open, world, possible);
                world.pop();
                open.extend(cells);
            }
        }
    }

    /// Whether some grouping leaves l values to everybody in the possible worlds: groups of at
    /// least l different values without any person twice.
    fn can_be_kept(&self, l: usize) -> bool {
        self.try_all(&mut Vec::new(), 0, l)
    }

    fn try_all(&self, group_of: &mut Vec<u32>, groups: u32, l: usize) -> bool {
        let row = group_of.len();
        let size = |group: u32| group_of.iter().filter(|&&of| of == group).count();
        let missing: usize = (0..groups).map(|group| l.saturating_sub(size(group))).sum();
        if missing > self.values.len() - row {
            return false;
        }
        if row == self.values.len() {
            let enough = |values: Vec<usize>| values.iter().all(|&values| values >= l);
            return enough(self.values_left(group_of)) && enough(self.values_in_worlds(group_of));
        }
        for group in 0..=groups {
            let mut others = (0..row).filter(|&other| group_of[other] == group);
            let clash = |other: usize| {
                self.values[other] == self.values[row] || self.persons[other] == self.persons[row]
            };
            if !others.any(clash) {
                group_of.push(group);
                let kept = self.try_all(group_of, groups.max(group + 1), l);
                group_of.pop();
                if kept {
                    return true;
                }
            }
        }
        false
    }
}

fn key() -> impl Strategy<Value = Option<u8>> {
    prop::option::weighted(0.8, 0..50u8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Sets of l to l + 1 persons of different values and as many rows can always be matched.
    #[test]
    fn persons_who_can_be_matched_share_l_values(
        sets in prop::collection::vec((1..5usize, 0..2usize, 0..6u32, prop::collection::vec(key(), 4)), 1..25),
        l in 2..4usize,
        rounds in prop::sample::select(vec![0, 5]),
        seed: u64,
    ) {
        let mut persons = Vec::new();
        for (rows, _, first, keys) in &sets {
            // every value is used as often by persons of so many rows
            let set = (0..l as u32).map(|place| (first / 2 * l as u32 + place, *rows, keys[place as usize]));
            persons.extend(set);
        }
        let rows = Rows::of(&persons);
        let most = |codes: &[u32]| {
            let count = |code| codes.iter().filter(|&&other| other == code).count();
            codes.iter().map(|&code| count(code)).max().unwrap()
        };
        prop_assume!(most(&rows.values) <= rows.values.len() / l);
        for found in [rows.permuted(l, rounds, seed), rows.dissected(l, seed)] {
            let Ok(found) = found else {
                prop_assert!(most(&rows.persons) > rows.persons.len() / l);
                continue;
            };
            let left = rows.values_left(found.group_of());
            prop_assert!(left.iter().all(|&values| values >= l), "{left:?}");
            if rows.values.len() <= 12 {
                let left = rows.values_in_worlds(found.group_of());
                prop_assert!(left.iter().all(|&values| values >= l), "{left:?}");
            }
        }
    }
}

#[test]
fn persons_with_equally_many_rows_share_l_values() {
    for seed in 0..20 {
        let persons: Vec<(u32, usize, Option<u8>)> = (0..300u32)
            .map(|person| {
                (
                    (person * 7 + person * person % 5) % 6,
                    4,
                    Some(person as u8),
                )
            })
            .collect();
        let rows = Rows::of(&persons);
        let found = [rows.permuted(3, 5, seed), rows.dissected(3, seed)];
        for found in found {
            let left = rows.values_left(found.unwrap().group_of());
            assert_eq!(left.len(), 300);
            assert!(left.iter().all(|&values| values >= 3), "{left:?}");
        }
    }
}

proptest! {
    #[test]
    fn nearly_all_persons_share_l_values(
        persons in prop::collection::vec((0..8u32, 1..6usize, key()), 120..200),
        l in 2..4usize,
        seed: u64,
    ) {
        let rows = Rows::of(&persons);
        // random values are seldom too frequent
        for found in [rows.permuted(l, 5, seed), rows.dissected(l, seed)].into_iter().flatten() {
            let left = rows.values_left(found.group_of());
            let fewer = left.iter().filter(|&&values| values < l).count();
            prop_assert!(fewer * 10 <= left.len(), "{fewer} of {}", left.len());
        }
    }
}

/// Counts how often the work reports, and stops work that reports too often.
struct Steps(u64);

impl Monitor for Steps {
    fn advance(&mut self, _done: u64) -> Result<()> {
        self.0 += 1;
        match self.0 > 1000 {
            true => Err(Error::Interrupted),
            false => Ok(()),
        }
    }
}

/// Where each block looked at all values, 60,000 of them took minutes and 20,000 reports.
#[test]
fn many_values_do_not_make_the_work_quadratic() {
    // persons of two rows; where keys are near, a third of them have the same value
    let persons = |values: u32| {
        let person = |person: u32| {
            let key = (person % 256) as u8;
            let value = match key < 80 && person.is_multiple_of(3) {
                true => 0,
                false => person.wrapping_mul(2_654_435_761) % values,
            };
            (value, 2, Some(key))
        };
        (0..values / 2 * 5).map(person).collect::<Vec<_>>()
    };
    let steps = |values: u32, l: usize| {
        let rows = Rows::of(&persons(values));
        let (mut dissected, mut permuted) = (Steps(0), Steps(0));
        rows.dissected_under(l, 1, &mut dissected).unwrap();
        rows.permuted_under(l, 5, 1, &mut permuted).unwrap();
        [dissected.0, permuted.0]
    };
    for l in [3, 5] {
        let (few, many) = (steps(15_000, l), steps(60_000, l));
        for (few, many) in few.into_iter().zip(many) {
            assert!(few > 1 && many <= 5 * few, "{many} reports after {few}");
        }
    }
}

/// One person needs 600 groups, and of no other value do persons of one value have so many rows.
/// Whose rows add up to what was found out anew for each of 1800 numbers of groups, and nothing
/// could stop that.
#[test]
fn sums_of_rows_are_found_out_once() {
    let other_sizes = (1..68u32).flat_map(|value| (2..35).map(move |rows| (value, rows, None)));
    let singles = (0..1900).map(|_| (0, 1, None));
    let persons: Vec<_> = std::iter::once((0, 600, None)).chain(singles).collect();
    let mut rows = Rows::of(&[persons, other_sizes.collect()].concat());
    let first = rows.persons[rows.persons.len() - 1] + 1;
    for varying in 0..67 * 950 {
        rows.values
            .extend([1 + varying % 67, 1 + (varying + 1) % 67]);
        rows.persons.extend([first + varying; 2]);
    }
    let mut steps = Steps(0);
    rows.dissected_under(3, 1, &mut steps).unwrap();
    assert!(steps.0 > 0 && steps.0 < 200, "{} reports", steps.0);
}

/// Nobody has another value as often. Where each number of groups was tried in vain, this took
/// hours.
#[test]
fn a_person_with_very_many_rows_is_given_up_at_once() {
    let others = (0..60_000).map(|person| (1 + person % 800, 1, None));
    let persons: Vec<_> = std::iter::once((0, 20_000, None)).chain(others).collect();
    assert!(Rows::of(&persons).dissected(3, 1).is_ok());
}

/// Wherever brute force finds a grouping that leaves l values to everybody in the possible
/// worlds, so do both methods, with few exceptions.
#[test]
fn small_tables_are_kept_where_they_can_be() {
    let mut rng = generator(Some(7)).unwrap();
    let (mut feasible, mut missed) = (0, [0u64, 0]);
    while feasible < 200 {
        let persons: Vec<(u32, usize, Option<u8>)> = (0..rng.random_range(2..6))
            .map(|_| {
                let key = rng.random_bool(0.8).then(|| rng.random_range(0..50));
                (rng.random_range(0..4), rng.random_range(1..4), key)
            })
            .collect();
        let (rows, l) = (Rows::of(&persons), rng.random_range(2..4));
        if rows.values.len() > 8 || !rows.can_be_kept(l) {
            continue;
        }
        feasible += 1;
        let found = [rows.permuted(l, 5, feasible), rows.dissected(l, feasible)];
        for (found, missed) in found.into_iter().zip(&mut missed) {
            let left = rows.values_in_worlds(found.unwrap().group_of());
            let kept = left.iter().all(|&values| values >= l);
            *missed += u64::from(!kept);
        }
    }
    assert!(
        missed.iter().all(|&missed| missed * 10 <= feasible),
        "{missed:?}"
    );
}
