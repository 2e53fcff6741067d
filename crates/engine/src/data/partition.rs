//! The result of every method: a group number for each row.

use crate::run::allocation::{collected, filled, reserved};
use crate::{Error, Result};

/// A group number `0..groups` for each row; no group is empty. One constructor, and it checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    group_of: Vec<u32>,
    sizes: Vec<u32>,
}

impl Partition {
    /// Checks that every row has a group below `groups` and that no group is empty.
    pub fn new(group_of: Vec<u32>, groups: usize) -> Result<Self> {
        let mut sizes = filled(groups, 0u32)?;
        for &group in &group_of {
            match sizes.get_mut(group as usize) {
                Some(size) => *size += 1,
                None => return Err(Error::Broken("a row without a group".into())),
            }
        }
        if sizes.contains(&0) {
            return Err(Error::Broken("an empty group".into()));
        }
        Ok(Partition { group_of, sizes })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.group_of.len()
    }

    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.sizes.len()
    }

    /// Refuses a column of another number of rows.
    pub(crate) fn require_rows(&self, other: usize) -> Result<()> {
        let first = self.rows();
        match first == other {
            true => Ok(()),
            false => Err(Error::UnequalColumns { first, other }),
        }
    }

    /// The group of each row.
    pub fn group_of(&self) -> &[u32] {
        &self.group_of
    }

    /// The number of rows of each group.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The rows of each group, in row order.
    pub fn members(&self) -> Result<Members> {
        let mut starts = reserved(self.groups() + 1)?;
        let mut start = 0;
        for &size in &self.sizes {
            starts.push(start);
            start += size as usize;
        }
        starts.push(start);
        let mut next = collected(starts.iter().copied())?;
        let mut rows = filled(self.rows(), 0u32)?;
        for (row, &group) in self.group_of.iter().enumerate() {
            rows[next[group as usize]] = row as u32;
            next[group as usize] += 1;
        }
        Ok(Members { starts, rows })
    }

    /// The same grouping with groups renumbered by their first row, for comparisons.
    pub fn canonical(&self) -> Vec<u32> {
        let mut number = vec![u32::MAX; self.groups()];
        let mut next = 0;
        let renumber = |&group: &u32| {
            let entry = &mut number[group as usize];
            if *entry == u32::MAX {
                *entry = next;
                next += 1;
            }
            *entry
        };
        self.group_of.iter().map(renumber).collect()
    }
}

/// The rows of each group, stored one group after the other.
pub struct Members {
    starts: Vec<usize>,
    rows: Vec<u32>,
}

impl Members {
    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows of one group, in row order.
    pub fn of(&self, group: usize) -> &[u32] {
        &self.rows[self.starts[group]..self.starts[group + 1]]
    }

    /// The rows of each group, in the order of the groups' numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.starts
            .windows(2)
            .map(|ends| &self.rows[ends[0]..ends[1]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_partitions_exist() {
        assert!(Partition::new(vec![0, 1, 0], 2).is_ok());
        assert!(Partition::new(vec![0, 2, 0], 2).is_err());
        assert!(Partition::new(vec![0, 0], 2).is_err());
        assert!(Partition::new(vec![], 0).is_ok());
    }

    #[test]
    fn members_are_the_rows_of_a_group_in_order() {
        let partition = Partition::new(vec![1, 0, 1, 0, 1], 2).unwrap();
        let members = partition.members().unwrap();
        assert_eq!(members.of(0), [1, 3]);
        assert_eq!(members.of(1), [0, 2, 4]);
        assert_eq!(partition.canonical(), [0, 1, 0, 1, 0]);
    }
}
