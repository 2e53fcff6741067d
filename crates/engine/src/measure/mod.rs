//! What a grouping costs, and what risk it leaves.

mod groups;
mod ncp;
mod reconstruction;
mod squares;

pub use groups::{average_group_size, discernibility, reidentification_risk};
pub(crate) use ncp::{Domain, distinct_penalty};
pub use ncp::{ncp, ncp_of_groups};
pub use reconstruction::{reconstruction_error, reconstruction_error_of_counts};
pub use squares::{Squares, squares_of_groups, within};
