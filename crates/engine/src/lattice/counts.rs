//! Rows become counts: how often each combination of key values occurs, and with which
//! sensitive values. All that a lattice search needs of a table.

use super::{Hierarchy, Lattice, values::Histograms};
use crate::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Takes rows one by one. Memory follows the distinct combinations, not the rows.
#[derive(Debug)]
pub struct Counter {
    hierarchies: Vec<Hierarchy>,
    lattice: Lattice,
    codes: Vec<u32>,
    rows: Vec<u64>,
    numbers: HashTable<u32>,
    cells: Vec<HashTable<Cell>>,
}

/// How often a sensitive value occurs with a combination of key values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub combination: u32,
    pub value: u32,
    pub count: u64,
}

impl Counter {
    /// For key columns with these hierarchies and a number of sensitive columns.
    pub fn new(hierarchies: Vec<Hierarchy>, sensitive: usize) -> Result<Self> {
        if hierarchies.is_empty() {
            return Err(Error::NoColumns);
        }
        let levels = hierarchies.iter().map(Hierarchy::levels).collect();
        Ok(Counter {
            lattice: Lattice::new(levels)?,
            hierarchies,
            codes: Vec::new(),
            rows: Vec::new(),
            numbers: HashTable::new(),
            cells: vec![HashTable::new(); sensitive],
        })
    }

    /// Counts a row by the codes of its key values (the base values of the hierarchies) and
    /// of its sensitive values; gives the number of its combination of key values.
    pub fn add(&mut self, keys: &[u32], sensitive: &[u32]) -> Result<u32> {
        self.check(keys, sensitive)?;
        let combination = self.combination(keys)?;
        self.rows[combination as usize] += 1;
        for (cells, &value) in self.cells.iter_mut().zip(sensitive) {
            count(cells, combination, value)?;
        }
        Ok(combination)
    }

    fn check(&self, keys: &[u32], sensitive: &[u32]) -> Result<()> {
        let known = |(code, hierarchy): (&u32, &Hierarchy)| (*code as usize) < hierarchy.values();
        let fits = keys.len() == self.hierarchies.len()
            && sensitive.len() == self.cells.len()
            && keys.iter().zip(&self.hierarchies).all(known);
        match fits {
            true => Ok(()),
            false => Err(Error::Broken("a row outside its hierarchies".into())),
        }
    }

    /// The number of a combination of key values, a new one if it has not been seen.
    fn combination(&mut self, keys: &[u32]) -> Result<u32> {
        let hash = hash_of(keys);
        let width = keys.len();
        let known = |codes: &[u32], number: u32| {
            let start = number as usize * width;
            hash_of(&codes[start..start + width])
        };
        let same = |&number: &u32| self.codes[number as usize * width..].starts_with(keys);
        if let Some(&number) = self.numbers.find(hash, same) {
            return Ok(number);
        }
        let number = number_of(self.rows.len())?;
        let bytes = self.codes.len() * size_of::<u32>();
        let full = |_| Error::OutOfMemory { bytes };
        self.codes.try_reserve(width).map_err(full)?;
        self.rows.try_reserve(1).map_err(full)?;
        let codes = &self.codes;
        let grown = self.numbers.try_reserve(1, |&number| known(codes, number));
        grown.map_err(|_| Error::OutOfMemory { bytes })?;
        self.codes.extend_from_slice(keys);
        self.rows.push(0);
        // the table has room for one more, so this never hashes the others again
        self.numbers.insert_unique(hash, number, |_| hash);
        Ok(number)
    }

    /// The counts of all rows.
    pub fn finish(self) -> Result<Counts> {
        let groups = self.rows.len();
        let histograms = self
            .cells
            .into_iter()
            .map(|cells| Histograms::new(groups, cells));
        Ok(Counts {
            sensitive: histograms.collect::<Result<_>>()?,
            hierarchies: self.hierarchies,
            lattice: self.lattice,
            codes: self.codes,
            total_rows: self.rows.iter().sum(),
            rows: self.rows,
        })
    }
}

