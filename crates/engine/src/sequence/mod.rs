//! Releases over time: what a new release of a sequence may show, given those before it.
//!
//! Somebody keeps every release, and knows who was in which and in which group. What differs
//! between two releases of a group is about those who came or went: if one of five persons
//! leaves and her row goes with her, her value is the one that is missing. So groups do not
//! change.
//!
//! ```text
//! standing_groups a group is shown as it was, each place of it taken, or not at all
//! signatures    m-invariance (Xiao and Tao 2007): the set of values of a person's group stays
//! ```
//!
//! In both, a person has one place, or one signature, for the whole sequence, and comes with
//! the values that are shown in it. A person who comes with others waits. Why that is enough: let
//! the persons who hold the same place one after the other be a line. All lines of a group have to
//! agree with the same values in each release of it. So whichever line has which value, all
//! releases look alike. Each person could have each row of the group. With signatures the values
//! of all persons of one signature can be renamed by any permutation of the signature, and all
//! groups still hold each of its values once.

mod signatures;
mod standing_groups;

pub use signatures::{Balanced, Counterfeit, SignedRows, balance};
pub use standing_groups::{KeptGroups, Returning, Standing, continue_groups};

/// No place and no signature: the person is new.
pub const NEW: u32 = u32::MAX;
/// No signature: the person has had one, and waits.
pub const WAITS: u32 = u32::MAX - 1;
