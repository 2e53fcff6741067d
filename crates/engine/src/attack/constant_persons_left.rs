//! What guesses about persons whose value never changes come to.

/// Votes are sums of products of shares.
const TIE: f64 = 1e-9;

/// What is known of the persons whose value is the same in all of several rows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ConstantPersons {
    pub persons: u64,
    /// how many of the guesses are right, ties counted in parts
    pub right: f64,
    /// the fewest values left to one of them
    pub least: Option<u64>,
    /// with fewer values left than promised
    pub fewer: u64,
}

impl ConstantPersons {
    /// Counts a person: the votes for each value, the values that have some, and the person's own.
    pub(super) fn count(&mut self, votes: &[f64], voted: &[u32], truth: u32, promised: u64) {
        let most = voted.iter().map(|&value| votes[value as usize]);
        let most = most.fold(0.0, f64::max);
        if most == 0.0 {
            return; // in no group
        }
        let is_best = |value: &&u32| votes[**value as usize] >= most * (1.0 - TIE);
        let left = voted.iter().filter(is_best).count() as u64;
        self.persons += 1;
        if voted.iter().filter(is_best).any(|&value| value == truth) {
            self.right += 1.0 / left as f64;
        }
        self.least = Some(self.least.map_or(left, |least| least.min(left)));
        self.fewer += u64::from(left < promised);
    }
}
