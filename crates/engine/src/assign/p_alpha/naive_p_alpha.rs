//! The choice of a switch straight from its definition: every row of every other group, alone
//! or in exchange for every row of the failing one. Only compiled for tests.

use super::*;
use crate::Unwatched;
use crate::assign::naive_mdav::spaces;
use crate::local_search::Exchange;
use crate::{Column, Table};
use proptest::prelude::*;

struct Naive<'a> {
    space: &'a Space,
    requirement: &'a WeightRequirement<'a>,
    groups: usize,
}

impl Naive<'_> {
    fn rows(&self, group_of: &[u32], group: u32) -> Vec<usize> {
        let rows = 0..group_of.len();
        rows.filter(|&row| group_of[row] == group).collect()
    }

    fn code(&self, row: usize) -> u32 {
        self.requirement.category_of[0].codes()[row]
    }

    /// The units that a group lacks.
    fn lacking(&self, group_of: &[u32], group: u32) -> i128 {
        let rows = self.rows(group_of, group);
        let units = rows
            .iter()
            .map(|&row| self.requirement.units(self.code(row)));
        (self.requirement.required - units.sum::<i128>()).max(0)
    }

    fn shortfall(&self, group_of: &[u32]) -> i128 {
        let groups = 0..self.groups as u32;
        groups.map(|group| self.lacking(group_of, group)).sum()
    }

    fn has_k_and_p(&self, group_of: &[u32], group: u32) -> bool {
        let rows = self.rows(group_of, group);
        let mut codes: Vec<u32> = rows.iter().map(|&row| self.code(row)).collect();
        codes.sort_unstable();
        codes.dedup();
        rows.len() >= self.requirement.k && codes.len() >= self.requirement.p
    }

    fn squares(&self, group_of: &[u32]) -> f64 {
        let partition = Partition::new(group_of.to_vec(), self.groups).unwrap();
        within(self.space, &partition).unwrap()
    }

    /// What a change of groups costs; `None` if it is not a switch that helps.
    fn cost(&self, before: &[u32], after: &[u32], giver: u32, taker: u32) -> Option<f64> {
        let whole = [giver, taker]
            .into_iter()
            .all(|group| self.has_k_and_p(after, group));
        let helps = whole && self.shortfall(after) < self.shortfall(before);
        helps.then(|| self.squares(after) - self.squares(before))
    }

    /// What the best switch of a failing group costs.
    fn cheapest(&self, group_of: &[u32], failing: u32) -> Option<f64> {
        let mut costs = Vec::new();
        let others = (0..group_of.len()).filter(|&row| group_of[row] != failing);
        for joiner in others {
            let giver = group_of[joiner];
            let mut after = group_of.to_vec();
            after[joiner] = failing;
            // a row comes alone only from a group that keeps its promise
            if self.lacking(&after, giver) == 0 {
                costs.extend(self.cost(group_of, &after, giver, failing));
            }
            for leaver in self.rows(group_of, failing) {
                let mut after = after.clone();
                after[leaver] = giver;
                costs.extend(self.cost(group_of, &after, giver, failing));
            }
        }
        costs.into_iter().min_by(f64::total_cmp)
    }
}

/// A grouping to switch rows in, and whatever a test does with it.
fn with_switching(
    space: &Space,
    requirement: &WeightRequirement,
    partition: &Partition,
    act: impl FnOnce(&mut Switching, &mut Meter),
) {
    let mut monitor = Unwatched;
    let meter = &mut Meter::start(&mut monitor, Phase::Refining, 0);
    let rows = OrderedRows::new(space, &requirement.category_of, meter).unwrap();
    let groups = Groups::new(&rows, requirement.k, requirement.p, partition, meter).unwrap();
    act(&mut Switching::new(groups, requirement).unwrap(), meter);
}

