//! Dominance: where one member has nearly all of a group's sum, the published mean shows that
//! member's number.

use crate::run::allocation::filled;
use crate::{Partition, Result};

/// The number of groups in which one member has more than `share` of the sum of the others and
/// its own, all taken without their signs.
pub fn dominated_groups(values: &[f64], partition: &Partition, share: f64) -> Result<u64> {
    partition.require_rows(values.len())?;
    let mut sums = filled(partition.groups(), (0.0, 0.0))?;
    for (&group, value) in partition.group_of().iter().zip(values) {
        let (largest, sum) = &mut sums[group as usize];
        // a part of each, so that no sum overflows
        let size = value.abs() / f64::from(u32::MAX);
        *largest = f64::max(*largest, size);
        *sum += size;
    }
    let several = |&(_, &size): &(&(f64, f64), &u32)| size > 1;
    let groups = sums.iter().zip(partition.sizes()).filter(several);
    Ok(groups
        .filter(|((largest, sum), _)| *largest > share * *sum)
        .count() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_member_shows() {
        let partition = Partition::new(vec![0, 0, 0, 1, 1, 1, 2], 3).unwrap();
        let values = [1.0, -2.0, 100.0, 5.0, 5.0, 5.0, 9.0];
        assert_eq!(dominated_groups(&values, &partition, 0.9), Ok(1));
        assert_eq!(dominated_groups(&values, &partition, 0.2), Ok(2));
        assert_eq!(dominated_groups(&[0.0; 7], &partition, 0.0), Ok(0));
    }
}
