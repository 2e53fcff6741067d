//! Group numbers as they are given out.

use crate::{Partition, Result, memory};

/// The groups formed so far.
pub(crate) struct Grouping {
    group_of: Vec<u32>,
    groups: usize,
}

impl Grouping {
    /// Rows without groups.
    pub(crate) fn new(rows: usize) -> Result<Self> {
        Ok(Grouping {
            group_of: memory::filled(rows, u32::MAX)?,
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

    /// The partition, if every row has its group.
    pub(crate) fn finish(self) -> Result<Partition> {
        Partition::new(self.group_of, self.groups)
    }
}
