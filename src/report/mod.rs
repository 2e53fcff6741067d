//! `sdc.report`: one self-contained HTML page about a table or a release.
//!
//! ```text
//! functions.rs ─► subject.rs ─► findings.rs ─► page.rs ─► one section each: verdict sizes risk
//! (SQL)           what it is    the queries     HTML       values curve loss distribution origin
//!                 released.rs                              chart.rs and curve.rs draw
//! ```
//!
//! Figures come from the queries behind `sdc.check_anonymity`, `sdc.histogram` and
//! `sdc.risk_utility`. maud writes HTML and SVG alike, and escapes every text. A plotting crate
//! (plotters, poloto) would bring fonts, colours and sizes of its own, which neither turn dark
//! nor narrow with the page, and no titles or tables for screen readers.

mod audience;
mod chart;
mod checksum;
mod curve;
mod distribution;
mod findings;
mod format;
mod functions;
mod loss;
mod origin;
mod page;
mod released;
mod risk;
mod sizes;
mod subject;
mod values;
mod verdict;
