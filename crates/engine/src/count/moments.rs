//! Means, squares and ranges of numeric columns within groups, gathered as rows come by.

use crate::Result;
use crate::run::allocation::make_room;

/// Count, mean, sum of squared deviations and range of some values (Welford's method, which
/// keeps its digits however large the mean is).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    pub rows: u64,
    pub mean: f64,
    pub squares: f64,
    pub least: f64,
    pub greatest: f64,
}

impl Default for Moments {
    fn default() -> Self {
        Moments {
            rows: 0,
            mean: 0.0,
            squares: 0.0,
            least: f64::INFINITY,
            greatest: f64::NEG_INFINITY,
        }
    }
}

impl Moments {
    /// Adds one value.
    pub fn add(&mut self, value: f64) {
        self.rows += 1;
        let before = value - self.mean;
        self.mean += before / self.rows as f64;
        self.squares += before * (value - self.mean);
        self.least = self.least.min(value);
        self.greatest = self.greatest.max(value);
    }

    /// Adds other values by their moments (Chan, Golub and LeVeque).
    pub fn merge(&mut self, other: &Moments) {
        if other.rows == 0 {
            return;
        }
        if self.rows == 0 {
            // the way from 0 to the other mean may have no finite square
            *self = *other;
            return;
        }
        let rows = (self.rows + other.rows) as f64;
        let apart = other.mean - self.mean;
        self.squares +=
            other.squares + apart * apart * (self.rows as f64) * (other.rows as f64) / rows;
        self.mean += apart * (other.rows as f64) / rows;
        self.rows += other.rows;
        self.least = self.least.min(other.least);
        self.greatest = self.greatest.max(other.greatest);
    }

    /// The greatest value less the least; −∞ without values.
    pub fn range(&self) -> f64 {
        self.greatest - self.least
    }
}

/// The moments of several numeric columns in each group.
#[derive(Debug, Clone, Default)]
pub struct GroupMoments {
    columns: usize,
    cells: Vec<Moments>,
}

impl GroupMoments {
    /// No groups yet, for this many numeric columns.
    pub fn new(columns: usize) -> Self {
        GroupMoments {
            columns,
            cells: Vec::new(),
        }
    }

    /// The number of numeric columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The moments of a column in a group, made when they are first asked for.
    pub fn cell(&mut self, group: u32, column: usize) -> Result<&mut Moments> {
        let end = (group as usize + 1) * self.columns;
        if end > self.cells.len() {
            let more = end - self.cells.len();
            make_room(&mut self.cells, more)?;
            self.cells.resize(end, Moments::default());
        }
        Ok(&mut self.cells[end - self.columns + column])
    }

    /// The moments of one column, group by group.
    pub fn column(&self, column: usize) -> impl Iterator<Item = &Moments> {
        self.cells.iter().skip(column).step_by(self.columns.max(1))
    }

    /// The moments of one column over all groups together.
    pub fn total(&self, column: usize) -> Moments {
        let mut total = Moments::default();
        self.column(column).for_each(|moments| total.merge(moments));
        total
    }

    /// Adds the moments of another state, whose group `g` is `groups[g]` here.
    pub fn merge(&mut self, other: &GroupMoments, groups: &[u32]) -> Result<()> {
        for (cells, &group) in other.cells.chunks_exact(self.columns.max(1)).zip(groups) {
            for (column, theirs) in cells.iter().enumerate() {
                self.cell(group, column)?.merge(theirs);
            }
        }
        Ok(())
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        size_of::<Moments>() * self.cells.capacity()
    }

    /// All cells, for sending to another process.
    pub fn cells(&self) -> &[Moments] {
        &self.cells
    }

    /// From what [`cells`](Self::cells) gave.
    pub fn from_cells(columns: usize, cells: Vec<Moments>) -> Self {
        GroupMoments { columns, cells }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[f64]) -> Moments {
        let mut moments = Moments::default();
        values.iter().for_each(|&value| moments.add(value));
        moments
    }

    proptest! {
        #[test]
        fn merged_moments_are_those_of_all_values(
            a in proptest::collection::vec(-100.0..100.0f64, 0..20),
            b in proptest::collection::vec(-100.0..100.0f64, 0..20),
        ) {
            let mut merged = of(&a);
            merged.merge(&of(&b));
            let all: Vec<f64> = a.iter().chain(&b).copied().collect();
            let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
            let squares = all.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            prop_assert_eq!(merged.rows as usize, all.len());
            prop_assert!((merged.mean - mean).abs() < 1e-9);
            prop_assert!((merged.squares - squares).abs() < 1e-7);
            prop_assert_eq!(merged.least, all.iter().copied().fold(f64::INFINITY, f64::min));
        }
    }

    #[test]
    fn moments_of_huge_values_merge_into_none() {
        let huge = of(&[1e160, 1e160]);
        let mut merged = Moments::default();
        merged.merge(&huge);
        assert_eq!(merged, huge);
        assert_eq!(merged.squares, 0.0);
    }

    #[test]
    fn groups_keep_their_columns_apart() {
        let mut moments = GroupMoments::new(2);
        moments.cell(1, 0).unwrap().add(5.0);
        moments.cell(0, 1).unwrap().add(7.0);
        let rows: Vec<u64> = moments.column(0).map(|cell| cell.rows).collect();
        assert_eq!(rows, [0, 1]);
        assert_eq!(moments.total(1).mean, 7.0);
    }
}
