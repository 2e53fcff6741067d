//! One value for each person who has several, for methods that look at one value of a point.
//!
//! Values are chosen so that persons have as different ones as possible. A group in which p of the
//! chosen values differ has p values that p different persons bring, which is what p promises by
//! persons. Where any choice makes p values differ, this one does.

use super::PersonRows;
use super::persons::renumbered;
use crate::run::allocation::{collected, filled, reserved};
use crate::{Categories, Partition, Result, limits, sorting};

const NONE: u32 = u32::MAX;

impl PersonRows {
    /// A value for each person. In each stratum, or among all where there are none, p of them
    /// differ if that is possible.
    pub fn representatives(
        &self,
        values: &Categories,
        strata: Option<&Categories>,
        p: usize,
    ) -> Result<Categories> {
        let own = OwnValues::new(self, values)?;
        let mut chosen = filled(self.len(), 0)?;
        let codes = match strata {
            Some(strata) => collected(strata.codes().iter().copied())?,
            None => filled(self.len(), 0)?,
        };
        let strata_of = strata.map_or(1, Categories::cardinality).min(codes.len());
        let strata = Partition::new(codes, strata_of)?.members()?;
        let mut choice = ValueChoice {
            own: &own,
            chosen: &mut chosen,
            counts: filled(values.cardinality(), 0)?,
            reached_by: filled(values.cardinality(), NONE)?,
        };
        for persons in strata.iter() {
            choice.make(persons, p)?;
        }
        renumbered(chosen)
    }
}

/// The distinct values of each person.
struct OwnValues {
    starts: Vec<usize>,
    values: Vec<u32>,
}

impl OwnValues {
    fn new(persons: &PersonRows, values: &Categories) -> Result<Self> {
        let members = persons.members()?;
        let mut own = OwnValues {
            starts: reserved(persons.len() + 1)?,
            values: reserved(values.codes().len())?,
        };
        own.starts.push(0);
        let mut some: Vec<u32> = Vec::new();
        for rows in members.iter() {
            some.clear();
            crate::allocation::make_room(&mut some, rows.len())?;
            some.extend(rows.iter().map(|&row| values.codes()[row as usize]));
            some.sort_unstable();
            some.dedup();
            own.values.extend_from_slice(&some);
            own.starts.push(own.values.len());
        }
        Ok(own)
    }

    fn of(&self, person: u32) -> &[u32] {
        &self.values[self.starts[person as usize]..self.starts[person as usize + 1]]
    }
}

/// The choice for the persons of a stratum.
struct ValueChoice<'a> {
    own: &'a OwnValues,
    chosen: &'a mut [u32],
    /// how many persons of the stratum have each value
    counts: Vec<u32>,
    /// who could change to a value so that another one is free
    reached_by: Vec<u32>,
}

impl ValueChoice<'_> {
    /// Persons with the fewest values come first; each takes the value that fewest have so far.
    fn make(&mut self, persons: &[u32], p: usize) -> Result<()> {
        let mut order = collected(persons.iter().copied())?;
        sorting::sort_by(&mut order, |a, b| {
            let many = |person: &u32| self.own.of(*person).len();
            (many(a), a).cmp(&(many(b), b))
        })?;
        let mut distinct = 0;
        for &person in &order {
            let values = self.own.of(person).iter().copied();
            let Some(value) = values.min_by_key(|&value| (self.counts[value as usize], value))
            else {
                continue;
            };
            distinct += usize::from(self.counts[value as usize] == 0);
            self.counts[value as usize] += 1;
            self.chosen[person as usize] = value;
        }
        while distinct < p && self.free_another(&order)? {
            distinct += 1;
        }
        for &person in &order {
            for &value in self.own.of(person) {
                self.counts[value as usize] = 0;
            }
        }
        Ok(())
    }

    /// Changes values along a path from one that several persons have to one that nobody has, if
    /// there is such a path.
    fn free_another(&mut self, persons: &[u32]) -> Result<bool> {
        limits::pulse()?;
        for &person in persons {
            for &value in self.own.of(person) {
                self.reached_by[value as usize] = NONE;
            }
        }
        let bearers = Bearers::new(self.chosen, persons)?;
        let mut open: Vec<u32> = reserved(self.own.values.len().min(self.counts.len()))?;
        let is_shared = |choice: &Self, value: u32| choice.counts[value as usize] > 1;
        open.extend(
            bearers
                .values(self.chosen)
                .filter(|&value| is_shared(self, value)),
        );
        let mut done = 0;
        while done < open.len() {
            for &person in bearers.of(open[done], self.chosen) {
                for &other in self.own.of(person) {
                    if self.reached_by[other as usize] != NONE || is_shared(self, other) {
                        continue;
                    }
                    self.reached_by[other as usize] = person;
                    if self.counts[other as usize] == 0 {
                        self.change(other);
                        return Ok(true);
                    }
                    open.push(other);
                }
            }
            done += 1;
        }
        Ok(false)
    }

    fn change(&mut self, mut value: u32) {
        self.counts[value as usize] += 1;
        loop {
            let person = self.reached_by[value as usize] as usize;
            let before = std::mem::replace(&mut self.chosen[person], value);
            if self.counts[before as usize] > 1 {
                self.counts[before as usize] -= 1;
                return;
            }
            value = before;
        }
    }
}

