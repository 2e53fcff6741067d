//! `sdc.compare`, `sdc.assert_utility` and `sdc.query_error`.

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
    ComparedFigure, Links, ReleaseMethod, TableVersions, codes_of, no_such_release,
};
use pgrx::pg_sys::{Datum, Oid};
use pgrx::prelude::*;
use sdc_engine::measure::counting_error;

/// The figures of a call.
fn figures(arguments: &NamedArguments<'_>) -> Vec<ComparedFigure> {
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
    TableVersions::read(&source, &release, columns, by.as_ref(), &mut watch).figures()
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

/// The limits that a caller may set, and what each of them is about.
const LIMITS: [(&str, &str); 6] = [
    ("max_mean_shift", "mean shift in sds"),
    ("max_ks", "Kolmogorov-Smirnov"),
    ("max_total_variation", "total variation"),
    ("max_missing", "missing"),
    ("max_correlation_change", "correlation"),
    ("max_association_change", "Cramér's V"),
];

fn assert_utility(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let limits = LIMITS.map(|(name, measure)| (name, measure, arguments.given::<f64>(name)));
    if limits.iter().all(|(.., limit)| limit.is_none()) {
        Failure::invalid("nothing is required that could be asserted")
            .hint(format!(
                "Give one of {}.",
                LIMITS.map(|(name, _)| name).join(", ")
            ))
            .raise();
    }
    for (name, _, limit) in &limits {
        if let Some(limit) = limit.filter(|limit| limit.is_nan() || *limit < 0.0) {
            Failure::invalid(format!("{name} must be at least 0, not {limit}"))
                .hint("0 allows no change at all.")
                .raise();
        }
    }
    let figures = figures(&arguments);
    let mut broken = Vec::new();
    for (name, measure, limit) in limits {
        let Some(limit) = limit else { continue };
        let changes = figures
            .iter()
            .filter(|compared| compared.measure == measure);
        // what has no figure in the release has changed beyond any limit
        let change = |compared: &ComparedFigure| compared.change().map_or(f64::INFINITY, f64::abs);
        let changes = changes.map(|compared| (change(compared), compared));
        let worst = changes.max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((change, compared)) = worst.filter(|(change, _)| *change > limit) {
            let columns = compared.columns.join(", ");
            broken.push(match change.is_finite() {
                true => format!(
                    "{measure} of {columns} changes by {change:.4}, more than {name} = {limit}"
                ),
                false => format!(
                    "{measure} of {columns} has no finite value in the release, but {name} = {limit}"
                ),
            });
        }
    }
    if let Some(first) = broken.first() {
        Failure::new(PgSqlErrorCode::ERRCODE_CHECK_VIOLATION, first.clone())
            .detail(match broken.len() {
                1 => "All other limits hold.".to_string(),
                _ => format!("Also: {}.", broken[1..].join("; ")),
            })
            .hint("sdc.compare() shows every figure; a smaller k, fewer keys or another method lose less.")
            .raise();
    }
    None
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
    let tables = TableVersions::read(&source, &release, columns, None, &mut watch);
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
    sdc_assert_utility, pg_finfo_sdc_assert_utility => assert_utility;
    sdc_query_error, pg_finfo_sdc_query_error => query_error;
}
