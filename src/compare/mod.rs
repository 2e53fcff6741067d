//! A table beside another version of it.
//!
//! ```text
//! column_labels.rs ─► cell_meanings.rs ─► comparison.rs ─► column_distribution.rs
//! (rows → labels)     (text → meaning)    (figures)         (bars)
//!                       ▲ label_meanings.rs (ranges, units), hierarchy_nodes.rs
//! ```

mod cell_meanings;
mod column_distribution;
mod column_labels;
mod comparison;
mod hierarchy_nodes;
mod label_meanings;

pub use column_distribution::{ColumnDistribution, SharedOf, SharedValue};
pub use comparison::{ComparedFigure, TableVersions};
pub use hierarchy_nodes::HierarchyNodes;
pub use label_meanings::{NumberScale, elements};
