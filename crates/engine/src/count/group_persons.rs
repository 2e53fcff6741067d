//! The persons of one group and the sensitive values that they bring.
//!
//! A person with several rows may bring several values. How many values a group has for p is the
//! largest number of values that as many different persons bring, one each. However many persons
//! of a group somebody knows everything about, each of them takes at most one value away from
//! what is left: without any m of its persons a group of p values still has p - m. With one row
//! for each person this is the number of distinct values.

use crate::run::allocation::{filled, make_room, reserved};
use crate::{Error, Result};

/// A value that nobody brings yet, or a person who brings none.
const NONE: u32 = u32::MAX;

/// Persons and values of the group at hand. Its memory is used again from group to group.
#[derive(Debug, Default)]
pub struct GroupPersons {
    /// (person, value), sorted and each once as soon as they are counted
    pairs: Vec<(u32, u32)>,
    /// where the values of each person begin, and the end of all
    starts: Vec<usize>,
    /// for each person the value brought, and the next one to look at
    brings: Vec<u32>,
    next: Vec<usize>,
    /// for each value of the column who brings it, who looked at it, and in which search
    brought_by: Vec<u32>,
    looked_by: Vec<u32>,
    looked_at: Vec<u64>,
    search: u64,
    path: Vec<u32>,
}

impl GroupPersons {
    /// With room for so many pairs and for values numbered below `values`.
    pub fn new(pairs: usize, values: usize) -> Result<Self> {
        Ok(GroupPersons {
            pairs: reserved(pairs)?,
            starts: reserved(pairs + 1)?,
            brings: reserved(pairs)?,
            next: reserved(pairs)?,
            brought_by: filled(values, NONE)?,
            looked_by: filled(values, NONE)?,
            looked_at: filled(values, 0)?,
            search: 0,
            path: reserved(pairs)?,
        })
    }

    /// Takes a person who has a value; the same pair may come again.
    pub fn add(&mut self, person: u32, value: u32) -> Result<()> {
        make_room(&mut self.pairs, 1)?;
        self.pairs.push((person, value));
        Ok(())
    }

    /// Counts what was added since the last group, and forgets it.
    pub fn count(&mut self) -> Result<PersonFigures> {
        self.sort()?;
        let figures = PersonFigures {
            persons: self.brings.len() as u64,
            values: self.values(),
            brought: self.brought()?,
            most_frequent: self.most_frequent(),
        };
        self.pairs.clear();
        Ok(figures)
    }

    /// Puts the pairs of each person side by side.
    fn sort(&mut self) -> Result<()> {
        crate::sorting::sort_by(&mut self.pairs, |a, b| a.cmp(b))?;
        self.pairs.dedup();
        let top = self.pairs.iter().map(|pair| pair.1 as usize + 1).max();
        self.widen(top.unwrap_or(0))?;
        self.starts.clear();
        self.brings.clear();
        let (pairs, mut last) = (self.pairs.len(), NONE);
        for lists in [&mut self.starts, &mut self.next] {
            lists.clear();
            make_room(lists, pairs + 1)?;
        }
        for list in [&mut self.brings, &mut self.path] {
            list.clear();
            make_room(list, pairs)?;
        }
        for (place, &(person, value)) in self.pairs.iter().enumerate() {
            self.brought_by[value as usize] = NONE;
            if self.brings.is_empty() || person != last {
                self.starts.push(place);
                self.brings.push(NONE);
            }
            last = person;
        }
        self.starts.push(pairs);
        Ok(())
    }

    fn widen(&mut self, values: usize) -> Result<()> {
        let more = values.saturating_sub(self.brought_by.len());
        make_room(&mut self.brought_by, more)?;
        make_room(&mut self.looked_by, more)?;
        make_room(&mut self.looked_at, more)?;
        let width = self.brought_by.len() + more;
        self.brought_by.resize(width, NONE);
        self.looked_by.resize(width, NONE);
        self.looked_at.resize(width, 0);
        Ok(())
    }

    /// How many distinct values there are.
    fn values(&mut self) -> u64 {
        self.search += 1;
        let mut distinct = 0;
        for &(_, value) in &self.pairs {
            let last = &mut self.looked_at[value as usize];
            distinct += u64::from(*last != self.search);
            *last = self.search;
        }
        distinct
    }

    /// How many persons have the value that most of them have.
    fn most_frequent(&mut self) -> u64 {
        for &(_, value) in &self.pairs {
            self.looked_by[value as usize] = 0;
        }
        let mut most = 0;
        for &(_, value) in &self.pairs {
            let count = &mut self.looked_by[value as usize];
            *count += 1;
            most = most.max(*count);
        }
        u64::from(most)
    }

