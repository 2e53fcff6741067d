//! How many rows some of the persons with one value have together.

use crate::Result;
use crate::run::Meter;
use crate::run::allocation::{filled, make_room};

/// Which sums of rows can be had, up to a limit.
pub(super) struct RowSums {
    /// of each sum the rows of the person who was added last; 0 if it cannot be had
    last: Vec<u32>,
    /// the largest sum up to each that can be had
    best: Vec<u32>,
    /// persons with one row
    singles: usize,
}

impl RowSums {
    /// Of persons with these rows, largest first: rows of one person, and how many have as many.
    pub(super) fn new(
        sizes: impl Iterator<Item = (usize, usize)>,
        singles: usize,
        limit: usize,
        meter: &mut Meter,
    ) -> Result<Self> {
        let mut last = filled(limit + 1, 0u32)?;
        let mut used = filled(limit + 1, 0u32)?;
        for (size, persons) in sizes {
            meter.spend(limit)?;
            used.fill(0);
            for sum in size..=limit {
                let before = sum - size;
                let reached = before == 0 || last[before] > 0;
                if reached && last[sum] == 0 && (used[before] as usize) < persons {
                    last[sum] = size as u32;
                    used[sum] = used[before] + 1;
                }
            }
        }
        let mut best = used;
        best[0] = 0;
        for sum in 1..=limit {
            best[sum] = if last[sum] > 0 {
                sum as u32
            } else {
                best[sum - 1]
            };
        }
        Ok(RowSums {
            last,
            best,
            singles,
        })
    }

    /// Sizes of persons who have so many rows together, as few of one row as can be.
    pub(super) fn sizes(&self, rows: usize) -> Result<Option<Vec<usize>>> {
        let mut sum = self.best[rows.min(self.best.len() - 1)] as usize;
        let missing = rows - sum;
        if missing > self.singles {
            return Ok(None);
        }
        let mut sizes = filled(missing, 1)?;
        while sum > 0 {
            let size = self.last[sum] as usize;
            make_room(&mut sizes, 1)?;
            sizes.push(size);
            sum -= size;
        }
        Ok(Some(sizes))
    }
}
