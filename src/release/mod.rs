//! Releases: what leaves the database is frozen in tables, checked against its promise, and
//! entered in the register, all in one statement: an error leaves nothing behind.

mod generalized;
mod microaggregated;
mod register;
mod table;
mod target;

pub use register::{Entry, Release};
pub use table::{create_table, create_table_as};
pub use target::Target;
