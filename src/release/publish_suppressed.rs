//! `sdc.publish_suppressed`: single cells of keys are blanked, and nothing else is changed.

use crate::check::Requirements;
use crate::pg::cell::Cell;
use crate::pg::errors::{Failure, known};
use crate::pg::function_call::{Call, v1};
use crate::pg::memory;
use crate::pg::progress::Watch;
use crate::pg::sql_types::{Json, Relation};
use crate::pg::tuple_store::TupleStore;
use crate::read::arguments::count;
use crate::read::column_weights;
use crate::read::named_arguments::NamedArguments;
use crate::read::points::group_rows;
use crate::read::relation::Source;
use crate::read::source_rows::KeptRows;
use crate::read::table_options::Suppression;
use crate::release::release_columns::ReleaseColumns;
use crate::release::{Entry, ReleaseMethod, create_table, promise_check, register, trial_attack};
use pgrx::pg_sys::Datum;
use sdc_engine::suppress::{
    BlankReading, CellRules, KnownOfRows, agreeing_persons, alike, blank_cost, suppress_cells_of,
    wildcard_matches,
};
use sdc_engine::{Categories, Monitor, Partition, PersonFigures, Phase, Result, group_figures};
use serde_json::{Value, json};

fn publish_suppressed(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let source = Source::new(arguments.required::<Relation>("source").0);
    let target = register::begin_compared(&source, &arguments);
    let columns = ReleaseColumns::new(source, &arguments);
    let rules = rules(&arguments, &columns.keys);
    let mut watch = Watch::new(Some(columns.source.oid));
    let mut rows = KeptRows::read(&columns.compared_keys(), &mut watch);
    columns.source.refuse_no_rows(rows.rows);
    let keys = columns.keys.len();
    let blanked = BlankedCells::new(&mut rows, keys, &rules, &mut watch);
    let masked = blanked.write(&rows, &columns, &mut watch);
    let counted = blanked.count(&rows, keys, &mut watch);
    let published = rows.rows as u64;
    drop(rows);
    create_table(&target, &columns.attributes(), &masked);
    let required = Requirements {
        k: (rules.reading == BlankReading::Both).then_some(rules.k as i32),
        ..Default::default()
    };
    let mut achieved =
        promise_check::verify(&target, &columns.known(), &columns.sensitive, required);
    achieved["k_wildcard"] = json!(counted.fewest_matches);
    let achieved = promise_check::by_persons(achieved, counted.persons);
    let entry = Entry {
        achieved,
        source: &columns.source,
        target: &target,
        method: ReleaseMethod::Suppression,
        parameters: parameters(&arguments, &columns),
        rows: published,
        groups: blanked.groups.groups() as u64,
        suppressed: 0,
        loss: loss(&columns.keys, &blanked.masks, &rules),
    };
    trial_attack::answer(&arguments, entry.register_compared(&arguments))
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
    if let Some(known) = known_keys
        && !(1..=keys.len() as i32).contains(&known)
    {
        Failure::invalid(format!(
            "known_keys must be between 1 and the number of keys, {}, but is {known}",
            keys.len()
        ))
        .hint("It says how many of the keys an attacker knows at most.")
        .raise();
    }
    let importance: Option<Json> = arguments.given("importance");
    CellRules {
        k: count(arguments.required("k"), "k"),
        importance: match importance {
            Some(importance) => column_weights::parse_positive("importance", &importance, keys),
            None => vec![1.0; keys.len()],
        },
        reading,
        known_keys: known_keys.map_or(keys.len(), |known| count(known, "known_keys")),
    }
}

/// The call as the register keeps it.
fn parameters(arguments: &NamedArguments<'_>, columns: &ReleaseColumns) -> Value {
    let mut parameters = columns.parameters(arguments.required("k"));
    parameters["reading"] = json!(arguments.required::<String>("reading"));
    if let Some(importance) = arguments.given::<Json>("importance") {
        parameters["importance"] = importance.0;
    }
    if let Some(known) = arguments.given::<i32>("known_keys") {
        parameters["known_keys"] = json!(known);
    }
    parameters
}

/// Which cells of rows are blanked, stratum by stratum.
struct BlankedCells {
    /// for each row a bit for each key
    masks: Vec<u16>,
    /// the same with the cells that had no value before
    with_empty: Vec<u16>,
    /// rows of a stratum that look the same
    groups: Partition,
}

/// What rows are alike.
struct AlikeRows {
    fewest_matches: usize,
    /// what rows that look the same achieve counted by persons, where these are told apart
    persons: Option<Value>,
}

