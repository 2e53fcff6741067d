//! `sdc.report`: one self-contained HTML page about a table or a release.
//!
//! ```text
//! functions.rs ─► subject.rs ─► findings.rs ─► page.rs ─► one section each: verdict sizes risk
//! (SQL)           what it is    the queries     HTML       values curve loss distribution origin
//!                 released.rs                              (numbers and charts: crates/page)
//! ```
//!
//! Figures come from the queries behind `sdc.check_anonymity`, `sdc.histogram` and
//! `sdc.risk_utility`.

mod audience;
mod checksum;
mod counted;
mod curve;
mod distribution;
mod findings;
mod functions;
mod loss;
mod origin;
mod page;
mod released;
mod risk;
mod sizes;
mod spread;
mod subject;
mod values;
mod verdict;
