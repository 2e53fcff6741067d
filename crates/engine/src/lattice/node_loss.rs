//! What a node loses, in whole numbers up to the last step: the figure does not depend on
//! the order in which the groups come.

use super::{Combinations, Hierarchy};

/// The loss of one node, group by group. Per key column it sums, over the rows that are
/// kept, how many other values a row's code covers.
pub(super) struct Loss<'a> {
    combinations: &'a Combinations,
    columns: Vec<(&'a Hierarchy, usize)>,
    others: Vec<u128>,
    suppressed: u64,
}

impl<'a> Loss<'a> {
    pub fn new(combinations: &'a Combinations, node: usize) -> Self {
        let levels = combinations.lattice().levels(node);
        let columns: Vec<_> = combinations.hierarchies().iter().zip(levels).collect();
        Loss {
            combinations,
            others: vec![0; columns.len()],
            columns,
            suppressed: 0,
        }
    }

    /// A group is kept; `member` is any of its combinations.
    pub fn keep(&mut self, member: u32, rows: u64) {
        let codes = self.combinations.codes(member).iter();
        let columns = codes.zip(&self.columns);
        for (sum, (&code, (hierarchy, level))) in self.others.iter_mut().zip(columns) {
            *sum += u128::from(rows) * u128::from(hierarchy.others(*level, code));
        }
    }

    /// A group is suppressed: its rows lose everything.
    pub fn suppress(&mut self, rows: u64) {
        self.suppressed += rows;
    }

    /// The rows suppressed so far.
    pub fn suppressed(&self) -> u64 {
        self.suppressed
    }

    /// The mean loss of a cell by its column's weight; 0 to 1, or more where a suppressed row
    /// costs more than all of its cells.
    pub fn mean(&self) -> f64 {
        let price = self.combinations.price();
        let weights = price.weights();
        let kept = self.kept().zip(weights).map(|(kept, weight)| kept * weight);
        let kept = kept.sum::<f64>() / weights.iter().sum::<f64>();
        let suppressed = self.suppressed as f64 * price.suppression();
        (kept + suppressed) / self.combinations.rows() as f64
    }

    /// For each column the summed loss of the rows that are kept.
    fn kept(&self) -> impl Iterator<Item = f64> {
        let columns = self.others.iter().zip(&self.columns);
        columns.map(|(&others, (hierarchy, _))| {
            // a column of one value loses nothing, and its sum is 0
            others as f64 / (hierarchy.values().max(2) - 1) as f64
        })
    }

    /// The mean loss of a cell of each column, 0 to 1.
    fn means(&self) -> Vec<f64> {
        let rows = self.combinations.rows() as f64;
        let suppressed = self.suppressed as f64;
        self.kept().map(|kept| (kept + suppressed) / rows).collect()
    }
}

/// What each key column loses at a node that keeps some combinations and suppresses the others:
/// the mean over its cells, 0 to 1. The mean of these is the node's loss.
pub fn column_losses(combinations: &Combinations, node: usize, kept: &[bool]) -> Vec<f64> {
    let mut loss = Loss::new(combinations, node);
    let rows = combinations.tally().sizes().iter();
    for (combination, (&rows, &kept)) in (0..).zip(rows.zip(kept)) {
        match kept {
            true => loss.keep(combination, rows),
            false => loss.suppress(rows),
        }
    }
    loss.means()
}
