//! What masking did to the data: a source beside its release.
//!
//! ```text
//! column_labels.rs ─► label_meanings.rs ─► comparison.rs ─► utility_functions.rs
//! (rows → labels)     (text → meaning)     (figures)         compare, assert_utility, query_error
//! ```

mod column_labels;
mod comparison;
mod label_meanings;
mod utility_functions;
