//! The space in which distances are taken.
//!
//! The squared distance of two rows is the sum over numeric columns of the squared
//! difference of the scaled values, plus 1 for every categorical column in which they
//! differ. It is computed in double precision, column after column in the table's order,
//! numeric columns first, without fused operations: two implementations that follow this
//! order agree to the bit.

use crate::run::allocation::collected;
use crate::{Categories, Column, Error, Result, Table};

/// A table's columns, ready for distances. Constant columns are left out: they count for nothing.
#[derive(Debug, Clone)]
pub struct Space {
    rows: usize,
    numeric: Vec<Vec<f64>>,
    categorical: Vec<Categories>,
}

impl Space {
    /// Scales numeric columns to mean 0 and standard deviation 1. Without `standardize` all
    /// are centred and divided by one common factor, so that their proportions stay.
    pub fn new(table: &Table, standardize: bool) -> Result<Self> {
        let mut numeric = Vec::new();
        let mut categorical = Vec::new();
        let mut spreads = Vec::new();
        for column in table.columns() {
            match column {
                Column::Numeric(values) => {
                    let (mean, spread) = mean_and_spread(values);
                    if spread > 0.0 {
                        numeric.push((values, mean));
                        spreads.push(spread);
                    }
                }
                Column::Categorical(categories) if categories.cardinality() > 1 => {
                    categorical.push(categories.try_clone()?);
                }
                Column::Categorical(_) => {}
            }
        }
        let widest = spreads.iter().copied().fold(0.0, f64::max);
        let scale = |((values, mean), spread): ((&Vec<f64>, f64), f64)| {
            let unit = if standardize { spread } else { widest };
            let share = divisor_of_deviations(values);
            let scaled = |value: &f64| (value / share - mean / share) / (unit / share);
            collected(values.iter().map(scaled))
        };
        let numeric = numeric.into_iter().zip(spreads).map(scale);
        Ok(Space {
            rows: table.rows(),
            numeric: numeric.collect::<Result<_>>()?,
            categorical,
        })
    }

    /// Columns of places that are in a space already, such as centroids of its rows.
    pub(crate) fn of_scaled(
        rows: usize,
        numeric: Vec<Vec<f64>>,
        categorical: Vec<Categories>,
    ) -> Self {
        Space {
            rows,
            numeric,
            categorical,
        }
    }

    /// Rows and others of the same columns on one scale, that of the former, standardised.
    /// Columns that are constant in the former are left out of both.
    pub fn pair(table: &Table, others: &Table) -> Result<(Self, Self)> {
        if others.columns().len() != table.columns().len() {
            let (first, other) = (table.columns().len(), others.columns().len());
            return Err(Error::UnequalColumns { first, other });
        }
        let space = |table: &Table| Space {
            rows: table.rows(),
            numeric: Vec::new(),
            categorical: Vec::new(),
        };
        let (mut own, mut pair) = (space(table), space(others));
        for (column, other) in table.columns().iter().zip(others.columns()) {
            match (column, other) {
                (Column::Numeric(values), Column::Numeric(others)) => {
                    let (mean, spread) = mean_and_spread(values);
                    let share = divisor_of_deviations(values).max(divisor_of_deviations(others));
                    let scaled = |value: &f64| (value / share - mean / share) / (spread / share);
                    if spread > 0.0 {
                        own.numeric.push(collected(values.iter().map(scaled))?);
                        pair.numeric.push(collected(others.iter().map(scaled))?);
                    }
                }
                (Column::Categorical(codes), Column::Categorical(others)) => {
                    if codes.cardinality() > 1 {
                        own.categorical.push(codes.try_clone()?);
                        pair.categorical.push(others.try_clone()?);
                    }
                }
                _ => return Err(Error::Broken("columns of different kinds".into())),
            }
        }
        Ok((own, pair))
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The scaled numeric columns.
    pub fn numeric(&self) -> &[Vec<f64>] {
        &self.numeric
    }

    /// The categorical columns.
    pub fn categorical(&self) -> &[Categories] {
        &self.categorical
    }
}

/// What values are divided by so that no deviation from their mean overflows: 2, which changes
/// no digit of huge values, or 1, where halves might lose one.
fn divisor_of_deviations(values: &[f64]) -> f64 {
    let huge = |value: &f64| value.abs() > f64::MAX / 2.0;
    if values.iter().any(huge) { 2.0 } else { 1.0 }
}

/// Mean and (population) standard deviation. Values are scaled down by the largest magnitude
/// first, so that neither the sum nor a square overflows. A constant column has spread 0.
fn mean_and_spread(values: &[f64]) -> (f64, f64) {
    let Some(&first) = values.first() else {
        return (0.0, 0.0);
    };
    if values.iter().all(|&value| value == first) {
        return (first, 0.0);
    }
    let largest = values
        .iter()
        .fold(0.0, |top: f64, value| top.max(value.abs()));
    let count = values.len() as f64;
    let mean = values.iter().map(|value| value / largest).sum::<f64>() / count;
    let square = |value: &f64| {
        let deviation = value / largest - mean;
        deviation * deviation
    };
    let variance = values.iter().map(square).sum::<f64>() / count;
    (mean * largest, variance.sqrt() * largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(columns: Vec<Column>, standardize: bool) -> Space {
        Space::new(&Table::new(columns).unwrap(), standardize).unwrap()
    }

    #[test]
    fn columns_are_standardised_and_constants_left_out() {
        let columns = vec![
            Column::Numeric(vec![1.0, 3.0]),
            Column::Numeric(vec![7.0, 7.0]),
            Column::Categorical(Categories::new(vec![0, 0])),
        ];
        let space = space(columns, true);
        assert_eq!(space.numeric(), [vec![-1.0, 1.0]]);
        assert!(space.categorical().is_empty());
    }

    #[test]
    fn without_standardisation_proportions_stay() {
        let columns = vec![
            Column::Numeric(vec![0.0, 2.0]),
            Column::Numeric(vec![0.0, 8.0]),
        ];
        assert_eq!(
            space(columns, false).numeric(),
            [vec![-0.25, 0.25], vec![-1.0, 1.0]]
        );
    }

    #[test]
    fn huge_values_do_not_overflow() {
        let (mean, spread) = mean_and_spread(&[1e308, -1e308, 1e308, -1e308]);
        assert_eq!((mean, spread), (0.0, 1e308));
    }

    #[test]
    fn deviations_of_the_hugest_values_are_finite() {
        let mut values = vec![-1.7e308; 99];
        values.push(1.7e308);
        let small: Vec<f64> = values.iter().map(|value| value / 1.7e308).collect();
        let huge = space(vec![Column::Numeric(values)], true);
        let small = space(vec![Column::Numeric(small)], true);
        let pairs = huge.numeric()[0].iter().zip(&small.numeric()[0]);
        for (huge, small) in pairs {
            assert!((huge - small).abs() < 1e-12, "{huge} {small}");
        }
    }
}
