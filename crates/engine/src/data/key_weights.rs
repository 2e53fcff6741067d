//! How much each key counts in distances.

use crate::{Column, Error, Result, Table};

/// Factors on squared distances, in units of the least one of a categorical column.
pub(super) struct Weights {
    factors: Vec<f64>,
}

impl Weights {
    /// The most often that a categorical column is taken.
    const MOST: f64 = 100.0;

    /// Checks the weights of a table's columns; none at all stand for ones.
    pub(super) fn new(table: &Table, weights: &[f64]) -> Result<Self> {
        let columns = table.columns();
        if weights.is_empty() {
            return Ok(Weights {
                factors: vec![1.0; columns.len()],
            });
        }
        if !weights
            .iter()
            .all(|&weight| weight > 0.0 && weight.is_finite())
        {
            return Err(Error::NotPositive { name: "a weight" });
        }
        let is_categorical = |column: &Column| matches!(column, Column::Categorical(_));
        let pairs = || columns.iter().zip(weights);
        let categorical = pairs().filter(|(column, _)| is_categorical(column));
        let least = categorical.map(|(_, &weight)| weight).reduce(f64::min);
        let factors: Vec<f64> = weights
            .iter()
            .map(|weight| weight / least.unwrap_or(1.0))
            .collect();
        let whole = |factor: f64| factor.fract() == 0.0 && factor <= Self::MOST;
        let mut pairs = columns.iter().zip(&factors);
        if pairs.any(|(column, &factor)| is_categorical(column) && !whole(factor)) {
            return Err(Error::UnevenWeights {
                most: Self::MOST as u32,
            });
        }
        Ok(Weights { factors })
    }

    /// The factor of a numeric column.
    pub(super) fn factor(&self, column: usize) -> f64 {
        self.factors.get(column).copied().unwrap_or(1.0)
    }

    /// How often a categorical column is taken.
    pub(super) fn times(&self, column: usize) -> usize {
        self.factor(column) as usize
    }
}
