//! The data that methods work on and the groups that they make.
//!
//! ```text
//! typed_columns  Categories, Column, Table: what a caller hands over
//! key_weights    how much each key counts in distances
//! null_patterns  which values each row lacks
//! persons        PersonRows: rows of one person become one point, and back
//! representatives  one value for each person who has several
//! space          Space: the same columns scaled, so that rows have distances
//! partition      Partition: a group number for each row
//! sorted_ids     SortedIds: long lists of numbers in little memory
//! mask, permute  what a partition publishes: group values, or values that change rows
//! ```

mod key_weights;
pub mod mask;
mod null_patterns;
mod partition;
pub mod permute;
mod persons;
mod representatives;
mod scaling;
mod sorted_ids;
mod space;
mod typed_columns;

pub(crate) use null_patterns::patterns;
pub use partition::{Members, Partition};
pub use persons::PersonRows;
pub use sorted_ids::SortedIds;
pub use space::{Gaps, Space};
pub use typed_columns::{Categories, Column, Table};
