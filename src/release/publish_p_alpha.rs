//! `sdc.publish_p_alpha`.

use crate::assign::p_alpha_sensitive::{PAlpha, Rows};
use crate::check::Requirements;
use crate::pg::errors::{self, known};
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::sql_types::{Json, Name, NameList};
use crate::read::arguments::count;
use crate::read::named_arguments::NamedArguments;
use crate::read::points::Points;
use crate::read::sensitivity_categories;
use crate::read::source_rows::KeptRows;
use crate::read::table_options::{Suppression, TableOptions};
use crate::release::category_columns::{CategorizedRelease, PublishedSensitive};
use crate::release::{Entry, ReleaseMethod, Target, create_table, register};
use pgrx::IntoDatum;
use pgrx::pg_sys::Datum;
use sdc_engine::measure::Squares;
use sdc_engine::model::SensitivityCategories;
use sdc_engine::{Column, Partition, Result, Table};
use serde_json::{Value, json};

fn publish_p_alpha(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let k: i32 = arguments.required("k");
    let p: i32 = errors::required(arguments.optional("p"), "p");
    let table = TableOptions::of(&arguments);
    let requirement = PAlpha {
        k: count(k, "k"),
        p: count(p, "p"),
        alpha: arguments.required("alpha"),
        standardize: arguments.required("standardize"),
        weights: table.weights(&arguments.required::<NameList>("keys").0),
    };
    let hierarchies: Option<Json> = arguments.optional("hierarchies");
    let averaged = hierarchies.is_none();
    let (source, target) = register::begin(&arguments);
    let release = CategorizedRelease::new(
        source,
        (
            arguments.required::<NameList>("keys").0,
            arguments.required::<Name>("sensitive").0,
            arguments.required::<NameList>("keep").0,
        ),
        sensitivity_categories::parse(arguments.required("categories")),
        PublishedSensitive::named(&arguments.required::<String>("publish")),
        (hierarchies, table),
    );
    let written = write(&release, &target, &requirement, averaged);
    let partition = &written.partition;
    let promised = Requirements::p_alpha(k, p, requirement.alpha);
    let achieved = release.verify(&target, promised);
    let achieved = register::by_persons(achieved, written.counted);
    let entry = Entry {
        achieved,
        source: &release.source,
        target: &target,
        method: ReleaseMethod::PAlpha,
        parameters: parameters(&arguments, &requirement, &release),
        rows: partition.rows() as u64,
        groups: partition.groups() as u64,
        suppressed: written.suppressed as u64,
        loss: written.loss,
    };
    entry.register().into_datum()
}

v1! {
    sdc_publish_p_alpha, pg_finfo_sdc_publish_p_alpha => publish_p_alpha;
}

/// The call as the register keeps it.
fn parameters(
    arguments: &NamedArguments<'_>,
    requirement: &PAlpha,
    release: &CategorizedRelease,
) -> Value {
    let mut parameters = json!({
        "keys": release.known(),
        "sensitive": arguments.required::<Name>("sensitive").0,
        "categories": arguments.required::<Json>("categories").0,
        "k": requirement.k, "p": requirement.p, "alpha": requirement.alpha,
        "keep": arguments.required::<NameList>("keep").0,
        "publish": arguments.required::<String>("publish"),
        "standardize": requirement.standardize,
    });
    if let Some(hierarchies) = arguments.optional::<Json>("hierarchies") {
        parameters["hierarchies"] = hierarchies.0;
    }
    release.table.record(&mut parameters);
    parameters
}

/// A table that was written, and what is known of it.
struct WrittenGroups {
    partition: Partition,
    suppressed: usize,
    loss: Value,
    /// what groups achieve counted by persons, where the call tells them apart
    counted: Option<Value>,
}

/// Reads the rows, groups them and writes the table of the release; says what that costs.
fn write(
    release: &CategorizedRelease,
    target: &Target,
    requirement: &PAlpha,
    averaged: bool,
) -> WrittenGroups {
    let mut watch = Watch::new(Some(release.source.oid));
    let mut rows = KeptRows::read(&release.selection(), &mut watch);
    release.source.refuse_no_rows(rows.rows);
    if averaged {
        rows.warn_of_identifiers();
        rows.warn_of_codes();
    }
    let read = rows.rows;
    let categories = release.classify(&rows);
    let suppression = release.table.max_suppressed;
    let grouped = group(requirement, &mut rows, &categories, suppression, &mut watch);
    // the sensitive column alone: behind it stand keys that are read a second time
    let counted = register::verify_persons(&rows, &grouped.partition, requirement.k, 1);
    let (masks, recoded) = release.masks(&rows, &grouped.partition);
    let loss = loss(&release.keys, requirement, &rows, &grouped, recoded);
    let masked = release.write(&rows, &categories, &grouped.partition, &masks, &mut watch);
    let suppressed = read - rows.rows;
    drop(rows);
    create_table(target, &release.columns(), &masked);
    WrittenGroups {
        partition: grouped.partition,
        suppressed,
        loss,
        counted,
    }
}

struct PAlphaGroups {
    partition: Partition,
    squares: Squares,
}

/// Persons count by their most sensitive category, which weighs least.
fn group(
    requirement: &PAlpha,
    rows: &mut KeptRows,
    categories: &SensitivityCategories,
    suppression: Suppression,
    watch: &mut Watch,
) -> PAlphaGroups {
    let label = rows.names().sensitive.first();
    let label = format!("the category of {}", label.map_or("", |name| name));
    let mut points = Points::of(rows, |persons, values, _| {
        persons.first_by(values, |code| categories.of(code))
    });
    points.labels.push(label);
    let space = requirement.space(&points.keys, rows.names());
    let partition = points.group(
        rows,
        suppression,
        |chosen, monitor| match chosen {
            None => {
                let sensitive = &points.sensitive[0];
                requirement.group(
                    &Rows {
                        space: &space,
                        sensitive,
                        categories,
                    },
                    monitor,
                )
            }
            Some(chosen) => {
                let (space, sensitive) =
                    (&space.select(chosen)?, &points.sensitive[0].pick(chosen)?);
                requirement.group(
                    &Rows {
                        space,
                        sensitive,
                        categories,
                    },
                    monitor,
                )
            }
        },
        watch,
    );
    let copies = rows
        .keys
        .iter()
        .map(Column::try_clone)
        .collect::<Result<_>>();
    let table = known(copies.and_then(Table::new));
    let space = requirement.space(&table, rows.names());
    let squares = known(Squares::new(&space, &partition));
    PAlphaGroups { partition, squares }
}

/// What the release costs: of the keys' variance and, where keys are generalized, of what
/// their cells leave open; for each key in percent.
fn loss(
    keys: &[String],
    requirement: &PAlpha,
    rows: &KeptRows,
    grouped: &PAlphaGroups,
    recoded: Vec<Option<f64>>,
) -> Value {
    let mut columns = rows.losses(&grouped.partition, requirement.standardize);
    let mut penalties = Vec::new();
    for (column, penalty) in columns.iter_mut().zip(recoded) {
        if let Some(penalty) = penalty {
            *column = 100.0 * penalty;
            penalties.push(penalty);
        }
    }
    let mut loss = json!({
        "information_loss": grouped.squares.information_loss(),
        "columns": register::by_name(keys, columns),
    });
    if !penalties.is_empty() {
        loss["ncp"] = json!(penalties.iter().sum::<f64>() / penalties.len() as f64);
    }
    loss
}
