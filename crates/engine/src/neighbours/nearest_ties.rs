//! The nearest row, and all that are as near.

use super::{Found, Hit};
use crate::Result;
use crate::run::allocation::make_room;

/// Keeps the rows at the least distance of those it is offered, however many they are. A search
/// for one row is shorter than one for two, which would tell whether there are ties.
#[derive(Debug)]
pub struct Ties {
    least: f64,
    hits: Vec<Hit>,
    /// an error where there was no memory for all of them
    complete: Result<()>,
}

impl Default for Ties {
    fn default() -> Self {
        Ties {
            least: f64::INFINITY,
            hits: Vec::new(),
            complete: Ok(()),
        }
    }
}

impl Ties {
    /// Forgets what was found, to search again.
    pub fn clear(&mut self) {
        self.least = f64::INFINITY;
        self.hits.clear();
    }

    /// What was found, in no particular order.
    pub fn hits(&mut self) -> Result<&[Hit]> {
        std::mem::replace(&mut self.complete, Ok(()))?;
        Ok(&self.hits)
    }
}

impl Found for Ties {
    #[inline]
    fn limit(&self) -> f64 {
        self.least
    }

    #[inline]
    fn admits(&self, distance: f64, _row: u32) -> bool {
        distance <= self.least
    }

    #[inline]
    fn offer(&mut self, hit: Hit) {
        if !self.admits(hit.distance, hit.row) {
            return;
        }
        if hit.distance < self.least {
            self.least = hit.distance;
            self.hits.clear();
        }
        // searches cannot fail, so the error waits for them
        match make_room(&mut self.hits, 1) {
            Ok(()) => self.hits.push(hit),
            error => self.complete = error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_at_the_least_distance_and_no_others() {
        let mut found = Ties::default();
        for distances in [[3, 2, 2, 5, 2, 4], [1, 1, 1, 1, 1, 1], [6, 5, 4, 3, 2, 1]] {
            found.clear();
            for (row, distance) in (0..).zip(distances) {
                let distance = f64::from(distance);
                let slot = 0;
                found.offer(Hit {
                    distance,
                    row,
                    slot,
                });
            }
            let least = distances.into_iter().min();
            let nearest = (0..).zip(distances).filter(|&(_, d)| Some(d) == least);
            let nearest: Vec<u32> = nearest.map(|(row, _)| row).collect();
            let rows: Vec<u32> = found.hits().unwrap().iter().map(|hit| hit.row).collect();
            assert_eq!(rows, nearest);
        }
    }

    #[test]
    fn a_distance_that_is_not_a_number_is_none() {
        let mut found = Ties::default();
        let (distance, row, slot) = (f64::NAN, 1, 1);
        found.offer(Hit {
            distance,
            row,
            slot,
        });
        assert!(found.hits().unwrap().is_empty());
    }
}
