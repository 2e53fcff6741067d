//! `sdc.publish_suppressed`: single cells of keys are blanked, and nothing else is changed.

use crate::check::Requirements;
use crate::pg::cell::Cell;
use crate::pg::composite::Attribute;
use crate::pg::errors::{self, Failure, Names, known};
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::sql_types::{Json, NameList};
use crate::pg::tuple_store::TupleStore;
use crate::read::arguments::count;
use crate::read::column_weights;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::{self, Source};
use crate::read::source_rows::{KeptRows, Selection};
use crate::read::table_options::TableOptions;
use crate::release::{Entry, ReleaseMethod, create_table, register, trial_attack};
use pgrx::pg_sys::Datum;
use sdc_engine::suppress::{
    BlankReading, CellRules, alike, blank_cost, suppress_cells, wildcard_matches,
};
use sdc_engine::{Monitor, Phase};
use serde_json::{Value, json};

fn publish_suppressed(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let names = |argument| arguments.required::<NameList>(argument).0;
    let (keys, sensitive, keep) = (names("keys"), names("sensitive"), names("keep"));
    relation::refuse_empty("keys", &keys);
    relation::refuse_overlap(("keys", &keys), ("sensitive", &sensitive));
    relation::refuse_overlap(("keys", &keys), ("keep", &keep));
    relation::refuse_overlap(("sensitive", &sensitive), ("keep", &keep));
    let rules = rules(&arguments, &keys);
    let (source, target) = register::begin(&arguments);
    let options = TableOptions::of(&arguments);
    let mut watch = Watch::new(Some(source.oid));
    let (selection, attributes) = selection(&source, [&keys, &sensitive, &keep], &options);
    let rows = KeptRows::read(&selection, &mut watch);
    source.refuse_no_rows(rows.rows);
    let blanked = suppress_cells(&rows.sensitive, &rules, &mut watch);
    let names = Names {
        keys: rows.names().sensitive,
        sensitive: &[],
    };
    let blanked = errors::engine(blanked, names);
    let masked = TupleStore::new(&attributes);
    watch.start(Phase::Writing, rows.rows as u64);
    rows.replay(&mut watch, |row, cells| {
        let mut shown = cells.to_vec();
        for (place, cell) in shown.iter_mut().enumerate().take(keys.len()) {
            if blanked[row] & (1 << place) != 0 {
                *cell = Cell::null(attributes[place].typ);
            }
        }
        masked.push(&shown);
    });
    let groups = known(alike(&rows.sensitive, &blanked)).groups() as u64;
    let matches = known(wildcard_matches(&rows.sensitive, &blanked));
    let fewest = matches.into_iter().min().unwrap_or(0);
    let count = rows.rows as u64;
    drop(rows);
    create_table(&target, &attributes, &masked);
    let required = Requirements {
        k: (rules.reading == BlankReading::Both).then_some(rules.k as i32),
        ..Default::default()
    };
    let mut achieved = register::verify(&target, &keys, &sensitive, required);
    achieved["k_wildcard"] = json!(fewest);
    let entry = Entry {
        achieved,
        source: &source,
        target: &target,
        method: ReleaseMethod::Suppression,
        parameters: parameters(&arguments, [&keys, &sensitive, &keep]),
        rows: count,
        groups,
        suppressed: 0,
        loss: loss(&keys, &blanked, &rules),
    };
    trial_attack::answer(&arguments, entry.register())
}

v1! {
    sdc_publish_suppressed, pg_finfo_sdc_publish_suppressed => publish_suppressed;
}

fn reading(arguments: &NamedArguments<'_>) -> BlankReading {
    let reading: String = arguments.required("reading");
    match reading.as_str() {
        "both" => BlankReading::Both,
        "wildcard" => BlankReading::Wildcard,
        _ => Failure::invalid(format!("unknown reading \"{reading}\""))
            .hint("Use both or wildcard.")
            .raise(),
    }
}

fn rules(arguments: &NamedArguments<'_>, keys: &[String]) -> CellRules {
    let reading = reading(arguments);
    let known_keys: Option<i32> = arguments.given("known_keys");
    if known_keys.is_some() && reading == BlankReading::Both {
        Failure::invalid("known_keys needs reading => 'wildcard'")
            .detail("Where a blank is a value of its own, rows must look the same in all keys.")
            .hint("Leave known_keys out, or use reading => 'wildcard'.")
            .raise();
    }
    let importance: Option<Json> = arguments.given("importance");
    CellRules {
        k: count(arguments.required("k"), "k"),
        importance: match importance {
            Some(importance) => column_weights::parse("importance", &importance, keys),
            None => vec![1.0; keys.len()],
        },
        reading,
        known_keys: known_keys.map_or(keys.len(), |known| count(known, "known_keys")),
    }
}

/// Only the named columns are read, so that identifiers cannot slip through. Keys are compared.
fn selection<'a>(
    source: &'a Source,
    names: [&[String]; 3],
    options: &'a TableOptions,
) -> (Selection<'a>, Vec<Attribute>) {
    let [keys, sensitive, keep] = names;
    let mut columns = source.columns("keys", keys);
    columns.extend(source.columns("sensitive", sensitive));
    columns.extend(source.columns("keep", keep));
    let attributes = columns
        .iter()
        .map(|&place| source.attributes[place].clone());
    let attributes = attributes.collect();
    let selection = Selection::new(source, columns, 0, keys.len(), options);
    (selection, attributes)
}

/// The call as the register keeps it.
fn parameters(arguments: &NamedArguments<'_>, names: [&[String]; 3]) -> Value {
    let [keys, sensitive, keep] = names;
    let mut parameters = json!({
        "keys": keys, "k": arguments.required::<i32>("k"), "sensitive": sensitive, "keep": keep,
        "reading": arguments.required::<String>("reading"),
    });
    if let Some(importance) = arguments.given::<Json>("importance") {
        parameters["importance"] = importance.0;
    }
    if let Some(known) = arguments.given::<i32>("known_keys") {
        parameters["known_keys"] = json!(known);
    }
    parameters
}

/// The cells of each key that are blanked, in percent.
fn loss(keys: &[String], blanked: &[u16], rules: &CellRules) -> Value {
    let percent = |column: usize| {
        let cells = blanked.iter().filter(|&&mask| mask & (1 << column) != 0);
        100.0 * cells.count() as f64 / blanked.len().max(1) as f64
    };
    let columns: Vec<f64> = (0..keys.len()).map(percent).collect();
    let cells: u32 = blanked.iter().map(|mask| mask.count_ones()).sum();
    json!({
        "cells": cells,
        "cost": blank_cost(blanked, &rules.importance),
        "ncp": columns.iter().sum::<f64>() / 100.0 / keys.len() as f64,
        "columns": register::by_name(keys, columns),
    })
}
