//! Attacks on releases: what a reader with some knowledge can find out, measured against what
//! the release promises.
//!
//! The steward knows the truth, so each attack plays the attacker, looks at the truth and gives
//! figures about all persons together. Nothing about a single person leaves this module but
//! the guesses that the figures are made of.
//!
//! ```text
//! own_groups   whose group is whose, where a release shows exact keys
//! inference    a model learnt from the release (deFinetti: Kifer 2009)
//! torn_groups  the same where columns are permuted; presence in a permutation
//! candidates   several releases of the same persons (Ganta, Kasiviswanathan and Smith 2008)
//! rows_of_persons   several rows of one person, all with the same value
//! fitting      released rows whose ranges, sets or blanks hold the keys of a person
//! linkage      the nearest released row, and intervals around masked numbers
//! presence     whether a person of a population is in the release
//! dominance    groups whose mean shows their largest member
//! minimality   why groups are as they are (Wong, Fu, Wang and Pei 2007)
//! shown_groups which groups of a sequence a release shows
//! recoding_minimality   why keys are generalized as far as they are
//! ```

mod candidates;
mod constant_persons_left;
mod control;
mod dominance;
mod fitting;
mod inference;
mod key_bins;
mod linkage;
pub mod minimality;
mod own_groups;
mod presence;
mod recoding_minimality;
mod rows_of_persons;
mod shown_groups;
mod torn_groups;

pub use candidates::{Intersected, NOWHERE, SeenGroups, intersect};
pub use constant_persons_left::ConstantPersons;
pub use control::{Regrouping, control};
pub use dominance::dominated_groups;
pub use fitting::{CellMeaning, FittingPoints, ShownCells};
pub use inference::{Guess, guesses, score};
pub use key_bins::binned;
pub use linkage::{Linked, link, link_groups, nearest_points, within_intervals};
pub use own_groups::{ShownKeys, own_groups};
pub use presence::{Presence, claims};
pub use recoding_minimality::{RecodingFindings, attack_recoding};
pub use rows_of_persons::RowsOfPersons;
pub use shown_groups::{RememberedGroup, shown_groups};
pub use torn_groups::{LearntKeys, TornGroups};

/// How many of the attacked persons were found out.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Score {
    /// the attacked
    pub persons: u64,
    /// those for whom the attacker commits himself
    pub claimed: u64,
    /// those of them about whom he is right
    pub right: u64,
}

impl Score {
    /// The share of claims that are right; `None` without a claim.
    pub fn precision(&self) -> Option<f64> {
        (self.claimed > 0).then(|| self.right as f64 / self.claimed as f64)
    }

    /// The share of persons about whom the attacker claims something.
    pub fn recall(&self) -> f64 {
        self.claimed as f64 / self.persons.max(1) as f64
    }
}
