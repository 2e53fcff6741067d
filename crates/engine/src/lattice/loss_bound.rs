//! What a node and all nodes above it lose at least.

use super::{Combinations, Lattice};
use crate::run::allocation;
use crate::{Error, Result};

/// What cells and rows cost where nodes are compared by their loss.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// for each key column what its loss is multiplied by
    weights: Vec<f64>,
    /// what a suppressed row loses: 1 is as much as if all its cells were lost
    suppression: f64,
}

impl Price {
    /// Weights must not be negative, and not all be zero.
    pub fn new(weights: Vec<f64>, suppression: f64) -> Result<Self> {
        let fits = |&weight: &f64| weight >= 0.0 && weight.is_finite();
        if weights.is_empty() || !weights.iter().all(fits) || weights.iter().sum::<f64>() <= 0.0 {
            return Err(Error::NotPositive { name: "weights" });
        }
        if !fits(&suppression) {
            let name = "suppression_factor";
            return Err(Error::Negative { name });
        }
        Ok(Price {
            weights,
            suppression,
        })
    }

    /// All columns count alike, and a suppressed row loses everything.
    pub(super) fn even(columns: usize) -> Self {
        Price {
            weights: vec![1.0; columns],
            suppression: 1.0,
        }
    }

    pub(super) fn weights(&self) -> &[f64] {
        &self.weights
    }

    pub(super) fn suppression(&self) -> f64 {
        self.suppression
    }
}

/// Bounds by column and level. A row's loss by generalization is a sum over its columns, so
/// the sum over all rows is known for every node without its groups.
#[derive(Debug, Clone)]
pub(super) struct LossBound {
    /// for each column and level what all rows lose there, suppressed ones included
    sums: Vec<Vec<f64>>,
    /// what all rows lose if every cell is lost
    whole: f64,
    /// what suppressing the most rows allowed could save
    savings: f64,
    factor: f64,
}

/// Sums are taken in another order than a node's loss: what rounding may make of it.
const ROUNDING: f64 = 1e-11;

impl LossBound {
    pub fn new(combinations: &Combinations, max_suppressed: u64) -> Result<Self> {
        let price = combinations.price();
        let columns = combinations.hierarchies().iter().enumerate();
        let sums = columns.map(|(column, hierarchy)| {
            let rows = rows_of_values(combinations, column)?;
            let weight = price.weights()[column];
            let level = |level| {
                let rows = (0u32..).zip(&rows);
                let losses = rows.map(|(value, &rows)| rows as f64 * hierarchy.loss(level, value));
                weight * losses.sum::<f64>()
            };
            Ok((0..hierarchy.levels()).map(level).collect())
        });
        let cells = price.weights().iter().sum::<f64>();
        let factor = price.suppression().min(1.0);
        Ok(LossBound {
            sums: sums.collect::<Result<_>>()?,
            whole: cells * combinations.rows() as f64,
            savings: max_suppressed.min(combinations.rows()) as f64 * cells * (1.0 - factor),
            factor,
        })
    }

    /// What a node and all above it lose at least, as a share. A suppressed row may lose less
    /// than it would by generalization where suppression is cheap: that is taken off.
    pub fn of(&self, lattice: &Lattice, node: usize) -> f64 {
        let columns = self.sums.iter().enumerate();
        let sums = columns.map(|(column, sums)| sums[lattice.level(node, column)]);
        let sum: f64 = sums.sum();
        let least = (sum - self.savings).max(self.factor * sum);
        if self.whole > 0.0 {
            least / self.whole
        } else {
            0.0
        }
    }

    /// Whether a node certainly loses more than so much.
    pub fn exceeds(&self, lattice: &Lattice, node: usize, loss: f64) -> bool {
        self.of(lattice, node) > loss + ROUNDING
    }
}

/// How many rows have each value of a key column.
fn rows_of_values(combinations: &Combinations, column: usize) -> Result<Vec<u64>> {
    let values = combinations.hierarchies()[column].values();
    let mut rows = allocation::filled(values, 0)?;
    for (combination, &size) in (0..).zip(combinations.tally().sizes()) {
        rows[combinations.codes(combination)[column] as usize] += size;
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_make_sense() {
        assert!(Price::new(vec![1.0, 0.0], 0.0).is_ok());
        assert!(Price::new(vec![0.0, 0.0], 1.0).is_err());
        assert!(Price::new(vec![], 1.0).is_err());
        assert!(Price::new(vec![1.0, -1.0], 1.0).is_err());
        assert!(Price::new(vec![1.0], f64::NAN).is_err());
    }
}
