pub mod anatomy;
mod diversity;
pub mod permutation;
