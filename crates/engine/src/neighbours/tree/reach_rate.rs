//! At which rate the bound by reach weighs the sphere against the boxes.

/// After so many searches the rate is changed.
const BATCH: usize = 32;

/// By what factor.
const STEP: f64 = 0.8;

/// The lowest share that is tried.
const LEAST: f64 = 0.1;

/// The rate, as a share of the one that suits rows close to the sphere opposite to the point.
/// Any rate bounds, and which one bounds best depends on the rows: in clusters far inside the
/// sphere a lower one spares a fifth of the visits. It is found by climbing: the share goes on
/// in one direction for as long as a batch of searches visits less than the one before.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReachRate {
    share: f64,
    factor: f64,
    searches: usize,
    visited: usize,
    visited_before: usize,
}

impl Default for ReachRate {
    fn default() -> Self {
        ReachRate {
            share: 1.0,
            factor: STEP,
            searches: 0,
            visited: 0,
            visited_before: usize::MAX,
        }
    }
}

impl ReachRate {
    pub(super) fn share(&self) -> f64 {
        self.share
    }

    /// A search with this share has visited so many leaves and nodes.
    pub(super) fn learn(&mut self, visited: usize) {
        self.searches += 1;
        self.visited += visited;
        if self.searches < BATCH {
            return;
        }
        if self.visited > self.visited_before {
            self.factor = self.factor.recip();
        }
        self.share = (self.share * self.factor).clamp(LEAST, 1.0);
        self.visited_before = self.visited;
        (self.searches, self.visited) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn climbs_to_the_share_of_least_visits() {
        for best in [0.1, 0.3, 1.0] {
            let mut rate = ReachRate::default();
            for _ in 0..100 * BATCH {
                let wrong = (rate.share() / best).ln().abs();
                rate.learn(1000 + (1000.0 * wrong) as usize);
            }
            let ratio = rate.share() / best;
            assert!((0.5..2.0).contains(&ratio), "{} for {best}", rate.share());
        }
    }
}
