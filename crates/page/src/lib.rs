//! What pages are made of: numbers as people read them, charts in SVG with a table behind each.
//!
//! maud writes HTML and SVG alike and escapes every text. A plotting crate (plotters, poloto)
//! would bring fonts, colours and sizes of its own, which neither turn dark nor narrow with the
//! page, and no titles or tables for screen readers.

#![forbid(unsafe_code)]

pub mod chart;
pub mod encoding;
pub mod format;
pub mod matrix;
pub mod plot;
pub mod table;

pub use chart::{Bar, Chart, Stroke, Tone};
pub use matrix::Matrix;
pub use plot::{Plot, Point};
