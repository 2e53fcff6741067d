//! Groups become masked values: the mean of a numeric column, the most frequent value of a
//! categorical one.

use crate::memory::{collected, filled};
use crate::{Categories, Partition, Result, space::mean_and_spread};

/// The mean of a numeric column in each group.
pub fn means(values: &[f64], partition: &Partition) -> Result<Vec<f64>> {
    // Sums of deviations from the column's mean keep the digits of large, close values.
    let (centre, _) = mean_and_spread(values);
    let mut sums = filled(partition.groups(), 0.0)?;
    for (&group, value) in partition.group_of().iter().zip(values) {
        sums[group as usize] += value - centre;
    }
    for (sum, &size) in sums.iter_mut().zip(partition.sizes()) {
        *sum = centre + *sum / f64::from(size);
    }
    Ok(sums)
}

/// The most frequent code of a categorical column in each group; ties go to the lower code,
/// that is the value seen earlier.
pub fn modes(categories: &Categories, partition: &Partition) -> Result<Vec<u32>> {
    let codes = categories.codes();
    let mut counts = filled(categories.cardinality(), 0u32)?;
    let mode = |rows: &[u32]| {
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
        best.1
    };
    collected(partition.members()?.iter().map(mode))
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn means_of_groups_keep_the_column_mean() {
        let values: Vec<f64> = (0..1000).map(|i| 1e15 + f64::from(i)).collect();
        let partition = Partition::new((0..1000).map(|i| i % 7).collect(), 7).unwrap();
        let masked = means(&values, &partition).unwrap();
        let groups = partition.group_of().iter();
        let total: f64 = groups.map(|&group| masked[group as usize] - 1e15).sum();
        assert!((total - 499_500.0).abs() < 200.0);
    }
}
