//! The space in which distances are taken.
//!
//! The squared distance of two rows is the sum over numeric columns of the squared
//! difference of the scaled values, plus 1 for every categorical column in which they
//! differ. It is computed in double precision, column after column in the table's order,
//! numeric columns first, without fused operations: two implementations that follow this
//! order agree to the bit.

use super::key_weights::Weights;
use super::patterns;
use super::scaling::{divisor_of_deviations, mean_and_spread, width};
use crate::run::allocation::collected;
use crate::{Categories, Column, Error, Result, Table};

/// A table's columns, ready for distances. Constant columns are left out: they count for nothing.
///
/// A missing number is a place of its own. It lies at the mean of its column and is marked by
/// a further coordinate, one standard deviation more than the column is wide: it is farther
/// from every number than numbers are from each other.
#[derive(Debug, Clone)]
pub struct Space {
    rows: usize,
    /// scaled values, then the marks of missing ones
    numeric: Vec<Vec<f64>>,
    categorical: Vec<Categories>,
    gaps: Vec<Gaps>,
    patterns: Option<Categories>,
}

/// Where a column with missing values stands among the numeric ones of a [`Space`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gaps {
    /// its values; `None` where those that are there do not vary
    pub value: Option<usize>,
    /// the marks: 0 where there is a value
    pub mark: usize,
    /// what a missing value adds to the sum of squares: the column's variance
    pub unit: f64,
}

/// A numeric column on its way into a space.
struct ScaledColumn<'a> {
    values: &'a [f64],
    mean: f64,
    spread: f64,
    weight: f64,
    has_gaps: bool,
}

impl Space {
    /// Scales numeric columns to mean 0 and standard deviation 1. Without `standardize` all
    /// are centred and divided by one common factor, so that their proportions stay.
    pub fn new(table: &Table, standardize: bool) -> Result<Self> {
        Self::weighted(table, standardize, &[])
    }

    /// The same with a factor on each column's squared distances, in the columns' order; none
    /// at all stand for ones. Only their proportions count: those of categorical columns are
    /// whole multiples of the least of them, and a column counts that many times.
    pub fn weighted(table: &Table, standardize: bool, weights: &[f64]) -> Result<Self> {
        let weights = Weights::new(table, weights)?;
        let mut columns = Vec::new();
        let mut categorical = Vec::new();
        for (place, column) in table.columns().iter().enumerate() {
            match column {
                Column::Numeric(values) => {
                    let (mean, spread) = mean_and_spread(values);
                    columns.push(ScaledColumn {
                        values,
                        mean,
                        spread,
                        weight: weights.factor(place),
                        has_gaps: column.has_gaps(),
                    });
                }
                Column::Categorical(categories) if categories.cardinality() > 1 => {
                    for _ in 0..weights.times(place) {
                        categorical.push(categories.try_clone()?);
                    }
                }
                Column::Categorical(_) => {}
            }
        }
        let mut space = Space {
            rows: table.rows(),
            numeric: Vec::new(),
            categorical,
            gaps: Vec::new(),
            patterns: patterns(table.columns(), table.rows())?,
        };
        space.scale(&columns, standardize)?;
        Ok(space)
    }