    /// The largest number of values that different persons bring: a maximum matching. Rounds of
    /// searches for a person whose bringing one more value lets all others bring theirs.
    fn brought(&mut self) -> Result<u64> {
        let (persons, values) = (self.brings.len() as u64, self.values());
        let mut brought = 0;
        loop {
            let before = brought;
            self.search += 1;
            self.next.clear();
            self.next
                .extend_from_slice(&self.starts[..persons as usize]);
            for person in 0..persons as u32 {
                if brought == persons.min(values) {
                    return Ok(brought);
                }
                if self.brings[person as usize] == NONE && self.finds(person)? {
                    brought += 1;
                }
            }
            crate::limits::pulse()?;
            if brought == before {
                return Ok(brought);
            }
        }
    }

    /// Whether a person can bring a value, after others have changed theirs where they must.
    fn finds(&mut self, person: u32) -> Result<bool> {
        self.path.clear();
        self.path.push(person);
        while let Some(&person) = self.path.last() {
            let place = self.next[person as usize];
            if place == self.starts[person as usize + 1] {
                self.path.pop();
                continue;
            }
            self.next[person as usize] += 1;
            let value = self.pairs[place].1 as usize;
            if self.looked_at[value] == self.search {
                continue;
            }
            self.looked_at[value] = self.search;
            self.looked_by[value] = person;
            match self.brought_by[value] {
                NONE => return self.change(value as u32).map(|()| true),
                other => self.path.push(other),
            }
        }
        Ok(false)
    }

    /// Everybody on the path brings the value that they looked at last.
    fn change(&mut self, mut value: u32) -> Result<()> {
        for _ in 0..self.path.len() {
            let person = self.looked_by[value as usize];
            let before = std::mem::replace(&mut self.brings[person as usize], value);
            self.brought_by[value as usize] = person;
            if before == NONE {
                return Ok(());
            }
            value = before;
        }
        Err(Error::Broken("a path of values without an end".into()))
    }
}

/// What is known of the persons of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PersonFigures {
    pub persons: u64,
    /// the distinct values that they have
    pub values: u64,
    /// the largest number of values that different persons bring
    pub brought: u64,
    /// how many persons have the value that most of them have
    pub most_frequent: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn counted(persons: &mut GroupPersons, pairs: &[(u32, u32)]) -> PersonFigures {
        for &(person, value) in pairs {
            persons.add(person, value).unwrap();
        }
        persons.count().unwrap()
    }

    #[test]
    fn one_person_brings_one_value() {
        let mut persons = GroupPersons::default();
        // three values, but two of them are only the first person's
        let figures = counted(
            &mut persons,
            &[(7, 0), (7, 1), (7, 2), (8, 0), (9, 0), (7, 1)],
        );
        let expected = PersonFigures {
            persons: 3,
            values: 3,
            brought: 2,
            most_frequent: 3,
        };
        assert_eq!(figures, expected);
        assert_eq!(counted(&mut persons, &[(1, 5), (2, 5), (3, 4)]).brought, 2);
        assert_eq!(persons.count().unwrap().brought, 0);
    }

    #[test]
    fn persons_change_their_values_where_others_have_no_choice() {
        // 0 may bring 0 or 1, 1 may bring 1 or 2, 2 only 0, 3 only 1
        let pairs = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 0), (3, 1)];
        assert_eq!(counted(&mut GroupPersons::default(), &pairs).brought, 3);
    }

    /// The definition: the least m + values of the others, over all sets of m persons.
    fn without_known_persons(pairs: &[(u32, u32)]) -> u64 {
        let known = 0..1u32 << 7;
        let left = |known: u32| {
            let others = pairs.iter().filter(|pair| known >> pair.0 & 1 == 0);
            let values: BTreeSet<u32> = others.map(|pair| pair.1).collect();
            u64::from(known.count_ones()) + values.len() as u64
        };
        known.map(left).min().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn known_persons_take_one_value_each_away(
            groups in prop::collection::vec(prop::collection::vec((0..7u32, 0..8u32), 0..25), 1..4),
        ) {
            let mut persons = GroupPersons::default();
            for pairs in groups {
                let figures = counted(&mut persons, &pairs);
                let of = |which: fn(&(u32, u32)) -> u32| {
                    pairs.iter().map(which).collect::<BTreeSet<u32>>()
                };
                let having = |value: u32| {
                    let bearers = pairs.iter().filter(|pair| pair.1 == value);
                    bearers.map(|pair| pair.0).collect::<BTreeSet<u32>>().len()
                };
                let most = of(|pair| pair.1).into_iter().map(having).max();
                prop_assert_eq!(figures.persons, of(|pair| pair.0).len() as u64);
                prop_assert_eq!(figures.values, of(|pair| pair.1).len() as u64);
                prop_assert_eq!(figures.most_frequent, most.unwrap_or(0) as u64);
                prop_assert_eq!(figures.brought, without_known_persons(&pairs));
            }
        }
    }
}
