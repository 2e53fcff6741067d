//! Squared distances: what microaggregation loses.

use super::Domain;
use crate::run::allocation::filled;
use crate::{Categories, GroupMoments, Moments, Partition, Result, Space, Tally, mask};

/// Sum of squared distances to the group's centroid (within) and to the table's (total), over
/// the space's columns. Each categorical column counts as much as a standardised number: its total
/// is the number of rows, and of that is within groups the share of rows that differ from their
/// group's most frequent value among those that differ from the table's. So the loss of a table is
/// the mean of the losses of its columns, whatever their kinds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Squares {
    pub within: f64,
    pub total: f64,
}

impl Squares {
    /// The squares of a grouping of the rows of a space.
    pub fn new(space: &Space, partition: &Partition) -> Result<Self> {
        let rows = space.rows();
        let whole = Partition::new(filled(rows, 0)?, usize::from(rows > 0))?;
        let mut squares = Squares {
            within: 0.0,
            total: 0.0,
        };
        for values in space.numeric() {
            squares.within += deviation(values, partition)?;
            squares.total += deviation(values, &whole)?;
        }
        for categories in space.categorical() {
            let within = differing(categories, partition)?;
            squares.add_categorical(within, differing(categories, &whole)?, rows as f64);
        }
        Ok(squares)
    }

    /// Adds a column in which so many rows differ from the most frequent value of their group, and
    /// so many from that of the table.
    fn add_categorical(&mut self, within: f64, total: f64, rows: f64) {
        if total > 0.0 {
            self.within += rows * (within / total);
            self.total += rows;
        }
    }

    /// 100 · SSE/SST; 0 when nothing varies.
    pub fn information_loss(&self) -> f64 {
        if self.total > 0.0 {
            100.0 * self.within / self.total
        } else {
            0.0
        }
    }
}

/// Within-group sum of squared distances as the methods take them: a categorical key in which a row
/// differs from its group adds 1.
pub fn within(space: &Space, partition: &Partition) -> Result<f64> {
    let numeric = space.numeric().iter();
    let numeric = numeric.map(|values| deviation(values, partition));
    let categorical = space.categorical().iter();
    let categorical = categorical.map(|categories| differing(categories, partition));
    numeric.chain(categorical).sum()
}

/// Squared differences of numbers from the mean of their group.
fn deviation(values: &[f64], partition: &Partition) -> Result<f64> {
    let means = mask::means(values, partition)?;
    let groups = values.iter().zip(partition.group_of());
    let square = |(value, &group): (&f64, &u32)| (value - means[group as usize]).powi(2);
    Ok(groups.map(square).sum::<f64>())
}

/// Rows that differ from the most frequent value of their group.
fn differing(categories: &Categories, partition: &Partition) -> Result<f64> {
    let modes = mask::modes(categories, partition)?;
    let groups = categories.codes().iter().zip(partition.group_of());
    let differing = groups.filter(|&(code, &group)| *code != modes[group as usize]);
    Ok(differing.count() as f64)
}

/// The share of a numeric column's squares that is within groups; `None` if it does not vary.
fn share_within(moments: &GroupMoments, column: usize) -> Option<f64> {
    let total = moments.total(column);
    let domain = Domain::between(total.least, total.greatest)?;
    if total.squares.is_normal() {
        let within = moments.column(column).map(|cell| cell.squares).sum::<f64>();
        return Some(within / total.squares);
    }
    // Squares of such values are beyond all numbers, or below them; those of the ranges, in
    // units of the column's, are not.
    let square = |cell: &Moments| {
        let range = domain.share(cell.least, cell.greatest);
        cell.rows as f64 * range * range
    };
    let cells = moments.column(column).filter(|cell| cell.rows > 0);
    Some(cells.map(square).sum::<f64>() / total.rows as f64)
}

