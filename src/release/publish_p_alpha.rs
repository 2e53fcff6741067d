//! `sdc.publish_p_alpha`.

use crate::assign::p_alpha_sensitive::{PAlpha, Rows};
use crate::check::Requirements;
use crate::pg::errors;
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::sql_types::{Json, Name, NameList};
use crate::read::arguments::count;
use crate::read::named_arguments::NamedArguments;
use crate::read::sensitivity_categories;
use crate::read::source_rows::KeptRows;
use crate::release::category_columns::{CategorizedRelease, PublishedSensitive};
use crate::release::{Entry, ReleaseMethod, Target, create_table, register};
use pgrx::IntoDatum;
use pgrx::pg_sys::Datum;
use sdc_engine::Partition;
use sdc_engine::measure::Squares;
use sdc_engine::model::SensitivityCategories;
use serde_json::{Value, json};

fn publish_p_alpha(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let k: i32 = arguments.required("k");
    let p: i32 = errors::required(arguments.optional("p"), "p");
    let requirement = PAlpha {
        k: count(k, "k"),
        p: count(p, "p"),
        alpha: arguments.required("alpha"),
        standardize: arguments.required("standardize"),
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
        hierarchies,
    );
    let (grouped, loss) = write(&release, &target, &requirement, averaged);
    let promised = Requirements::p_alpha(k, p, requirement.alpha);
    let entry = Entry {
        achieved: release.verify(&target, promised),
        source: &release.source,
        target: &target,
        method: ReleaseMethod::PAlpha,
        parameters: parameters(&arguments, &requirement),
        rows: grouped.partition.rows() as u64,
        groups: grouped.partition.groups() as u64,
        suppressed: 0,
        loss,
    };
    entry.register().into_datum()
}

v1! {
    sdc_publish_p_alpha, pg_finfo_sdc_publish_p_alpha => publish_p_alpha;
}

/// The call as the register keeps it.
fn parameters(arguments: &NamedArguments<'_>, requirement: &PAlpha) -> Value {
    let mut parameters = json!({
        "keys": arguments.required::<NameList>("keys").0,
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
    parameters
}

/// Reads the rows, groups them and writes the table of the release; says what that costs.
fn write(
    release: &CategorizedRelease,
    target: &Target,
    requirement: &PAlpha,
    averaged: bool,
) -> (PAlphaGroups, Value) {
    let mut watch = Watch::new(Some(release.source.oid));
    let rows = KeptRows::read(&release.selection(), &mut watch);
    release.source.refuse_no_rows(rows.rows);
    if averaged {
        rows.warn_of_identifiers();
    }
    let categories = release.classify(&rows);
    let grouped = group(requirement, &rows, &categories, &mut watch);
    let (masks, recoded) = release.masks(&rows, &grouped.partition);
    let loss = loss(&release.keys, requirement, &rows, &grouped, recoded);
    let masked = release.write(&rows, &categories, &grouped.partition, &masks, &mut watch);
    drop(rows);
    create_table(target, &release.columns(), &masked);
    (grouped, loss)
}

struct PAlphaGroups {
    partition: Partition,
    squares: Squares,
}

fn group(
    requirement: &PAlpha,
    rows: &KeptRows,
    categories: &SensitivityCategories,
    watch: &mut Watch,
) -> PAlphaGroups {
    let label = rows.names().sensitive.first();
    let label = [format!("the category of {}", label.map_or("", |name| name))];
    let mut names = rows.names();
    names.sensitive = &label;
    let copies = rows.keys.iter().map(|key| key.try_clone());
    let copies = errors::engine(copies.collect(), names);
    let seen = Rows {
        space: requirement.space(copies, names),
        sensitive: &rows.sensitive[0],
        categories,
    };
    let partition = requirement.group(&seen, names, watch);
    let squares = errors::engine(Squares::new(&seen.space, &partition), names);
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
