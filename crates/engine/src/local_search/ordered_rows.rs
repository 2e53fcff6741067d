//! The rows of a table as the search wants them: what belongs to a row side by side, and
//! rows that are close in space close in memory.

use crate::neighbours::leaf_order;
use crate::run::Meter;
use crate::run::allocation::filled;
use crate::{Categories, Result, Space};

/// Rows in the order of a kd-tree's leaves. Within the local search a row's number is its
/// place in that order.
pub(crate) struct OrderedRows {
    /// the table's row number of each row here
    order: Vec<u32>,
    numbers: Vec<f64>,
    keys: Vec<u32>,
    values: Vec<u32>,
    widths: [usize; 3],
}

impl OrderedRows {
    pub fn new(space: &Space, sensitive: &[Categories], meter: &mut Meter) -> Result<Self> {
        let order = leaf_order(space, meter)?;
        let (numeric, categorical) = (space.numeric(), space.categorical());
        let number = |column: &Vec<f64>, row: usize| column[row];
        let code = |column: &Categories, row: usize| column.codes()[row];
        Ok(OrderedRows {
            numbers: side_by_side(numeric, &order, number)?,
            keys: side_by_side(categorical, &order, code)?,
            values: side_by_side(sensitive, &order, code)?,
            widths: [numeric.len(), categorical.len(), sensitive.len()],
            order,
        })
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// The table's row number of each row.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// How many numeric, categorical and sensitive columns there are.
    pub fn widths(&self) -> [usize; 3] {
        self.widths
    }

    pub fn numbers(&self, row: u32) -> &[f64] {
        &self.numbers[row as usize * self.widths[0]..][..self.widths[0]]
    }

    /// The codes of the categorical key columns.
    pub fn keys(&self, row: u32) -> &[u32] {
        &self.keys[row as usize * self.widths[1]..][..self.widths[1]]
    }

    /// The codes of the sensitive columns.
    pub fn values(&self, row: u32) -> &[u32] {
        &self.values[row as usize * self.widths[2]..][..self.widths[2]]
    }

    /// Squared distance of two rows, as [`Space`] defines it.
    pub fn distance(&self, a: u32, b: u32) -> f64 {
        let keys = self.keys(a).iter().zip(self.keys(b));
        let differing = keys.filter(|(a, b)| a != b).count();
        squared(self.numbers(a), self.numbers(b)) + differing as f64
    }
}

fn side_by_side<C, T: Copy + Default>(
    columns: &[C],
    order: &[u32],
    value: impl Fn(&C, usize) -> T,
) -> Result<Vec<T>> {
    let mut table = filled(order.len() * columns.len(), T::default())?;
    for (number, column) in columns.iter().enumerate() {
        let cells = table.iter_mut().skip(number).step_by(columns.len());
        for (cell, &row) in cells.zip(order) {
            *cell = value(column, row as usize);
        }
    }
    Ok(table)
}

/// Squared Euclidean distance.
pub(crate) fn squared(a: &[f64], b: &[f64]) -> f64 {
    let differences = a.iter().zip(b).map(|(a, b)| a - b);
    differences.map(|difference| difference * difference).sum()
}
