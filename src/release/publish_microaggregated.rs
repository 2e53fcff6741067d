//! `sdc.publish_microaggregated`.

use crate::check::Requirements;
use crate::microaggregate::options::Microaggregation;
use crate::pg::composite::Attribute;
use crate::pg::errors::Failure;
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::sql_types::NameList;
use crate::pg::tuple_store::TupleStore;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::{self, Source};
use crate::read::source_rows::{KeptRows, Selection};
use crate::read::table_options::{Suppression, TableOptions};
use crate::release::sensitive_models::{self, GroupPromise, SensitiveModels};
use crate::release::{Entry, ReleaseMethod, Target, create_table, register};
use pgrx::IntoDatum;
use pgrx::pg_sys::Datum;
use sdc_engine::assign::Method;
use serde_json::{Value, json};

fn publish_microaggregated(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let columns = NamedColumns {
        keys: arguments.required::<NameList>("keys").0,
        sensitive: arguments.required::<NameList>("sensitive").0,
        keep: arguments.required::<NameList>("keep").0,
        table: TableOptions::of(&arguments),
    };
    let options = Microaggregation::of(&arguments, columns.table.weights(&columns.keys));
    let (source, target) = register::begin(&arguments);
    let sensitive = &columns.sensitive;
    let mut required = sensitive_models::required(&arguments, sensitive);
    refuse_lost_rows(required, &columns.table);
    let masked = mask(&source, &target, &columns, &options, required);
    if masked.counted.is_some() {
        // counted by persons before; rows do not show them
        required.l = None;
    }
    let keys = [&columns.keys[..], &columns.table.strata].concat();
    let achieved = register::verify(&target, &keys, sensitive, required);
    let mut parameters = json!({
        "keys": keys, "k": options.k, "sensitive": sensitive, "p": options.p, "keep": columns.keep,
        "method": masked.method.name(), "standardize": options.standardize,
        "refine": arguments.required::<bool>("refine"),
    });
    sensitive_models::record(&arguments, &mut parameters);
    columns.table.record(&mut parameters);
    let entry = Entry {
        achieved: register::by_persons(achieved, masked.counted.clone()),
        parameters,
        ..masked.entry(&source, &target)
    };
    entry.register().into_datum()
}

v1! {
    sdc_publish_microaggregated, pg_finfo_sdc_publish_microaggregated => publish_microaggregated;
}

/// The columns that a call names.
struct NamedColumns {
    keys: Vec<String>,
    sensitive: Vec<String>,
    keep: Vec<String>,
    table: TableOptions,
}

/// What the register keeps of the rows that were masked.
struct MaskedRows {
    method: Method,
    rows: u64,
    groups: u64,
    suppressed: u64,
    loss: Value,
    /// what groups achieve counted by persons, where the call tells them apart
    counted: Option<Value>,
}

impl MaskedRows {
    fn entry<'a>(self, source: &'a Source, target: &'a Target) -> Entry<'a> {
        Entry {
            source,
            target,
            method: ReleaseMethod::Microaggregation,
            parameters: Value::Null,
            rows: self.rows,
            groups: self.groups,
            suppressed: self.suppressed,
            achieved: Value::Null,
            loss: self.loss,
        }
    }
}

/// Reads the rows, groups them, and writes the table of the release.
fn mask(
    source: &Source,
    target: &Target,
    columns: &NamedColumns,
    options: &Microaggregation,
    required: Requirements,
) -> MaskedRows {
    let selection = select(source, columns);
    let places = selection.columns[..selection.shown].iter();
    let attributes: Vec<Attribute> = places.map(|&p| source.attributes[p].clone()).collect();
    let mut watch = Watch::new(Some(source.oid));
    let mut rows = KeptRows::read(&selection, &mut watch);
    source.refuse_no_rows(rows.rows);
    rows.warn_of_identifiers();
    rows.warn_of_codes();
    let read = rows.rows;
    let models = SensitiveModels::new(&rows);
    let promise = GroupPromise::new(&rows, &models, required);
    let suppression = columns.table.max_suppressed;
    let grouped =
        promise.with(|conditions| options.group(&mut rows, conditions, suppression, &mut watch));
    let counted = register::verify_persons(&rows, &grouped.partition, options.k, options.p);
    register::verify_diversity(counted.as_ref(), required.l);
    let losses = rows.losses(&grouped.partition, options.standardize);
    let masked = TupleStore::new(&attributes);
    rows.mask(&grouped.partition, &masked, &mut watch);
    let suppressed = read - rows.rows;
    drop(rows);
    create_table(target, &attributes, &masked);
    MaskedRows {
        method: grouped.method,
        rows: grouped.partition.rows() as u64,
        groups: grouped.partition.groups() as u64,
        suppressed: suppressed as u64,
        loss: json!({
            "information_loss": grouped.squares.information_loss(),
            "columns": register::by_name(&columns.keys, losses),
        }),
        counted,
    }
}

/// Refuses to leave rows out where groups are compared with all rows.
fn refuse_lost_rows(required: Requirements, table: &TableOptions) {
    if required.t.is_some() && !matches!(table.max_suppressed, Suppression::None) {
        Failure::invalid("t does not go with max_suppressed")
            .detail("Rows that are left out change the distribution that groups are compared with.")
            .hint("Leave max_suppressed out, or publish a view without the rows that fail.")
            .raise();
    }
}

/// Only the named columns are read, so that identifiers cannot slip through.
fn select<'a>(source: &'a Source, columns: &'a NamedColumns) -> Selection<'a> {
    let NamedColumns {
        keys,
        sensitive,
        keep,
        table,
    } = columns;
    relation::refuse_empty("keys", keys);
    relation::refuse_overlap(("keys", keys), ("sensitive", sensitive));
    relation::refuse_overlap(("keys", keys), ("keep", keep));
    relation::refuse_overlap(("sensitive", sensitive), ("keep", keep));
    let mut places = source.columns("keys", keys);
    places.extend(source.columns("sensitive", sensitive));
    places.extend(source.columns("keep", keep));
    table.refuse_names(source, keys, &[("sensitive", sensitive), ("keep", keep)]);
    Selection::new(source, places, keys.len(), sensitive.len(), table)
}
