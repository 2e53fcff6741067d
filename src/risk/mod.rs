//! What an attacker could do with a table: risks by attacker, of rows and of columns, and uniques in
//! the population behind a sample.

mod assessment;
mod column_risk;
mod household_risk;
mod individual_risk;
mod population_models;
mod risk_function;
mod suda;

