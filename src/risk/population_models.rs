//! `sdc.population_models`: all models of the population behind a sample, and whether they fit.

use crate::pg::cell::Cell;
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::row_results;
use crate::pg::sql_types::NameList;
use crate::pg::statements;
use crate::read::arguments::fraction;
use crate::read::key_counts::{KeyCounts, Population};
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::Source;
use pgrx::JsonB;
use pgrx::pg_sys::Datum;
use sdc_engine::risk::{ModelFit, PopulationModels, SizeCounts};
use sdc_engine::{Monitor, Phase};
use serde_json::{Map, Value};

fn population_models(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let source = Source::new(arguments.required_source());
    let keys = arguments.required::<NameList>("keys").0;
    let share = fraction(arguments.required("fraction"));
    let counts = KeyCounts::new(source, keys, Population::Table, None);
    let mut watch = Watch::new(Some(counts.source.oid));
    watch.start(Phase::Checking, 0);
    let models = PopulationModels::new(&sizes(&counts), share);
    row_results::answer_table(call, |result| {
        let Some(models) = &models else { return };
        for fit in &models.fits {
            result.push(&cells(fit, models.population));
        }
    })
}

/// How many groups have which size.
fn sizes(counts: &KeyCounts) -> SizeCounts {
    let sql = format!(
        "SELECT g.size, pg_catalog.count(*) FROM ({}) g GROUP BY 1",
        counts.groups()
    );
    let number = |row: &statements::Row, column| row.get::<i64>(column).unwrap_or(0) as u64;
    SizeCounts::new(statements::select(&sql, |row| {
        (number(row, 1), number(row, 2))
    }))
}

/// The columns are model, uniques, share, converged, chosen and parameters.
fn cells(fit: &ModelFit, population: f64) -> [Cell<'static>; 6] {
    let parameter = |&(name, value): &(&str, f64)| (name.to_string(), Value::from(value));
    let parameters: Map<String, Value> = fit.parameters.iter().map(parameter).collect();
    [
        Cell::text(Some(fit.model.as_bytes())),
        Cell::of(fit.uniques),
        Cell::of(fit.uniques.map(|uniques| uniques / population)),
        Cell::of(Some(fit.converged())),
        Cell::of(Some(fit.chosen)),
        Cell::of(Some(JsonB(Value::Object(parameters)))),
    ]
}

v1! {
    sdc_population_models, pg_finfo_sdc_population_models => population_models;
}
