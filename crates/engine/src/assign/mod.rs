//! Methods that cut rows into groups, one file each.

mod anatomy;
mod diversity;
mod grouping;
mod mdav;
mod mondrian;
#[cfg(test)]
mod naive;
mod permutation;

pub use anatomy::anatomy;
pub use mdav::{mdav, mdav_by_scan};
pub use mondrian::mondrian;
pub use permutation::permutation;
