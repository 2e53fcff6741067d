//! Methods that change single columns, one file each: values are exchanged, redrawn, blurred or
//! cut off. None of them promises anonymity; they make links uncertain.

mod bounds;
mod noise;
mod pram;
mod rank_swap;
mod tails;

pub use bounds::{bottom_bound, rounded, top_bound};
pub use noise::noise;
pub use pram::pram;
pub use rank_swap::rank_swap;
pub use tails::{bottom_code, tail, top_code};
