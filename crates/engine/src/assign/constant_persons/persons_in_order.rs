//! The rows of persons, and persons in the order of their positions: the nearest to a position, as
//! long as it is there.

use crate::Result;
use crate::run::allocation::{filled, make_room};

/// Nobody is left below.
const NOBODY: u32 = u32::MAX;

/// Persons in the order of their positions, of whom some have left.
#[derive(Default)]
pub(super) struct PersonsInOrder {
    of: Vec<PersonAt>,
    left: usize,
}

struct PersonAt {
    position: u64,
    person: u32,
    /// a place up to which nobody is left from here on, either way; the own one if still here
    above: u32,
    below: u32,
}

impl PersonsInOrder {
    pub(super) fn push(&mut self, person: u32, position: u64) -> Result<()> {
        let place = self.of.len() as u32;
        make_room(&mut self.of, 1)?;
        self.of.push(PersonAt {
            position,
            person,
            above: place,
            below: place,
        });
        self.left += 1;
        Ok(())
    }

    /// Where the nearest person stands; somebody must be left.
    pub(super) fn nearest(&mut self, position: u64) -> usize {
        let place = self.of.partition_point(|at| at.position < position);
        let above = self.above(place);
        match place.checked_sub(1).and_then(|place| self.below(place)) {
            None => above.unwrap_or(0),
            Some(below) => above.map_or(below, |above| {
                let distance = |place: usize| self.of[place].position.abs_diff(position);
                match distance(below) <= distance(above) {
                    true => below,
                    false => above,
                }
            }),
        }
    }

    /// The first person from a place on.
    fn above(&mut self, mut place: usize) -> Option<usize> {
        while place < self.of.len() && self.of[place].above as usize != place {
            let next = self.of[place].above as usize;
            // half of the way is enough next time
            if next < self.of.len() {
                self.of[place].above = self.of[next].above;
            }
            place = self.of[place].above as usize;
        }
        (place < self.of.len()).then_some(place)
    }

    /// The last person up to a place.
    fn below(&mut self, mut place: usize) -> Option<usize> {
        while self.of[place].below as usize != place {
            let next = self.of[place].below;
            if next == NOBODY {
                return None;
            }
            self.of[place].below = self.of[next as usize].below;
            if self.of[place].below == NOBODY {
                return None;
            }
            place = self.of[place].below as usize;
        }
        Some(place)
    }

    /// The person at a place leaves.
    pub(super) fn remove(&mut self, place: usize) -> u32 {
        self.of[place].above = place as u32 + 1;
        self.of[place].below = (place as u32).checked_sub(1).unwrap_or(NOBODY);
        self.left -= 1;
        self.of[place].person
    }

    pub(super) fn left(&self) -> usize {
        self.left
    }

    pub(super) fn position(&self, place: usize) -> u64 {
        self.of[place].position
    }
}

/// The rows of each person.
pub(super) fn rows_of_persons(persons: &[u32]) -> Result<Vec<Vec<u32>>> {
    let number = persons.iter().max().map_or(0, |&top| top as usize + 1);
    let mut rows_of: Vec<Vec<u32>> = filled(number, Vec::new())?;
    for (row, &person) in (0..).zip(persons) {
        make_room(&mut rows_of[person as usize], 1)?;
        rows_of[person as usize].push(row);
    }
    Ok(rows_of)
}
