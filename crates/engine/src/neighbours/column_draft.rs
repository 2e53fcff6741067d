//! Rows by column, on their way into blocks.

use crate::run::Meter;
use crate::run::allocation;
use crate::{Result, Space};

/// Columns of rows that may still be put into another order.
pub(super) struct Draft {
    /// at least one column: rows without numbers get a column of zeros, in which the mark of
    /// a removed row can be kept
    pub(super) numbers: Vec<Vec<f64>>,
    pub(super) codes: Vec<Vec<u32>>,
    /// the row number of each entry
    pub(super) rows: Vec<u32>,
}

impl Draft {
    /// All rows of a space in their order.
    pub(super) fn new(space: &Space, meter: &mut Meter) -> Result<Self> {
        let rows = space.rows();
        let mut draft = Draft::empty(space.numeric().len(), space.categorical().len(), rows)?;
        draft.rows.extend(0..rows as u32);
        for (copy, values) in draft.numbers.iter_mut().zip(space.numeric()) {
            copy.extend_from_slice(values);
            meter.spend(rows)?;
        }
        if space.numeric().is_empty() {
            draft.numbers[0].resize(rows, 0.0);
        }
        for (copy, categories) in draft.codes.iter_mut().zip(space.categorical()) {
            copy.extend_from_slice(categories.codes());
            meter.spend(rows)?;
        }
        Ok(draft)
    }

    /// Columns without rows, with room for `rows` of them.
    pub(super) fn empty(numeric: usize, categorical: usize, rows: usize) -> Result<Self> {
        let numbers = (0..numeric.max(1)).map(|_| allocation::reserved(rows));
        let codes = (0..categorical).map(|_| allocation::reserved(rows));
        Ok(Draft {
            numbers: numbers.collect::<Result<_>>()?,
            codes: codes.collect::<Result<_>>()?,
            rows: allocation::reserved(rows)?,
        })
    }
}
