//! Counting groups and the sensitive values within them, as rows come by: what the SQL
//! aggregates keep. Memory follows the groups and their values, not the rows.

use crate::{ColumnTally, Error, Interner, Result, Tally};
use hashbrown::HashTable;

/// Rows per group and, per sensitive column, rows per (group, value). Keys and values are
/// byte strings that are equal when the values behind them are.
#[derive(Debug, Clone, Default)]
pub struct GroupCounts {
    keys: Interner,
    sizes: Vec<u64>,
    columns: Vec<ValueCounts>,
}

/// The values of one sensitive column.
#[derive(Debug, Clone, Default)]
struct ValueCounts {
    values: Interner,
    cells: HashTable<Cell>,
}

#[derive(Debug, Clone, Copy)]
struct Cell {
    group: u32,
    value: u32,
    rows: u64,
}

impl GroupCounts {
    /// Counts for this many sensitive columns.
    pub fn new(columns: usize) -> Self {
        GroupCounts {
            columns: vec![ValueCounts::default(); columns],
            ..Default::default()
        }
    }

    /// Adds rows to the group with this key and returns its number.
    pub fn add_group(&mut self, key: &[u8], rows: u64) -> Result<u32> {
        let group = self.keys.intern(key)?;
        if group as usize == self.sizes.len() {
            let full = |_| Error::OutOfMemory { bytes: 8 };
            self.sizes.try_reserve(1).map_err(full)?;
            self.sizes.push(0);
        }
        self.sizes[group as usize] += rows;
        Ok(group)
    }

    /// Adds rows with this value of a sensitive column to a group.
    pub fn add_value(&mut self, column: usize, group: u32, value: &[u8], rows: u64) -> Result<()> {
        let counts = &mut self.columns[column];
        let value = counts.values.intern(value)?;
        counts.add(Cell { group, value, rows })
    }

    pub fn groups(&self) -> usize {
        self.sizes.len()
    }

    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    pub fn sensitive_columns(&self) -> usize {
        self.columns.len()
    }

    /// The distinct values of a sensitive column, in the order of their numbers in the tally.
    pub fn values(&self, column: usize) -> &Interner {
        &self.columns[column].values
    }

    /// What a privacy model looks at.
    pub fn tally(&self) -> Tally {
        let tally = |counts: &ValueCounts| {
            let triple = |cell: &Cell| (cell.group, cell.value, cell.rows);
            ColumnTally::new(self.groups(), counts.cells.iter().map(triple).collect())
        };
        Tally::from_counts(self.sizes.clone(), self.columns.iter().map(tally).collect())
    }

    /// Adds the counts of another state. `key` and `value` append the other's bytes as this
    /// state would have written them (the same bytes, where no dictionary is behind them).
    /// Returns the number that each group of the other state has here.
    pub fn merge(
        &mut self,
        other: &GroupCounts,
        mut key: impl FnMut(&[u8], &mut Vec<u8>),
        mut value: impl FnMut(usize, &[u8], &mut Vec<u8>),
    ) -> Result<Vec<u32>> {
        let mut bytes = Vec::new();
        let mut groups = Vec::with_capacity(other.groups());
        for (old, &rows) in other.keys.iter().zip(&other.sizes) {
            bytes.clear();
            key(old, &mut bytes);
            groups.push(self.add_group(&bytes, rows)?);
        }
        for (column, (mine, theirs)) in self.columns.iter_mut().zip(&other.columns).enumerate() {
            let mut values = Vec::with_capacity(theirs.values.len());
            for old in theirs.values.iter() {
                bytes.clear();
                value(column, old, &mut bytes);
                values.push(mine.values.intern(&bytes)?);
            }
            for &Cell { group, value, rows } in &theirs.cells {
                let (group, value) = (groups[group as usize], values[value as usize]);
                mine.add(Cell { group, value, rows })?;
            }
        }
        Ok(groups)
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let columns = self.columns.iter().map(ValueCounts::memory).sum::<usize>();
        self.keys.memory() + 8 * self.sizes.capacity() + columns
    }

    /// Appends the counts as bytes that [`read`](Self::read) understands.
    pub fn write(&self, out: &mut Vec<u8>) {
        write_interner(&self.keys, out);
        self.sizes.iter().for_each(|&size| write_number(size, out));
        write_number(self.columns.len() as u64, out);
        for column in &self.columns {
            write_interner(&column.values, out);
            write_number(column.cells.len() as u64, out);
            for cell in &column.cells {
                write_number(u64::from(cell.group) << 32 | u64::from(cell.value), out);
                write_number(cell.rows, out);
            }
        }
    }

