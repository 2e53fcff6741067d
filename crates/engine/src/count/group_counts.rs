//! Counting groups and the sensitive values within them, as rows come by: what the SQL
//! aggregates keep. Memory follows the groups and their values, not the rows.

use crate::run::allocation::{collected, make_room, make_table_room, reserved};
use crate::run::limits::Pulse;
use crate::run::sorting;
use crate::{ColumnTally, Error, Interner, Result, Tally};
use hashbrown::HashTable;

/// What looking up a key costs, in items merely looked at.
pub(super) const LOOK_UP: usize = 16;

/// Rows per group and, per sensitive column, rows per (group, value). Keys and values are
/// byte strings that are equal when the values behind them are.
#[derive(Debug, Clone, Default)]
pub struct GroupCounts {
    pub(super) keys: Interner,
    pub(super) sizes: Vec<u64>,
    pub(super) columns: Vec<ValueCounts>,
}

/// The values of one sensitive column.
#[derive(Debug, Clone, Default)]
pub(super) struct ValueCounts {
    pub(super) values: Interner,
    /// of rows that came by here
    pub(super) cells: HashTable<Cell>,
    /// of other states; a pair may stand here several times, and among `cells` as well
    pub(super) listed: Vec<Cell>,
    /// how many of the list are known to be different pairs
    pub(super) distinct: usize,
}

/// A list that is shorter is not looked through for pairs that repeat.
const SHORT_LIST: usize = 1 << 16;
/// A list may be so many times as long as what it came down to when it was last looked through.
const MOST_REPEATED: usize = 4;

/// A (group, value) pair that occurs, and its rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) group: u32,
    pub(super) value: u32,
    pub(super) rows: u64,
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
            make_room(&mut self.sizes, 1)?;
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

    /// The number of groups so far.
    pub fn groups(&self) -> usize {
        self.sizes.len()
    }

    /// The groups' keys, in the order of their numbers.
    pub fn keys(&self) -> &Interner {
        &self.keys
    }

    /// The rows of each group, in the order of their numbers.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// The distinct values of a sensitive column, in the order of their numbers in the tally.
    pub fn values(&self, column: usize) -> &Interner {
        &self.columns[column].values
    }

    /// What a privacy model looks at.
    pub fn tally(&self) -> Result<Tally> {
        let columns = self
            .columns
            .iter()
            .map(|column| column.tally(self.groups()));
        let sizes = collected(self.sizes.iter().copied())?;
        Tally::from_counts(sizes, columns.collect::<Result<_>>()?)
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
        if self.columns.len() != other.columns.len() {
            return Err(Error::Broken("counts of other sensitive columns".into()));
        }
        let mut bytes = Vec::new();
        let mut groups = reserved(other.groups())?;
        let mut pulse = Pulse::default();
        for (old, &rows) in other.keys.iter().zip(&other.sizes) {
            pulse.spend(LOOK_UP)?;
            bytes.clear();
            key(old, &mut bytes);
            groups.push(self.add_group(&bytes, rows)?);
        }
        for (column, (mine, theirs)) in self.columns.iter_mut().zip(&other.columns).enumerate() {
            mine.merge(theirs, &groups, |old, bytes| value(column, old, bytes))?;
        }
        Ok(groups)
    }

    /// Bytes that [`tally`](Self::tally) takes at its peak.
    pub fn tally_memory(&self) -> usize {
        let cells: usize = self.columns.iter().map(ValueCounts::pairs).sum();
        let per_cell = size_of::<(u32, u32, u64)>() + size_of::<(u32, u64)>();
        per_cell * cells + size_of::<u64>() * self.groups() * (1 + 2 * self.columns.len())
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let columns = self.columns.iter().map(ValueCounts::memory).sum::<usize>();
        self.keys.memory() + 8 * self.sizes.capacity() + columns
    }
}

impl ValueCounts {
    pub(super) fn add(&mut self, cell: Cell) -> Result<()> {
        let hash = cell.hash();
        let same = |other: &Cell| (other.group, other.value) == (cell.group, cell.value);
        if let Some(found) = self.cells.find_mut(hash, same) {
            found.rows += cell.rows;
            return Ok(());
        }
        make_table_room(&mut self.cells, 1, Cell::hash)?;
        self.cells.insert_unique(hash, cell, Cell::hash);
        Ok(())
    }

    /// The pairs, some of them perhaps several times.
    pub(super) fn pairs(&self) -> usize {
        self.cells.len() + self.listed.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter().chain(&self.listed)
    }

