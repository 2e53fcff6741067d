//! How often each sensitive value occurs in each group: all that a privacy model looks at.

use crate::run::allocation::{collected, filled, reserved};
use crate::run::limits::Pulse;
use crate::run::sorting;
use crate::{Categories, Error, Partition, Result};

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
    pub fn new(partition: &Partition, sensitive: &[&Categories]) -> Result<Self> {
        let columns = sensitive
            .iter()
            .map(|column| ColumnTally::of_partition(partition, column));
        Ok(Tally {
            sizes: collected(partition.sizes().iter().map(|&size| u64::from(size)))?,
            columns: columns.collect::<Result<_>>()?,
        })
    }

    /// A tally from counts made elsewhere (the SQL aggregates keep them in hash tables).
    pub fn from_counts(sizes: Vec<u64>, columns: Vec<ColumnTally>) -> Result<Self> {
        if columns.iter().any(|column| column.groups() != sizes.len()) {
            return Err(Error::Broken("counts of other groups".into()));
        }
        Ok(Tally { sizes, columns })
    }

    /// The number of rows of each group.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// One tally for each sensitive column.
    pub fn columns(&self) -> &[ColumnTally] {
        &self.columns
    }

    /// The number of rows of all groups together.
    pub fn rows(&self) -> u64 {
        self.sizes.iter().sum()
    }
}

impl ColumnTally {
    /// From (group, value, count) triples in any order; equal pairs are added up.
    pub fn new(groups: usize, triples: &[(u32, u32, u64)]) -> Result<Self> {
        let mut starts = filled(groups + 1, 0)?;
        for &(group, ..) in triples {
            match starts.get_mut(group as usize + 1) {
                Some(size) => *size += 1,
                None => return Err(Error::Broken("a count of a group that is not there".into())),
            }
        }
        accumulate(&mut starts);
        let mut next: Vec<usize> = collected(starts.iter().copied())?;
        let mut cells = filled(triples.len(), (0, 0))?;
        for &(group, value, count) in triples {
            cells[next[group as usize]] = (value, count);
            next[group as usize] += 1;
        }
        Self::condensed(starts, cells)
    }

    fn of_partition(partition: &Partition, column: &Categories) -> Result<Self> {
        if column.codes().len() != partition.rows() {
            return Err(Error::UnequalColumns {
                first: partition.rows(),
                other: column.codes().len(),
            });
        }
        let mut starts = reserved(partition.groups() + 1)?;
        starts.push(0);
        starts.extend(partition.sizes().iter().map(|&size| size as usize));
        accumulate(&mut starts);
        let mut next: Vec<usize> = collected(starts.iter().copied())?;
        let mut cells = filled(partition.rows(), (0, 0))?;
        for (&group, &value) in partition.group_of().iter().zip(column.codes()) {
            cells[next[group as usize]] = (value, 1);
            next[group as usize] += 1;
        }
        Self::condensed(starts, cells)
    }

    /// Sorts each group's cells by value and adds up those of one value, in place.
    fn condensed(mut starts: Vec<usize>, mut cells: Vec<(u32, u64)>) -> Result<Self> {
        let mut pulse = Pulse::default();
        let mut kept = 0;
        let mut start = 0;
        for group in 0..starts.len() - 1 {
            let end = starts[group + 1];
            pulse.spend(1 + end - start)?;
            sorting::sort_by_key(&mut cells[start..end], |cell| cell.0)?;
            let first = kept;
            for read in start..end {
                let (value, count) = cells[read];
                if kept > first && cells[kept - 1].0 == value {
                    cells[kept - 1].1 += count;
                } else {
                    cells[kept] = (value, count);
                    kept += 1;
                }
            }
            starts[group + 1] = kept;
            start = end;
        }
        cells.truncate(kept);
        // a lattice search keeps many tallies, each merged from a larger one
        cells.shrink_to_fit();
        Ok(ColumnTally { starts, cells })
    }

    /// The number of groups.
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
    pub fn totals(&self) -> Result<Vec<u64>> {
        let cardinality = self.cells.iter().map(|cell| cell.0 as usize + 1).max();
        let mut totals = filled(cardinality.unwrap_or(0), 0)?;
        for &(value, count) in &self.cells {
            totals[value as usize] += count;
        }
        Ok(totals)
    }
}

/// Turns `[0, size, size …]` into the starts of ranges of these sizes, and the last one's end.
fn accumulate(sizes: &mut [usize]) {
    let mut end = 0;
    for size in sizes {
        end += *size;
        *size = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn values_are_counted_per_group() {
        let partition = Partition::new(vec![0, 1, 0, 1, 1], 2).unwrap();
        let illness = Categories::new(vec![0, 1, 0, 2, 1]);
        let tally = Tally::new(&partition, &[&illness]).unwrap();
        assert_eq!(tally.sizes(), [2, 3]);
        assert_eq!(tally.columns()[0].of(0), [(0, 2)]);
        assert_eq!(tally.columns()[0].of(1), [(1, 2), (2, 1)]);
        assert_eq!(tally.columns()[0].totals().unwrap(), [2, 2, 1]);
    }

    #[test]
    fn counts_must_fit_the_groups() {
        let partition = Partition::new(vec![0, 0], 1).unwrap();
        let short = Categories::new(vec![0]);
        let unequal = Error::UnequalColumns { first: 2, other: 1 };
        assert_eq!(Tally::new(&partition, &[&short]), Err(unequal));
        assert!(ColumnTally::new(1, &[(1, 0, 1)]).is_err());
        let column = ColumnTally::new(1, &[(0, 0, 1)]).unwrap();
        assert!(Tally::from_counts(vec![1, 1], vec![column]).is_err());
    }

    #[test]
    fn no_rows_are_no_groups() {
        let partition = Partition::new(vec![], 0).unwrap();
        let tally = Tally::new(&partition, &[&Categories::new(vec![])]).unwrap();
        assert_eq!(tally.rows(), 0);
        assert_eq!(tally.columns()[0].groups(), 0);
        assert_eq!(tally.columns()[0].totals(), Ok(vec![]));
    }

    proptest! {
        #[test]
        fn cells_are_what_a_map_counts(triples in prop::collection::vec((0u32..4, 0u32..5, 1u64..4), 0..60)) {
            let tally = ColumnTally::new(4, &triples).unwrap();
            let mut counts = [(); 4].map(|()| BTreeMap::new());
            for &(group, value, count) in &triples {
                *counts[group as usize].entry(value).or_insert(0) += count;
            }
            for (cells, counts) in tally.iter().zip(counts) {
                prop_assert_eq!(cells, counts.into_iter().collect::<Vec<_>>());
            }
        }
    }
}
