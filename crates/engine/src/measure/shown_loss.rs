//! What a column loses where rows show values that are not those of their groups: a sequence
//! shows what groups had when they were formed.

use super::Squares;
use crate::run::allocation::filled;
use crate::{Categories, Column, Error, Result};

/// The squares of one column, and the variance by which they are put on one scale with others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShownLoss {
    /// as [`Squares`] has them for a column: a number counts by its squared distance, a category
    /// by whether it differs
    squares: Squares,
    variance: Option<f64>,
}

impl ShownLoss {
    /// What the rows of a column lose if they show others.
    pub fn of(column: &Column, shown: &Column) -> Result<Self> {
        let (first, other) = (column.rows(), shown.rows());
        if first != other {
            return Err(Error::UnequalColumns { first, other });
        }
        match (column, shown) {
            (Column::Numeric(values), Column::Numeric(shown)) => Ok(of_numbers(values, shown)),
            (Column::Categorical(values), Column::Categorical(shown)) => of_codes(values, shown),
            _ => Err(Error::Broken(
                "a column shown as one of another kind".into(),
            )),
        }
    }

    /// Of a numeric column, from sums over its rows.
    pub(super) fn of_squares(within: f64, total: f64, variance: f64) -> Self {
        ShownLoss {
            squares: Squares { within, total },
            variance: Some(variance),
        }
    }

    /// Of a categorical column, in which so many of all rows show another value than their own.
    pub(super) fn of_differing(differing: u64, most_frequent: u64, rows: u64) -> Self {
        let squares = match rows - most_frequent {
            0 => Squares {
                within: 0.0,
                total: 0.0,
            },
            others => Squares {
                within: rows as f64 * differing as f64 / others as f64,
                total: rows as f64,
            },
        };
        ShownLoss {
            squares,
            variance: None,
        }
    }

    /// In percent of the column's variance.
    pub fn percent(&self) -> f64 {
        self.squares.information_loss()
    }

    /// What all columns lose together, in percent: with their weights, on one scale or on that of
    /// the widest.
    pub fn of_all(columns: &[ShownLoss], weights: &[f64], standardize: bool) -> f64 {
        let widest = columns.iter().filter_map(|column| column.variance);
        let widest = widest.fold(0.0, f64::max);
        let mut all = Squares {
            within: 0.0,
            total: 0.0,
        };
        for (place, column) in columns.iter().enumerate() {
            let unit = match column.variance {
                // a category's total is the number of rows already, and constants lose nothing
                None => 1.0,
                Some(0.0) => continue,
                Some(variance) if standardize => variance,
                Some(_) => widest,
            };
            let weight = weights.get(place).copied().unwrap_or(1.0) / unit;
            all.within += weight * column.squares.within;
            all.total += weight * column.squares.total;
        }
        all.information_loss()
    }
}

/// A missing number counts as the variance: in full if it is filled in. One that is hidden loses
/// what it adds to the total.
fn of_numbers(values: &[f64], shown: &[f64]) -> ShownLoss {
    let known = || values.iter().filter(|value| !value.is_nan());
    let count = (known().count() as f64).max(1.0);
    let mean = known().map(|value| value / count).sum::<f64>();
    let variance = known().map(|value| (value - mean).powi(2) / count).sum();
    let mut squares = Squares {
        within: 0.0,
        total: 0.0,
    };
    for (&value, &shown) in values.iter().zip(shown) {
        let full = match value.is_nan() {
            true => variance,
            false => (value - mean).powi(2),
        };
        squares.total += full;
        squares.within += match (value.is_nan(), shown.is_nan()) {
            (true, true) => 0.0,
            (false, false) => (value - shown).powi(2),
            _ => full,
        };
    }
    ShownLoss {
        squares,
        variance: Some(variance),
    }
}

fn of_codes(values: &Categories, shown: &Categories) -> Result<ShownLoss> {
    let mut counts = filled(values.cardinality(), 0u64)?;
    values
        .codes()
        .iter()
        .for_each(|&code| counts[code as usize] += 1);
    let differing = values
        .codes()
        .iter()
        .zip(shown.codes())
        .filter(|of| of.0 != of.1);
    let most = counts.iter().max().copied().unwrap_or(0);
    let (differing, rows) = (differing.count() as u64, values.codes().len() as u64);
    Ok(ShownLoss::of_differing(differing, most, rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Partition, Space, Table, mask};

    #[test]
    fn groups_that_show_what_they_have_lose_what_squares_say() {
        let numbers = vec![1.0, 5.0, 2.0, 9.0, f64::NAN, 4.0];
        let codes = Categories::new(vec![0, 0, 1, 1, 2, 0]);
        let columns = vec![
            Column::Numeric(numbers.clone()),
            Column::Categorical(codes.clone()),
        ];
        let partition = Partition::new(vec![0, 0, 0, 1, 1, 1], 2).unwrap();
        let group_of = partition.group_of().iter().map(|&group| group as usize);
        let means = mask::means(&numbers, &partition).unwrap();
        let modes = mask::modes(&codes, &partition).unwrap();
        let shown = [
            Column::Numeric(group_of.clone().map(|group| means[group]).collect()),
            Column::Categorical(Categories::new(
                group_of.map(|group| modes[group]).collect(),
            )),
        ];
        let of = columns
            .iter()
            .zip(&shown)
            .map(|(column, shown)| ShownLoss::of(column, shown));
        let losses: Vec<ShownLoss> = of.collect::<Result<_>>().unwrap();
        let space = Space::new(&Table::new(columns).unwrap(), true).unwrap();
        let whole = Squares::new(&space, &partition).unwrap().information_loss();
        assert!((ShownLoss::of_all(&losses, &[], true) - whole).abs() < 1e-9);
        assert!((losses[0].percent() + losses[1].percent() - 2.0 * whole).abs() < 1e-9);
    }

    #[test]
    fn what_is_far_off_loses_more_than_everything() {
        let values = Column::Numeric(vec![1.0, 2.0, 3.0]);
        let shown = Column::Numeric(vec![9.0; 3]);
        assert!(ShownLoss::of(&values, &shown).unwrap().percent() > 100.0);
        assert!(ShownLoss::of(&values, &Column::Numeric(vec![1.0])).is_err());
    }
}
