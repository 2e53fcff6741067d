//! Values in the order of keys that only fall: their rows left, or their persons left.

use crate::Result;
use crate::run::allocation::{make_room, reserved};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// Values, those of the largest keys first. A key is corrected only when its value comes first:
/// as keys only fall, a value that is not first with an old key is not first with its own. So
/// nothing needs to be told which keys fall. Of equal keys the larger value comes first.
pub(super) struct FallingOrder<K> {
    heap: BinaryHeap<(K, u32)>,
}

impl<K: Ord + Copy> FallingOrder<K> {
    pub(super) fn new() -> Self {
        FallingOrder {
            heap: BinaryHeap::new(),
        }
    }

    /// Has these values instead.
    pub(super) fn refill(
        &mut self,
        values: &[u32],
        key: impl Fn(usize) -> Option<K>,
    ) -> Result<()> {
        let mut items = std::mem::take(&mut self.heap).into_vec();
        items.clear();
        make_room(&mut items, values.len())?;
        let keyed = |&value: &u32| Some((key(value as usize)?, value));
        items.extend(values.iter().filter_map(keyed));
        self.heap = BinaryHeap::from(items);
        Ok(())
    }

    /// The first values, as many as are wanted if there are. A value that has no key leaves.
    pub(super) fn first(
        &mut self,
        wanted: usize,
        key: impl Fn(usize) -> Option<K>,
    ) -> Result<Vec<usize>> {
        let mut first: Vec<(K, u32)> = reserved(wanted.min(self.heap.len()))?;
        while first.len() < wanted
            && let Some(mut top) = self.heap.peek_mut()
        {
            match key(top.1 as usize) {
                None => _ = PeekMut::pop(top),
                Some(now) if now < top.0 => top.0 = now,
                Some(_) => first.push(PeekMut::pop(top)),
            }
        }
        let mut values = reserved(first.len())?;
        for item in first {
            values.push(item.1 as usize);
            // back into the room that it has left
            self.heap.push(item);
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Reverse;

    proptest! {
        #[test]
        fn the_first_are_those_of_a_sort(
            mut keys in prop::collection::vec(prop::option::weighted(0.9, 0..20u32), 0..40),
            steps in prop::collection::vec((0..40usize, 0..9u32, 0..6usize), 0..60),
        ) {
            let values: Vec<u32> = (0..keys.len() as u32).collect();
            let mut order = FallingOrder::new();
            order.refill(&values, |value| keys[value]).unwrap();
            for (value, fall, wanted) in steps {
                if let Some(key) = keys.get_mut(value) {
                    *key = key.and_then(|key| key.checked_sub(fall));
                }
                let mut sorted: Vec<usize> = (0..keys.len()).collect();
                sorted.retain(|&value| keys[value].is_some());
                sorted.sort_by_key(|&value| Reverse((keys[value], value)));
                sorted.truncate(wanted);
                prop_assert_eq!(order.first(wanted, |value| keys[value]).unwrap(), sorted);
            }
        }
    }
}
