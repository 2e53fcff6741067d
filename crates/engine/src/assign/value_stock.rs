//! The persons with one value, by how many rows they have.

use super::persons_in_order::PersonsInOrder;
use crate::Result;
use crate::run::allocation::{filled, make_room};
use std::collections::BTreeMap;

/// Persons who are in no block yet.
#[derive(Default)]
pub(super) struct ValueStock {
    by_size: BTreeMap<usize, PersonsInOrder>,
}

impl ValueStock {
    /// Adds a person. Persons come in the order of their positions.
    pub(super) fn put(&mut self, person: u32, rows: usize, position: u64) -> Result<()> {
        let persons = self.by_size.entry(rows).or_default();
        persons.push(person, position)
    }

    /// The most rows that a person has; 0 without any.
    pub(super) fn largest(&self) -> usize {
        self.by_size.last_key_value().map_or(0, |(&size, _)| size)
    }

    /// How many persons have so many rows.
    pub(super) fn count(&self, rows: usize) -> usize {
        self.by_size.get(&rows).map_or(0, PersonsInOrder::left)
    }

    /// How far the nearest person with so many rows is from a position.
    pub(super) fn distance(&mut self, rows: usize, position: u64) -> Option<u64> {
        let persons = self.by_size.get_mut(&rows)?;
        let nearest = persons.nearest(position);
        Some(persons.position(nearest).abs_diff(position))
    }

    /// Takes the person with so many rows, who must be there, that is nearest to a position.
    pub(super) fn take(&mut self, rows: usize, position: u64) -> u32 {
        let Some(persons) = self.by_size.get_mut(&rows) else {
            return u32::MAX;
        };
        let nearest = persons.nearest(position);
        let person = persons.remove(nearest);
        if persons.left() == 0 {
            self.by_size.remove(&rows);
        }
        person
    }

    /// Sizes of persons who have so many rows together, as few of one row as can be.
    pub(super) fn fill(&self, rows: usize) -> Result<Option<Vec<usize>>> {
        if rows == 0 || self.by_size.contains_key(&rows) {
            return Ok(Some(if rows == 0 { Vec::new() } else { vec![rows] }));
        }
        let singles = self.count(1);
        // of each sum the size that was added last
        let mut last = filled(rows + 1, 0usize)?;
        let mut used = filled(rows + 1, 0usize)?;
        let is_reached = |last: &[usize], sum: usize| sum == 0 || last[sum] > 0;
        for (&size, persons) in self.by_size.range(2..=rows.max(2)).rev() {
            used.fill(0);
            for sum in size..=rows {
                let before = sum - size;
                let open = last[sum] == 0 && used[before] < persons.left();
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
                stock.put(person, size, 0).unwrap();
            }
            let subset = |set: u32| {
                let chosen = (0..sizes.len()).filter(|place| set >> place & 1 == 1);
                chosen.map(|place| sizes[place]).sum::<usize>()
            };
            let possible = (0..1u32 << sizes.len()).any(|set| subset(set) == rows);
            let found = stock.fill(rows).unwrap();
            prop_assert_eq!(found.is_some(), possible);
            for size in found.iter().flatten() {
                prop_assert!(stock.take(*size, 0) != u32::MAX);
            }
            prop_assert_eq!(found.map_or(rows, |sizes| sizes.iter().sum()), rows);
        }

        #[test]
        fn the_nearest_person_is_taken(
            mut positions in prop::collection::vec(0..50u64, 1..30),
            near in prop::collection::vec(0..60u64, 30),
        ) {
            positions.sort_unstable();
            let mut stock = ValueStock::default();
            for (person, &position) in (0..).zip(&positions) {
                stock.put(person, 2, position).unwrap();
            }
            let mut left: Vec<u32> = (0..positions.len() as u32).collect();
            for position in near.into_iter().take(positions.len()) {
                let distance = |person: u32| positions[person as usize].abs_diff(position);
                let least = left.iter().map(|&person| distance(person)).min();
                prop_assert_eq!(stock.distance(2, position), least);
                let taken = stock.take(2, position);
                prop_assert_eq!(Some(distance(taken)), least);
                let place = left.iter().position(|&person| person == taken);
                left.remove(place.unwrap());
                prop_assert_eq!(stock.count(2), left.len());
            }
            prop_assert_eq!(stock.largest(), 0);
        }
    }
}
