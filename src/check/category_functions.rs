//! `sdc.category`, `sdc.category_weight`, `sdc.category_distance`.

use crate::pg::errors::{self, Failure, Names};
use crate::pg::function_call::{Call, v1};
use crate::read::sensitivity_categories::{count, parse};
use pgrx::pg_sys::Datum;
use pgrx::prelude::*;
use sdc_engine::model::SensitivityCategories;
use std::collections::HashMap;

/// 1 for the most sensitive category; an unclassified value is an error.
fn category(call: &Call) -> Option<Datum> {
    let value: String = call.required(0, "value");
    let categories: &[u8] = call.required_bytes(1, "categories");
    let number = call.with_kept(NumberedValues::default, |known| {
        if known.written != categories {
            *known = NumberedValues::new(categories, parse(call.required(1, "categories")));
        }
        known.number_of.get(&value).copied()
    });
    match number {
        Some(number) => number.into_datum(),
        None => Failure::invalid("a value is in none of the categories")
            .hint("Every value of the column must be listed in one of the arrays.")
            .raise(),
    }
}

/// The category of each value. A column is classified by the same categories in all rows, so
/// they are taken apart once.
#[derive(Default)]
struct NumberedValues {
    /// the jsonb that they come from
    written: Vec<u8>,
    number_of: HashMap<String, i32>,
}

impl NumberedValues {
    fn new(written: &[u8], categories: Vec<Vec<String>>) -> Self {
        let numbered = (1..).zip(categories);
        let numbered = numbered
            .flat_map(|(number, values)| values.into_iter().map(move |value| (value, number)));
        NumberedValues {
            written: written.to_vec(),
            number_of: numbered.collect(),
        }
    }
}

// the symbol that 0.2 has: views over the function work before and after an update
v1! {
    category_wrapper, pg_finfo_category_wrapper => category;
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
