//! Columns permuted within groups: what a permutation release publishes (LHCC15).

use crate::memory::filled;
use crate::{Monitor, Partition, Phase, Result};
use rand::{Rng, seq::SliceRandom};

/// Rows permuted between two calls of the monitor.
const STRIDE: usize = 1 << 14;

/// For each row the row of its group whose value it receives; all permutations within a group
/// are equally likely (Fisher and Yates). Columns are permuted independently of each other by
/// one call for each.
pub fn permute(
    partition: &Partition,
    rng: &mut (impl Rng + ?Sized),
    monitor: &mut dyn Monitor,
) -> Result<Vec<u32>> {
    monitor.start(Phase::Permuting, partition.rows() as u64);
    let mut source = filled(0, partition.rows())?;
    let mut shuffled = Vec::new();
    let (mut done, mut next) = (0, STRIDE);
    for rows in partition.members().iter() {
        shuffled.clear();
        shuffled.extend_from_slice(rows);
        shuffled.shuffle(rng);
        for (&row, &other) in rows.iter().zip(&shuffled) {
            source[row as usize] = other;
        }
        done += rows.len();
        if done >= next {
            monitor.advance(done as u64)?;
            next = done + STRIDE;
        }
    }
    Ok(source)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Unwatched, random::generator};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn values_stay_within_their_group(labels in prop::collection::vec(0u32..5, 0..60), seed: u64) {
            let groups = labels.iter().max().map_or(0, |&top| top + 1);
            let labels: Vec<u32> = (0..groups).chain(labels).collect();
            let partition = Partition::new(labels.clone(), groups as usize).unwrap();
            let mut rng = generator(Some(seed)).unwrap();
            let mut source = permute(&partition, &mut rng, &mut Unwatched).unwrap();
            for (row, &other) in source.iter().enumerate() {
                prop_assert_eq!(labels[row], labels[other as usize]);
            }
            source.sort_unstable();
            prop_assert!(source.into_iter().eq(0..labels.len() as u32));
        }
    }
}
