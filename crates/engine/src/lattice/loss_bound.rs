//! What a node and all nodes above it lose at least.

use super::level_losses::{LevelLosses, rows_of_values};
use super::{Combinations, Lattice};
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

/// Bounds by column and level. A kept row's loss is a sum over its columns, so what so many rows
/// lose at least is known for every node without its groups.
#[derive(Debug, Clone)]
pub(super) struct LossBound {
    /// for each column and level
    losses: Vec<Vec<LevelLosses>>,
    rows: u64,
    /// what all rows lose if every cell is lost
    whole: f64,
    /// what a suppressed row costs
    row_price: f64,
    max_suppressed: u64,
}

/// Sums are taken in another order than a node's loss: what rounding may make of it.
const ROUNDING: f64 = 1e-11;

impl LossBound {
    pub fn new(combinations: &Combinations, max_suppressed: u64) -> Result<Self> {
        let price = combinations.price();
        let columns = combinations.hierarchies().iter().enumerate();
        let losses = columns.map(|(column, hierarchy)| {
            let rows = rows_of_values(combinations, column)?;
            let weight = price.weights()[column];
            let levels = 0..hierarchy.levels();
            let losses = levels.map(|level| LevelLosses::new(hierarchy, level, weight, &rows));
            losses.collect()
        });
        let cells = price.weights().iter().sum::<f64>();
        let rows = combinations.rows();
        Ok(LossBound {
            losses: losses.collect::<Result<_>>()?,
            rows,
            whole: cells * rows as f64,
            row_price: cells * price.suppression(),
            max_suppressed: max_suppressed.min(rows),
        })
    }

    /// What a node loses at least, as a share, where no fewer rows than so many are suppressed.
    /// The rows that lose most may be suppressed, and more than these where that is cheap. With
    /// no rows this bounds all nodes above, too: nobody loses less there.
    pub fn of(&self, lattice: &Lattice, node: usize, suppressed: u64) -> f64 {
        if self.whole <= 0.0 {
            return 0.0;
        }
        let columns = self.losses.iter().enumerate();
        let levels = columns.map(|(column, losses)| &losses[lattice.level(node, column)]);
        let suppressed = self.cheapest(levels.clone(), suppressed);
        let kept: f64 = levels
            .map(|losses| losses.least(self.rows - suppressed))
            .sum();
        (kept + suppressed as f64 * self.row_price) / self.whole
    }

    /// How many rows to suppress, at least so many, that all lose least together. The more are
    /// suppressed the less the next one saves.
    fn cheapest<'a>(
        &'a self,
        levels: impl Iterator<Item = &'a LevelLosses> + Clone,
        suppressed: u64,
    ) -> u64 {
        let saves = |suppressed: u64| {
            let last = levels
                .clone()
                .map(|losses| losses.last(self.rows - suppressed));
            last.sum::<f64>() > self.row_price
        };
        let (mut low, mut high) = (suppressed, self.max_suppressed.max(suppressed));
        while low < high {
            let middle = low + (high - low) / 2;
            if saves(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Whether a node certainly loses more than so much.
    pub fn exceeds(&self, lattice: &Lattice, node: usize, suppressed: u64, loss: f64) -> bool {
        self.of(lattice, node, suppressed) > loss + ROUNDING
    }

    /// Whether suppressing so many rows alone certainly loses more than so much.
    pub fn is_too_many(&self, suppressed: u64, loss: f64) -> bool {
        suppressed as f64 * self.row_price > (loss + ROUNDING) * self.whole
    }
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