/// Compares the best switch of every failing group with the definition's.
fn agree(
    space: &Space,
    requirement: &WeightRequirement,
    switching: &mut Switching,
    meter: &mut Meter,
) {
    let partition = switching.groups.partition().unwrap();
    let naive = Naive {
        space,
        requirement,
        groups: partition.groups(),
    };
    let number_of = partition.group_of();
    assert_eq!(naive.shortfall(number_of), switching.shortfall());
    for group in 0..switching.groups.count() {
        let Some(&row) = switching.groups.members(group).first() else {
            continue;
        };
        let number = number_of[switching.groups.rows().order()[row as usize] as usize];
        if naive.lacking(number_of, number) > 0 {
            let found = switching.best_switch(group, meter).unwrap();
            let found = found.map(|priced| priced.cost);
            let expected = naive.cheapest(number_of, number);
            let close = found.zip(expected).map(|(a, b)| (a - b).abs() < 1e-7);
            assert!(
                close.unwrap_or(found == expected),
                "{found:?}, not {expected:?}"
            );
        }
    }
}

/// Units that are lacking, and groups: each step must lower their sum.
fn measure(switching: &Switching) -> i128 {
    let groups = switching.groups.partition().unwrap().groups();
    switching.shortfall() + groups as i128
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn every_switch_is_the_cheapest_that_helps(
        space in spaces().prop_filter("small", |space| space.rows() < 40),
        codes in prop::collection::vec(0..5u32, 40),
        (k, p, alpha) in (1..6usize, 1..4usize, 0.0..4.0f64),
    ) {
        let sensitive = Categories::new(codes[..space.rows()].to_vec());
        let categories = SensitivityCategories::new((0..5).collect(), 5).unwrap();
        let requirement = WeightRequirement::new(&sensitive, &categories, k, p, alpha);
        prop_assume!(requirement.is_ok());
        let requirement = requirement.unwrap();
        let start = Start::new(&space, &requirement, k, &mut Unwatched).unwrap();
        with_switching(&space, &requirement, &start.partition, |switching, meter| {
            switching.ask_all(f64::INFINITY, meter).unwrap();
            loop {
                agree(&space, &requirement, switching, meter);
                let before = measure(switching);
                if !switching.step(meter).unwrap() {
                    break;
                }
                assert!(measure(switching) < before);
            }
            requirement.check(&switching.groups.partition().unwrap()).unwrap();
        });
    }
}

/// Rows on a line, with categories of four and groups of two.
fn line(places: &[f64], codes: &[u32], act: impl FnOnce(&mut Switching, &mut Meter)) {
    let columns = vec![Column::Numeric(places.to_vec())];
    let space = Space::new(&Table::new(columns).unwrap(), false).unwrap();
    let sensitive = Categories::new(codes.to_vec());
    let categories = SensitivityCategories::new((0..4).collect(), 4).unwrap();
    let requirement = WeightRequirement::new(&sensitive, &categories, 2, 1, 1.0).unwrap();
    let groups = (0..places.len() as u32).map(|row| row / 2).collect();
    let partition = Partition::new(groups, places.len() / 2).unwrap();
    with_switching(&space, &requirement, &partition, act);
}

/// The group of the first row.
fn first_group(switching: &Switching) -> u32 {
    let rows = switching.groups.rows().order().iter();
    let first = rows.zip(0..).find(|(number, _)| **number == 0).unwrap();
    switching.groups.group_of(first.1)
}

#[test]
fn ties_go_to_the_earlier_row() {
    // on either side of the first group stands one that can spare a row, equally far
    let places = [0.0, 0.0, 4.0, 4.0, -4.0, -4.0];
    line(&places, &[0, 0, 3, 3, 3, 3], |switching, meter| {
        let best = switching
            .best_switch(first_group(switching), meter)
            .unwrap()
            .unwrap();
        let Exchange::Swap { a, b } = best.switch else {
            panic!("no group has a row more than k")
        };
        let number = |row: u32| switching.groups.rows().order()[row as usize];
        assert_eq!((number(a), number(b)), (0, 2));
    });
}

#[test]
fn a_group_that_nobody_can_help_merges_with_the_nearest() {
    // nobody has weight to spare
    let places = [0.0, 0.0, 9.0, 9.0, -4.0, -4.0];
    line(&places, &[0, 2, 3, 0, 3, 0], |switching, meter| {
        assert!(
            switching
                .best_switch(first_group(switching), meter)
                .unwrap()
                .is_none()
        );
        assert!(switching.run(f64::INFINITY, meter).unwrap());
        let partition = switching.groups.partition().unwrap();
        assert_eq!(partition.canonical(), [0, 0, 1, 1, 0, 0]);
    });
}
