//! Methods that cut rows into groups, one file each.

mod grouping;
mod mdav;
#[cfg(test)]
mod naive;
mod univariate;

pub use mdav::{mdav, mdav_by_scan};
pub use univariate::univariate;
