//! `sdc.publish_microaggregated`.

use super::{Entry, Release, Target, create_table, register};
use crate::arguments::count;
use crate::check::Requirements;
use crate::errors::required;
use crate::guard::guarded;
use crate::microaggregation::{Method, Microaggregation, Refinement, checked_p};
use crate::progress::Watch;
use crate::record::Attribute;
use crate::row_store::RowStore;
use crate::rows::{KeptRows, Selection};
use crate::source::{self, Source};
use crate::sql_types::{NameList, Relation};
use pgrx::prelude::*;
use serde_json::json;

#[allow(clippy::too_many_arguments)]
#[pg_extern(volatile, parallel_unsafe)]
fn publish_microaggregated(
    source: Relation,
    target: Option<&str>,
    keys: NameList,
    k: Option<i32>,
    sensitive: default!(NameList, "'{}'"),
    p: default!(Option<i32>, "1"),
    keep: default!(NameList, "'{}'"),
    method: default!(Option<String>, "NULL"),
    standardize: default!(Option<bool>, "true"),
    seed: default!(Option<i64>, "NULL"),
    refine: default!(Option<bool>, "false"),
    effort: default!(Option<i32>, "NULL"),
) -> Release {
    guarded(|| {
        let target = required(target, "target");
        let k = required(k, "k");
        let p = required(p, "p");
        let standardize = required(standardize, "standardize");
        let refine = required(refine, "refine");
        let source = Source::new(source.0);
        let target = Target::new(target);
        register::begin(&source, &target);
        let (keys, sensitive, keep) = (keys.0, sensitive.0, keep.0);
        let options = Microaggregation {
            k: count(k, "k"),
            p: checked_p(p, &sensitive),
            method: method.as_deref().map(Method::named),
            standardize,
            seed,
            refinement: Refinement::new(refine, effort),
        };
        let selection = select(&source, &keys, &sensitive, &keep);
        let columns: Vec<Attribute> = selection
            .columns
            .iter()
            .map(|&place| source.attributes[place].clone())
            .collect();

        let mut watch = Watch::new(Some(source.oid));
        let rows = KeptRows::read(&selection, &mut watch);
        source.refuse_no_rows(rows.rows);
        rows.warn_of_identifiers();
        let grouped = options.group(&rows.keys, &rows.sensitive, rows.names(), &mut watch);
        let losses = options.losses(&rows.keys, &grouped.partition, rows.names());
        let masked = RowStore::new(&columns);
        rows.mask(&grouped.partition, &masked, &mut watch);
        drop(rows);
        create_table(&target, &columns, &masked);

        let required = Requirements {
            k: Some(k),
            p: (!sensitive.is_empty()).then_some(p),
            ..Default::default()
        };
        let achieved = register::verify(&target, &keys, &sensitive, required);
        let entry = Entry {
            source: &source,
            target: &target,
            method: "microaggregation",
            parameters: json!({
                "keys": keys, "k": k, "sensitive": sensitive, "p": p, "keep": keep,
                "method": grouped.method.name(), "standardize": standardize, "refine": refine,
            }),
            rows: grouped.partition.rows() as u64,
            groups: grouped.partition.groups() as u64,
            suppressed: 0,
            achieved,
            loss: json!({
                "information_loss": grouped.squares.information_loss(),
                "columns": register::by_name(&keys, losses),
            }),
        };
        entry.register()
    })
}

/// Only the named columns are read, so that identifiers cannot slip through.
fn select<'a>(
    source: &'a Source,
    keys: &[String],
    sensitive: &[String],
    keep: &[String],
) -> Selection<'a> {
    source::refuse_empty("keys", keys);
    source::refuse_overlap(("keys", keys), ("sensitive", sensitive));
    source::refuse_overlap(("keys", keys), ("keep", keep));
    source::refuse_overlap(("sensitive", sensitive), ("keep", keep));
    let mut columns = source.columns("keys", keys);
    columns.extend(source.columns("sensitive", sensitive));
    columns.extend(source.columns("keep", keep));
    Selection {
        source,
        columns,
        keys: (0..keys.len()).collect(),
        sensitive: (keys.len()..keys.len() + sensitive.len()).collect(),
    }
}
