//! Reconstruction error: how far the rows that a release lets one infer are from the true ones.
//!
//! A row is a point, that is a distribution with all mass at one combination of values. From
//! a release one can only reconstruct a distribution p of it, and the row's error is the
//! squared distance of the two, the sum over all points x of (p(x) − [x is the row])² (Xiao
//! and Tao 2006).
//!
//! *Anatomy* publishes the keys, so p spreads over the group's sensitive values: p(v) =
//! c(v)/|G|, and a row with value v has the error 1 − 2c(v)/|G| + Σ_u c(u)²/|G|². Over the
//! c(v) rows of each value the group adds up to |G| − Σ_u c(u)²/|G|. If no value has more than
//! |G|/l rows that is at least |G|(1 − 1/l), so the table's error is at least n(1 − 1/l),
//! reached when every group has l rows with l values.
//!
//! *Permutation* hides which key values belong together too: p is the product over all columns
//! of the shares c_j(x_j)/|G|. A row x has the error 1 − 2p(x) + Σ_y p(y)², and since p is a
//! product, so is the last sum: Π_j Σ_v c_j(v)²/|G|². Where the keys of each group are all the
//! same this is the anatomy's error. LHCC15 bounds it from below for groups of l rows; the
//! bound fails for larger ones, so none is promised here.

use crate::run::allocation::{collected, filled};
use crate::run::limits::Pulse;
use crate::run::sorting;
use crate::{Categories, Column, Partition, Result, Table};
use std::borrow::Cow;

/// The reconstruction error summed over the rows: of an anatomy, or with `permuted` keys of a
/// permutation.
pub fn reconstruction_error(
    partition: &Partition,
    sensitive: &Categories,
    permuted: Option<&Table>,
) -> Result<f64> {
    let mut columns = vec![Cow::Borrowed(sensitive)];
    for column in permuted.map_or(&[][..], Table::columns) {
        columns.push(coded(column)?);
    }
    total_error(partition, columns, |_| 1)
}

/// The same over rows that were counted: row `i` of partition and columns stands for `rows[i]`
/// equal ones. `columns` are the sensitive one and, for a permutation, the keys.
pub fn reconstruction_error_of_counts(
    partition: &Partition,
    columns: &[Categories],
    rows: &[u64],
) -> Result<f64> {
    partition.require_rows(rows.len())?;
    let columns = columns.iter().map(Cow::Borrowed).collect();
    total_error(partition, columns, |row| rows[row as usize])
}

fn total_error<'a>(
    partition: &Partition,
    columns: Vec<Cow<'a, Categories>>,
    weight: impl Fn(u32) -> u64,
) -> Result<f64> {
    let shares = |values: Cow<'a, Categories>| {
        partition.require_rows(values.codes().len())?;
        let counts = filled(values.cardinality(), 0)?;
        Ok(Shares { values, counts })
    };
    let mut columns = columns
        .into_iter()
        .map(shares)
        .collect::<Result<Vec<_>>>()?;
    let members = partition.members()?;
    let mut pulse = Pulse::default();
    let mut total = 0.0;
    for rows in members.iter() {
        // a row's value is somewhere in memory, in each column
        pulse.spend(16 * (1 + columns.len()) * rows.len())?;
        total += group_error(rows, &mut columns, &weight)?;
    }
    Ok(total)
}

/// The error of the rows of one group.
fn group_error(
    rows: &[u32],
    columns: &mut [Shares<'_>],
    weight: impl Fn(u32) -> u64,
) -> Result<f64> {
    let size = rows.iter().map(|&row| weight(row)).sum::<u64>() as f64;
    let mut truth = filled(rows.len(), 1.0)?;
    let mut overlap = 1.0;
    for column in columns {
        column.count(rows, &weight);
        let mut squares = 0.0;
        for (truth, &row) in truth.iter_mut().zip(rows) {
            let count = column.of(row) as f64;
            *truth *= count / size;
            squares += weight(row) as f64 * count;
        }
        overlap *= squares / (size * size);
        column.forget(rows);
    }
    let weights = rows.iter().map(|&row| weight(row) as f64);
    let truth = truth.iter().zip(weights).map(|(truth, rows)| truth * rows);
    Ok(size - 2.0 * truth.sum::<f64>() + size * overlap)
}

/// How often each value of a column occurs in the group at hand.
struct Shares<'a> {
    values: Cow<'a, Categories>,
    counts: Vec<u64>,
}

impl Shares<'_> {
    fn count(&mut self, rows: &[u32], weight: impl Fn(u32) -> u64) {
        for &row in rows {
            self.counts[self.values.codes()[row as usize] as usize] += weight(row);
        }
    }

    fn forget(&mut self, rows: &[u32]) {
        for &row in rows {
            self.counts[self.values.codes()[row as usize] as usize] = 0;
        }
    }

    /// The count of a row's value.
    fn of(&self, row: u32) -> u64 {
        self.counts[self.values.codes()[row as usize] as usize]
    }
}

/// A column by equality of values alone.
fn coded(column: &Column) -> Result<Cow<'_, Categories>> {
    match column {
        Column::Categorical(categories) => Ok(Cow::Borrowed(categories)),
        Column::Numeric(values) => Ok(Cow::Owned(ranks(values)?)),
    }
}

