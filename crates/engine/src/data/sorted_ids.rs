//! Numbers of values in the values' order, for values that can be compared but not hashed.

use crate::Result;
use crate::run::allocation::{make_room, reserved};
use std::cmp::Ordering;

/// Chunks are split when they pass this: short enough that inserting into one moves little.
const LONGEST_CHUNK: usize = 1024;

/// Numbers kept in the order of what they stand for, cut into chunks: inserting a million
/// values into one vector would move half of it each time.
#[derive(Debug, Clone, Default)]
pub struct SortedIds {
    chunks: Vec<Vec<u32>>,
}

/// Where a value belongs that is not there yet.
#[derive(Debug)]
pub struct Place {
    chunk: usize,
    at: usize,
}

impl SortedIds {
    /// The number of the value that `compare` looks for (it says how a listed value compares
    /// to that one), or its place.
    pub fn find(&self, compare: impl Fn(u32) -> Ordering) -> std::result::Result<u32, Place> {
        let below = |chunk: &Vec<u32>| chunk.last().is_some_and(|&last| compare(last).is_lt());
        let last = self.chunks.len().saturating_sub(1);
        let chunk = self.chunks.partition_point(below).min(last);
        let ids = self.chunks.get(chunk).map_or(&[][..], Vec::as_slice);
        match ids.binary_search_by(|&id| compare(id)) {
            Ok(at) => Ok(ids[at]),
            Err(at) => Err(Place { chunk, at }),
        }
    }

    /// Inserts a number at the place that [`find`](Self::find) gave for its value.
    pub fn insert(&mut self, place: Place, id: u32) -> Result<()> {
        if self.chunks.is_empty() {
            self.insert_chunk(0, Vec::new())?;
        }
        let ids = &mut self.chunks[place.chunk];
        make_room(ids, 1)?;
        ids.insert(place.at, id);
        if ids.len() > LONGEST_CHUNK {
            let mut upper = reserved(LONGEST_CHUNK + 1)?;
            upper.extend(ids.drain(LONGEST_CHUNK / 2..));
            self.insert_chunk(place.chunk + 1, upper)?;
        }
        Ok(())
    }

    fn insert_chunk(&mut self, at: usize, chunk: Vec<u32>) -> Result<()> {
        make_room(&mut self.chunks, 1)?;
        self.chunks.insert(at, chunk);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Lists values by first appearance, as a dictionary does.
    fn numbered(values: &[u32]) -> (Vec<u32>, SortedIds, Vec<u32>) {
        let (mut seen, mut sorted, mut ids) = (Vec::new(), SortedIds::default(), Vec::new());
        for &value in values {
            let compare = |id: u32| Ord::cmp(&seen[id as usize], &value);
            ids.push(match sorted.find(compare) {
                Ok(id) => id,
                Err(place) => {
                    let id = seen.len() as u32;
                    seen.push(value);
                    sorted.insert(place, id).unwrap();
                    id
                }
            });
        }
        (seen, sorted, ids)
    }

    fn check(values: &[u32]) {
        let (seen, sorted, ids) = numbered(values);
        let back: Vec<u32> = ids.iter().map(|&id| seen[id as usize]).collect();
        assert_eq!(back, values);
        let order: Vec<u32> = sorted.chunks.concat();
        assert!(
            order
                .windows(2)
                .all(|w| seen[w[0] as usize] < seen[w[1] as usize])
        );
        assert_eq!(order.len(), seen.len());
        assert!(sorted.chunks.iter().all(|ids| ids.len() <= LONGEST_CHUNK));
    }

    #[test]
    fn many_values_in_every_order() {
        let rising: Vec<u32> = (0..5000).collect();
        let falling: Vec<u32> = (0..5000).rev().collect();
        let scattered: Vec<u32> = (0..20_000).map(|i| i * 7919 % 6007).collect();
        for values in [rising, falling, scattered, vec![], vec![3, 3, 3]] {
            check(&values);
        }
    }

    proptest! {
        #[test]
        fn equal_values_share_a_number(values in prop::collection::vec(0u32..200, 0..600)) {
            check(&values);
        }
    }
}
