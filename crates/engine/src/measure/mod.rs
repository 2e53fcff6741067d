//! What a grouping costs, and what risk it leaves.

mod counting_error;
pub mod estimate;
pub mod feasibility;
pub mod figure_ranges;
mod group_sizes;
mod loss_parts;
mod ncp;
mod reconstruction;
mod rows_in_bins;
mod shown_loss;
mod squares;
pub mod utility;

pub use counting_error::{ColumnVersions, counting_error};
pub use group_sizes::{average_group_size, average_risk, discernibility, reidentification_risk};
pub use loss_parts::{CategoryLoss, NumberLoss};
pub(crate) use ncp::{Domain, distinct_penalty};
pub use ncp::{ncp, ncp_of_groups};
pub use reconstruction::{reconstruction_error, reconstruction_error_of_counts};
pub use rows_in_bins::Bins;
pub use shown_loss::ShownLoss;
pub use squares::{Squares, squares_of_groups, within};
