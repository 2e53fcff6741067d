//! The persons with one value, by how many rows they have.

use crate::Result;
use crate::run::allocation::{filled, make_room};
use std::collections::BTreeMap;

/// Persons who are in no block yet.
#[derive(Default)]
pub(super) struct ValueStock {
    by_size: BTreeMap<usize, Vec<u32>>,
}

impl ValueStock {
    pub(super) fn put(&mut self, person: u32, rows: usize) -> Result<()> {
        let persons = self.by_size.entry(rows).or_default();
        make_room(persons, 1)?;
        persons.push(person);
        Ok(())
    }

    /// The most rows that a person has; 0 without any.
    pub(super) fn largest(&self) -> usize {
        self.by_size.last_key_value().map_or(0, |(&size, _)| size)
    }

    /// Takes a person with so many rows, who must be there.
    pub(super) fn take(&mut self, rows: usize) -> u32 {
        let persons = self.by_size.get_mut(&rows);
        let Some((person, none_left)) =
            persons.and_then(|persons| Some((persons.pop()?, persons.is_empty())))
        else {
            return u32::MAX;
        };
        if none_left {
            self.by_size.remove(&rows);
        }
        person
    }

    /// Sizes of persons who have so many rows together, as few of one row as can be.
    pub(super) fn fill(&self, rows: usize) -> Result<Option<Vec<usize>>> {
        if rows == 0 || self.by_size.contains_key(&rows) {
            return Ok(Some(if rows == 0 { Vec::new() } else { vec![rows] }));
        }
        let singles = self.by_size.get(&1).map_or(0, Vec::len);
        // of each sum the size that was added last
        let mut last = filled(rows + 1, 0usize)?;
        let mut used = filled(rows + 1, 0usize)?;
        let is_reached = |last: &[usize], sum: usize| sum == 0 || last[sum] > 0;
        for (&size, persons) in self.by_size.range(2..=rows.max(2)).rev() {
            used.fill(0);
            for sum in size..=rows {
                let before = sum - size;
                let open = last[sum] == 0 && used[before] < persons.len();
                if open && is_reached(&last, before) {
                    last[sum] = size;
                    used[sum] = used[before] + 1;
                }
            }
        }
        let reached = (0..=rows).rev().find(|&sum| is_reached(&last, sum));
        let mut sum = reached.unwrap_or(0);
        let missing = rows - sum;
        if missing > singles {
            return Ok(None);
        }
        let mut sizes = filled(missing, 1)?;
        while sum > 0 {
            make_room(&mut sizes, 1)?;
            sizes.push(last[sum]);
            sum -= last[sum];
        }
        Ok(Some(sizes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sizes_add_up_if_any_do(sizes in prop::collection::vec(1..7usize, 0..9), rows in 0..20usize) {
            let mut stock = ValueStock::default();
            for (person, &size) in (0..).zip(&sizes) {
                stock.put(person, size).unwrap();
            }
            let subset = |set: u32| {
                let chosen = (0..sizes.len()).filter(|place| set >> place & 1 == 1);
                chosen.map(|place| sizes[place]).sum::<usize>()
            };
            let possible = (0..1u32 << sizes.len()).any(|set| subset(set) == rows);
            let found = stock.fill(rows).unwrap();
            prop_assert_eq!(found.is_some(), possible);
            for size in found.iter().flatten() {
                prop_assert!(stock.take(*size) != u32::MAX);
            }
            prop_assert_eq!(found.map_or(rows, |sizes| sizes.iter().sum()), rows);
        }
    }
}
