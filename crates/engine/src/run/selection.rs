//! The lowest items of many, found without sorting all of them, in steps that can be stopped.

use super::Meter;
use crate::Result;
use std::cmp::Ordering;

/// Above this many items a selection is done in steps that let the monitor in between.
const LARGE: usize = 1 << 16;

/// Brings the `middle` lowest items to the front. No two items may be equal.
pub(crate) fn bring_forward<T: Copy>(
    items: &mut [T],
    middle: usize,
    before: impl Fn(&T, &T) -> Ordering,
    meter: &mut Meter,
) -> Result<()> {
    let (mut start, mut end) = (0, items.len());
    // large parts are narrowed down around a pivot, one pass after the other
    while end - start > LARGE {
        let part = &mut items[start..end];
        let cut = start + divide(part, middle - start, &before, meter)?;
        if cut <= middle {
            start = cut;
        } else {
            end = cut;
        }
    }
    if start < middle && middle < end {
        items[start..end].select_nth_unstable_by(middle - start, before);
    }
    Ok(())
}

/// Puts the items below a pivot first and tells how many they are. The pivot is chosen from a
/// sample at about the rank `middle`.
fn divide<T: Copy>(
    items: &mut [T],
    middle: usize,
    before: impl Fn(&T, &T) -> Ordering,
    meter: &mut Meter,
) -> Result<usize> {
    const SAMPLE: usize = 255;
    let step = items.len() / SAMPLE;
    let mut sample: Vec<T> = items.iter().step_by(step).copied().collect();
    let rank = (middle as u128 * sample.len() as u128 / items.len() as u128) as usize;
    // never the lowest: something must come before the pivot
    let rank = rank.clamp(1, sample.len() - 1);
    let pivot = *sample.select_nth_unstable_by(rank, &before).1;
    let mut below = 0;
    for at in 0..items.len() {
        items.swap(at, below);
        below += usize::from(before(&items[below], &pivot).is_lt());
        if at % LARGE == 0 {
            meter.spend(LARGE)?;
        }
    }
    Ok(below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Phase, Unwatched};

    fn before(a: &(f64, u32), b: &(f64, u32)) -> Ordering {
        a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
    }

    #[test]
    fn selection_of_many_keys() {
        let scrambled = |i: u32| i.wrapping_mul(2_654_435_761) >> 8;
        for values in [1, 3, 1000, u32::MAX] {
            let mut keys: Vec<(f64, u32)> = (0..200_000)
                .map(|i| (f64::from(scrambled(i) % values), i))
                .collect();
            let mut sorted = keys.clone();
            sorted.sort_by(before);
            let mut monitor = Unwatched;
            let mut meter = Meter::start(&mut monitor, Phase::Grouping, 0);
            for middle in [0, 1, 70_000, 131_072, 199_999, 200_000] {
                bring_forward(&mut keys, middle, before, &mut meter).unwrap();
                let mut front = keys[..middle].to_vec();
                front.sort_by(before);
                assert!(front == sorted[..middle]);
            }
        }
    }
}