    /// Adds another's counts, whose groups have the numbers `groups` here. They are put on a list,
    /// which takes less time than looking each of them up: they are sorted in the end anyway.
    fn merge(
        &mut self,
        other: &ValueCounts,
        groups: &[u32],
        mut value: impl FnMut(&[u8], &mut Vec<u8>),
    ) -> Result<()> {
        let mut bytes = Vec::new();
        let mut values = reserved(other.values.len())?;
        let mut pulse = Pulse::default();
        for old in other.values.iter() {
            pulse.spend(LOOK_UP)?;
            bytes.clear();
            value(old, &mut bytes);
            values.push(self.values.intern(&bytes)?);
        }
        make_room(&mut self.listed, other.pairs())?;
        for cell in other.iter() {
            pulse.spend(1)?;
            self.listed.push(Cell {
                group: groups[cell.group as usize],
                value: values[cell.value as usize],
                rows: cell.rows,
            });
        }
        match self.listed.len() > (MOST_REPEATED * self.distinct).max(SHORT_LIST) {
            true => self.condense(),
            false => Ok(()),
        }
    }

    /// Adds up what the list has several times, so that it does not grow with the number of states.
    fn condense(&mut self) -> Result<()> {
        let pair = |cell: &Cell| (cell.group, cell.value);
        sorting::sort_by_key(&mut self.listed, pair)?;
        self.listed.dedup_by(|cell, before| {
            let same = pair(cell) == pair(before);
            before.rows += if same { cell.rows } else { 0 };
            same
        });
        self.distinct = self.listed.len();
        Ok(())
    }

    fn tally(&self, groups: usize) -> Result<ColumnTally> {
        let triple = |cell: &Cell| (cell.group, cell.value, cell.rows);
        let mut triples: Vec<(u32, u32, u64)> = reserved(self.pairs())?;
        triples.extend(self.iter().map(triple));
        ColumnTally::new(groups, &triples)
    }

    fn memory(&self) -> usize {
        let listed = size_of::<Cell>() * self.listed.capacity();
        self.values.memory() + self.cells.allocation_size() + listed
    }
}

impl Cell {
    /// Both numbers are dense and small: the two halves of a wide product, folded, depend on
    /// all of their bits.
    fn hash(&self) -> u64 {
        let pair = u64::from(self.group) << 32 | u64::from(self.value);
        let product = u128::from(pair ^ 0x243F_6A88_85A3_08D3) * 0x9E37_79B9_7F4A_7C15;
        (product >> 64) as u64 ^ product as u64
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(in crate::count) fn counts(rows: &[(u8, u8)]) -> GroupCounts {
        let mut counts = GroupCounts::new(1);
        for &(key, value) in rows {
            let group = counts.add_group(&[key], 1).unwrap();
            counts.add_value(0, group, &[value], 1).unwrap();
        }
        counts
    }

    type KeyAndValues = (Vec<u8>, u64, Vec<(Vec<u8>, u64)>);

    /// Counts by key and value bytes, whatever the numbering.
    pub(in crate::count) fn sorted(counts: &GroupCounts) -> Vec<KeyAndValues> {
        let tally = counts.tally().unwrap();
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

    #[test]
    fn other_columns_do_not_merge() {
        let other = GroupCounts::new(2);
        assert!(counts(&[]).merge(&other, |_, _| (), |_, _, _| ()).is_err());
    }

    #[test]
    fn merging_translates_keys_and_values() {
        let mut mine = counts(&[(1, 1), (2, 2)]);
        let swap = |bytes: &[u8], out: &mut Vec<u8>| out.push(3 - bytes[0]);
        let theirs = counts(&[(1, 1), (1, 2)]);
        mine.merge(&theirs, swap, |_, bytes, out| swap(bytes, out))
            .unwrap();
        assert_eq!(
            sorted(&mine),
            sorted(&counts(&[(1, 1), (2, 2), (2, 2), (2, 1)]))
        );
    }

    #[test]
    fn memory_follows_groups_not_rows() {
        let once = counts(&[(1, 1), (2, 2)]);
        let often = counts(&[(1, 1), (2, 2)].repeat(1000));
        assert_eq!(once.memory(), often.memory());
        let many: Vec<(u8, u8)> = (0..=255).map(|i| (i, i)).collect();
        assert!(counts(&many).memory() > 256 * 30);
    }

    #[test]
    fn what_many_states_have_is_listed_once() {
        let pairs: Vec<(u8, u8)> = (0..=255)
            .flat_map(|key| (0..=255).map(move |value| (key, value)))
            .collect();
        let (state, mut all) = (counts(&pairs), counts(&[]));
        let copy = |bytes: &[u8], out: &mut Vec<u8>| out.extend_from_slice(bytes);
        for _ in 0..7 {
            all.merge(&state, copy, |_, bytes, out| copy(bytes, out))
                .unwrap();
            assert!(all.columns[0].pairs() <= MOST_REPEATED * pairs.len());
        }
        assert_eq!(sorted(&all), sorted(&counts(&pairs.repeat(7))));
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
    }
}
