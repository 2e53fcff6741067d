//! `sdc.publish_microaggregated`.

use crate::check::Requirements;
use crate::microaggregate::options::{Microaggregation, Refinement, checked_p};
use crate::pg::composite::Attribute;
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::sql_types::NameList;
use crate::pg::tuple_store::TupleStore;
use crate::read::arguments::{self, count};
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::{self, Source};
use crate::read::source_rows::{KeptRows, Selection};
use crate::release::{Entry, ReleaseMethod, Target, create_table, register};
use pgrx::IntoDatum;
use pgrx::pg_sys::Datum;
use sdc_engine::assign::Method;
use serde_json::{Value, json};

fn publish_microaggregated(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let (k, p): (i32, i32) = (arguments.required("k"), arguments.required("p"));
    let columns = NamedColumns {
        keys: arguments.required::<NameList>("keys").0,
        sensitive: arguments.required::<NameList>("sensitive").0,
        keep: arguments.required::<NameList>("keep").0,
    };
    let method: Option<String> = arguments.optional("method");
    let refine = arguments.required("refine");
    let options = Microaggregation {
        k: count(k, "k"),
        p: checked_p(p, &columns.sensitive),
        method: method.as_deref().map(arguments::method),
        standardize: arguments.required("standardize"),
        seed: arguments.optional("seed"),
        refinement: Refinement::new(refine, arguments.optional("effort")),
    };
    let (source, target) = register::begin(&arguments);
    let masked = mask(&source, &target, &columns, &options);
    let NamedColumns {
        keys,
        sensitive,
        keep,
    } = columns;
    let required = Requirements {
        k: Some(k),
        p: (!sensitive.is_empty()).then_some(p),
        ..Default::default()
    };
    let entry = Entry {
        achieved: register::verify(&target, &keys, &sensitive, required),
        parameters: json!({
            "keys": keys, "k": k, "sensitive": sensitive, "p": p, "keep": keep,
            "method": masked.method.name(), "standardize": options.standardize, "refine": refine,
        }),
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
}

/// What the register keeps of the rows that were masked.
struct MaskedRows {
    method: Method,
    rows: u64,
    groups: u64,
    loss: Value,
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
            suppressed: 0,
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
) -> MaskedRows {
    let selection = select(source, columns);
    let places = selection.columns.iter();
    let attributes: Vec<Attribute> = places.map(|&p| source.attributes[p].clone()).collect();
    let mut watch = Watch::new(Some(source.oid));
    let rows = KeptRows::read(&selection, &mut watch);
    source.refuse_no_rows(rows.rows);
    rows.warn_of_identifiers();
    let grouped = options.group(&rows.keys, &rows.sensitive, rows.names(), &mut watch);
    let losses = rows.losses(&grouped.partition, options.standardize);
    let masked = TupleStore::new(&attributes);
    rows.mask(&grouped.partition, &masked, &mut watch);
    drop(rows);
    create_table(target, &attributes, &masked);
    MaskedRows {
        method: grouped.method,
        rows: grouped.partition.rows() as u64,
        groups: grouped.partition.groups() as u64,
        loss: json!({
            "information_loss": grouped.squares.information_loss(),
            "columns": register::by_name(&columns.keys, losses),
        }),
    }
}

/// Only the named columns are read, so that identifiers cannot slip through.
fn select<'a>(source: &'a Source, columns: &NamedColumns) -> Selection<'a> {
    let NamedColumns {
        keys,
        sensitive,
        keep,
    } = columns;
    relation::refuse_empty("keys", keys);
    relation::refuse_overlap(("keys", keys), ("sensitive", sensitive));
    relation::refuse_overlap(("keys", keys), ("keep", keep));
    relation::refuse_overlap(("sensitive", sensitive), ("keep", keep));
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
