//! Rows become tables: under a name that is free, in an order that nobody can foresee, readable
//! by their owner alone.

pub mod placed_rows;
pub mod shuffle;
pub mod table;
pub mod target;
