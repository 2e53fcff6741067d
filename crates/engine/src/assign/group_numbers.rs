//! Group numbers as they are given out.

use crate::run::allocation;
use crate::{Partition, Result};

/// The groups formed so far.
pub(crate) struct GroupNumbers {
    group_of: Vec<u32>,
    groups: usize,
}

impl GroupNumbers {
    /// Rows without groups.
    pub(crate) fn new(rows: usize) -> Result<Self> {
        Ok(GroupNumbers {
            group_of: allocation::filled(rows, u32::MAX)?,
            groups: 0,
        })
    }

    /// Makes rows the next group.
    pub(crate) fn add(&mut self, rows: impl Iterator<Item = u32>) {
        for row in rows {
            self.group_of[row as usize] = self.groups as u32;
        }
        self.groups += 1;
    }

    /// Makes the groups of some rows, in a partition of their own, the next groups.
    pub(crate) fn add_part(&mut self, partition: &Partition, rows: &[u32]) -> Result<()> {
        partition.require_rows(rows.len())?;
        for (&group, &row) in partition.group_of().iter().zip(rows) {
            self.group_of[row as usize] = self.groups as u32 + group;
        }
        self.groups += partition.groups();
        Ok(())
    }

    /// Makes a row part of a group that is there already.
    pub(crate) fn join(&mut self, row: u32, group: u32) {
        self.group_of[row as usize] = group;
    }

    /// Whether a row has its group.
    pub(crate) fn has(&self, row: u32) -> bool {
        self.group_of[row as usize] != u32::MAX
    }

    /// The group of each row; `u32::MAX` for none yet.
    pub(crate) fn group_of(&self) -> &[u32] {
        &self.group_of
    }

    /// The same, when no more groups will be formed.
    pub(crate) fn into_numbers(self) -> Vec<u32> {
        self.group_of
    }

    /// How many groups there are.
    pub(crate) fn len(&self) -> usize {
        self.groups
    }

    /// The partition, if every row has its group.
    pub(crate) fn finish(self) -> Result<Partition> {
        Partition::new(self.group_of, self.groups)
    }
}

/// The groups that are left once some have joined others, numbered in their order. Those that
/// have gone have no members.
pub(super) fn without_empty(mut group_of: Vec<u32>, members: &[Vec<u32>]) -> Result<Partition> {
    let mut number = allocation::reserved(members.len())?;
    let mut groups = 0;
    for rows in members {
        number.push(groups);
        groups += u32::from(!rows.is_empty());
    }
    for group in &mut group_of {
        *group = number[*group as usize];
    }
    Partition::new(group_of, groups as usize)
}