impl BlankedCells {
    /// The first compared columns are keys.
    fn new(rows: &mut KeptRows, keys: usize, rules: &CellRules, watch: &mut Watch) -> Self {
        let columns: Vec<Categories> = rows.sensitive[..keys]
            .iter()
            .map(|key| known(key.try_clone()))
            .collect();
        let person_of = rows.persons.as_ref();
        let person_of =
            person_of.map(|persons| memory::collected(persons.person_of().iter().copied()));
        let mut with_empty = empty_cells(rows, keys);
        let mut masks: Vec<u16> = memory::reserved(rows.rows);
        masks.resize(rows.rows, 0);
        let all = memory::collected(0..rows.rows as u32);
        let blank = |chosen: Option<&[u32]>, monitor: &mut dyn Monitor| {
            let chosen = chosen.unwrap_or(&all);
            let columns = columns.iter().map(|key| key.select(chosen));
            let columns = columns.collect::<Result<Vec<_>>>()?;
            let persons = person_of.as_ref();
            let of = |persons: &Vec<u32>| {
                memory::collected(chosen.iter().map(|&row| persons[row as usize]))
            };
            let persons = persons.map(of);
            let empty = memory::collected(chosen.iter().map(|&row| with_empty[row as usize]));
            let of_rows = KnownOfRows {
                persons: persons.as_deref(),
                empty: empty.iter().any(|&cells| cells != 0).then_some(&empty),
            };
            let mut blanked = suppress_cells_of(&columns, of_rows, rules, monitor)?;
            for (&row, mask) in chosen.iter().zip(&mut blanked) {
                masks[row as usize] = *mask;
                with_empty[row as usize] |= *mask;
                *mask = with_empty[row as usize];
            }
            alike(&columns, &blanked)
        };
        let groups = group_rows(rows, Suppression::Never, blank, watch);
        BlankedCells {
            masks,
            with_empty,
            groups,
        }
    }

    /// The rows without what is blanked.
    fn write(&self, rows: &KeptRows, columns: &ReleaseColumns, watch: &mut Watch) -> TupleStore {
        let attributes = columns.attributes();
        let masked = TupleStore::new(&attributes);
        watch.start(Phase::Writing, rows.rows as u64);
        rows.replay(watch, |row, cells| {
            // behind them stands who a row is about, which is not published
            let mut shown = cells[..attributes.len()].to_vec();
            for (place, cell) in shown.iter_mut().enumerate().take(columns.keys.len()) {
                let code = rows.sensitive[place].codes()[row];
                *cell = match self.masks[row] & (1 << place) {
                    0 => rows.sensitive_values[place].one_of_equal(code, *cell),
                    _ => Cell::null(attributes[place].typ),
                };
            }
            masked.push(&shown);
        });
        masked
    }

    /// Strata are keys that are never blanked.
    fn count(&self, rows: &KeptRows, keys: usize, watch: &mut Watch) -> AlikeRows {
        let (keys, sensitive) = rows.sensitive.split_at(keys);
        let keys = keys.iter().chain(&rows.strata);
        let keys: Vec<Categories> = keys.map(|key| known(key.try_clone())).collect();
        let Some(persons) = &rows.persons else {
            let matches = known(wildcard_matches(&keys, &self.with_empty, watch));
            return AlikeRows {
                fewest_matches: matches.into_iter().min().unwrap_or(0) as usize,
                persons: None,
            };
        };
        let agreeing = known(agreeing_persons(
            &keys,
            &self.with_empty,
            persons.person_of(),
        ));
        let figures = sensitive
            .iter()
            .flat_map(|column| known(group_figures(persons, &self.groups, column)));
        let figures: Vec<PersonFigures> = figures.collect();
        let diversity = |f: &PersonFigures| f.persons as f64 / f.most_frequent as f64;
        AlikeRows {
            fewest_matches: agreeing.unwrap_or(0),
            persons: Some(json!({
                "k": known(persons.fewest(&self.groups)),
                "p": figures.iter().map(|figures| figures.brought).min(),
                "l": figures.iter().map(diversity).reduce(f64::min),
                "persons": persons.len(),
            })),
        }
    }
}

/// For each row the keys of which it has no value.
fn empty_cells(rows: &KeptRows, keys: usize) -> Vec<u16> {
    let mut empty: Vec<u16> = memory::reserved(rows.rows);
    empty.resize(rows.rows, 0);
    let columns = rows.sensitive.iter().zip(&rows.sensitive_values);
    for (key, (column, values)) in columns.take(keys).enumerate() {
        // more keys than there are bits are refused later
        let bit = 1u16.checked_shl(key as u32).unwrap_or(0);
        let Some(null) = values.categories().position(|value| value.is_null()) else {
            continue;
        };
        for (cells, &code) in empty.iter_mut().zip(column.codes()) {
            *cells |= if code as usize == null { bit } else { 0 };
        }
    }
    empty
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
