//! Sensitivity categories: `sdc.category`, `sdc.category_weight`, `sdc.category_distance`.

use crate::errors::{self, Failure, Names};
use pgrx::JsonB;
use pgrx::prelude::*;
use sdc_engine::model::SensitivityCategories;

/// Categories of a sensitive column: an array of arrays of values, most sensitive first.
pub fn parse(categories: JsonB) -> Vec<Vec<String>> {
    serde_json::from_value(categories.0).unwrap_or_else(|_| {
        Failure::invalid("categories must be a JSON array of arrays of strings")
            .hint(r#"Most sensitive first: [["HIV", "Cancer"], ["Flu"]]."#)
            .raise()
    })
}

/// 1 for the most sensitive category; an unclassified value is an error.
#[pg_extern(immutable, strict, parallel_safe)]
fn category(value: &str, categories: JsonB) -> i32 {
    let place = parse(categories)
        .iter()
        .position(|values| values.iter().any(|v| v == value));
    match place {
        Some(place) => place as i32 + 1,
        None => Failure::new(
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            "a value is in none of the categories",
        )
        .hint("Every value of the column must be listed in one of the arrays.")
        .raise(),
    }
}

/// (i-1)/(m-1): 0 for the most sensitive category, 1 for the least.
#[pg_extern(immutable, strict, parallel_safe)]
fn category_weight(category: i32, categories: i32) -> f64 {
    let weight = SensitivityCategories::weight(number(category, categories), count(categories));
    errors::engine(weight, Names::default())
}

/// |a-b|/(m-1).
#[pg_extern(immutable, strict, parallel_safe)]
fn category_distance(a: i32, b: i32, categories: i32) -> f64 {
    let (a, b) = (number(a, categories), number(b, categories));
    let distance = SensitivityCategories::distance(a, b, count(categories));
    errors::engine(distance, Names::default())
}

fn count(categories: i32) -> u32 {
    u32::try_from(categories).unwrap_or(0)
}

/// A category counted from 0, as the engine has it.
fn number(category: i32, categories: i32) -> u32 {
    if !(1..=categories).contains(&category) && categories > 1 {
        Failure::invalid(format!(
            "category {category} is not in the range 1 to {categories}"
        ))
        .raise();
    }
    category.max(1) as u32 - 1
}
