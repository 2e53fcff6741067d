//! What the rows that lose least lose in one key column at one level.

use super::{Combinations, Hierarchy};
use crate::Result;
use crate::run::allocation;

/// The rows in ascending order of their loss, those of equal loss together.
#[derive(Debug, Clone)]
pub(super) struct LevelLosses {
    steps: Vec<Step>,
}

/// Rows that lose the same, with those that lose less.
#[derive(Debug, Clone, Copy)]
struct Step {
    loss: f64,
    /// up to these and with them
    rows: u64,
    /// what those rows lose
    sum: f64,
}

impl LevelLosses {
    /// `rows` tells how many rows have each value.
    pub fn new(hierarchy: &Hierarchy, level: usize, weight: f64, rows: &[u64]) -> Result<Self> {
        let mut steps = allocation::reserved::<Step>(rows.len())?;
        let losses = (0u32..).zip(rows);
        steps.extend(losses.map(|(value, &rows)| Step {
            loss: weight * hierarchy.loss(level, value),
            rows,
            sum: 0.0,
        }));
        steps.sort_unstable_by(|a, b| a.loss.total_cmp(&b.loss));
        steps.dedup_by(|next, kept| {
            let alike = next.loss == kept.loss;
            kept.rows += if alike { next.rows } else { 0 };
            alike
        });
        let (mut rows, mut sum) = (0, 0.0);
        for step in &mut steps {
            sum += step.loss * step.rows as f64;
            rows += step.rows;
            (step.rows, step.sum) = (rows, sum);
        }
        Ok(LevelLosses { steps })
    }

    /// What so many rows lose at least.
    pub fn least(&self, rows: u64) -> f64 {
        let at = self.place(rows);
        match self.steps.get(at) {
            Some(step) => step.sum - (step.rows - rows) as f64 * step.loss,
            None => self.steps.last().map_or(0.0, |step| step.sum),
        }
    }

    /// What the last of so many rows loses.
    pub fn last(&self, rows: u64) -> f64 {
        self.steps
            .get(self.place(rows))
            .map_or(0.0, |step| step.loss)
    }

    fn place(&self, rows: u64) -> usize {
        self.steps.partition_point(|step| step.rows < rows)
    }
}

/// How many rows have each value of a key column.
pub(super) fn rows_of_values(combinations: &Combinations, column: usize) -> Result<Vec<u64>> {
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
    fn the_rows_that_lose_least_come_first() {
        // at level 1 values 0 to 2 lose half each, value 3 nothing
        let hierarchy = Hierarchy::new(5, &[vec![0, 0, 0, 1, 2]]).unwrap();
        let losses = LevelLosses::new(&hierarchy, 1, 2.0, &[4, 0, 1, 2, 3]).unwrap();
        let least: Vec<_> = (0..=10).map(|rows| losses.least(rows)).collect();
        assert_eq!(
            least,
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
        );
        assert_eq!((losses.last(5), losses.last(6)), (0.0, 1.0));
    }
}
