//! Sorting that can be stopped: five million rows in an order that is looked up take seconds.

use super::limits;
use crate::{Error, Result};
use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Comparisons between two questions whether to stop: about a millisecond.
const PACE: u32 = 1 << 16;
/// So few items are sorted in less than a millisecond.
const SHORT: usize = 1 << 12;

/// What leaves a sort that is stopped. Nothing else leaves it early: an order that is no order
/// any more might panic in the middle.
struct Stopped;

/// Sorts items in place. Where the work is stopped they are in some order.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) -> Result<()> {
    if items.len() < SHORT {
        items.sort_unstable_by(compare);
        return Ok(());
    }
    let mut left = PACE;
    let compare = |a: &T, b: &T| {
        left -= 1;
        if left == 0 {
            left = PACE;
            if limits::stopped() {
                resume_unwind(Box::new(Stopped));
            }
        }
        compare(a, b)
    };
    match catch_unwind(AssertUnwindSafe(|| items.sort_unstable_by(compare))) {
        Ok(()) => Ok(()),
        Err(payload) if payload.is::<Stopped>() => Err(Error::Interrupted),
        Err(other) => resume_unwind(other),
    }
}

/// The same by a key of each item.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) -> Result<()> {
    sort_by(items, |a, b| key(a).cmp(&key(b)))
}
