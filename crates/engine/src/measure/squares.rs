//! Squared distances: what microaggregation loses.

use super::Domain;
use crate::data::mask::hides;
use crate::run::allocation::{collected, filled};
use crate::{Categories, Gaps, GroupMoments, Moments, Partition, Result, Space, Tally, mask};

/// Sum of squared distances to the group's centroid (within) and to the table's (total), over
/// the space's columns. Each categorical column counts as much as a standardised number: its total
/// is the number of rows, and of that is within groups the share of rows that differ from their
/// group's most frequent value among those that differ from the table's. So the loss of a table is
/// the mean of the losses of its columns, whatever their kinds. A missing number adds its column's
/// variance to the total, and as much to the loss if it is filled in; a number that is hidden loses
/// all that it adds to the total.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Squares {
    pub within: f64,
    pub total: f64,
}

impl Squares {
    const NONE: Squares = Squares {
        within: 0.0,
        total: 0.0,
    };

    /// The squares of a grouping of the rows of a space.
    pub fn new(space: &Space, partition: &Partition) -> Result<Self> {
        let rows = space.rows();
        let whole = Partition::new(filled(rows, 0)?, usize::from(rows > 0))?;
        let mut squares = Squares::NONE;
        let of = |gaps: &Gaps, column| gaps.mark == column || gaps.value == Some(column);
        for (column, values) in space.numeric().iter().enumerate() {
            if !space.gaps().iter().any(|gaps| of(gaps, column)) {
                squares.within += deviation(values, partition)?;
                squares.total += deviation(values, &whole)?;
            }
        }
        for gaps in space.gaps() {
            squares.add_column(space, gaps, partition)?;
        }
        for categories in space.categorical() {
            let within = differing(categories, partition)?;
            squares.add_categorical(within, differing(categories, &whole)?, rows as f64);
        }
        Ok(squares)
    }

    /// A column with missing values. Those that are there have mean 0.
    fn add_column(&mut self, space: &Space, gaps: &Gaps, partition: &Partition) -> Result<()> {
        let marks = &space.numeric()[gaps.mark];
        let value = |row: usize| match gaps.value {
            _ if marks[row] > 0.0 => f64::NAN,
            Some(value) => space.numeric()[value][row],
            None => 0.0,
        };
        let values = collected((0..space.rows()).map(value))?;
        let means = mask::means(&values, partition)?;
        for (&group, &value) in partition.group_of().iter().zip(&values) {
            let shown = means[group as usize];
            let (full, lost) = match value.is_nan() {
                true => (gaps.unit, if shown.is_nan() { 0.0 } else { gaps.unit }),
                false if shown.is_nan() => (value * value, value * value),
                false => (value * value, (value - shown).powi(2)),
            };
            self.total += full;
            self.within += lost;
        }
        Ok(())
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
/// differs from its group adds 1, and marks of missing values count as the coordinates that they are.
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

/// What a numeric column with missing values adds to the squares, in units of its variance.
fn squares_with_gaps(moments: &GroupMoments, column: usize, sizes: &[u64], rows: f64) -> Squares {
    let total = moments.total(column);
    if total.rows == 0 {
        return Squares::NONE; // all rows lack it
    }
    let present = total.rows as f64;
    let domain = Domain::between(total.least, total.greatest);
    let squares = domain
        .as_ref()
        .map(|_| total.squares)
        .filter(|squares| squares.is_normal());
    // of one value, in units of the variance, or of the range where that is no number
    let square = |from: f64, to: f64, sum: f64| match (squares, &domain) {
        (Some(squares), _) => sum / squares * present,
        (None, Some(domain)) => domain.share(from, to).powi(2),
        (None, None) => 0.0,
    };
    let lost = |(cell, &size): (&Moments, &u64)| {
        let (count, missing) = (cell.rows as f64, (size - cell.rows) as f64);
        if cell.rows == 0 {
            return 0.0;
        }
        let within = match squares {
            Some(_) => square(0.0, 0.0, cell.squares),
            None => count * square(cell.least, cell.greatest, 0.0),
        };
        let apart = (cell.mean - total.mean).powi(2);
        match hides(size - cell.rows, size) {
            true => within + count * square(total.mean, cell.mean, apart),
            false => within + missing,
        }
    };
    Squares {
        within: moments.column(column).zip(sizes).map(lost).sum(),
        total: if domain.is_some() {
            rows
        } else {
            rows - present
        },
    }
}

/// The same squares from what was gathered group by group: moments of the numeric columns
/// and counts of the categorical ones. A standardised column's squares are its own divided
/// by its variance; a constant column counts for nothing. Where the squares of a column pass
/// the range of numbers, those of its groups' ranges stand in for them.
pub fn squares_of_groups(moments: &GroupMoments, tally: &Tally) -> Result<Squares> {
    let rows = tally.rows() as f64;
    let mut squares = Squares::NONE;
    for column in 0..moments.columns() {
        let present: u64 = moments.column(column).map(|cell| cell.rows).sum();
        if present < tally.rows() {
            let column = squares_with_gaps(moments, column, tally.sizes(), rows);
            squares.within += column.within;
            squares.total += column.total;
        } else if let Some(share) = share_within(moments, column) {
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
    fn gathered_squares_of_missing_values_equal_those_of_the_space() {
        let gap = f64::NAN;
        let columns = [
            vec![20.0, gap, 51.0, 58.0, 90.0, gap, gap, 3.0],
            vec![gap, 4.0, gap, gap, 4.0, 4.0, 4.0, 4.0],
        ];
        let partition = Partition::new(vec![0, 0, 1, 1, 1, 1, 2, 2], 3).unwrap();
        let mut moments = GroupMoments::new(2);
        for (row, &group) in partition.group_of().iter().enumerate() {
            for (column, values) in columns.iter().enumerate() {
                let cell = moments.cell(group, column).unwrap();
                if !values[row].is_nan() {
                    cell.add(values[row]);
                }
            }
        }
        let tally = Tally::new(&partition, &[]).unwrap();
        let gathered = squares_of_groups(&moments, &tally).unwrap();
        let columns = columns.map(Column::Numeric).to_vec();
        let space = Space::new(&Table::new(columns).unwrap(), true).unwrap();
        let direct = Squares::new(&space, &partition).unwrap();
        assert!((gathered.within - direct.within).abs() < 1e-9);
        assert!((gathered.total - direct.total).abs() < 1e-9);
        assert!(direct.within < direct.total);
    }

    #[test]
    fn a_column_that_is_all_hidden_is_all_lost() {
        let gap = f64::NAN;
        let values = vec![1.0, gap, 5.0, gap, 9.0, gap];
        let space = Space::new(&Table::new(vec![Column::Numeric(values)]).unwrap(), true).unwrap();
        let squares = Squares::new(&space, &Partition::new(vec![0; 6], 1).unwrap()).unwrap();
        assert!((squares.within - 3.0).abs() < 1e-12);
        assert!((squares.total - 6.0).abs() < 1e-12);
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
