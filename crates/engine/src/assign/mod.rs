//! Methods that cut rows into groups, one file each.

mod anatomy;
mod blocks;
mod conditions;
mod constant_persons;
mod eligibility;
mod group_numbers;
mod matchings;
mod mdav;
mod method;
mod method_run;
mod mondrian;
#[cfg(test)]
mod naive_mdav;
mod null_groups;
mod p_alpha;
mod p_sensitive;
mod permutation;
mod persons_apart;
pub mod refine;
mod strata_groups;
mod t_first;
mod univariate;
mod v_mdav;

pub use anatomy::{anatomy, anatomy_of_persons};
pub use blocks::blocks;
pub use conditions::GroupConditions;
pub use eligibility::shuffled;
pub use mdav::{mdav, mdav_by_scan, require_memory_of_mdav};
pub use method::Method;
pub use mondrian::{Cutting, cut_apart, mondrian};
pub use p_alpha::p_alpha_sensitive;
pub use p_sensitive::{k_first, p_sensitive};
pub use permutation::{permutation, permutation_of_persons};
pub use strata_groups::{FailedStratum, Stratified, by_stratum};
pub use univariate::univariate;
pub use v_mdav::v_mdav;
