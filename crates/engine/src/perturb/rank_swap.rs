//! Rank swapping (Moore 1996): each value is exchanged with one of a similar rank.

use crate::run::Meter;
use crate::run::allocation;
use crate::{Error, Monitor, Phase, Result};
use rand::{Rng, RngExt};

/// So often a free partner is drawn blindly before all that are free are looked at.
const TRIES: usize = 16;

/// For each row the row whose value it receives: one at most `percent` percent of the rows away
/// in the order of ranks, each free one as likely as the others. Every value stays in the
/// column. Rows without rank keep theirs.
pub fn rank_swap(
    ranks: &[Option<u32>],
    percent: f64,
    rng: &mut impl Rng,
    monitor: &mut dyn Monitor,
) -> Result<Vec<u32>> {
    if !(percent > 0.0 && percent <= 100.0) {
        return Err(Error::NotAPercentage { name: "percent" });
    }
    let mut meter = Meter::start(monitor, Phase::Permuting, ranks.len());
    let mut source: Vec<u32> = allocation::collected(0..ranks.len() as u32)?;
    let mut order = allocation::reserved(ranks.len())?;
    order.extend((0..ranks.len() as u32).filter(|&row| ranks[row as usize].is_some()));
    order.sort_unstable_by_key(|&row| (ranks[row as usize], row));
    let reach = ((percent / 100.0 * order.len() as f64) as usize).max(1);
    let mut free = allocation::filled(order.len(), true)?;
    for place in 0..order.len() {
        meter.grouped(1);
        meter.spend(TRIES)?;
        let last = (place + reach).min(order.len() - 1);
        if !free[place] || place == last {
            continue;
        }
        if let Some(partner) = partner(&free, place + 1, last, rng) {
            source.swap(order[place] as usize, order[partner] as usize);
            free[place] = false;
            free[partner] = false;
        }
    }
    Ok(source)
}

/// A free place between two, each as likely as the others.
fn partner(free: &[bool], first: usize, last: usize, rng: &mut impl Rng) -> Option<usize> {
    for _ in 0..TRIES {
        let place = rng.random_range(first..=last);
        if free[place] {
            return Some(place);
        }
    }
    let left = (first..=last).filter(|&place| free[place]);
    let count = left.clone().count();
    (count > 0)
        .then(|| rng.random_range(0..count))
        .and_then(|number| left.clone().nth(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Unwatched, random::generator};
    use proptest::prelude::*;

    fn swapped(ranks: &[Option<u32>], percent: f64, seed: u64) -> Vec<u32> {
        let mut rng = generator(Some(seed)).unwrap();
        rank_swap(ranks, percent, &mut rng, &mut Unwatched).unwrap()
    }

    proptest! {
        #[test]
        fn values_stay_in_the_column_and_near_their_rank(
            values in prop::collection::vec(prop::option::weighted(0.9, 0..50u32), 1..200), percent in 0.5..60.0f64, seed in any::<u64>(),
        ) {
            let source = swapped(&values, percent, seed);
            let mut rows = source.clone();
            rows.sort_unstable();
            prop_assert!(rows.iter().copied().eq(0..values.len() as u32));
            let mut order: Vec<usize> = (0..values.len()).filter(|&row| values[row].is_some()).collect();
            order.sort_by_key(|&row| (values[row], row));
            let reach = ((percent / 100.0 * order.len() as f64) as usize).max(1);
            let mut place = vec![0; values.len()];
            for (rank, &row) in order.iter().enumerate() {
                place[row] = rank;
            }
            for (row, &from) in source.iter().enumerate() {
                match values[row] {
                    None => prop_assert_eq!(from as usize, row),
                    Some(_) => prop_assert!(place[row].abs_diff(place[from as usize]) <= reach),
                }
            }
        }
    }

    #[test]
    fn nearly_all_rows_are_swapped() {
        let ranks: Vec<_> = (0..10_000).map(Some).collect();
        let source = swapped(&ranks, 5.0, 7);
        let unmoved = source
            .iter()
            .enumerate()
            .filter(|&(row, &from)| row == from as usize);
        assert!(unmoved.count() < 200);
    }

    #[test]
    fn partners_are_equally_likely() {
        let ranks: Vec<_> = (0..6).map(Some).collect();
        let mut counts = [0; 6];
        for seed in 0..6_000 {
            counts[swapped(&ranks, 100.0, seed)[0] as usize] += 1;
        }
        assert_eq!(counts[0], 0);
        // five partners, each 1200 times with a standard deviation of 31
        assert!(
            counts[1..]
                .iter()
                .all(|&count: &i32| (count - 1200).abs() < 150),
            "{counts:?}"
        );
    }

    #[test]
    fn a_percentage_is_not_a_share_nor_more_than_all() {
        for percent in [0.0, -1.0, 100.1, f64::NAN] {
            let mut rng = generator(Some(1)).unwrap();
            assert!(rank_swap(&[Some(1)], percent, &mut rng, &mut Unwatched).is_err());
        }
        assert_eq!(swapped(&[], 5.0, 1), []);
        assert_eq!(swapped(&[Some(3)], 5.0, 1), [0]);
    }
}
