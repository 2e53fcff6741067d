//! `sdc.p_alpha_sensitive`: (p+,alpha)-sensitive grouping as a window function, and what it
//! shares with `sdc.publish_p_alpha`.

use crate::assign::no_groups;
use crate::pg::errors::{self, Failure, Names};
use crate::pg::function_call::v1;
use crate::pg::progress::Watch;
use crate::read::columns::{Decoder, Role, categories, weighted_space};
use crate::read::sensitivity_categories;
use crate::read::window_rows::WindowCall;
use pgrx::prelude::*;
use sdc_engine::model::SensitivityCategories;
use sdc_engine::{Categories, Monitor, Partition, Result, Space, Table, assign};

/// What every group must have.
pub struct PAlpha {
    pub k: usize,
    pub p: usize,
    pub alpha: f64,
    /// whether keys are scaled before distances are taken
    pub standardize: bool,
    /// of each key; none at all stand for ones
    pub weights: Vec<f64>,
}

/// Rows as the method sees them.
pub struct Rows<'a> {
    pub space: &'a Space,
    pub sensitive: &'a Categories,
    pub categories: &'a SensitivityCategories,
}

impl PAlpha {
    /// The keys as points.
    pub fn space(&self, keys: &Table, names: Names<'_>) -> Space {
        weighted_space(keys, self.standardize, &self.weights, names)
    }

    pub fn group(&self, rows: &Rows<'_>, monitor: &mut dyn Monitor) -> Result<Partition> {
        assign::p_alpha_sensitive(
            rows.space,
            rows.sensitive,
            rows.categories,
            self.k,
            self.p,
            self.alpha,
            monitor,
        )
    }
}

fn p_alpha_sensitive(call: &WindowCall, watch: &mut Watch) -> Partition {
    let (k, p) = (call.count(0, "k"), call.count(1, "p"));
    let requirement = PAlpha {
        k,
        p,
        alpha: call.required(2, "alpha"),
        standardize: true,
        weights: Vec::new(),
    };
    let count = sensitivity_categories::count(call.required(5, "categories"));
    let read = call.read_keys_and_sensitive(3..4, (4..5, Role::SensitiveValue), watch);
    let Some((keys, category)) = read else {
        return no_groups();
    };
    let (key_names, category_name) = (keys.names(), ["category".to_string()]);
    let names = Names {
        keys: &key_names,
        sensitive: &category_name,
    };
    let (columns, decoders) = category.finish();
    let keys = errors::engine(Table::new(keys.finish().0), names);
    let rows = Rows {
        space: &requirement.space(&keys, names),
        sensitive: &categories(columns)[0],
        categories: &numbered(&decoders[0], count),
    };
    errors::engine(requirement.group(&rows, watch), names)
}

/// The categories that numbers of a column stand for: 1 to `count`.
fn numbered(values: &Decoder, count: u32) -> SensitivityCategories {
    let category = |code: u32| {
        let number = values.category(code).get::<i32>();
        let number = number.unwrap_or_else(|| null_category());
        let number = u32::try_from(number).unwrap_or(0);
        match (1..=count).contains(&number) {
            true => number - 1,
            false => out_of_range(count),
        }
    };
    let categories = (0..values.values() as u32).map(category).collect();
    errors::engine(
        SensitivityCategories::new(categories, count),
        Names::default(),
    )
}

fn null_category() -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED,
        "category holds null values",
    )
    .hint("Every row needs a category: leave such rows out with WHERE, or give them one with coalesce().")
    .raise()
}

fn out_of_range(count: u32) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
        format!("category holds numbers outside the range 1 to {count}"),
    )
    .hint("Categories are numbered from 1, the most sensitive, to the number of categories.")
    .raise()
}

v1! {
    sdc_p_alpha_sensitive, pg_finfo_sdc_p_alpha_sensitive =>
        |call| crate::assign::assign(call, p_alpha_sensitive);
}
