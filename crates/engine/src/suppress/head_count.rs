//! Rows counted as such, or by the persons that they are about.

use super::alike_groups::Numbered;
use crate::run::allocation;
use crate::{Result, sorting};

/// Counts rows; of one person's rows only one, where persons are told apart.
pub(super) struct HeadCount<'a> {
    person_of: Option<&'a [u32]>,
    /// for each person the count in which a row was last seen
    last: Vec<u64>,
    count: u64,
}

impl<'a> HeadCount<'a> {
    pub fn new(person_of: Option<&'a [u32]>) -> Result<Self> {
        let persons = person_of.and_then(|persons| persons.iter().max());
        let persons = persons.map_or(0, |&top| top as usize + 1);
        Ok(HeadCount {
            person_of,
            last: allocation::filled(persons, 0)?,
            count: 0,
        })
    }

    /// Whether persons are told apart.
    pub fn tells_persons(&self) -> bool {
        self.person_of.is_some()
    }

    /// How many rows or persons these rows are.
    pub fn of(&mut self, rows: &[u32]) -> usize {
        let Some(person_of) = self.person_of else {
            return rows.len();
        };
        self.count += 1;
        let mut heads = 0;
        for &row in rows {
            let last = &mut self.last[person_of[row as usize] as usize];
            heads += usize::from(*last != self.count);
            *last = self.count;
        }
        heads
    }

    /// How many rows or persons there are of each number; all rows are numbered.
    pub fn of_numbers(&self, alike: &Numbered) -> Result<Vec<usize>> {
        let mut heads = allocation::filled(alike.groups, 0)?;
        let Some(person_of) = self.person_of else {
            for &number in &alike.number_of {
                heads[number as usize] += 1;
            }
            return Ok(heads);
        };
        let numbers = alike.number_of.iter().copied();
        let pairs = numbers.zip(person_of.iter().copied());
        let mut pairs: Vec<(u32, u32)> = allocation::collected(pairs)?;
        sorting::sort_by(&mut pairs, |a, b| a.cmp(b))?;
        pairs.dedup();
        for (number, _) in pairs {
            heads[number as usize] += 1;
        }
        Ok(heads)
    }
}
