//! All sets of columns that could be blanked, the cheapest first.

use crate::{Error, Result};

/// Sets of columns as bits, with their cost.
pub(super) struct BlankMasks {
    masks: Vec<(f64, u16)>,
    cost_of: Vec<f64>,
    columns: usize,
}

impl BlankMasks {
    pub fn new(importance: &[f64]) -> Result<Self> {
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

    /// All columns blanked.
    pub fn all(&self) -> u16 {
        ((1u32 << self.columns) - 1) as u16
    }
}
