//! `sdc.risk`: prosecutor, journalist and marketer.

use crate::pg::cell::Cell;
use crate::pg::errors::Failure;
use crate::pg::function_call::{Call, v1};
use crate::pg::row_results;
use crate::pg::sql_types::{Name, NameList, Relation};
use crate::read::key_counts::{KeyCounts, Population};
use crate::read::named_arguments::NamedArguments;
use crate::read::null_reading::NullReading;
use crate::read::relation::Source;
use crate::risk::assessment::Assessment;
use pgrx::pg_sys::Datum;
use sdc_engine::risk::RiskFigure;

fn risk(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let source = Source::new(arguments.required_source());
    let keys = arguments.required::<NameList>("keys").0;
    let entity = arguments.optional::<Name>("entity").map(|name| name.0);
    let counts = KeyCounts::new(source, keys, population(&arguments), entity);
    let nulls = NullReading::named(&arguments.required::<String>("nulls"));
    let assessment = Assessment::new(counts, nulls, arguments.required("threshold"));
    let figures = assessment.figures();
    row_results::answer_table(call, |result| {
        figures
            .iter()
            .for_each(|figure| result.push(&cells(figure)));
    })
}

/// The population that a call names.
fn population(arguments: &NamedArguments<'_>) -> Population {
    let relation = arguments.optional::<Relation>("population");
    // a labelled weight gives way to a population that is named
    let weight = match relation {
        None => arguments.optional::<Name>("weight"),
        Some(_) => arguments.given("weight"),
    };
    match (relation, weight) {
        (None, None) => Population::Table,
        (Some(relation), None) => Population::Relation(Source::new(relation.0)),
        (None, Some(weight)) => Population::Weight(weight.0),
        (Some(_), Some(_)) => Failure::invalid("population and weight are given together")
            .detail("Both say how many persons of the population share a row's keys.")
            .hint("Give one of the two.")
            .raise(),
    }
}

/// The columns are attacker, measure and value.
fn cells(figure: &RiskFigure) -> [Cell<'static>; 3] {
    [
        Cell::text(Some(figure.attacker.name().as_bytes())),
        Cell::text(Some(figure.measure.name().as_bytes())),
        Cell::of(figure.value),
    ]
}

v1! {
    sdc_risk, pg_finfo_sdc_risk => risk;
}
