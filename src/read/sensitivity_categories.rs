//! Sensitivity categories as callers give them: a JSON array of arrays, most sensitive first.

use crate::pg::cell::Cell;
use crate::pg::errors::{self, Failure, Names, number_of};
use crate::pg::sql_types::Json;
use crate::pg::text_casts::TextOf;
use pgrx::pg_sys::Oid;
use sdc_engine::Error;
use sdc_engine::model::SensitivityCategories;
use std::collections::{HashMap, HashSet};

/// Categories of a sensitive column: an array of arrays of values, most sensitive first.
pub fn parse(categories: Json) -> Vec<Vec<String>> {
    let categories: Vec<Vec<String>> =
        serde_json::from_value(categories.0).unwrap_or_else(|_| not_categories());
    let mut seen = HashSet::new();
    if !categories.iter().flatten().all(|value| seen.insert(value)) {
        Failure::invalid("a value is in several categories, or twice in one")
            .hint("List each value once.")
            .raise();
    }
    categories
}

/// The category of each value of a column, by its text. A value in none of them is an error.
pub fn classify<'a>(
    typ: Oid,
    values: impl Iterator<Item = Cell<'a>>,
    categories: &[Vec<String>],
) -> SensitivityCategories {
    let mut text_of = TextOf::new(typ);
    let listed = (0..).zip(categories);
    let listed =
        listed.flat_map(|(place, values)| values.iter().map(move |v| (v.as_bytes(), place)));
    let place_of: HashMap<&[u8], u32> = listed.collect();
    let mut text = Vec::new();
    let mut category = |value: Cell| {
        text.clear();
        text_of.append(value, &mut text);
        let place = place_of.get(&text[..]).copied();
        place.filter(|_| !value.is_null())
    };
    let found: Vec<Option<u32>> = values.map(&mut category).collect();
    let missing = found.iter().filter(|category| category.is_none()).count();
    if missing > 0 {
        Failure::invalid(format!(
            "the sensitive column holds {} in none of the categories",
            number_of(missing as u64, "distinct value")
        ))
        .hint("Every value must be listed in one of the arrays. NULL cannot be: use a view without its rows, or with coalesce.")
        .raise();
    }
    let category_of = found.into_iter().flatten().collect();
    let categories = SensitivityCategories::new(category_of, categories.len() as u32);
    errors::engine(categories, Names::default())
}

/// Refuses fewer than two categories: they have no weights.
pub fn require_two(categories: &[Vec<String>]) {
    if categories.len() < 2 {
        Failure::invalid("there must be at least two categories")
            .hint(MOST_SENSITIVE_FIRST)
            .raise();
    }
}

/// Refuses categories that do not fit the rest of a call: they are of one sensitive column,
/// and without them no weight can be required.
pub fn refuse_unfit(categories: Option<&[Vec<String>]>, sensitive: usize, alpha: Option<f64>) {
    match categories {
        None if alpha.is_some() => Failure::invalid("alpha needs categories")
            .hint(MOST_SENSITIVE_FIRST)
            .raise(),
        None => {}
        Some(_) if sensitive != 1 => Failure::invalid(format!(
            "categories need exactly one sensitive column, not {sensitive}"
        ))
        .hint("Name the column that they classify in sensitive => '{…}', and check others on their own.")
        .raise(),
        Some(categories) => require_two(categories),
    }
}

const MOST_SENSITIVE_FIRST: &str =
    r#"Pass categories => '[["HIV", "Cancer"], ["Flu"]]', most sensitive first."#;

fn not_categories() -> ! {
    Failure::invalid("categories must be a JSON array of arrays of strings")
        .hint(r#"Most sensitive first: [["HIV", "Cancer"], ["Flu"]]."#)
        .raise()
}

/// A number of categories; with fewer than two there are no weights.
pub fn count(categories: i32) -> u32 {
    let too_few = Error::TooSmall {
        name: "categories",
        least: 2,
        actual: categories.into(),
    };
    let count = u32::try_from(categories).ok().filter(|&count| count >= 2);
    errors::engine(count.ok_or(too_few), Names::default())
}
