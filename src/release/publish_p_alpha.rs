//! `sdc.publish_p_alpha`.

use crate::assign::p_alpha_sensitive::{PAlpha, Rows};
use crate::check::Requirements;
use crate::pg::errors::{self, required};
use crate::pg::guard::guarded;
use crate::pg::progress::Watch;
use crate::pg::sql_types::{Json, Name, NameList, Relation};
use crate::read::arguments::count;
use crate::read::relation::Source;
use crate::read::sensitivity_categories;
use crate::read::source_rows::KeptRows;
use crate::release::category_columns::{CategorizedRelease, PublishedSensitive};
use crate::release::{Entry, Release, ReleaseMethod, Target, create_table, register};
use pgrx::prelude::*;
use sdc_engine::Partition;
use sdc_engine::measure::Squares;
use sdc_engine::model::SensitivityCategories;
use serde_json::{Value, json};

#[allow(clippy::too_many_arguments)]
#[pg_extern(volatile, parallel_unsafe)]
fn publish_p_alpha(
    source: Relation,
    target: Option<&str>,
    keys: NameList,
    sensitive: Name,
    categories: Json,
    k: Option<i32>,
    p: Option<i32>,
    alpha: Option<f64>,
    keep: default!(NameList, "'{}'"),
    publish: default!(Option<&str>, "'category'"),
    hierarchies: default!(Option<Json>, "NULL"),
    standardize: default!(Option<bool>, "true"),
) -> Release {
    guarded(|| {
        let target = required(target, "target");
        let (k, p) = (required(k, "k"), required(p, "p"));
        let alpha = required(alpha, "alpha");
        let publish = required(publish, "publish");
        let standardize = required(standardize, "standardize");
        let mut parameters = json!({
            "keys": keys.0, "sensitive": sensitive.0, "categories": categories.0, "k": k, "p": p,
            "alpha": alpha, "keep": keep.0, "publish": publish, "standardize": standardize,
        });
        if let Some(hierarchies) = &hierarchies {
            parameters["hierarchies"] = hierarchies.0.clone();
        }
        let averaged = hierarchies.is_none();
        let requirement = PAlpha {
            k: count(k, "k"),
            p: count(p, "p"),
            alpha,
            standardize,
        };
        let source = Source::new(source.0);
        let target = register::begin(&source, target);
        let release = CategorizedRelease::new(
            source,
            (keys.0, sensitive.0, keep.0),
            sensitivity_categories::parse(categories),
            PublishedSensitive::named(publish),
            hierarchies,
        );
        let (grouped, loss) = write(&release, &target, &requirement, averaged);
        let entry = Entry {
            achieved: release.verify(&target, Requirements::p_alpha(k, p, alpha)),
            source: &release.source,
            target: &target,
            method: ReleaseMethod::PAlpha,
            parameters,
            rows: grouped.partition.rows() as u64,
            groups: grouped.partition.groups() as u64,
            suppressed: 0,
            loss,
        };
        entry.register()
    })
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