    fn scale(&mut self, columns: &[ScaledColumn], standardize: bool) -> Result<()> {
        let widest = columns.iter().map(|column| column.spread);
        let widest = widest.fold(0.0, f64::max);
        let mut marks = Vec::new();
        for column in columns {
            let unit = if standardize { column.spread } else { widest };
            let root = column.weight.sqrt();
            let value = (column.spread > 0.0).then_some(self.numeric.len());
            let mut range = 0.0;
            if column.spread > 0.0 {
                let scaled = column.scaled(unit)?;
                range = width(&scaled);
                let filled = |value: f64| if value.is_nan() { 0.0 } else { value * root };
                self.numeric
                    .push(collected(scaled.into_iter().map(filled))?);
            }
            if column.has_gaps && !column.values.iter().all(|value| value.is_nan()) {
                let distance = (range + 1.0) * root;
                let mark = |value: &f64| if value.is_nan() { distance } else { 0.0 };
                let deviation = match value {
                    Some(_) => column.spread / unit,
                    None => 1.0,
                };
                let unit = deviation * deviation * column.weight;
                marks.push((value, unit, collected(column.values.iter().map(mark))?));
            }
        }
        for (value, unit, marks) in marks {
            let mark = self.numeric.len();
            self.gaps.push(Gaps { value, mark, unit });
            self.numeric.push(marks);
        }
        Ok(())
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
            gaps: Vec::new(),
            patterns: None,
        }
    }

    /// Rows and others of the same columns on one scale, that of the former, standardised.
    /// Columns that are constant in the former are left out of both.
    pub fn pair(table: &Table, others: &Table) -> Result<(Self, Self)> {
        if others.columns().len() != table.columns().len() {
            let (first, other) = (table.columns().len(), others.columns().len());
            return Err(Error::UnequalColumns { first, other });
        }
        let space = |table: &Table| Space::of_scaled(table.rows(), Vec::new(), Vec::new());
        let (mut own, mut pair) = (space(table), space(others));
        for (column, other) in table.columns().iter().zip(others.columns()) {
            match (column, other) {
                (Column::Numeric(values), Column::Numeric(others)) => {
                    let (mean, spread) = mean_and_spread(values);
                    let share = divisor_of_deviations(values).max(divisor_of_deviations(others));
                    let scaled = |value: &f64| (value / share - mean / share) / (spread / share);
                    if spread > 0.0 {
                        let numbers = collected(values.iter().map(scaled))?;
                        let range = width(&numbers);
                        let others = collected(others.iter().map(scaled))?;
                        let gaps = column.has_gaps() || others.iter().any(|other| other.is_nan());
                        own.push_number(numbers, gaps.then_some(range))?;
                        pair.push_number(others, gaps.then_some(range))?;
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

    /// Adds scaled numbers, with their marks where some are missing in a column of this width.
    fn push_number(&mut self, mut numbers: Vec<f64>, gaps: Option<f64>) -> Result<()> {
        if let Some(range) = gaps {
            let mark = |number: &f64| if number.is_nan() { range + 1.0 } else { 0.0 };
            self.numeric.push(collected(numbers.iter().map(mark))?);
            for number in numbers.iter_mut().filter(|number| number.is_nan()) {
                *number = 0.0;
            }
        }
        self.numeric.push(numbers);
        Ok(())
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

    /// The columns with missing values.
    pub fn gaps(&self) -> &[Gaps] {
        &self.gaps
    }

    /// Which values each row lacks; `None` where all rows lack the same.
    pub fn patterns(&self) -> Option<&Categories> {
        self.patterns.as_ref()
    }

    /// Some rows on the same scale. Columns that do not vary among them are left out.
    pub fn select(&self, rows: &[u32]) -> Result<Self> {
        let mut place_of = vec![None; self.numeric.len()];
        let mut numeric = Vec::new();
        for (column, place) in self.numeric.iter().zip(&mut place_of) {
            let value = |&row: &u32| column[row as usize];
            let first = rows.first().map_or(0.0, value);
            if rows.iter().any(|row| value(row) != first) {
                *place = Some(numeric.len());
                numeric.push(collected(rows.iter().map(value))?);
            }
        }
        let mut categorical = Vec::new();
        for column in &self.categorical {
            let column = column.select(rows)?;
            if column.cardinality() > 1 {
                categorical.push(column);
            }
        }
        let gap = |gaps: &Gaps| {
            Some(Gaps {
                value: gaps.value.and_then(|value| place_of[value]),
                mark: place_of[gaps.mark]?,
                unit: gaps.unit,
            })
        };
        let patterns = self.patterns.as_ref().map(|patterns| patterns.select(rows));
        Ok(Space {
            rows: rows.len(),
            gaps: self.gaps.iter().filter_map(gap).collect(),
            numeric,
            categorical,
            patterns: patterns
                .transpose()?
                .filter(|found| found.cardinality() > 1),
        })
    }
}

impl ScaledColumn<'_> {
    /// The values in units around their mean.
    fn scaled(&self, unit: f64) -> Result<Vec<f64>> {
        let share = divisor_of_deviations(self.values);
        let scaled = |value: &f64| (value / share - self.mean / share) / (unit / share);
        collected(self.values.iter().map(scaled))
    }
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
    fn a_missing_number_is_farther_than_numbers_are_apart() {
        let gap = f64::NAN;
        let values = vec![1.0, gap, 3.0, 8.0, gap, 2.5];
        let space = space(vec![Column::Numeric(values)], true);
        let distance = |a: usize, b: usize| {
            let columns = space.numeric().iter();
            columns.map(|c| (c[a] - c[b]).powi(2)).sum::<f64>()
        };
        let numbers = [0, 2, 3, 5];
        let pairs = numbers
            .iter()
            .flat_map(|&a| numbers.map(|b| distance(a, b)));
        let widest = pairs.fold(0.0, f64::max);
        assert!(numbers.iter().all(|&row| distance(row, 1) > widest));
        assert_eq!(distance(1, 4), 0.0);
        assert_eq!(space.patterns().unwrap().codes(), [0, 1, 0, 0, 1, 0]);
    }

    #[test]
    fn a_selection_keeps_the_scale_and_drops_what_does_not_vary() {
        let gap = f64::NAN;
        let columns = vec![
            Column::Numeric(vec![1.0, 3.0, gap, gap, 5.0]),
            Column::Categorical(Categories::new(vec![0, 4, 4, 2, 4])),
        ];
        let whole = space(columns, true);
        let numbers = whole.select(&[0, 4]).unwrap();
        assert_eq!(
            numbers.numeric(),
            [vec![whole.numeric()[0][0], whole.numeric()[0][4]]]
        );
        assert!(numbers.gaps().is_empty() && numbers.patterns().is_none());
        let gaps = whole.select(&[2, 3]).unwrap();
        assert!(gaps.numeric().is_empty());
        assert_eq!(gaps.categorical()[0].codes(), [1, 0]);
        let mixed = whole.select(&[3, 4]).unwrap();
        assert_eq!(mixed.gaps().len(), 1);
    }

    #[test]
    fn weights_are_factors_on_squared_distances() {
        let columns = || {
            vec![
                Column::Numeric(vec![1.0, 3.0]),
                Column::Categorical(Categories::new(vec![0, 1])),
                Column::Categorical(Categories::new(vec![0, 1])),
            ]
        };
        let table = Table::new(columns()).unwrap();
        let weighted = |weights: &[f64]| Space::weighted(&table, true, weights);
        let space = weighted(&[8.0, 0.5, 1.5]).unwrap();
        assert_eq!(space.numeric(), [vec![-4.0, 4.0]]);
        assert_eq!(space.categorical().len(), 1 + 3);
        assert!(weighted(&[1.0, 1.0, 1.25]).is_err());
        assert!(weighted(&[0.0, 1.0, 1.0]).is_err());
        assert!(weighted(&[f64::NAN, 1.0, 1.0]).is_err());
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
