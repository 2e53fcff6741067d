//! All sets of columns that could be blanked, the cheapest first.

use super::MOST_KEYS;
use crate::{Error, Result};

/// How many rows have nothing in a column, for each column.
pub(super) type EmptyCells = [u32; MOST_KEYS];

/// Sets of columns as bits, with their cost.
pub(super) struct BlankMasks<'a> {
    /// for each row the cells that have nothing to blank
    empty: Option<&'a [u16]>,
    masks: Vec<(f64, u16)>,
    cost_of: Vec<f64>,
    columns: usize,
}

impl<'a> BlankMasks<'a> {
    pub fn new(importance: &[f64], empty: Option<&'a [u16]>) -> Result<Self> {
        let fits = |cost: &f64| *cost > 0.0 && cost.is_finite();
        if !importance.iter().all(fits) {
            return Err(Error::NotPositive { name: "importance" });
        }
        let columns = importance.len();
        let cost = |mask: u16| {
            let costs = importance.iter().enumerate();
            let blanked = costs.filter(|(column, _)| mask & (1 << column) != 0);
            blanked.map(|(_, cost)| cost).sum::<f64>()
        };
        let cost_of: Vec<f64> = (0..1u32 << columns).map(|mask| cost(mask as u16)).collect();
        let mut masks: Vec<(f64, u16)> = (0..).zip(&cost_of).map(|(m, &c)| (c, m)).collect();
        masks.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Ok(BlankMasks {
            empty,
            masks,
            cost_of,
            columns,
        })
    }

    pub fn len(&self) -> usize {
        self.masks.len()
    }

    /// The cheapest first: nothing blanked is the first, everything the last.
    pub fn iter(&self) -> impl Iterator<Item = u16> {
        self.masks.iter().map(|&(_, mask)| mask)
    }

    pub fn cost(&self, mask: u16) -> f64 {
        self.cost_of[mask as usize]
    }

    /// The cells of a row that are empty already.
    pub fn empty(&self, row: u32) -> u16 {
        self.empty.map_or(0, |empty| empty[row as usize])
    }

    /// Whether any row may have empty cells.
    pub fn has_empty(&self) -> bool {
        self.empty.is_some()
    }

    /// What blanking costs in one row.
    pub fn of_row(&self, row: u32, mask: u16) -> f64 {
        self.cost(mask & !self.empty(row))
    }

    /// What blanking costs in each of some rows together.
    pub fn of_rows(&self, rows: &[u32], mask: u16) -> f64 {
        rows.len() as f64 * self.cost(mask) - self.saved(mask, &self.empty_cells(rows))
    }

    /// What blanking costs less because cells are empty.
    pub fn saved(&self, mask: u16, empty: &EmptyCells) -> f64 {
        let cells = empty.iter().enumerate().take(self.columns);
        let blanked = cells.filter(|(column, rows)| **rows > 0 && mask & (1 << column) != 0);
        let saved = blanked.map(|(column, &rows)| f64::from(rows) * self.cost(1 << column));
        saved.sum()
    }

    /// The empty cells of rows.
    pub fn empty_cells(&self, rows: &[u32]) -> EmptyCells {
        let mut cells = [0; MOST_KEYS];
        if self.has_empty() {
            for &row in rows {
                for (column, count) in cells.iter_mut().enumerate() {
                    *count += u32::from(self.empty(row) >> column & 1);
                }
            }
        }
        cells
    }

    /// What blanking all rows costs.
    pub fn of_all(&self, blanked: &[u16]) -> f64 {
        let rows = (0..).zip(blanked);
        rows.map(|(row, &mask)| self.of_row(row, mask)).sum()
    }

    /// All columns blanked.
    pub fn all(&self) -> u16 {
        ((1u32 << self.columns) - 1) as u16
    }
}