fn number_of(combinations: usize) -> Result<u32> {
    let limit = u32::MAX as usize - 1;
    match u32::try_from(combinations) {
        Ok(number) if combinations < limit => Ok(number),
        _ => Err(Error::TooManyRows { limit }),
    }
}

/// Counts one more occurrence of a sensitive value with a combination.
fn count(cells: &mut HashTable<Cell>, combination: u32, value: u32) -> Result<()> {
    let hash = |cell: &Cell| hash_of(&[cell.combination, cell.value]);
    let cell = Cell {
        combination,
        value,
        count: 1,
    };
    let same = |other: &Cell| (other.combination, other.value) == (combination, value);
    if let Some(cell) = cells.find_mut(hash(&cell), same) {
        cell.count += 1;
        return Ok(());
    }
    let bytes = cells.len() * size_of::<Cell>();
    let grown = cells.try_reserve(1, hash);
    grown.map_err(|_| Error::OutOfMemory { bytes })?;
    cells.insert_unique(hash(&cell), cell, hash);
    Ok(())
}

fn hash_of(codes: &[u32]) -> u64 {
    FixedState::default().hash_one(codes)
}

/// The distinct combinations of key values of a table, how many rows each has and which
/// sensitive values occur with it how often.
#[derive(Debug, Clone)]
pub struct Counts {
    hierarchies: Vec<Hierarchy>,
    lattice: Lattice,
    /// the key codes of the combinations, one combination after the other
    codes: Vec<u32>,
    rows: Vec<u64>,
    total_rows: u64,
    sensitive: Vec<Histograms>,
}

impl Counts {
    pub fn hierarchies(&self) -> &[Hierarchy] {
        &self.hierarchies
    }

    /// The lattice that the hierarchies span.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// The number of distinct combinations of key values.
    pub fn combinations(&self) -> usize {
        self.rows.len()
    }

    /// The key codes of a combination.
    pub fn codes(&self, combination: u32) -> &[u32] {
        let width = self.hierarchies.len();
        &self.codes[combination as usize * width..][..width]
    }

    /// The number of all rows.
    pub fn total_rows(&self) -> u64 {
        self.total_rows
    }

    /// How often each value of each sensitive column occurs in all rows together.
    pub fn totals(&self) -> Vec<Vec<u64>> {
        self.sensitive.iter().map(Histograms::totals).collect()
    }

    /// The number of rows of each combination.
    pub(super) fn rows(&self) -> &[u64] {
        &self.rows
    }

    pub(super) fn sensitive(&self) -> &[Histograms] {
        &self.sensitive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter() -> Counter {
        let sex = Hierarchy::new(2, &[vec![0, 0]]).unwrap();
        let zip = Hierarchy::new(3, &[vec![0, 0, 1], vec![0; 3]]).unwrap();
        Counter::new(vec![sex, zip], 1).unwrap()
    }

    #[test]
    fn rows_are_counted_by_combination() {
        let mut counter = counter();
        let rows = [([0, 2], 5), ([1, 0], 5), ([0, 2], 7), ([0, 2], 5)];
        let added = rows.map(|(keys, value)| counter.add(&keys, &[value]).unwrap());
        assert_eq!(added, [0, 1, 0, 0]);
        let counts = counter.finish().unwrap();
        assert_eq!(counts.rows(), [3, 1]);
        assert_eq!(counts.codes(1), [1, 0]);
        assert_eq!(counts.sensitive()[0].of(0), [(5, 2), (7, 1)]);
        assert_eq!(counts.totals(), [[0, 0, 0, 0, 0, 3, 0, 1]]);
        assert_eq!(counts.lattice().nodes(), 6);
    }

    #[test]
    fn rows_that_do_not_fit_are_refused() {
        assert!(counter().add(&[2, 0], &[0]).is_err());
        assert!(counter().add(&[0], &[0]).is_err());
        assert!(counter().add(&[0, 0], &[]).is_err());
        assert!(Counter::new(vec![], 1).is_err());
    }
}
