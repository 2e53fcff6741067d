//! `sdc.publish_p_alpha`.

use super::categorised::{Publication, Published};
use super::{Entry, Release, Target, create_table, register};
use crate::arguments::count;
use crate::check::Requirements;
use crate::errors::{self, required};
use crate::guard::guarded;
use crate::p_alpha::{PAlpha, Rows};
use crate::progress::Watch;
use crate::rows::KeptRows;
use crate::sensitivity;
use crate::source::Source;
use crate::sql_types::{Json, Name, NameList, Relation};
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
        let requirement = PAlpha::new(count(k, "k"), count(p, "p"), alpha, standardize);
        let target = Target::new(target);
        let publication = Publication::new(
            Source::new(source.0),
            (keys.0, sensitive.0, keep.0),
            sensitivity::parse(categories),
            Published::named(publish),
            hierarchies,
        );
        register::begin(&publication.source, &target);
        let mut watch = Watch::new(Some(publication.source.oid));
        let rows = KeptRows::read(&publication.selection(), &mut watch);
        publication.source.refuse_no_rows(rows.rows);
        if averaged {
            rows.warn_of_identifiers();
        }
        let categories = publication.classify(&rows);
        let grouped = group(&requirement, &rows, &categories, &mut watch);
        let (masks, recoded) = publication.masks(&rows, &grouped.partition);
        let loss = loss(&publication.keys, &requirement, &rows, &grouped, recoded);
        let masked = publication.write(&rows, &categories, &grouped.partition, &masks, &mut watch);
        drop(rows);
        create_table(&target, &publication.columns(), &masked);

        let required = Requirements {
            k: Some(k),
            p: Some(p),
            alpha: Some(alpha),
            ..Default::default()
        };
        let entry = Entry {
            achieved: publication.verify(&target, required),
            source: &publication.source,
            target: &target,
            method: "p_alpha",
            parameters,
            rows: grouped.partition.rows() as u64,
            groups: grouped.partition.groups() as u64,
            suppressed: 0,
            loss,
        };
        entry.register()
    })
}

struct Grouped {
    partition: Partition,
    squares: Squares,
}

fn group(
    requirement: &PAlpha,
    rows: &KeptRows,
    categories: &SensitivityCategories,
    watch: &mut Watch,
) -> Grouped {
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
    Grouped { partition, squares }
}

/// What the release costs: of the keys' variance and, where keys are generalized, of what
/// their cells leave open; for each key in percent.
fn loss(
    keys: &[String],
    requirement: &PAlpha,
    rows: &KeptRows,
    grouped: &Grouped,
    recoded: Vec<Option<f64>>,
) -> Value {
    let options = &requirement.options;
    let mut columns = options.losses(&rows.keys, &grouped.partition, rows.names());
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
