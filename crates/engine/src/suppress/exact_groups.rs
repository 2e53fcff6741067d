//! The best groups of a handful of items, by looking at all ways to part them.

use super::MOST_KEYS;
use super::blank_masks::{BlankMasks, EmptyCells};
use crate::run::allocation;
use crate::{Categories, Error, Result};

/// Rows that stay together: a single one, or some whose group is not to be looked at again.
#[derive(Clone, Copy)]
pub(super) struct Item {
    /// one of its rows
    pub row: u32,
    pub rows: usize,
    /// the columns in which its rows differ
    pub differs: u16,
    pub empty: EmptyCells,
}

impl Item {
    pub fn single(row: u32, masks: &BlankMasks<'_>) -> Self {
        Item {
            row,
            rows: 1,
            differs: 0,
            empty: masks.empty_cells(&[row]),
        }
    }
}

/// Parts items at least cost. Its memory is used again from call to call.
pub(super) struct BestParts<'a> {
    columns: &'a [Categories],
    k: usize,
    masks: &'a BlankMasks<'a>,
    /// for each set of items how many rows it has, the columns in which they differ, and what it
    /// costs to blank these
    sets: Vec<(usize, u16, f64)>,
    /// for each set its empty cells, where there may be any
    empty: Vec<EmptyCells>,
    /// for each set the least cost of parting it, and the part with its first item
    best: Vec<(f64, usize)>,
}

impl<'a> BestParts<'a> {
    /// For so many items at most.
    pub fn new(
        columns: &'a [Categories],
        k: usize,
        masks: &'a BlankMasks<'a>,
        most: usize,
    ) -> Result<Self> {
        Ok(BestParts {
            columns,
            k,
            masks,
            sets: allocation::filled(1 << most, (0, 0, 0.0))?,
            empty: match masks.has_empty() {
                true => allocation::filled(1 << most, [0; MOST_KEYS])?,
                false => Vec::new(),
            },
            best: allocation::filled(1 << most, (0.0, 0))?,
        })
    }

    /// The least cost of blanking, if each part must have k rows that look alike: every column is
    /// blanked in which they differ. The best way to part a set follows from those of smaller sets.
    pub fn cost(&mut self, items: &[Item]) -> f64 {
        self.count(items);
        let largest = items.iter().map(|item| item.rows).max().unwrap_or(0);
        // a part of so many rows can be parted itself at no cost
        let fits = self.k..2 * self.k + largest - 1;
        for set in 1..1usize << items.len() {
            let first = 1 << set.trailing_zeros();
            let others = set & !first;
            let (mut least, mut part) = ((f64::INFINITY, 0), others);
            loop {
                let whole = part | first;
                let (rows, _, price) = self.sets[whole];
                if fits.contains(&rows) {
                    let cost = price + self.best[set & !whole].0;
                    if cost < least.0 {
                        least = (cost, whole);
                    }
                }
                if part == 0 {
                    break;
                }
                part = (part - 1) & others;
            }
            self.best[set] = least;
        }
        self.best[(1 << items.len()) - 1].0
    }

    /// The parts of so many items as sets, each with the columns to blank, after their cost was
    /// asked for.
    pub fn parts(&self, items: usize) -> impl Iterator<Item = (usize, u16)> {
        let mut left = (1usize << items) - 1;
        std::iter::from_fn(move || {
            let part = self.best[left].1;
            left &= !part;
            (part != 0).then(|| (part, self.sets[part].1))
        })
    }

    /// The rows of each set and the columns in which they differ.
    fn count(&mut self, items: &[Item]) {
        self.sets[0] = (0, 0, 0.0);
        self.best[0] = (0.0, 0);
        for set in 1usize..1 << items.len() {
            let item = &items[set.trailing_zeros() as usize];
            let others = set & (set - 1);
            let (rows, mut mask, _) = self.sets[others];
            mask |= item.differs;
            if others != 0 {
                // where the others agree, one of them stands for all
                mask |= self.differing(item.row, items[others.trailing_zeros() as usize].row);
            }
            let rows = rows + item.rows;
            let mut price = rows as f64 * self.masks.cost(mask);
            if self.masks.has_empty() {
                let mut empty = self.empty[others];
                let more = item.empty.iter();
                empty.iter_mut().zip(more).for_each(|(a, b)| *a += b);
                price -= self.masks.saved(mask, &empty);
                self.empty[set] = empty;
            }
            self.sets[set] = (rows, mask, price);
        }
    }

    /// The columns in which two rows differ.
    fn differing(&self, a: u32, b: u32) -> u16 {
        differing(self.columns, a, b)
    }
}

/// The columns in which two rows differ.
pub(super) fn differing(columns: &[Categories], a: u32, b: u32) -> u16 {
    let differ = columns.iter().enumerate().map(|(number, column)| {
        u16::from(column.codes()[a as usize] != column.codes()[b as usize]) << number
    });
    differ.fold(0, |mask, bit| mask | bit)
}

/// The cells of so few rows to blank at least cost.
pub(super) fn blank(columns: &[Categories], k: usize, masks: &BlankMasks<'_>) -> Result<Vec<u16>> {
    let rows = columns[0].codes().len();
    let items = (0..rows as u32).map(|row| Item::single(row, masks));
    let items: Vec<Item> = allocation::collected(items)?;
    let mut best = BestParts::new(columns, k, masks, rows)?;
    if best.cost(&items).is_infinite() {
        return Err(Error::TooFewRows { rows, k });
    }
    let mut blanked = allocation::filled(rows, 0)?;
    for (part, mask) in best.parts(rows) {
        let members = (0..rows).filter(|row| part & (1 << row) != 0);
        members.for_each(|row| blanked[row] = mask);
    }
    Ok(blanked)
}