    /// Takes counts off the front of `bytes`, as [`write`](Self::write) put them there.
    pub fn read(bytes: &mut &[u8]) -> Result<Self> {
        let keys = read_interner(bytes)?;
        let sizes = (0..keys.len()).map(|_| read_number(bytes));
        let sizes = sizes.collect::<Result<Vec<u64>>>()?;
        let columns = (0..read_number(bytes)?).map(|_| ValueCounts::read(bytes));
        Ok(GroupCounts {
            keys,
            sizes,
            columns: columns.collect::<Result<_>>()?,
        })
    }
}

impl ValueCounts {
    fn add(&mut self, cell: Cell) -> Result<()> {
        let hash = cell.hash();
        let same = |other: &Cell| (other.group, other.value) == (cell.group, cell.value);
        if let Some(found) = self.cells.find_mut(hash, same) {
            found.rows += cell.rows;
            return Ok(());
        }
        let grown = self.cells.try_reserve(1, Cell::hash);
        grown.map_err(|_| Error::OutOfMemory {
            bytes: 16 * self.cells.len(),
        })?;
        self.cells.insert_unique(hash, cell, Cell::hash);
        Ok(())
    }

    fn memory(&self) -> usize {
        self.values.memory() + 17 * self.cells.capacity() * 8 / 7
    }

    fn read(bytes: &mut &[u8]) -> Result<Self> {
        let mut counts = ValueCounts {
            values: read_interner(bytes)?,
            ..Default::default()
        };
        for _ in 0..read_number(bytes)? {
            let pair = read_number(bytes)?;
            let rows = read_number(bytes)?;
            counts.add(Cell {
                group: (pair >> 32) as u32,
                value: pair as u32,
                rows,
            })?;
        }
        Ok(counts)
    }
}

impl Cell {
    /// Both numbers are dense and small; a multiplication spreads them over the word.
    fn hash(&self) -> u64 {
        let pair = u64::from(self.group) << 32 | u64::from(self.value);
        let spread = pair.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        spread ^ (spread >> 29)
    }
}

fn write_number(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn read_number(bytes: &mut &[u8]) -> Result<u64> {
    let Some((number, rest)) = bytes.split_first_chunk::<8>() else {
        return Err(cut_short());
    };
    *bytes = rest;
    Ok(u64::from_le_bytes(*number))
}

fn write_interner(interner: &Interner, out: &mut Vec<u8>) {
    write_number(interner.len() as u64, out);
    for key in interner.iter() {
        write_number(key.len() as u64, out);
        out.extend_from_slice(key);
    }
}

fn read_interner(bytes: &mut &[u8]) -> Result<Interner> {
    let mut interner = Interner::new();
    for _ in 0..read_number(bytes)? {
        let length = read_number(bytes)? as usize;
        let (key, rest) = bytes.split_at_checked(length).ok_or_else(cut_short)?;
        interner.intern(key)?;
        *bytes = rest;
    }
    Ok(interner)
}

fn cut_short() -> Error {
    Error::Broken("serialized counts are cut short".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counts(rows: &[(u8, u8)]) -> GroupCounts {
        let mut counts = GroupCounts::new(1);
        for &(key, value) in rows {
            let group = counts.add_group(&[key], 1).unwrap();
            counts.add_value(0, group, &[value], 1).unwrap();
        }
        counts
    }

    /// Counts by key and value bytes, whatever the numbering.
    fn sorted(counts: &GroupCounts) -> Vec<(Vec<u8>, u64, Vec<(Vec<u8>, u64)>)> {
        let tally = counts.tally();
        let group = |(number, key): (usize, &[u8])| {
            let cells = tally.columns()[0].of(number).iter();
            let value = |&(value, rows)| (counts.values(0).get(value).to_vec(), rows);
            let mut cells: Vec<_> = cells.map(value).collect();
            cells.sort();
            (key.to_vec(), tally.sizes()[number], cells)
        };
        let mut groups: Vec<_> = counts.keys.iter().enumerate().map(group).collect();
        groups.sort();
        groups
    }

    proptest! {
        #[test]
        fn merging_equals_counting_all(
            a in proptest::collection::vec((0u8..5, 0u8..4), 0..60),
            b in proptest::collection::vec((0u8..5, 0u8..4), 0..60),
        ) {
            let mut merged = counts(&a);
            let copy = |bytes: &[u8], out: &mut Vec<u8>| out.extend_from_slice(bytes);
            merged.merge(&counts(&b), copy, |_, bytes, out| copy(bytes, out)).unwrap();
            let all = counts(&[a, b].concat());
            prop_assert_eq!(sorted(&merged), sorted(&all));
        }

        #[test]
        fn written_counts_are_read_back(rows in proptest::collection::vec((0u8..9, 0u8..9), 0..80)) {
            let original = counts(&rows);
            let mut bytes = Vec::new();
            original.write(&mut bytes);
            let read = GroupCounts::read(&mut &bytes[..]).unwrap();
            prop_assert_eq!(sorted(&read), sorted(&original));
            prop_assert!(GroupCounts::read(&mut &bytes[..bytes.len() - 1]).is_err());
        }
    }
}
