//! `sdc.category`, `sdc.category_weight`, `sdc.category_distance`.

use crate::pg::errors::{self, Failure, Names};
use crate::pg::guard::guarded;
use crate::pg::sql_types::Json;
use crate::read::sensitivity_categories::{count, parse};
use pgrx::prelude::*;
use sdc_engine::model::SensitivityCategories;

/// 1 for the most sensitive category; an unclassified value is an error.
#[pg_extern(immutable, strict, parallel_safe)]
fn category(value: &str, categories: Json) -> i32 {
    guarded(|| {
        let place = parse(categories)
            .iter()
            .position(|values| values.iter().any(|v| v == value));
        match place {
            Some(place) => place as i32 + 1,
            None => Failure::invalid("a value is in none of the categories")
                .hint("Every value of the column must be listed in one of the arrays.")
                .raise(),
        }
    })
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

/// A category counted from 0, as the engine has it.
fn number(category: i32, categories: i32) -> u32 {
    match u32::try_from(category) {
        Ok(number) if (1..=count(categories)).contains(&number) => number - 1,
        _ => Failure::invalid(format!(
            "category {category} is not in the range 1 to {categories}"
        ))
        .hint("Categories are numbered from 1, the most sensitive.")
        .raise(),
    }
}
