//! The k nearest rows seen so far.

use super::Hit;
use crate::Result;
use crate::run::allocation;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Up to this k an insertion into a sorted list beats a heap.
const SHORT: usize = 64;

/// What a search for the nearest offers rows to.
pub trait Found {
    /// The distance above which nothing can come in.
    fn limit(&self) -> f64;

    /// Whether a row at least at this distance, with at least this number, could come in.
    fn admits(&self, distance: f64, row: u32) -> bool;

    /// Takes the row in if it is among those that are looked for, so far.
    fn offer(&mut self, hit: Hit);
}

/// Keeps the k nearest of the rows it is offered; ties go to the lower row.
#[derive(Debug)]
pub struct TopK {
    k: usize,
    /// sorted, for small k
    list: Vec<Hit>,
    /// farthest on top, for large k
    heap: BinaryHeap<Farthest>,
    /// the k-th nearest once there are k: only what is nearer can still come in
    limit: Hit,
}

const NO_LIMIT: Hit = Hit {
    distance: f64::INFINITY,
    row: u32::MAX,
    slot: u32::MAX,
};

impl TopK {
    /// Room for the k nearest.
    pub fn new(k: usize) -> Result<Self> {
        let mut heap = BinaryHeap::new();
        if k > SHORT {
            let bytes = k.saturating_mul(size_of::<Hit>());
            allocation::granted(bytes, || heap.try_reserve_exact(k))?;
        }
        Ok(TopK {
            k,
            list: allocation::reserved(k)?,
            heap,
            limit: NO_LIMIT,
        })
    }

    /// Forgets what was found, to search again.
    pub fn clear(&mut self) {
        self.list.clear();
        self.heap.clear();
        self.limit = NO_LIMIT;
    }

    fn insert(&mut self, hit: Hit) {
        if self.list.len() == self.k {
            self.list.pop();
        }
        let mut place = self.list.len();
        while place > 0 && hit.nearer_than(&self.list[place - 1]) {
            place -= 1;
        }
        self.list.insert(place, hit);
        if self.list.len() == self.k {
            self.limit = self.list[self.k - 1];
        }
    }

    fn push(&mut self, hit: Hit) {
        if self.heap.len() == self.k {
            self.heap.pop();
        }
        self.heap.push(Farthest(hit));
        if self.heap.len() == self.k
            && let Some(&Farthest(top)) = self.heap.peek()
        {
            self.limit = top;
        }
    }

    /// What was found, nearest first.
    pub fn hits(&mut self) -> &[Hit] {
        if !self.heap.is_empty() {
            self.list.clear();
            self.list.extend(self.heap.drain().map(|Farthest(hit)| hit));
            self.list.sort_unstable_by_key(|&hit| Farthest(hit));
        }
        &self.list
    }
}

impl Found for TopK {
    #[inline]
    fn limit(&self) -> f64 {
        self.limit.distance
    }

    #[inline]
    fn admits(&self, distance: f64, row: u32) -> bool {
        distance < self.limit.distance || (distance == self.limit.distance && row < self.limit.row)
    }

    #[inline]
    fn offer(&mut self, hit: Hit) {
        if !self.admits(hit.distance, hit.row) {
        } else if self.k <= SHORT {
            self.insert(hit);
        } else {
            self.push(hit);
        }
    }
}

/// Orders hits for a heap with the farthest on top.
#[derive(Debug, Clone, Copy)]
struct Farthest(Hit);

impl Ord for Farthest {
    fn cmp(&self, other: &Self) -> Ordering {
        let distance = self.0.distance.total_cmp(&other.0.distance);
        distance.then(self.0.row.cmp(&other.0.row))
    }
}

impl PartialOrd for Farthest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Farthest {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Farthest {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_first_and_ties_to_the_lower_row() {
        for k in [1, 3, 64, 65, 100] {
            let hit = |row: u32| Hit {
                distance: f64::from((row * 7) % 10),
                row,
                slot: 0,
            };
            let mut found = TopK::new(k).unwrap();
            (0..200).rev().for_each(|row| found.offer(hit(row)));
            let mut all: Vec<Hit> = (0..200).map(hit).collect();
            all.sort_by_key(|hit| (hit.distance as u32, hit.row));
            assert_eq!(found.hits(), &all[..k]);
        }
    }
}
