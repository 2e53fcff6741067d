//! What any long computation needs: a monitor that can stop it, memory that can be refused,
//! random numbers, and errors.

pub mod allocation;
pub mod computing_threads;
mod error;
mod meter;
pub(crate) mod monitor;
pub mod process_limits;
pub mod random;
pub(crate) mod selection;
pub mod sorting;

pub use error::{Error, Result};
pub use meter::Meter;
pub use monitor::{Monitor, Phase, Unwatched};
pub use process_limits as limits;
