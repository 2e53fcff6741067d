//! Counts of (key, value) pairs as GROUP BY over both gives them to the check of a table: each
//! pair comes once, so that only the numbers of key and value are looked up, not the pair.

use crate::run::allocation::make_room;
use crate::{ColumnTally, Interner, Result, Tally};

/// Rows of the (group, value) pairs of one sensitive column.
#[derive(Debug, Clone, Default)]
pub struct PairCounts {
    keys: Interner,
    values: Interner,
    sizes: Vec<u64>,
    cells: Vec<(u32, u32, u64)>,
}

impl PairCounts {
    /// No pairs yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the rows of a group that have this value. Equal pairs add up.
    pub fn add(&mut self, key: &[u8], value: &[u8], rows: u64) -> Result<()> {
        let (group, value) = (self.keys.intern(key)?, self.values.intern(value)?);
        if group as usize == self.sizes.len() {
            make_room(&mut self.sizes, 1)?;
            self.sizes.push(0);
        }
        self.sizes[group as usize] += rows;
        make_room(&mut self.cells, 1)?;
        self.cells.push((group, value, rows));
        Ok(())
    }

    /// The number of distinct values.
    pub fn values(&self) -> usize {
        self.values.len()
    }

    /// What a privacy model looks at, and the values in the order of their numbers there.
    pub fn into_tally(self) -> Result<(Tally, Interner)> {
        drop(self.keys);
        let column = ColumnTally::new(self.sizes.len(), &self.cells)?;
        let tally = Tally::from_counts(self.sizes, vec![column])?;
        Ok((tally, self.values))
    }

    /// Bytes that [`into_tally`](Self::into_tally) takes at its peak.
    pub fn tally_memory(&self) -> usize {
        size_of::<(u32, u64)>() * self.cells.len() + 2 * 8 * (1 + self.sizes.len())
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let cells = size_of::<(u32, u32, u64)>() * self.cells.capacity();
        self.keys.memory() + self.values.memory() + 8 * self.sizes.capacity() + cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::group_counts::tests::counts;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pairs_tally_as_rows_do(rows in proptest::collection::vec((0u8..5, 0u8..4, 1u64..4), 0..60)) {
            let mut pairs = PairCounts::new();
            let mut single = Vec::new();
            for &(key, value, times) in &rows {
                pairs.add(&[key], &[value], times).unwrap();
                single.extend((0..times).map(|_| (key, value)));
            }
            let counts = counts(&single);
            let (tally, values) = pairs.into_tally().unwrap();
            prop_assert_eq!(tally, counts.tally().unwrap());
            prop_assert!(values.iter().eq(counts.values(0).iter()));
        }
    }

    #[test]
    fn memory_follows_pairs() {
        let mut pairs = PairCounts::new();
        let empty = pairs.memory();
        for key in 0..1000u32 {
            pairs.add(&key.to_le_bytes(), &[0], 1).unwrap();
        }
        assert!(pairs.memory() > empty + 1000 * 50);
    }
}
