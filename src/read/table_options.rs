//! What a call says of real tables: NULLs, codes, persons, strata, weights, suppression. These
//! arguments mean the same in every function that has them, and are read here alone.

use crate::pg::errors::Failure;
use crate::pg::sql_types::{Json, Name, NameList};
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::{self, Source};
use pgrx::PgSqlErrorCode;
use serde_json::{Value, json};

/// What to make of NULL in a numeric key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Nulls {
    /// a place of its own
    #[default]
    Value,
    Error,
    /// it matches every value, where functions generalize
    Wildcard,
}

impl Nulls {
    pub fn named(text: &str) -> Self {
        match text {
            "value" => Nulls::Value,
            "error" => Nulls::Error,
            _ => Failure::invalid(format!("nulls must be 'value' or 'error', not \"{text}\""))
                .hint("'value' takes NULL as a value of its own.")
                .raise(),
        }
    }

    /// The same where NULL may also match every value.
    fn or_wildcard(text: &str) -> Self {
        match text {
            "wildcard" => Nulls::Wildcard,
            _ => Nulls::named(text),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Nulls::Value => "value",
            Nulls::Error => "error",
            Nulls::Wildcard => "wildcard",
        }
    }
}

/// How many rows may be left out.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Suppression {
    #[default]
    None,
    /// the function leaves none out, whatever the call says
    Never,
    Rows(u64),
    /// of all rows
    Share(f64),
}

impl Suppression {
    /// A number of rows, or a share of them below 1.
    fn new(number: f64) -> Self {
        match number {
            0.0 => Suppression::None,
            share if share > 0.0 && share < 1.0 => Suppression::Share(share),
            rows if rows >= 1.0 && rows.fract() == 0.0 => Suppression::Rows(rows as u64),
            _ => Failure::invalid("max_suppressed must be a number of rows or a share below 1")
                .hint("For example max_suppressed => 100, or max_suppressed => 0.02.")
                .raise(),
        }
    }

    /// The most rows of so many that may be left out.
    pub fn of(self, rows: usize) -> usize {
        match self {
            Suppression::None | Suppression::Never => 0,
            Suppression::Rows(most) => usize::try_from(most).unwrap_or(usize::MAX),
            Suppression::Share(share) => {
                // 0.29 of 100 rows are 29, also as a real, but the product of both falls short
                let product = share * rows as f64;
                let short = product.ceil() - product;
                match short <= product * f64::from(f32::EPSILON) {
                    true => product.ceil() as usize,
                    false => product as usize,
                }
            }
        }
    }

    pub fn to_json(self) -> Value {
        match self {
            Suppression::None | Suppression::Never => json!(0),
            Suppression::Rows(rows) => json!(rows),
            Suppression::Share(share) => json!(share),
        }
    }
}

/// The arguments of a call that has them.
#[derive(Clone, Default)]
pub struct TableOptions {
    pub nulls: Nulls,
    pub categorical: Vec<String>,
    pub weights: Option<Value>,
    pub entity: Option<String>,
    pub strata: Vec<String>,
    pub max_suppressed: Suppression,
}

impl TableOptions {
    /// What the call's function does not take is as if it were left out.
    pub fn of(arguments: &NamedArguments<'_>) -> Self {
        Self::reading(arguments, Nulls::named)
    }

    /// The same where NULL may match every value.
    pub fn or_wildcards(arguments: &NamedArguments<'_>) -> Self {
        Self::reading(arguments, Nulls::or_wildcard)
    }

    fn reading(arguments: &NamedArguments<'_>, nulls_named: fn(&str) -> Nulls) -> Self {
        let names = |name: &str| match arguments.has(name) {
            true => arguments
                .optional::<NameList>(name)
                .map_or(Vec::new(), |names| names.0),
            false => Vec::new(),
        };
        let entity = arguments
            .has("entity")
            .then(|| arguments.optional::<Name>("entity"));
        let weights = arguments
            .has("weights")
            .then(|| arguments.optional::<Json>("weights"));
        let suppressed = arguments.has("max_suppressed");
        let suppressed = suppressed.then(|| arguments.required("max_suppressed"));
        let nulls = arguments
            .has("nulls")
            .then(|| arguments.required::<String>("nulls"));
        TableOptions {
            nulls: nulls.map_or(Nulls::Value, |nulls| nulls_named(&nulls)),
            categorical: names("categorical"),
            weights: weights.flatten().map(|weights| weights.0),
            entity: entity.flatten().map(|entity| entity.0),
            strata: names("strata"),
            max_suppressed: suppressed.map_or(Suppression::None, Suppression::new),
        }
    }

