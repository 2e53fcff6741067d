//! Local recoding over a hierarchy: each group shows its rows by the lowest value that is
//! common to them, whatever level other groups need.

use super::Hierarchy;
use crate::run::allocation;
use crate::{Error, Partition, Result};

/// The lowest level at which all rows of each group have one value; `None` where they do not
/// even at the highest. `values` holds the base value of each row.
pub fn common_levels(
    hierarchy: &Hierarchy,
    values: &[u32],
    partition: &Partition,
) -> Result<Vec<Option<usize>>> {
    let (first, other) = (partition.rows(), values.len());
    if first != other {
        return Err(Error::UnequalColumns { first, other });
    }
    let mut shown: Vec<Option<u32>> = allocation::filled(partition.groups(), None)?;
    let mut levels = allocation::filled(partition.groups(), Some(0))?;
    for (&value, &group) in values.iter().zip(partition.group_of()) {
        let first = *shown[group as usize].get_or_insert(value);
        let level = &mut levels[group as usize];
        // levels only get coarser: what is common below is common above
        *level = level.and_then(|level| common_level(hierarchy, level, first, value));
    }
    Ok(levels)
}

/// The lowest level from `level` up at which two values are one.
fn common_level(hierarchy: &Hierarchy, level: usize, a: u32, b: u32) -> Option<usize> {
    let common = |&level: &usize| {
        let codes = hierarchy.code_of(level);
        codes[a as usize] == codes[b as usize]
    };
    (level..hierarchy.levels()).find(common)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_group_has_a_level_of_its_own() {
        // 43102, 43103, 43210, 50000: one digit less, and two
        let hierarchy = Hierarchy::new(4, &[vec![0, 0, 1, 2], vec![0, 0, 0, 1]]).unwrap();
        let partition = Partition::new(vec![0, 0, 1, 1, 2, 2, 3], 4).unwrap();
        let levels = common_levels(&hierarchy, &[1, 1, 0, 1, 2, 0, 3], &partition);
        assert_eq!(levels, Ok(vec![Some(0), Some(1), Some(2), Some(0)]));
        let whole = Partition::new(vec![0; 4], 1).unwrap();
        let levels = common_levels(&hierarchy, &[0, 1, 2, 3], &whole);
        assert_eq!(levels, Ok(vec![None]));
        assert!(common_levels(&hierarchy, &[0], &whole).is_err());
    }

    proptest! {
        #[test]
        fn levels_are_the_lowest_that_are_common(
            rows in prop::collection::vec((0..8u32, 0..4u32), 4..40),
        ) {
            let half: Vec<u32> = (0..8).map(|value| value / 2).collect();
            let quarter: Vec<u32> = (0..8).map(|value| value / 4).collect();
            let hierarchy = Hierarchy::new(8, &[half, quarter]).unwrap();
            let (values, mut groups): (Vec<u32>, Vec<u32>) = rows.into_iter().unzip();
            groups[..4].copy_from_slice(&[0, 1, 2, 3]);
            let partition = Partition::new(groups, 4).unwrap();
            let levels = common_levels(&hierarchy, &values, &partition).unwrap();
            for (rows, level) in partition.members().unwrap().iter().zip(levels) {
                let one_value = |level: &usize| {
                    let mut codes: Vec<u32> = rows
                        .iter()
                        .map(|&row| hierarchy.code_of(*level)[values[row as usize] as usize])
                        .collect();
                    codes.dedup();
                    codes.len() == 1
                };
                prop_assert_eq!(level, (0..3).find(one_value));
            }
        }
    }
}
