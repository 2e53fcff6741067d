//! A table beside another version of it.
//!
//! ```text
//! column_labels.rs ─► label_meanings.rs ─► comparison.rs
//! (rows → labels)     (text → meaning)     (figures)
//! ```

mod column_labels;
mod comparison;
mod label_meanings;

pub use comparison::{ComparedFigure, TableVersions};
pub use label_meanings::{NumberScale, elements};