/// The same squares from what was gathered group by group: moments of the numeric columns
/// and counts of the categorical ones. A standardised column's squares are its own divided
/// by its variance; a constant column counts for nothing. Where the squares of a column pass
/// the range of numbers, those of its groups' ranges stand in for them.
pub fn squares_of_groups(moments: &GroupMoments, tally: &Tally) -> Result<Squares> {
    let rows = tally.rows() as f64;
    let mut squares = Squares {
        within: 0.0,
        total: 0.0,
    };
    for column in 0..moments.columns() {
        if let Some(share) = share_within(moments, column) {
            squares.within += rows * share;
            squares.total += rows;
        }
    }
    for column in tally.columns() {
        let most = |cells: &[(u32, u64)]| cells.iter().map(|cell| cell.1).max().unwrap_or(0);
        let agreeing = column.iter().map(most).sum::<u64>();
        let most_frequent = column.totals()?.into_iter().max().unwrap_or(0);
        squares.add_categorical(rows - agreeing as f64, rows - most_frequent as f64, rows);
    }
    Ok(squares)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Column, Table};

    #[test]
    fn gathered_squares_equal_those_of_the_space() {
        let age = vec![20.0, 22.0, 51.0, 58.0, 90.0];
        let sex = Categories::new(vec![0, 1, 0, 0, 0]);
        let partition = Partition::new(vec![0, 0, 1, 1, 1], 2).unwrap();
        let mut moments = GroupMoments::new(1);
        for (&group, &age) in partition.group_of().iter().zip(&age) {
            moments.cell(group, 0).unwrap().add(age);
        }
        let tally = Tally::new(&partition, &[&sex]).unwrap();
        let gathered = squares_of_groups(&moments, &tally).unwrap();
        let columns = vec![Column::Numeric(age), Column::Categorical(sex)];
        let space = Space::new(&Table::new(columns).unwrap(), true).unwrap();
        let direct = Squares::new(&space, &partition).unwrap();
        assert!((gathered.within - direct.within).abs() < 1e-12);
        assert!((gathered.total - direct.total).abs() < 1e-12);
    }

    /// One key that is lost and one that is kept: half of what there was, whatever their kinds.
    #[test]
    fn a_category_counts_as_much_as_a_number() {
        let lost = |cells: [u32; 8]| {
            let number = Column::Numeric(cells.map(f64::from).to_vec());
            [number, Column::Categorical(Categories::new(cells.to_vec()))]
        };
        let partition = Partition::new(vec![0, 0, 0, 0, 1, 1, 1, 1], 2).unwrap();
        for gone in lost([0, 1, 0, 1, 1, 0, 1, 0]) {
            for kept in lost([0, 0, 0, 0, 1, 1, 1, 1]) {
                let table = Table::new(vec![gone.clone(), kept]).unwrap();
                let space = Space::new(&table, true).unwrap();
                let squares = Squares::new(&space, &partition).unwrap();
                assert!((squares.information_loss() - 50.0).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn no_values_give_a_loss_that_is_no_number() {
        let columns: [[f64; 6]; 5] = [
            [1e160, 1e160, 1e160, 0.0, 0.0, 0.0],
            [1e160, 2e160, 3e160, -1e160, -2e160, -3e160],
            [1.7e308, -1.7e308, 1.7e308, -1.7e308, 1.7e308, -1.7e308],
            [1e-200, 2e-200, 3e-200, 4e-200, 5e-200, 6e-200],
            [0.0, 5e-324, 0.0, 5e-324, 0.0, 5e-324],
        ];
        for values in columns {
            let mut moments = GroupMoments::new(1);
            for (row, value) in (0..).zip(values) {
                moments.cell(row / 3, 0).unwrap().add(value);
            }
            let tally = Tally::from_counts(vec![3, 3], vec![]).unwrap();
            let loss = squares_of_groups(&moments, &tally).unwrap();
            let loss = loss.information_loss();
            assert!((0.0..=100.0).contains(&loss), "{loss} for {values:?}");
        }
    }
}
