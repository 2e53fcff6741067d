//! The persons who have the most rows, all of one value, of those who are in no block yet.

use super::falling_order::FallingOrder;
use super::values_in_order::{NearestValues, ValuesInOrder};
use crate::Result;
use crate::run::allocation::{filled, make_room};
use crate::run::sorting;
use std::cmp::Reverse;

/// Persons with several rows of one value. Those with the most rows have their turn: what is
/// known of them is made anew when the last of them has left.
pub(super) struct LargestPersons<'a> {
    positions: Option<&'a [u64]>,
    /// those who had their turn, then the others; most rows first
    all: Vec<ConstantPerson>,
    next: usize,
    /// the rows of each of those whose turn it is, and how many they are
    rows: usize,
    persons: usize,
    /// how many they are of each value
    counts: Vec<u32>,
    /// their values by the rows that these have left, and by their persons first
    by_rows: FallingOrder<usize>,
    by_persons: FallingOrder<(u32, usize)>,
    /// their values where they stand, if they have positions
    places: ValuesInOrder,
}

struct ConstantPerson {
    rows: u32,
    value: u32,
    person: u32,
}

impl<'a> LargestPersons<'a> {
    pub(super) fn new(values: usize, positions: Option<&'a [u64]>) -> Result<Self> {
        Ok(LargestPersons {
            positions,
            all: Vec::new(),
            next: 0,
            rows: 0,
            persons: 0,
            counts: filled(values, 0)?,
            by_rows: FallingOrder::new(),
            by_persons: FallingOrder::new(),
            places: ValuesInOrder::default(),
        })
    }

    /// Adds a person; of those with one row nothing is kept.
    pub(super) fn put(&mut self, person: u32, value: usize, rows: usize) -> Result<()> {
        if rows > 1 {
            make_room(&mut self.all, 1)?;
            self.all.push(ConstantPerson {
                rows: rows as u32,
                value: value as u32,
                person,
            });
        }
        Ok(())
    }

    /// Puts the persons in order once all are there.
    pub(super) fn sort(&mut self) -> Result<()> {
        let position = |person: u32| self.positions.map_or(0, |of| of[person as usize]);
        let key = |of: &ConstantPerson| (Reverse(of.rows), position(of.person), of.person);
        sorting::sort_by_key(&mut self.all, key)
    }

    /// The value of the persons with the most rows, and these rows; of several values that with
    /// the most rows left. `is_free` says who is in no block.
    pub(super) fn next(
        &mut self,
        rows_left: impl Fn(usize) -> usize,
        is_free: impl Fn(u32) -> bool,
    ) -> Result<Option<(usize, usize)>> {
        while self.persons == 0 {
            let Some(largest) = self.all.get(self.next) else {
                return Ok(None);
            };
            let rows = largest.rows;
            let alike = self.all[self.next..].partition_point(|of| of.rows == rows);
            self.turn_to(alike, &rows_left, &is_free)?;
        }
        let counts = &self.counts;
        let key = |value: usize| (counts[value] > 0).then(|| rows_left(value));
        let first = self.by_rows.first(1, key)?;
        Ok(first.first().map(|&value| (value, self.rows)))
    }

    /// It is the turn of the next persons.
    fn turn_to(
        &mut self,
        alike: usize,
        rows_left: impl Fn(usize) -> usize,
        is_free: impl Fn(u32) -> bool,
    ) -> Result<()> {
        let (mut values, mut places) = (Vec::new(), Vec::new());
        for of in &self.all[self.next..self.next + alike] {
            self.rows = of.rows as usize;
            if !is_free(of.person) {
                continue;
            }
            if let Some(positions) = self.positions {
                make_room(&mut places, 1)?;
                places.push((positions[of.person as usize], of.value));
            }
            let count = &mut self.counts[of.value as usize];
            if *count == 0 {
                make_room(&mut values, 1)?;
                values.push(of.value);
            }
            *count += 1;
            self.persons += 1;
        }
        self.next += alike;
        self.places = ValuesInOrder::new(&places)?;
        let counts = &self.counts;
        let key = |value: usize| Some((counts[value], rows_left(value)));
        self.by_rows
            .refill(&values, |value| Some(rows_left(value)))?;
        self.by_persons.refill(&values, key)
    }

    /// A person leaves, whether it is their turn or not.
    pub(super) fn leave(&mut self, person: u32, value: usize, rows: usize) {
        if rows == self.rows {
            self.counts[value] -= 1;
            self.persons -= 1;
            if let Some(positions) = self.positions {
                self.places.remove(positions[person as usize]);
            }
        }
    }

    pub(super) fn persons(&self) -> usize {
        self.persons
    }

    /// How many of the persons have a value.
    pub(super) fn count(&self, value: usize) -> usize {
        self.counts[value] as usize
    }

    /// The values that most of the persons have; of several those with the most rows left.
    pub(super) fn most_frequent(
        &mut self,
        wanted: usize,
        rows_left: impl Fn(usize) -> usize,
    ) -> Result<Vec<usize>> {
        let counts = &self.counts;
        let key = |value: usize| (counts[value] > 0).then(|| (counts[value], rows_left(value)));
        self.by_persons.first(wanted, key)
    }

    /// The values of those nearest to a position, but for one value.
    pub(super) fn nearest(
        &self,
        position: u64,
        other_than: usize,
        wanted: usize,
        most: usize,
    ) -> Result<NearestValues> {
        self.places.nearest(position, other_than, wanted, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two persons of three rows, three of two, in positions of ten times their number.
    fn five(positions: &[u64]) -> LargestPersons<'_> {
        let mut largest = LargestPersons::new(3, Some(positions)).unwrap();
        let persons = [(1, 2), (0, 3), (2, 2), (0, 2), (1, 3), (2, 1)];
        for (person, (value, rows)) in (0..).zip(persons) {
            largest.put(person, value, rows).unwrap();
        }
        largest.sort().unwrap();
        largest
    }

    #[test]
    fn persons_have_their_turn_by_their_rows() {
        let positions: Vec<u64> = (0..6).map(|person| person * 10).collect();
        let mut largest = five(&positions);
        let rows_left = |value: usize| [9, 7, 8][value];
        assert_eq!(largest.next(rows_left, |_| true).unwrap(), Some((0, 3)));
        assert_eq!((largest.persons(), largest.count(1)), (2, 1));
        assert_eq!(largest.most_frequent(5, rows_left).unwrap(), [0, 1]);
        largest.leave(1, 0, 3);
        assert_eq!(largest.next(rows_left, |_| true).unwrap(), Some((1, 3)));
        // somebody with fewer rows joins a block before their turn
        largest.leave(0, 1, 2);
        largest.leave(4, 1, 3);
        let free = |person: u32| person != 0;
        assert_eq!(largest.next(rows_left, free).unwrap(), Some((0, 2)));
        assert_eq!(largest.count(1), 0);
        largest.leave(2, 2, 2);
        largest.leave(3, 0, 2);
        assert_eq!(largest.next(rows_left, free).unwrap(), None);
    }

    #[test]
    fn the_nearest_values_are_found_around_a_position() {
        let positions: Vec<u64> = (0..6).map(|person| person * 10).collect();
        let mut largest = five(&positions);
        largest.next(|_| 1, |_| true).unwrap();
        largest.leave(1, 0, 3);
        largest.leave(4, 1, 3);
        largest.next(|_| 1, |_| true).unwrap();
        let nearest = |position| largest.nearest(position, 1, 2, 99).unwrap().values;
        assert_eq!(nearest(0), [2, 0]);
        assert_eq!(nearest(28), [0, 2]);
    }
}