/// Numbers replaced by their rank among the distinct ones.
fn ranks(values: &[f64]) -> Result<Categories> {
    let value = |row: &u32| values[*row as usize];
    let mut order = collected(0..values.len() as u32)?;
    sorting::sort_by(&mut order, |a, b| value(a).total_cmp(&value(b)))?;
    let mut codes = filled(values.len(), 0)?;
    let mut code = 0;
    for pair in order.windows(2) {
        // 0 and -0 are neighbours in this order, and equal; missing values are alike, too
        let (a, b) = (value(&pair[0]), value(&pair[1]));
        code += u32::from(a != b && !(a.is_nan() && b.is_nan()));
        codes[pair[1] as usize] = code;
    }
    Ok(Categories::new(codes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// From the definition: the distribution over every combination of the group's values.
    fn by_definition(columns: &[Vec<u32>]) -> f64 {
        let rows = columns[0].len();
        let mut points = vec![(Vec::new(), 1.0)];
        for column in columns {
            let mut longer = Vec::new();
            for (point, mass) in points {
                for &value in &column.iter().copied().collect::<BTreeSet<u32>>() {
                    let count = column.iter().filter(|&&other| other == value).count();
                    let point: Vec<u32> = [&point[..], &[value]].concat();
                    longer.push((point, mass * count as f64 / rows as f64));
                }
            }
            points = longer;
        }
        let error = |row: usize| {
            let row: Vec<u32> = columns.iter().map(|column| column[row]).collect();
            let squares = points.iter().map(|(point, mass)| {
                let truth = f64::from(u8::from(*point == row));
                (mass - truth).powi(2)
            });
            squares.sum::<f64>()
        };
        (0..rows).map(error).sum()
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * (1.0 + a.abs())
    }

    proptest! {
        #[test]
        fn product_formula_is_the_definition(rows in prop::collection::vec((0u32..3, 0u32..3, 0u32..4), 1..12)) {
            let [a, b, s]: [Vec<u32>; 3] = [
                rows.iter().map(|row| row.0).collect(),
                rows.iter().map(|row| row.1).collect(),
                rows.iter().map(|row| row.2).collect(),
            ];
            let whole = Partition::new(vec![0; rows.len()], 1).unwrap();
            let sensitive = Categories::new(s.clone());
            let anatomy = reconstruction_error(&whole, &sensitive, None).unwrap();
            prop_assert!(close(anatomy, by_definition(std::slice::from_ref(&s))));
            let keys = Table::new(vec![
                Column::Categorical(Categories::new(a.clone())),
                Column::Numeric(b.iter().map(|&x| f64::from(x) - 1.0).collect()),
            ]).unwrap();
            let permuted = reconstruction_error(&whole, &sensitive, Some(&keys)).unwrap();
            prop_assert!(close(permuted, by_definition(&[a, b, s])));
        }

        #[test]
        fn counted_rows_have_the_error_of_rows(rows in prop::collection::vec((0u32..3, 0u32..3, 0u32..4, 1u64..4), 1..12)) {
            let repeated = |value: fn(&(u32, u32, u32, u64)) -> u32| {
                let rows = rows.iter().flat_map(|row| (0..row.3).map(move |_| value(row)));
                Categories::new(rows.collect())
            };
            let single = |value: fn(&(u32, u32, u32, u64)) -> u32| {
                Categories::new(rows.iter().map(value).collect())
            };
            let counts: Vec<u64> = rows.iter().map(|row| row.3).collect();
            let one_group = |rows: usize| Partition::new(vec![0; rows], 1).unwrap();
            let keys = vec![Column::Categorical(repeated(|row| row.0)), Column::Categorical(repeated(|row| row.1))];
            let keys = Table::new(keys).unwrap();
            let columns = [single(|row| row.2), single(|row| row.0), single(|row| row.1)];
            let expected = reconstruction_error(&one_group(keys.rows()), &repeated(|row| row.2), Some(&keys));
            let counted = reconstruction_error_of_counts(&one_group(rows.len()), &columns, &counts);
            prop_assert!(close(counted.unwrap(), expected.unwrap()));
        }

        #[test]
        fn constant_keys_leave_the_error_of_anatomy(groups in prop::collection::vec(0u32..3, 3..30), seed in 0u32..9) {
            let labels: Vec<u32> = (0..3).chain(groups).collect();
            let partition = Partition::new(labels.clone(), 3).unwrap();
            let codes = labels.iter().enumerate().map(|(row, _)| (row as u32 * 7 + seed) % 5);
            let sensitive = Categories::new(codes.collect());
            let keys = Table::new(vec![Column::Categorical(Categories::new(labels))]).unwrap();
            let anatomy = reconstruction_error(&partition, &sensitive, None).unwrap();
            let permuted = reconstruction_error(&partition, &sensitive, Some(&keys)).unwrap();
            prop_assert!(close(anatomy, permuted));
        }
    }

    #[test]
    fn zero_and_minus_zero_are_one_value() {
        let codes = ranks(&[0.0, 3.0, -0.0, -1.0]).unwrap();
        assert_eq!(codes.codes(), [1, 2, 1, 0]);
        assert_eq!(ranks(&[]).unwrap().cardinality(), 0);
    }

    #[test]
    fn columns_of_other_lengths_are_refused() {
        let partition = Partition::new(vec![0, 0], 1).unwrap();
        let error = reconstruction_error(&partition, &Categories::new(vec![0]), None);
        assert_eq!(error, Err(Error::UnequalColumns { first: 2, other: 1 }));
    }
}
