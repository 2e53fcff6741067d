//! What an attacker could do with a table: risks by attacker, of rows and of columns, and uniques in
//! the population behind a sample.

mod assessment;
mod column_risk;
mod household_risk;
mod individual_risk;
mod population_models;
mod risk_function;
mod suda;

use crate::pg::errors::Failure;

pub use assessment::Assessment;
pub use column_risk::{ColumnRisk, column_risks};

/// How many columns are looked at together.
fn largest_set(max_size: i32) -> usize {
    match usize::try_from(max_size) {
        Ok(size) if size > 0 => size,
        _ => Failure::invalid(format!("max_size must be at least 1, not {max_size}"))
            .hint("For example max_size => 2 looks at single columns and pairs.")
            .raise(),
    }
}
