//! Releases over time: what a new release of a sequence may show, given those before it.
//!
//! Somebody keeps every release, and knows who was in which and in which group. What differs
//! between two releases of a group is about those who came or went: if one of five persons
//! leaves and her row goes with her, her value is the one that is missing. So a group that lacks
//! somebody is not shown.
//!
//! ```text
//! slots         groups that are whole stay; others are formed again of persons with like slots
//! signatures    m-invariance (Xiao and Tao 2007): the set of values of a person's group stays
//! ```
//!
//! In both ways a person has one signature for the whole sequence: what a group shows of its
//! members. Every group of a signature shows the same, so what the persons of a signature show can
//! be permuted, and all releases look alike.

mod person_tree;
mod place_swaps;
mod present_slots;
mod signatures;
mod slot_groups;
mod slot_plan;
mod slots;

pub use signatures::{Balanced, Counterfeit, SignedRows, balance};
pub use slots::{ContinuedSlots, KeptSlots, Returning, Standing, continue_groups};

use crate::{Error, Result};

/// No slot, no group and no signature: the person is new.
pub const NEW: u32 = u32::MAX;
/// No signature: the person has had one, and waits.
pub const WAITS: u32 = u32::MAX - 1;

fn refuse_unequal(first: usize, others: &[usize]) -> Result<()> {
    match others.iter().find(|&&other| other != first) {
        Some(&other) => Err(Error::UnequalColumns { first, other }),
        None => Ok(()),
    }
}
