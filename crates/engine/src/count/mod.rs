//! Groups and their sensitive values, counted row by row or pair by pair.
//!
//! ```text
//! rows ──► GroupCounts ──┐
//! pairs ─► PairCounts ───┴► Tally    what a privacy model looks at
//! numbers ► GroupMoments             what a loss is computed from
//! persons ► GroupPersons             which values how many of them bring
//! ```

mod group_counts;
mod group_persons;
mod interner;
mod moments;
mod number_codes;
mod pair_counts;
mod person_counts;
mod serialized_counts;
mod tally;

pub use group_counts::GroupCounts;
pub use group_persons::{GroupPersons, PersonFigures};
pub use interner::Interner;
pub use moments::{GroupMoments, Moments};
pub use number_codes::NumberCodes;
pub use pair_counts::PairCounts;
pub use person_counts::{group_figures, person_tally};
pub use tally::{ColumnTally, Tally};
