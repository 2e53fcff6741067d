//! Persons with several rows, all with the same value: anyone who knows that, and the groups in
//! which the rows may stand, guesses the value that most of these groups have.

use super::constant_persons_left::ConstantPersons;
use super::{NOWHERE, TornGroups};
use crate::run::Meter;
use crate::run::allocation::{filled, make_room, reserved};
use crate::{ColumnTally, Monitor, Partition, Phase, Result};

/// The rows that are attacked.
#[derive(Debug, Clone, Copy)]
pub struct RowsOfPersons<'a> {
    pub persons: &'a Partition,
    pub values: &'a [u32],
}

impl RowsOfPersons<'_> {
    /// What is left where everybody's own groups are known.
    pub fn in_groups(
        &self,
        group_of: &[u32],
        shown: &ColumnTally,
        least: usize,
        monitor: &mut dyn Monitor,
    ) -> Result<ConstantPersons> {
        let places = |rows: &[u32], _: &mut Meter, vote: &mut dyn FnMut(u32, f64)| {
            for &row in rows {
                vote(group_of[row as usize], 1.0);
            }
            Ok(())
        };
        self.attack(shown, least, places, monitor)
    }

    /// What is left where keys are shown as they are: `keys` has the keys of each row as one
    /// number, `released` those of each released row with its group.
    pub fn by_keys(
        &self,
        keys: &[u32],
        released: (&[u32], &[u32]),
        shown: &ColumnTally,
        least: usize,
        monitor: &mut dyn Monitor,
    ) -> Result<ConstantPersons> {
        let (released, group_of) = released;
        let all = keys.iter().chain(released).max();
        let all = all.map_or(0, |&top| top as usize + 1);
        let mut triples = reserved(released.len())?;
        let pairs = released.iter().zip(group_of);
        triples.extend(pairs.map(|(&key, &group)| (key, group, 1)));
        let groups_of = ColumnTally::new(all, &triples)?;
        let mut own = Vec::new();
        let places = |rows: &[u32], meter: &mut Meter, vote: &mut dyn FnMut(u32, f64)| {
            own.clear();
            make_room(&mut own, rows.len())?;
            own.extend(rows.iter().map(|&row| keys[row as usize]));
            own.sort_unstable();
            own.dedup();
            for &key in &own {
                let groups = groups_of.of(key as usize);
                meter.spend(groups.len())?;
                groups
                    .iter()
                    .for_each(|&(group, rows)| vote(group, rows as f64));
            }
            Ok(())
        };
        self.attack(shown, least, places, monitor)
    }

    /// What is left where the columns of groups are permuted: `keys` has the keys of each row.
    pub fn in_torn(
        &self,
        keys: &[Vec<u32>],
        torn: &TornGroups<'_>,
        shown: &ColumnTally,
        least: usize,
        monitor: &mut dyn Monitor,
    ) -> Result<ConstantPersons> {
        let places = |rows: &[u32], meter: &mut Meter, vote: &mut dyn FnMut(u32, f64)| {
            for (place, &row) in rows.iter().enumerate() {
                let own = &keys[row as usize];
                if !rows[..place].iter().any(|&row| keys[row as usize] == *own) {
                    torn.weigh(own, meter, |group, weight| vote(group as u32, weight))?;
                }
            }
            Ok(())
        };
        self.attack(shown, least, places, monitor)
    }

    /// `places` hands over the groups in which some rows may stand, each with a weight.
    fn attack(
        &self,
        shown: &ColumnTally,
        least: usize,
        mut places: impl FnMut(&[u32], &mut Meter, &mut dyn FnMut(u32, f64)) -> Result<()>,
        monitor: &mut dyn Monitor,
    ) -> Result<ConstantPersons> {
        let mut meter = Meter::start(monitor, Phase::Checking, self.values.len());
        let codes = shown.iter().flatten().map(|cell| cell.0 as usize + 1).max();
        let mut votes: Vec<f64> = filled(codes.unwrap_or(0), 0.0)?;
        let mut voted: Vec<u32> = reserved(votes.len())?;
        let mut found = ConstantPersons::default();
        for rows in self.persons.members()?.iter() {
            meter.grouped(rows.len());
            meter.spend(rows.len())?;
            let value = |row: u32| self.values[row as usize];
            if rows.len() < 2 || rows.iter().any(|&row| value(row) != value(rows[0])) {
                continue;
            }
            places(rows, &mut meter, &mut |group, weight| {
                let cells = match group {
                    NOWHERE => &[],
                    group => shown.of(group as usize),
                };
                for &(value, _) in cells {
                    let votes = &mut votes[value as usize];
                    if *votes == 0.0 {
                        voted.push(value);
                    }
                    *votes += weight;
                }
            })?;
            found.count(&votes, &voted, value(rows[0]), least as u64);
            voted
                .drain(..)
                .for_each(|value| votes[value as usize] = 0.0);
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Categories, Tally, Unwatched};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn values_left_are_those_that_all_groups_share(
            drawn in prop::collection::vec((0..5u32, 0..4u32, 0..6u32), 1..40),
        ) {
            // no person and no group without a row
            let mut rows = drawn;
            rows.extend((0..6).map(|group| (group % 5, group % 4, group)));
            let values: Vec<u32> = rows.iter().map(|row| row.1).collect();
            let group_of: Vec<u32> = rows.iter().map(|row| row.2).collect();
            let persons = Partition::new(rows.iter().map(|row| row.0).collect(), 5).unwrap();
            let groups = Partition::new(group_of.clone(), 6).unwrap();
            let tally = Tally::new(&groups, &[&Categories::new(values.clone())]).unwrap();
            let rows_of = RowsOfPersons { persons: &persons, values: &values };
            let found = rows_of.in_groups(&group_of, &tally.columns()[0], 2, &mut Unwatched).unwrap();
            let mut expected = ConstantPersons::default();
            for person in 0..5 {
                let own: Vec<_> = rows.iter().filter(|row| row.0 == person).collect();
                if own.len() < 2 || own.iter().any(|row| row.1 != own[0].1) {
                    continue;
                }
                let shared = own.iter().map(|own| {
                    let here = rows.iter().filter(|row| row.2 == own.2);
                    BTreeSet::from_iter(here.map(|row| row.1))
                });
                let left = shared.reduce(|a, b| &a & &b).unwrap().len() as u64;
                expected.persons += 1;
                expected.right += 1.0 / left as f64;
                expected.least = Some(expected.least.map_or(left, |least| least.min(left)));
                expected.fewer += u64::from(left < 2);
            }
            prop_assert!((found.right - expected.right).abs() < 1e-9);
            expected.right = found.right;
            prop_assert_eq!(found, expected);
        }
    }
}
