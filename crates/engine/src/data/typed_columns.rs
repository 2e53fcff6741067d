//! Typed columns: what rows become before anything is computed.

use crate::run::allocation::collected;
use crate::{Error, Result};

/// Values of a categorical column as codes `0..cardinality`, numbered by first appearance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Categories {
    codes: Vec<u32>,
    cardinality: u32,
}

impl Categories {
    /// Codes as the caller interned them. The cardinality follows from them.
    pub fn new(codes: Vec<u32>) -> Self {
        let cardinality = codes.iter().max().map_or(0, |&top| top + 1);
        Categories { codes, cardinality }
    }

    /// The code of each row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// A copy, unless there is no memory for it.
    pub fn try_clone(&self) -> Result<Self> {
        Ok(Categories {
            codes: collected(self.codes.iter().copied())?,
            cardinality: self.cardinality,
        })
    }

    /// One more than the largest code.
    pub fn cardinality(&self) -> usize {
        self.cardinality as usize
    }
}

/// One column of a [`Table`].
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// finite numbers, distances between them as they are (or standardised)
    Numeric(Vec<f64>),
    /// values of which only equality is known: distance 0 or 1
    Categorical(Categories),
}

impl Column {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Column::Numeric(values) => values.len(),
            Column::Categorical(categories) => categories.codes.len(),
        }
    }

    /// A copy, unless there is no memory for it.
    pub fn try_clone(&self) -> Result<Self> {
        Ok(match self {
            Column::Numeric(values) => Column::Numeric(collected(values.iter().copied())?),
            Column::Categorical(categories) => Column::Categorical(categories.try_clone()?),
        })
    }
}

/// Columns of equal length, numeric ones finite: checked once, here.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    columns: Vec<Column>,
    rows: usize,
}

impl Table {
    /// The most rows a table may have: row numbers are `u32`, and one is kept as a mark.
    pub const MAX_ROWS: usize = u32::MAX as usize - 1;

    /// Checks that there are columns, that all have the same number of rows, and that every
    /// number is finite.
    pub fn new(columns: Vec<Column>) -> Result<Self> {
        let rows = columns.first().ok_or(Error::NoColumns)?.rows();
        if rows > Self::MAX_ROWS {
            return Err(Error::TooManyRows {
                limit: Self::MAX_ROWS,
            });
        }
        for (number, column) in columns.iter().enumerate() {
            if column.rows() != rows {
                return Err(Error::UnequalColumns {
                    first: rows,
                    other: column.rows(),
                });
            }
            if let Column::Numeric(values) = column
                && !values.iter().all(|value| value.is_finite())
            {
                return Err(Error::NotFinite { column: number });
            }
        }
        Ok(Table { columns, rows })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns, in the order they were given.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unequal_columns_are_refused() {
        let columns = vec![
            Column::Numeric(vec![1.0, 2.0]),
            Column::Categorical(Categories::new(vec![0])),
        ];
        assert_eq!(
            Table::new(columns),
            Err(Error::UnequalColumns { first: 2, other: 1 })
        );
    }

    #[test]
    fn nan_and_infinity_are_refused_with_their_column() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let columns = vec![Column::Numeric(vec![0.0]), Column::Numeric(vec![bad])];
            assert_eq!(Table::new(columns), Err(Error::NotFinite { column: 1 }));
        }
    }
}
