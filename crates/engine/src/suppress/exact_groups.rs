//! The best groups of a handful of rows, by looking at all ways to part them.

use super::blank_masks::BlankMasks;
use crate::run::allocation;
use crate::{Categories, Error, Result};

/// The cells to blank at least cost. A set of rows that must look alike has every column blanked
/// in which they differ; the best way to part a set of rows follows from those of smaller sets.
pub(super) fn blank(columns: &[Categories], k: usize, masks: &BlankMasks) -> Result<Vec<u16>> {
    let rows = columns[0].codes().len();
    let sets = 1usize << rows;
    let mut mask_of: Vec<u16> = allocation::filled(sets, 0)?;
    for (set, mask) in mask_of.iter_mut().enumerate().skip(1) {
        let first = set.trailing_zeros() as usize;
        for (column, codes) in columns.iter().enumerate() {
            let codes = codes.codes();
            let differs = |row: usize| set & (1 << row) != 0 && codes[row] != codes[first];
            *mask |= u16::from((first..rows).any(differs)) << column;
        }
    }
    // the least cost of parting a set, and the part with its first row
    let mut best: Vec<(f64, usize)> = allocation::filled(sets, (f64::INFINITY, 0))?;
    best[0].0 = 0.0;
    for set in 1..sets {
        let first = 1 << set.trailing_zeros();
        let others = set & !first;
        let mut part = others;
        loop {
            let whole = part | first;
            let size = whole.count_ones() as usize;
            // a part of 2k rows or more can be parted itself at no cost
            if (k..2 * k).contains(&size) {
                let cost = size as f64 * masks.cost(mask_of[whole]) + best[set & !whole].0;
                if cost < best[set].0 {
                    best[set] = (cost, whole);
                }
            }
            if part == 0 {
                break;
            }
            part = (part - 1) & others;
        }
    }
    let mut blanked = allocation::filled(rows, 0)?;
    let mut left = sets - 1;
    while left != 0 {
        let part = best[left].1;
        if part == 0 {
            return Err(Error::TooFewRows { rows, k });
        }
        for (row, mask) in blanked.iter_mut().enumerate() {
            if part & (1 << row) != 0 {
                *mask = mask_of[part];
            }
        }
        left &= !part;
    }
    Ok(blanked)
}
