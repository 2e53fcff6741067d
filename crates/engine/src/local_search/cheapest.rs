//! What a heap gives out first: the cheapest, ties by a key of their own.

use std::cmp::Ordering;

/// An item of a heap of which the cheapest comes first, and among equally cheap ones that with
/// the smallest `tie`. Two items with the same tie count as the same item.
#[derive(Clone, Copy)]
pub(crate) struct Cheapest<K, T = ()> {
    pub cost: f64,
    pub tie: K,
    pub item: T,
}

impl<K: Ord, T> Ord for Cheapest<K, T> {
    /// A heap has its greatest on top.
    fn cmp(&self, other: &Self) -> Ordering {
        let cheaper = other.cost.total_cmp(&self.cost);
        cheaper.then_with(|| other.tie.cmp(&self.tie))
    }
}

impl<K: Ord, T> PartialOrd for Cheapest<K, T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: Ord, T> PartialEq for Cheapest<K, T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<K: Ord, T> Eq for Cheapest<K, T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BinaryHeap;

    #[test]
    fn the_cheapest_comes_first_and_ties_by_their_key() {
        let item = |(cost, tie)| Cheapest {
            cost,
            tie,
            item: (),
        };
        let items = [(2.0, 1), (1.0, 7), (f64::INFINITY, 0), (1.0, 3)];
        let mut heap: BinaryHeap<_> = items.map(item).into();
        let order: Vec<i32> = std::iter::from_fn(|| heap.pop().map(|next| next.tie)).collect();
        assert_eq!(order, [3, 7, 1, 0]);
    }
}
