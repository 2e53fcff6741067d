//! The algorithms of pg_sdc, without PostgreSQL.
//!
//! Data flows one way:
//!
//! ```text
//! rows ──► Table ──► Space ──► assign::* ──► Partition ──► model::*   checks
//!        (typed     (scaled   (one function             ├► measure::* figures
//!        columns)    points)   per method)              └► mask       masked columns
//! ```
//!
//! An algorithm is a function from columns and parameters to a [`Partition`], a group
//! number for each row. A privacy model is one implementation of [`model::PrivacyModel`]
//! that algorithms and checks share. Long work reports to a [`Monitor`], which may stop it.

#![forbid(unsafe_code)]

pub mod assign;
mod counts;
mod error;
pub mod estimate;
pub mod feasibility;
mod interner;
pub mod intersection;
pub mod lattice;
pub mod mask;
pub mod measure;
mod memory;
pub mod model;
mod moments;
mod monitor;
pub mod neighbours;
mod partition;
pub mod permute;
pub mod predicate;
pub mod random;
mod sorted_ids;
mod space;
pub mod spread;
mod table;
mod tally;

pub use counts::{GroupCounts, PairCounts};
pub use error::{Error, Result};
pub use interner::Interner;
pub use moments::{GroupMoments, Moments};
pub use monitor::{Monitor, Phase, Unwatched};
pub use partition::Partition;
pub use sorted_ids::SortedIds;
pub use space::Space;
pub use table::{Categories, Column, Table};
pub use tally::{ColumnTally, Tally};
