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
pub mod attack;
mod count;
mod data;
pub mod intersection;
pub mod lattice;
mod local_search;
pub mod measure;
pub mod model;
pub mod neighbours;
pub mod perturb;
pub mod predicate;
pub mod risk;
mod run;
pub mod sequence;
pub mod suppress;

pub use count::{
    ColumnTally, GroupCounts, GroupMoments, GroupPersons, Interner, Moments, NumberCodes,
    PairCounts, PersonFigures, Tally, group_figures, person_tally,
};
pub use data::{
    Categories, Column, Gaps, Partition, PersonRows, SortedIds, Space, Table, mask, permute,
};
pub use measure::{estimate, feasibility, figure_ranges as spread};
pub use run::computing_threads as threads;
pub use run::{Error, Monitor, Phase, Result, Unwatched, allocation, limits, random, sorting};