/// Persons sorted by the value that is theirs.
struct Bearers(Vec<u32>);

impl Bearers {
    fn new(chosen: &[u32], persons: &[u32]) -> Result<Self> {
        let mut sorted = collected(persons.iter().copied())?;
        let value = |person: &u32| chosen[*person as usize];
        sorting::sort_by(&mut sorted, |a, b| (value(a), a).cmp(&(value(b), b)))?;
        Ok(Bearers(sorted))
    }

    /// The values that somebody has, each once.
    fn values<'c>(&'c self, chosen: &'c [u32]) -> impl Iterator<Item = u32> + 'c {
        let same = |a: &u32, b: &u32| chosen[*a as usize] == chosen[*b as usize];
        self.0
            .chunk_by(same)
            .map(|persons| chosen[persons[0] as usize])
    }

    fn of(&self, value: u32, chosen: &[u32]) -> &[u32] {
        let below = |least: u32| {
            self.0
                .partition_point(|&person| chosen[person as usize] < least)
        };
        &self.0[below(value)..below(value + 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn persons_who_have_the_same_values_are_told_apart() {
        // everybody has both values: the rarest of each would be the same
        let persons = PersonRows::new(&Categories::new(vec![0, 0, 1, 1, 2, 2])).unwrap();
        let values = Categories::new(vec![0, 1, 0, 1, 0, 1]);
        let chosen = persons.representatives(&values, None, 2).unwrap();
        assert_eq!(chosen.codes(), [0, 1, 0]);
    }

    proptest! {
        #[test]
        fn p_values_differ_wherever_they_can(
            rows in prop::collection::vec((0..12u32, 0..6u32), 1..40),
            strata in 1..3u32,
            p in 1..6usize,
        ) {
            let all: Vec<u32> = (0..rows.len() as u32).collect();
            let persons = Categories::new(rows.iter().map(|row| row.0).collect());
            let persons = PersonRows::new(&persons.select(&all).unwrap()).unwrap();
            let values = Categories::new(rows.iter().map(|row| row.1).collect());
            let stratum = Categories::new((0..persons.len() as u32).map(|p| p % strata).collect());
            let chosen = persons.representatives(&values, Some(&stratum), p).unwrap();
            for one in 0..stratum.cardinality() as u32 {
                let (mut pairs, mut shown) = (Vec::new(), BTreeSet::new());
                for (row, &person) in persons.person_of().iter().enumerate() {
                    if stratum.codes()[person as usize] == one {
                        pairs.push((person, values.codes()[row]));
                        shown.insert(chosen.codes()[person as usize]);
                    }
                }
                // the fewest values and persons that touch every pair (König)
                let touching = |of_values: u32| {
                    let left = pairs.iter().filter(|pair| of_values >> pair.1 & 1 == 0);
                    let left: BTreeSet<u32> = left.map(|pair| pair.0).collect();
                    left.len() + of_values.count_ones() as usize
                };
                let possible = (0..1u32 << 6).map(touching).min().unwrap();
                prop_assert!(shown.len() >= p.min(possible) && shown.len() <= possible);
            }
        }
    }
}
