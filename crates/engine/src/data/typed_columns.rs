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

    /// The codes of some rows as they are.
    pub fn pick(&self, rows: &[u32]) -> Result<Self> {
        let codes = rows.iter().map(|&row| self.codes[row as usize]);
        Ok(Categories::new(collected(codes)?))
    }

    /// The codes of some rows, renumbered without gaps and in their old order: what follows
    /// from the order of codes stays as it is, and no memory goes to codes that do not occur.
    pub fn select(&self, rows: &[u32]) -> Result<Self> {
        let mut codes = collected(rows.iter().map(|&row| self.codes[row as usize]))?;
        let mut found = collected(codes.iter().copied())?;
        found.sort_unstable();
        found.dedup();
        for code in &mut codes {
            *code = found.partition_point(|other| other < code) as u32;
        }
        Ok(Categories::new(codes))
    }
}

/// One column of a [`Table`].
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// finite numbers, distances between them as they are (or standardised); NaN stands for a
    /// missing value
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

    /// Whether a value is missing. Among categories NULL is one like any other.
    pub fn has_gaps(&self) -> bool {
        match self {
            Column::Numeric(values) => values.iter().any(|value| value.is_nan()),
            Column::Categorical(_) => false,
        }
    }

    /// The values of some rows, codes as they are.
    pub fn pick(&self, rows: &[u32]) -> Result<Self> {
        Ok(match self {
            Column::Categorical(categories) => Column::Categorical(categories.pick(rows)?),
            numbers => numbers.select(rows)?,
        })
    }

    /// The values of some rows, codes renumbered without gaps.
    pub fn select(&self, rows: &[u32]) -> Result<Self> {
        Ok(match self {
            Column::Numeric(values) => {
                let values = rows.iter().map(|&row| values[row as usize]);
                Column::Numeric(collected(values)?)
            }
            Column::Categorical(categories) => Column::Categorical(categories.select(rows)?),
        })
    }
}

/// Columns of equal length, numbers finite or missing: checked once, here.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    columns: Vec<Column>,
    rows: usize,
}

impl Table {
    /// The most rows a table may have: row numbers are `u32`, and one is kept as a mark.
    pub const MAX_ROWS: usize = u32::MAX as usize - 1;

    /// Checks that there are columns, that all have the same number of rows, and that every
    /// number is finite or missing.
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
                && values.iter().any(|value| value.is_infinite())
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

    /// The table of some rows.
    pub fn select(&self, rows: &[u32]) -> Result<Self> {
        let columns = self.columns.iter().map(|column| column.select(rows));
        Ok(Table {
            columns: columns.collect::<Result<_>>()?,
            rows: rows.len(),
        })
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
    fn infinities_are_refused_with_their_column() {
        for bad in [f64::INFINITY, f64::NEG_INFINITY] {
            let columns = vec![Column::Numeric(vec![0.0]), Column::Numeric(vec![bad])];
            assert_eq!(Table::new(columns), Err(Error::NotFinite { column: 1 }));
        }
    }

    #[test]
    fn selected_codes_keep_their_order() {
        let codes = Categories::new(vec![7, 2, 9, 2, 4]);
        assert_eq!(codes.select(&[0, 2, 3, 1]).unwrap().codes(), [1, 2, 0, 0]);
        assert_eq!(codes.select(&[]).unwrap().cardinality(), 0);
    }
}
