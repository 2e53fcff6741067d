//! Methods that cut rows into groups, one file each.

mod anatomy;
mod eligibility;
mod group_numbers;
mod mdav;
mod method;
mod mondrian;
#[cfg(test)]
mod naive_mdav;
mod p_alpha;
mod p_sensitive;
mod permutation;
pub mod refine;
mod univariate;
mod v_mdav;

pub use anatomy::anatomy;
pub use mdav::{mdav, mdav_by_scan};
pub use method::Method;
pub use mondrian::{Cutting, cut_apart, mondrian};
pub use p_alpha::p_alpha_sensitive;
pub use p_sensitive::{k_first, p_sensitive};
pub use permutation::permutation;
pub use univariate::univariate;
pub use v_mdav::v_mdav;
