//! What a node loses, in whole numbers up to the last step: the figure does not depend on
//! the node from which the groups were derived.

use super::Counts;
use crate::{Result, memory};

/// For each key column and level, the other values that a row's code covers, summed over
/// all rows.
pub(super) struct Loss {
    others: Vec<Vec<u128>>,
}

/// The same for one node, over the rows that are left.
pub(super) struct NodeLoss<'a> {
    counts: &'a Counts,
    levels: Vec<usize>,
    others: Vec<u128>,
    suppressed: u64,
}

impl Loss {
    pub fn new(counts: &Counts) -> Result<Self> {
        let mut columns = Vec::new();
        for (column, hierarchy) in counts.hierarchies().iter().enumerate() {
            let rows = rows_by_value(counts, column)?;
            let of_level = |level| {
                let values = rows.iter().zip(0..);
                let others = values.map(|(&rows, value)| {
                    u128::from(rows) * u128::from(hierarchy.others(level, value))
                });
                others.sum()
            };
            columns.push((0..hierarchy.levels()).map(of_level).collect());
        }
        Ok(Loss { others: columns })
    }

    /// What a node loses as long as nothing is suppressed.
    pub fn of_node<'a>(&self, counts: &'a Counts, node: usize) -> NodeLoss<'a> {
        let levels = counts.lattice().levels(node);
        let columns = levels.iter().zip(&self.others);
        NodeLoss {
            others: columns.map(|(&level, others)| others[level]).collect(),
            counts,
            levels,
            suppressed: 0,
        }
    }
}

/// How many rows have each base value of a key column.
fn rows_by_value(counts: &Counts, column: usize) -> Result<Vec<u64>> {
    let mut rows = memory::filled(0, counts.hierarchies()[column].values())?;
    for (combination, &count) in counts.rows().iter().enumerate() {
        rows[counts.codes(combination as u32)[column] as usize] += count;
    }
    Ok(rows)
}

impl NodeLoss<'_> {
    /// Rows of a combination's group are suppressed: they lose everything.
    pub fn suppress(&mut self, combination: u32, rows: u64) {
        self.suppressed += rows;
        let codes = self.counts.codes(combination).iter();
        let hierarchies = self.counts.hierarchies().iter().zip(&self.levels);
        for ((others, &code), (hierarchy, &level)) in
            self.others.iter_mut().zip(codes).zip(hierarchies)
        {
            *others -= u128::from(rows) * u128::from(hierarchy.others(level, code));
        }
    }

    /// The mean loss of a cell, 0 to 1.
    pub fn mean(&self) -> f64 {
        let columns = self.others.iter().zip(self.counts.hierarchies());
        let share = columns.map(|(&others, hierarchy)| {
            // a column of one value loses nothing, and its sum is 0
            others as f64 / (hierarchy.values().max(2) - 1) as f64
        });
        let kept = share.sum::<f64>() / self.levels.len() as f64;
        (kept + self.suppressed as f64) / self.counts.total_rows() as f64
    }
}
