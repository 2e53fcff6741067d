//! Microaggregation of whole tables: `sdc.microaggregate`, and `sdc.risk_utility` for choosing k.

pub mod options;
pub mod risk_utility;
mod table_function;
