//! `sdc.compare` and `sdc.query_error`.

use crate::pg::cell::Cell;
use crate::pg::errors::{Failure, known};
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::randomness;
use crate::pg::row_results::answer_table;
use crate::pg::sql_types::{Name, NameList, Relation};
use crate::pg::statements;
use crate::read::arguments::count;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::Source;
use crate::release::{
    ComparedFigure, Links, ReleaseMethod, TableVersions, codes_of, no_such_release, released_nodes,
};
use pgrx::pg_sys::{Datum, Oid};
use pgrx::prelude::*;
use sdc_engine::measure::counting_error;

/// The figures of a call.
pub fn figures(arguments: &NamedArguments<'_>) -> Vec<ComparedFigure> {
    let source = Source::new(arguments.required::<Relation>("source").0);
    let release = Source::new(arguments.required::<Relation>("release").0);
    let by = arguments.given::<Name>("match").map(|name| name.0);
    if let Some(by) = &by {
        source.columns("match", std::slice::from_ref(by));
        release.columns("match", std::slice::from_ref(by));
    }
    let names = match arguments.given::<NameList>("attributes") {
        Some(names) => {
            source.columns("attributes", &names.0);
            release.columns("attributes", &names.0);
            names.0
        }
        None => common(&source, &release, by.as_ref()),
    };
    let mut watch = Watch::new(Some(source.oid));
    let columns = (&names[..], &codes_of(release.oid)[..]);
    let nodes = released_nodes(release.oid);
    let versions = (&source, &release);
    TableVersions::read(versions, columns, by.as_ref(), &nodes, &mut watch).figures(&mut watch)
}

/// The columns that both have, in the order of the release.
fn common(source: &Source, release: &Source, but: Option<&String>) -> Vec<String> {
    let live = release.attributes.iter().filter(|column| !column.dropped);
    let common = live.filter(|column| source.attribute(&column.name).is_some());
    let names: Vec<String> = common.map(|column| column.name.clone()).collect();
    let names: Vec<String> = names.into_iter().filter(|name| Some(name) != but).collect();
    if names.is_empty() {
        Failure::invalid(format!(
            "{} and {} have no column in common",
            source.sql_name, release.sql_name
        ))
        .hint("Name the source first, and then its release.")
        .raise();
    }
    names
}

fn compare(call: &Call) -> Option<Datum> {
    let figures = figures(&NamedArguments::of(call));
    answer_table(call, |result| {
        for compared in figures {
            let change = compared.change();
            result.push(&[
                Cell::of(Some(NameList(compared.columns))),
                Cell::of(Some(compared.measure)),
                Cell::of(compared.original),
                Cell::of(compared.released),
                Cell::of(change),
            ]);
        }
    })
}

fn query_error(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let id: i64 = arguments.required("release");
    let queries = count(arguments.required("queries"), "queries");
    if queries == 0 {
        Failure::invalid("queries must be at least 1, but is 0")
            .hint("A thousand queries give a steady figure.")
            .raise();
    }
    let (source, target, method) = entry(id);
    if ReleaseMethod::named(&method).is_some_and(|method| ReleaseMethod::APART.contains(&method)) {
        Failure::invalid(format!(
            "release {id} has its keys and values in two tables"
        ))
        .hint("Estimate counts with sdc.estimate_count().")
        .raise();
    }
    let links = Links::of(id);
    let open = |relation: Option<Oid>, name: &str| {
        relation.and_then(Source::find).unwrap_or_else(|| {
            Failure::new(
                PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
                format!("relation {name} of release {id} is gone"),
            )
            .hint("The error needs both the source and the release.")
            .raise()
        })
    };
    let (source, release) = (open(links.source, &source), open(links.target, &target));
    // the register names them, not the caller
    source.require_trusted();
    release.require_trusted();
    let names = common(&source, &release, None);
    let mut watch = Watch::new(Some(source.oid));
    let columns = (&names[..], &codes_of(release.oid)[..]);
    let nodes = released_nodes(release.oid);
    let tables = TableVersions::read((&source, &release), columns, None, &nodes, &mut watch);
    let mut generator = randomness::generator(arguments.given("seed"));
    let error = counting_error(&tables.versions(), queries, &mut generator, &mut watch);
    known(error).into_datum()
}

/// Source, target and method of a release.
fn entry(id: i64) -> (String, String, String) {
    let sql = format!(
        "SELECT r.source, r.target, r.method FROM sdc.releases r \
         WHERE r.id OPERATOR(pg_catalog.=) {id}::pg_catalog.int8"
    );
    let entries = statements::select(&sql, |row| Some((row.get(1)?, row.get(2)?, row.get(3)?)));
    let entry = entries.into_iter().flatten().next();
    entry.unwrap_or_else(|| no_such_release(id))
}

v1! {
    sdc_compare, pg_finfo_sdc_compare => compare;
    sdc_query_error, pg_finfo_sdc_query_error => query_error;
}
