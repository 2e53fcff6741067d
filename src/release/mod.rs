//! Releases: what leaves the database is frozen in tables, checked against its promise, and
//! entered in the register, all in one statement: an error leaves nothing behind.

mod anatomy;
mod apart;
mod categorised;
mod drop;
mod earlier;
mod estimate;
mod generalized;
mod microaggregated;
mod p_alpha;
mod permutation;
mod permuted;
mod predicate;
mod register;
mod relations;
mod shuffle;
mod table;
mod target;
mod written;

pub use apart::{COUNT, GROUP};
pub use categorised::Published;
pub use register::{Entry, Release};
pub use relations::tables;
pub use table::{create_table, create_table_as, create_view};
pub use target::Target;
