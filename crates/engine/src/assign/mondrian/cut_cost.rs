//! What the two sides of a cut span together, for many cuts of one order of rows at once.

use super::cut_axis::{CutAxis, Placed, Scale};
use crate::Result;
use crate::run::allocation;

/// Weighs cuts. Its memory is used again from part to part.
pub(super) struct CutCost {
    /// the places of the cuts in question, ascending
    at: Vec<usize>,
    /// for each of them the cost of both sides
    costs: Vec<f64>,
    /// for each axis and category in which count it was last seen; empty for numbers
    seen: Vec<Vec<u64>>,
    count: u64,
}

impl CutCost {
    pub fn new(axes: &[CutAxis<'_>]) -> Result<Self> {
        let seen = axes.iter().map(|axis| match axis.scale {
            Scale::Range { .. } => Ok(Vec::new()),
            Scale::Values { cardinality } => allocation::filled(cardinality, 0),
        });
        Ok(CutCost {
            at: Vec::new(),
            costs: Vec::new(),
            seen: seen.collect::<Result<_>>()?,
            count: 0,
        })
    }

    /// Forgets all cuts.
    pub fn clear(&mut self) {
        self.at.clear();
        self.costs.clear();
    }

    /// Whether no cut is in question.
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Asks for the cost of a cut before this place; places ascend.
    pub fn ask(&mut self, at: usize) -> Result<()> {
        allocation::make_room(&mut self.at, 1)?;
        allocation::make_room(&mut self.costs, 1)?;
        self.at.push(at);
        self.costs.push(0.0);
        Ok(())
    }

    /// Weighs the cuts: of each side its rows times what they span.
    pub fn weigh(&mut self, axes: &[CutAxis<'_>], placed: &[Placed]) {
        if self.at.is_empty() {
            return;
        }
        for (number, axis) in axes.iter().enumerate() {
            self.weigh_side(number, axis, placed.iter(), |at| at, true);
            self.weigh_side(
                number,
                axis,
                placed.iter().rev(),
                |at| placed.len() - at,
                false,
            );
        }
    }

    /// What rows lose as one group.
    pub fn whole(&mut self, axes: &[CutAxis<'_>], rows: &[u32]) -> f64 {
        let mut penalty = 0.0;
        for (axis, seen) in axes.iter().zip(&mut self.seen) {
            self.count += 1;
            let mut span = Span::new(axis.scale);
            for &row in rows {
                span.take(axis.value(row), seen, self.count);
            }
            penalty += span.penalty();
        }
        penalty * rows.len() as f64
    }

    /// Adds the cost of the sides that grow with these rows; `size` is a side's size by its cut.
    fn weigh_side<'r>(
        &mut self,
        number: usize,
        axis: &CutAxis<'_>,
        mut rows: impl Iterator<Item = &'r Placed>,
        size: impl Fn(usize) -> usize,
        ascending: bool,
    ) {
        self.count += 1;
        let mut span = Span::new(axis.scale);
        let mut taken = 0;
        for step in 0..self.at.len() {
            let cut = if ascending {
                step
            } else {
                self.at.len() - 1 - step
            };
            let rows_of_side = size(self.at[cut]);
            for placed in rows.by_ref().take(rows_of_side - taken) {
                span.take(axis.value(placed.row), &mut self.seen[number], self.count);
            }
            taken = rows_of_side;
            self.costs[cut] += rows_of_side as f64 * span.penalty();
        }
    }

    /// The cheapest cuts: cost and place.
    pub fn least(&self, count: usize) -> Vec<(f64, usize)> {
        let mut best: Vec<(f64, usize)> = Vec::new();
        for (&cost, &at) in self.costs.iter().zip(&self.at) {
            let place = best.partition_point(|other| other.0 <= cost);
            if place < count {
                best.insert(place, (cost, at));
                best.truncate(count);
            }
        }
        best
    }
}

/// What rows span of a column.
struct Span {
    scale: Scale,
    least: f64,
    largest: f64,
    distinct: usize,
}

impl Span {
    fn new(scale: Scale) -> Self {
        Span {
            scale,
            least: f64::INFINITY,
            largest: f64::NEG_INFINITY,
            distinct: 0,
        }
    }

    fn take(&mut self, value: f64, seen: &mut [u64], count: u64) {
        match self.scale {
            Scale::Range { .. } => {
                self.least = self.least.min(value);
                self.largest = self.largest.max(value);
            }
            Scale::Values { .. } => {
                let last = &mut seen[value as usize];
                self.distinct += usize::from(*last != count);
                *last = count;
            }
        }
    }

    /// The normalized certainty penalty of a row, 0 to 1.
    fn penalty(&self) -> f64 {
        match self.scale {
            Scale::Range { extent } if extent > 0.0 => {
                (self.largest / 2.0 - self.least / 2.0) / extent
            }
            Scale::Values { cardinality } if self.distinct > 1 => {
                self.distinct as f64 / cardinality as f64
            }
            _ => 0.0,
        }
    }
}
