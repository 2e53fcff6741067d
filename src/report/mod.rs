//! `sdc.report`: one self-contained HTML page about a table or a release.
//!
//! ```text
//! functions.rs ─► subject.rs ─► findings.rs ─► page.rs ─► one section each: verdict sizes risk
//! (SQL)           what it is    the queries     HTML       values curve loss utility distribution origin
//!                 released.rs                              (numbers and charts: crates/page)
//! ```
//!
//! Figures come from the queries behind `sdc.check_anonymity`, `sdc.histogram` and
//! `sdc.risk_utility`.

mod attacked_section;
mod attackers_section;
mod audience;
mod counted_persons;
mod curve_section;
mod distribution_section;
mod figure_text;
mod findings;
mod loss_section;
mod origin_section;
mod page;
mod released;
mod report_functions;
mod risk_section;
mod sizes_section;
mod spread_chart;
mod subject;
mod utility_section;
mod value_counts;
mod values_section;
mod verdict_section;
