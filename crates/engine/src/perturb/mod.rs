//! Methods that change single columns, one file each: values are exchanged, redrawn, blurred or
//! cut off. None of them promises anonymity; they make links uncertain.

mod noise;
mod pram;
mod rank_swap;
mod tails;

pub use noise::noise;
pub use pram::pram;
pub use rank_swap::rank_swap;
pub use tails::{bottom_bound, bottom_code, rounded, tail, top_bound, top_code};