    /// What a release was made with, as [`record`](Self::record) kept it. NULL is a value, so that
    /// rows can be read that have come since.
    pub fn recorded(parameters: &Value) -> Self {
        let names = |name: &str| {
            let names = parameters[name].as_array().into_iter().flatten();
            names
                .filter_map(|name| name.as_str().map(String::from))
                .collect()
        };
        TableOptions {
            categorical: names("categorical"),
            weights: parameters.get("weights").cloned(),
            entity: parameters["entity"].as_str().map(String::from),
            strata: names("strata"),
            ..Default::default()
        }
    }

    /// Refuses names that are no columns, or that have another role.
    pub fn refuse_names(&self, source: &Source, keys: &[String], others: &[(&str, &[String])]) {
        source.columns("strata", &self.strata);
        source.columns("categorical", &self.categorical);
        source.columns("entity", self.entity.as_slice());
        if let Some(name) = self.categorical.iter().find(|name| !keys.contains(name)) {
            Failure::invalid(format!(
                "categorical names \"{name}\", which is not in keys"
            ))
            .hint("Only keys are averaged: add the column to keys, or leave it out.")
            .raise();
        }
        let all = [&[("keys", keys)], others].concat();
        for &role in &all {
            relation::refuse_overlap(role, ("strata", &self.strata));
            relation::refuse_overlap(role, ("entity", self.entity.as_slice()));
        }
        let entity = ("entity", self.entity.as_slice());
        relation::refuse_overlap(("strata", &self.strata), entity);
        self.weights(keys);
    }

    /// The weight of each key in their order; none at all where the call gives none.
    pub fn weights(&self, keys: &[String]) -> Vec<f64> {
        let Some(weights) = &self.weights else {
            return Vec::new();
        };
        let Value::Object(weights) = weights else {
            wrong_weights()
        };
        if let Some(name) = weights.keys().find(|name| !keys.contains(name)) {
            Failure::invalid(format!("weights names \"{name}\", which is not in keys"))
                .hint(format!("The keys are: {}.", keys.join(", ")))
                .raise();
        }
        let weight = |key: &String| match weights.get(key).map(Value::as_f64) {
            None => 1.0,
            Some(Some(weight)) if (LEAST_WEIGHT..=GREATEST_WEIGHT).contains(&weight) => weight,
            Some(_) => wrong_weights(),
        };
        keys.iter().map(weight).collect()
    }

    /// What the register keeps of the options, those that the call left out aside.
    pub fn record(&self, parameters: &mut Value) {
        if self.nulls != Nulls::Value {
            parameters["nulls"] = json!(self.nulls.name());
        }
        if !self.categorical.is_empty() {
            parameters["categorical"] = json!(self.categorical);
        }
        if let Some(weights) = &self.weights {
            parameters["weights"] = weights.clone();
        }
        if let Some(entity) = &self.entity {
            parameters["entity"] = json!(entity);
        }
        if !self.strata.is_empty() {
            parameters["strata"] = json!(self.strata);
        }
        if ![Suppression::None, Suppression::Never].contains(&self.max_suppressed) {
            parameters["max_suppressed"] = self.max_suppressed.to_json();
        }
    }
}

/// Beyond these one key would be all that counts, or nothing.
const LEAST_WEIGHT: f64 = 0.001;
const GREATEST_WEIGHT: f64 = 1000.0;

fn wrong_weights() -> ! {
    Failure::invalid(format!(
        "weights must be a JSON object of keys and numbers from {LEAST_WEIGHT} to {GREATEST_WEIGHT}"
    ))
    .hint(r#"For example {"age": 2, "zip": 0.5}; a key that is left out has weight 1."#)
    .raise()
}

/// A NULL where a column tells persons apart.
pub fn null_entity(column: &str) -> Failure {
    Failure::new(
        PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED,
        format!("{column} holds null values"),
    )
    .detail("The column tells persons apart, so every row needs a value.")
    .hint("Use a view that leaves such rows out with WHERE, or that gives each a value of its own.")
}
