//! Columns permuted within groups: what a permutation release publishes (LHCC15).

use crate::run::Meter;
use crate::run::allocation::{collected, filled, reserved};
use crate::{Error, Monitor, Partition, Phase, Result, Table};
use rand::{Rng, RngExt, seq::SliceRandom};

/// What drawing a row costs, in rows merely looked at.
const DRAW: usize = 16;

/// For each row the row of its group whose value it receives; all permutations within a group
/// are equally likely (Fisher and Yates). Columns are permuted independently of each other by
/// one call for each.
pub fn permute(
    partition: &Partition,
    rng: &mut (impl Rng + ?Sized),
    monitor: &mut dyn Monitor,
) -> Result<Vec<u32>> {
    let mut meter = Meter::start(monitor, Phase::Permuting, partition.rows());
    let mut source = filled(partition.rows(), 0)?;
    let largest = partition.sizes().iter().max();
    let mut shuffled = reserved(largest.map_or(0, |&size| size as usize))?;
    for rows in partition.members()?.iter() {
        shuffled.clear();
        shuffled.extend_from_slice(rows);
        shuffled.shuffle(rng);
        for (&row, &other) in rows.iter().zip(&shuffled) {
            source[row as usize] = other;
        }
        meter.grouped(rows.len());
        meter.spend(DRAW * rows.len())?;
    }
    Ok(source)
}

/// A random order of all rows: for each of them its place, all orders equally likely.
pub fn places(
    rows: usize,
    rng: &mut (impl Rng + ?Sized),
    monitor: &mut dyn Monitor,
) -> Result<Vec<u32>> {
    let limit = Table::MAX_ROWS;
    if rows > limit {
        return Err(Error::TooManyRows { limit });
    }
    let mut meter = Meter::start(monitor, Phase::Permuting, rows);
    let mut places = collected(0..rows as u32)?;
    for last in (1..rows).rev() {
        places.swap(last, rng.random_range(0..=last));
        meter.grouped(1);
        meter.spend(DRAW)?;
    }
    Ok(places)
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

    #[test]
    fn all_orders_are_equally_likely() {
        let mut rng = generator(Some(15)).unwrap();
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            let order = places(3, &mut rng, &mut Unwatched).unwrap();
            *counts.entry(order).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        let squares = counts
            .values()
            .map(|&count| f64::from(count - 1000).powi(2));
        // the 0.999 quantile of chi-square with 5 degrees of freedom
        assert!(squares.sum::<f64>() / 1000.0 < 20.5);
    }

    #[test]
    fn no_rows_have_an_order() {
        let mut rng = generator(Some(0)).unwrap();
        assert_eq!(places(0, &mut rng, &mut Unwatched), Ok(vec![]));
    }
}
