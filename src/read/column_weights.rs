//! How much each key counts: `{"age": 2, "zip": 0.5}`.

use crate::pg::errors::Failure;
use crate::pg::sql_types::Json;
use serde_json::Value;

/// The weight of each named column, 1 for those that the caller leaves out.
pub fn parse(argument: &str, weights: &Json, names: &[String]) -> Vec<f64> {
    const NEEDED: &str = "of at least 0, one of them above 0";
    let weights = read((argument, NEEDED), weights, names, |weight| weight >= 0.0);
    if weights.iter().sum::<f64>() <= 0.0 {
        not_weights(argument, NEEDED);
    }
    weights
}

/// The same where 0 makes no sense.
pub fn parse_positive(argument: &str, weights: &Json, names: &[String]) -> Vec<f64> {
    read((argument, "above 0"), weights, names, |weight| weight > 0.0)
}

fn read(
    (argument, needed): (&str, &str),
    weights: &Json,
    names: &[String],
    fits: fn(f64) -> bool,
) -> Vec<f64> {
    let Value::Object(given) = &weights.0 else {
        not_weights(argument, needed)
    };
    if let Some(name) = given.keys().find(|name| !names.contains(name)) {
        Failure::invalid(format!("{argument} names \"{name}\", which is not a key"))
            .hint(format!("The keys are: {}.", names.join(", ")))
            .raise();
    }
    let weight = |name: &String| match given.get(name) {
        None => 1.0,
        Some(weight) => weight
            .as_f64()
            .filter(|&weight| fits(weight) && weight.is_finite())
            .unwrap_or_else(|| not_weights(argument, needed)),
    };
    names.iter().map(weight).collect()
}

fn not_weights(argument: &str, needed: &str) -> ! {
    Failure::invalid(format!(
        "{argument} must be a JSON object of columns and numbers {needed}"
    ))
    .hint(r#"For example {"age": 2, "zip": 0.5}; a column that is left out weighs 1."#)
    .raise()
}
