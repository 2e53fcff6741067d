//! Methods that cut rows into groups, one file each.

mod anatomy;
mod diversity;
mod grouping;
mod mdav;
#[cfg(test)]
mod naive;
mod permutation;

pub use anatomy::anatomy;
pub use mdav::{mdav, mdav_by_scan};
pub use permutation::permutation;
