//! What a grouping costs, and what risk it leaves.

mod groups;
mod ncp;
mod reconstruction;
mod squares;

pub use groups::{average_group_size, discernibility, reidentification_risk};
pub use ncp::ncp;
pub(crate) use ncp::{Domain, distinct_penalty};
pub use reconstruction::reconstruction_error;
pub use squares::{Squares, squares_of_groups, within};
