//! How often each sensitive value occurs in each group: all that a privacy model looks at.

use crate::{Categories, Partition};

/// Sizes of the groups and, for each sensitive column, the counts of its values per group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    sizes: Vec<u64>,
    columns: Vec<ColumnTally>,
}

/// Per group the (value, count) pairs of one sensitive column, values ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnTally {
    starts: Vec<usize>,
    cells: Vec<(u32, u64)>,
}

impl Tally {
    /// Counts the sensitive columns' values within the groups of a partition.
    pub fn new(partition: &Partition, sensitive: &[&Categories]) -> Self {
        let columns = sensitive.iter().map(|column| {
            let cells = partition.group_of().iter().zip(column.codes());
            ColumnTally::new(
                partition.groups(),
                cells.map(|(&group, &value)| (group, value, 1)).collect(),
            )
        });
        Tally {
            sizes: partition.sizes().iter().map(|&size| size as u64).collect(),
            columns: columns.collect(),
        }
    }

    /// A tally from counts made elsewhere (the SQL aggregates keep them in hash tables).
    pub fn from_counts(sizes: Vec<u64>, columns: Vec<ColumnTally>) -> Self {
        Tally { sizes, columns }
    }

    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    pub fn columns(&self) -> &[ColumnTally] {
        &self.columns
    }

    pub fn rows(&self) -> u64 {
        self.sizes.iter().sum()
    }
}

impl ColumnTally {
    /// From (group, value, count) triples in any order; equal pairs are added up.
    pub fn new(groups: usize, mut triples: Vec<(u32, u32, u64)>) -> Self {
        triples.sort_unstable_by_key(|&(group, value, _)| (group, value));
        triples.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
            }
            same
        });
        let mut starts = vec![0; groups + 1];
        for &(group, ..) in &triples {
            starts[group as usize + 1] += 1;
        }
        for group in 0..groups {
            starts[group + 1] += starts[group];
        }
        let cells = triples.iter().map(|&(_, value, count)| (value, count));
        ColumnTally {
            cells: cells.collect(),
            starts,
        }
    }

    pub fn groups(&self) -> usize {
        self.starts.len() - 1
    }

    /// The (value, count) pairs of a group.
    pub fn of(&self, group: usize) -> &[(u32, u64)] {
        &self.cells[self.starts[group]..self.starts[group + 1]]
    }

    /// The (value, count) pairs of each group.
    pub fn iter(&self) -> impl Iterator<Item = &[(u32, u64)]> {
        self.starts
            .windows(2)
            .map(|ends| &self.cells[ends[0]..ends[1]])
    }

    /// How often each value `0..cardinality` occurs in all groups together.
    pub fn totals(&self) -> Vec<u64> {
        let cardinality = self.cells.iter().map(|cell| cell.0 + 1).max().unwrap_or(0);
        let mut totals = vec![0; cardinality as usize];
        for &(value, count) in &self.cells {
            totals[value as usize] += count;
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_per_group() {
        let partition = Partition::new(vec![0, 1, 0, 1, 1], 2).unwrap();
        let illness = Categories::new(vec![0, 1, 0, 2, 1]);
        let tally = Tally::new(&partition, &[&illness]);
        assert_eq!(tally.sizes(), [2, 3]);
        assert_eq!(tally.columns()[0].of(0), [(0, 2)]);
        assert_eq!(tally.columns()[0].of(1), [(1, 2), (2, 1)]);
        assert_eq!(tally.columns()[0].totals(), [2, 2, 1]);
    }
}
