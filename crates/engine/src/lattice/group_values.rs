//! What the groups of a node know of a sensitive column, and how it merges.

use crate::run::allocation;
use crate::{ColumnTally, Result};

/// One sensitive column in the groups of a node, as compactly as the requirement allows.
#[derive(Debug)]
pub(super) enum GroupValues {
    /// nothing is asked of the column
    Unwatched,
    /// a bit for each value that occurs: all that p-sensitivity asks for
    Masks(Vec<u64>),
    /// how often each value occurs
    Counts(ColumnTally),
}

impl GroupValues {
    /// The values of a column, counted only if asked for or if they are too many for a mask.
    pub fn new(column: &ColumnTally, counted: bool) -> Result<Self> {
        let groups = column.groups();
        if counted || column.totals()?.len() > u64::BITS as usize {
            let unmoved = allocation::collected(0..groups as u32)?;
            return merge(column, &unmoved, groups).map(GroupValues::Counts);
        }
        let bit = |mask, &(value, _): &(u32, u64)| mask | 1 << value;
        let masks = (0..groups).map(|group| column.of(group).iter().fold(0, bit));
        Ok(GroupValues::Masks(allocation::collected(masks)?))
    }

    /// The number of distinct values of a group.
    pub fn distinct(&self, group: usize) -> usize {
        match self {
            GroupValues::Unwatched => 0,
            GroupValues::Masks(masks) => masks[group].count_ones() as usize,
            GroupValues::Counts(column) => column.of(group).len(),
        }
    }

    /// How many words of 64 values there are, for [`GroupValues::word`].
    pub fn words(&self) -> usize {
        match self {
            GroupValues::Unwatched => 0,
            GroupValues::Masks(_) => 1,
            GroupValues::Counts(column) => {
                let values = column.iter().flatten().map(|cell| cell.0 as usize);
                values.max().map_or(0, |most| most / u64::BITS as usize + 1)
            }
        }
    }

    /// Of 64 values those that a group has, as bits.
    pub fn word(&self, group: usize, word: usize) -> u64 {
        match self {
            GroupValues::Unwatched => 0,
            GroupValues::Masks(masks) => masks[group],
            GroupValues::Counts(column) => {
                let values = column.of(group).iter().map(|cell| cell.0);
                let inside = values.filter(|value| (value / u64::BITS) as usize == word);
                inside.fold(0, |bits, value| bits | 1 << (value % u64::BITS))
            }
        }
    }

    /// The (value, count) pairs of a group, where they are counted.
    pub fn counts(&self, group: usize) -> &[(u32, u64)] {
        match self {
            GroupValues::Unwatched | GroupValues::Masks(_) => &[],
            GroupValues::Counts(column) => column.of(group),
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        match self {
            GroupValues::Unwatched => 0,
            GroupValues::Masks(masks) => size_of_val(&masks[..]),
            GroupValues::Counts(column) => {
                let cells = column.iter().map(size_of_val).sum::<usize>();
                cells + (column.groups() + 1) * size_of::<usize>()
            }
        }
    }

    /// The values after each group has become part of the group that `group_of` names.
    pub fn merged(&self, group_of: &[u32], groups: usize) -> Result<Self> {
        Ok(match self {
            GroupValues::Unwatched => GroupValues::Unwatched,
            GroupValues::Masks(masks) => {
                let mut merged = allocation::filled(groups, 0)?;
                for (&group, mask) in group_of.iter().zip(masks) {
                    merged[group as usize] |= mask;
                }
                GroupValues::Masks(merged)
            }
            GroupValues::Counts(column) => GroupValues::Counts(merge(column, group_of, groups)?),
        })
    }
}

fn merge(column: &ColumnTally, group_of: &[u32], groups: usize) -> Result<ColumnTally> {
    let cells = column.iter().map(<[_]>::len).sum();
    let mut triples = allocation::reserved(cells)?;
    for (&group, cells) in group_of.iter().zip(column.iter()) {
        triples.extend(cells.iter().map(|&(value, count)| (group, value, count)));
    }
    ColumnTally::new(groups, &triples)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(triples: &[(u32, u32, u64)]) -> ColumnTally {
        let groups = triples.iter().map(|cell| cell.0 as usize + 1).max();
        ColumnTally::new(groups.unwrap_or(0), triples).unwrap()
    }

    #[test]
    fn counts_merge_value_by_value() {
        let base = column(&[(0, 1, 2), (0, 3, 1), (1, 2, 1), (2, 0, 4), (2, 3, 1)]);
        let values = GroupValues::new(&base, true).unwrap();
        assert_eq!(values.counts(2), [(0, 4), (3, 1)]);
        let merged = values.merged(&[1, 0, 1], 2).unwrap();
        assert_eq!(merged.counts(0), [(2, 1)]);
        assert_eq!(merged.counts(1), [(0, 4), (1, 2), (3, 2)]);
    }

    #[test]
    fn masks_and_counts_agree_on_distinct_values() {
        let base = column(&[(0, 63, 2), (0, 0, 1), (1, 0, 9), (2, 5, 4), (3, 63, 1)]);
        for counted in [false, true] {
            let values = GroupValues::new(&base, counted).unwrap();
            assert_eq!(
                [0, 1, 2, 3].map(|group| values.distinct(group)),
                [2, 1, 1, 1]
            );
            let merged = values.merged(&[0, 1, 1, 0], 2).unwrap();
            assert_eq!([0, 1].map(|group| merged.distinct(group)), [2, 2]);
        }
    }

    #[test]
    fn columns_of_many_values_are_counted() {
        let wide = GroupValues::new(&column(&[(0, 64, 1)]), false).unwrap();
        assert!(matches!(wide, GroupValues::Counts(_)));
        let narrow = GroupValues::new(&column(&[(0, 63, 1)]), false).unwrap();
        assert!(matches!(narrow, GroupValues::Masks(_)));
        assert_eq!((wide.words(), wide.word(0, 0), wide.word(0, 1)), (2, 0, 1));
        assert_eq!((narrow.words(), narrow.word(0, 0)), (1, 1 << 63));
    }
}
