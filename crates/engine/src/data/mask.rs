//! Groups become masked values: the mean of a numeric column, the most frequent value of a
//! categorical one.

use crate::run::allocation::{collected, filled, reserved};
use crate::run::limits::Pulse;
use crate::{Categories, Column, Partition, Result, Table};

/// The mean of a numeric column in each group; it never leaves the group's range. Where values
/// are missing it is that of the others, and NaN, for a missing one, if at least half are.
pub fn means(values: &[f64], partition: &Partition) -> Result<Vec<f64>> {
    let scale = headroom(values);
    let mut groups = filled(partition.groups(), None)?;
    for (&group, &value) in partition.group_of().iter().zip(values) {
        if !value.is_nan() {
            let deviations = groups[group as usize].get_or_insert(Deviations::from(value));
            deviations.add(value, scale);
        }
    }
    let mean = |(deviations, &size): (Option<Deviations>, &u32)| {
        let shown = deviations.filter(|found| !hides(size - found.count, size));
        shown.map_or(f64::NAN, |deviations| deviations.mean(scale))
    };
    collected(groups.into_iter().zip(partition.sizes()).map(mean))
}

/// Whether a group of this size that lacks so many values shows none.
pub(crate) fn hides<N: Into<u64>>(missing: N, size: N) -> bool {
    let missing = missing.into();
    missing > 0 && 2 * missing >= size.into()
}

/// What values are multiplied by so that no sum of them overflows: a power of two, which
/// changes no digit, and 1 for all but the hugest.
fn headroom(values: &[f64]) -> f64 {
    // Rows are fewer than 2³², and a deviation is at most twice the largest value.
    const SPARE: f64 = 1.0 / (1u64 << 34) as f64;
    let huge = |value: &f64| value.abs() > f64::MAX * SPARE;
    if values.iter().any(huge) { SPARE } else { 1.0 }
}

/// The deviations of a group's values from the first of them. They keep the digits of large,
/// close values, and an outlier in another group cannot swallow those of small ones.
#[derive(Clone, Copy)]
struct Deviations {
    first: f64,
    least: f64,
    greatest: f64,
    /// scaled
    sum: f64,
    count: u32,
}

impl Deviations {
    fn from(first: f64) -> Self {
        Deviations {
            first,
            least: first,
            greatest: first,
            sum: 0.0,
            count: 0,
        }
    }

    fn add(&mut self, value: f64, scale: f64) {
        self.least = self.least.min(value);
        self.greatest = self.greatest.max(value);
        self.sum += value * scale - self.first * scale;
        self.count += 1;
    }

    fn mean(&self, scale: f64) -> f64 {
        let mean = (self.first * scale + self.sum / f64::from(self.count)) / scale;
        // Rounding may carry the last digit out of the range.
        mean.max(self.least).min(self.greatest)
    }
}

/// The most frequent code of a categorical column in each group; ties go to the lower code,
/// that is the value seen earlier.
pub fn modes(categories: &Categories, partition: &Partition) -> Result<Vec<u32>> {
    let codes = categories.codes();
    let mut counts = filled(categories.cardinality(), 0u32)?;
    let mut pulse = Pulse::default();
    let mut modes = reserved(partition.groups())?;
    for rows in partition.members()?.iter() {
        // a row's value is somewhere in memory
        pulse.spend(16 * rows.len())?;
        let mut best = (0, u32::MAX);
        for &row in rows {
            let code = codes[row as usize];
            counts[code as usize] += 1;
            let count = counts[code as usize];
            if count > best.0 || (count == best.0 && code < best.1) {
                best = (count, code);
            }
        }
        rows.iter()
            .for_each(|&row| counts[codes[row as usize] as usize] = 0);
        modes.push(best.1);
    }
    Ok(modes)
}

/// What the groups of rows show: a row for each group, with means of numbers and most frequent
/// values of others.
pub fn of_groups(table: &Table, partition: &Partition) -> Result<Table> {
    let masked = |column: &Column| {
        Ok(match column {
            Column::Numeric(values) => Column::Numeric(means(values, partition)?),
            Column::Categorical(codes) => {
                Column::Categorical(Categories::new(modes(codes, partition)?))
            }
        })
    };
    Table::new(table.columns().iter().map(masked).collect::<Result<_>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn means_and_modes_of_groups() {
        let partition = Partition::new(vec![0, 1, 0, 1, 1], 2).unwrap();
        assert_eq!(
            means(&[1.0, 10.0, 3.0, 20.0, 60.0], &partition),
            Ok(vec![2.0, 30.0])
        );
        let colours = Categories::new(vec![1, 2, 0, 0, 2]);
        assert_eq!(modes(&colours, &partition), Ok(vec![0, 2]));
    }

    #[test]
    fn a_group_that_lacks_half_its_values_shows_none() {
        let gap = f64::NAN;
        let partition = Partition::new(vec![0, 0, 0, 1, 1, 2, 2, 3], 4).unwrap();
        let masked = means(&[1.0, gap, 3.0, gap, 9.0, gap, gap, 5.0], &partition).unwrap();
        assert_eq!((masked[0], masked[3]), (2.0, 5.0));
        assert!(masked[1].is_nan() && masked[2].is_nan());
    }

    /// Masked values of rows in groups of three.
    fn means_of_threes(values: &[f64]) -> Vec<f64> {
        let group_of = (0..values.len() as u32).map(|row| row / 3).collect();
        means(values, &Partition::new(group_of, values.len() / 3).unwrap()).unwrap()
    }

    #[test]
    fn an_outlier_leaves_other_groups_alone() {
        let outlier = i64::MAX as f64;
        let values = [20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 27.0, 28.0, outlier];
        assert_eq!(means_of_threes(&values)[..2], [21.0, 24.0]);
        assert_eq!(means_of_threes(&[0.1, 0.1, 0.1, 1e6, 2e6, 3e6]), [0.1, 2e6]);
    }

    #[test]
    fn means_of_the_hugest_values_are_finite() {
        let values = [1e308, 1e308, 1e308, -1e308, -1e308, -1e308];
        assert_eq!(means_of_threes(&values), [1e308, -1e308]);
        let apart = means_of_threes(&[-1.5e308, 1.5e308, 1.5e308]);
        assert!((apart[0] / 5e307 - 1.0).abs() < 1e-15);
    }

    proptest! {
        #[test]
        fn means_lie_within_their_group(values in prop::collection::vec(prop::num::f64::NORMAL, 3..30)) {
            let whole = values.len() / 3 * 3;
            let masked = means_of_threes(&values[..whole]);
            for (group, mean) in values[..whole].chunks(3).zip(masked) {
                let least = group.iter().copied().fold(f64::INFINITY, f64::min);
                let greatest = group.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                prop_assert!(least <= mean && mean <= greatest);
            }
            let equal = means_of_threes(&[values[0], values[0], values[0], 1e300, -1e300, 3.0]);
            prop_assert_eq!(equal[0], values[0]);
        }
    }

    #[test]
    fn means_of_groups_keep_the_column_mean() {
        let values: Vec<f64> = (0..1000).map(|i| 1e15 + f64::from(i)).collect();
        let partition = Partition::new((0..1000).map(|i| i % 7).collect(), 7).unwrap();
        let masked = means(&values, &partition).unwrap();
        let groups = partition.group_of().iter();
        let total: f64 = groups.map(|&group| masked[group as usize] - 1e15).sum();
        assert!((total - 499_500.0).abs() < 200.0);
    }
}
