//! A table beside another version of it.
//!
//! ```text
//! column_labels.rs ─► label_meanings.rs ─► comparison.rs ─► column_distribution.rs
//! (rows → labels)     (text → meaning)     (figures)         (bars)
//! ```

mod column_distribution;
mod column_labels;
mod comparison;
mod label_meanings;

pub use column_distribution::{ColumnDistribution, SharedOf, SharedValue};
pub use comparison::{ComparedFigure, TableVersions};
pub use label_meanings::{NumberScale, elements};
