//! `sdc.publish_microaggregated`.

use crate::check::Requirements;
use crate::microaggregate::options::{GroupPoints, Grouped, Microaggregation};
use crate::pg::composite::Attribute;
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::sql_types::NameList;
use crate::pg::tuple_store::TupleStore;
use crate::read::named_arguments::NamedArguments;
use crate::read::points::Points;
use crate::read::relation::{self, Source};
use crate::read::source_rows::{KeptRows, Selection};
use crate::read::table_options::TableOptions;
use crate::release::composition::Composition;
use crate::release::continued_groups::ContinuedGroups;
use crate::release::sequence::Sequence;
use crate::release::{Entry, ReleaseMethod, Target, create_table, register};
use pgrx::IntoDatum;
use pgrx::pg_sys::{Datum, Oid};
use sdc_engine::Space;
use sdc_engine::assign::Method;
use sdc_engine::measure::ShownLoss;
use serde_json::{Value, json};

fn publish_microaggregated(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let (k, p): (i32, i32) = (arguments.required("k"), arguments.required("p"));
    let columns = NamedColumns {
        keys: arguments.required::<NameList>("keys").0,
        sensitive: arguments.required::<NameList>("sensitive").0,
        keep: arguments.required::<NameList>("keep").0,
        table: TableOptions::of(&arguments),
    };
    let options = Microaggregation::of(&arguments, columns.table.weights(&columns.keys));
    let (source, target) = register::begin(&arguments);
    let method = ReleaseMethod::Microaggregation;
    let sequence = Sequence::of(&arguments, &source, method, columns.table.entity.as_deref());
    let keys = [&columns.keys[..], &columns.table.strata].concat();
    let mut parameters = json!({
        "keys": keys, "k": k, "sensitive": columns.sensitive, "p": p, "keep": columns.keep,
        "standardize": options.standardize, "refine": arguments.required::<bool>("refine"),
    });
    columns.table.record(&mut parameters);
    if let Some(sequence) = &sequence {
        sequence.record(&mut parameters);
    }
    let mut watch = Watch::new(Some(source.oid));
    let how = (&options, sequence.as_ref());
    let masked = mask(&source, &target, &columns, how, &mut watch);
    parameters["method"] = json!(masked.method.name());
    let required = Requirements {
        k: Some(k),
        p: (!columns.sensitive.is_empty()).then_some(p),
        ..Default::default()
    };
    let achieved = register::verify(&target, &keys, &columns.sensitive, required);
    let mut achieved = masked.counted.clone().unwrap_or(achieved);
    if let Some(groups) = &masked.continued {
        groups.figures(&mut achieved);
    }
    let entry = Entry {
        achieved,
        parameters,
        ..masked.entry(&source, &target)
    };
    let remember = |sequence: &Sequence, id| {
        if let Some(groups) = &masked.continued {
            groups.remember(sequence, id, &mut watch);
        }
    };
    let found = (None, Composition::Warn);
    let entered = entry.register_in(sequence.as_ref(), found, remember);
    entered.into_datum()
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
    continued: Option<ContinuedGroups>,
}

impl MaskedRows {
    fn entry<'a>(&self, source: &'a Source, target: &'a Target) -> Entry<'a> {
        Entry {
            source,
            target,
            method: ReleaseMethod::Microaggregation,
            parameters: Value::Null,
            rows: self.rows,
            groups: self.groups,
            suppressed: self.suppressed,
            achieved: Value::Null,
            loss: self.loss.clone(),
        }
    }
}

/// Reads the rows, groups them, and writes the table of the release.
fn mask(
    source: &Source,
    target: &Target,
    columns: &NamedColumns,
    (options, sequence): (&Microaggregation, Option<&Sequence>),
    watch: &mut Watch,
) -> MaskedRows {
    let selection = select(source, columns);
    let places = selection.columns[..selection.shown].iter();
    let attributes: Vec<Attribute> = places.map(|&p| source.attributes[p].clone()).collect();
    let mut rows = KeptRows::read(&selection, watch);
    source.refuse_no_rows(rows.rows);
    rows.warn_of_identifiers();
    rows.warn_of_codes();
    let read = rows.rows;
    let shown = columns.keys.len()..selection.shown;
    let mut continued = ContinuedGroups::of(sequence, &rows, shown, watch);
    let grouped = group(&mut rows, columns, options, &mut continued, watch);
    let suppressed = match &mut continued {
        None => read - rows.rows,
        Some(continued) => continued.started(&rows, &grouped.partition),
    };
    let counted = register::verify_persons(&rows, &grouped.partition, options.k, options.p);
    let masked = TupleStore::new(&attributes);
    let loss = write_groups(
        &mut rows,
        columns,
        options,
        (&grouped, &mut continued),
        &masked,
        watch,
    );
    drop(rows);
    create_table(target, &attributes, &masked);
    MaskedRows {
        method: grouped.method,
        rows: grouped.partition.rows() as u64,
        groups: grouped.partition.groups() as u64,
        suppressed: suppressed as u64,
        loss,
        counted,
        continued,
    }
}

/// Groups all persons, or those who are new where a sequence goes on.
fn group(
    rows: &mut KeptRows,
    columns: &NamedColumns,
    options: &Microaggregation,
    continued: &mut Option<ContinuedGroups>,
    watch: &mut Watch,
) -> Grouped {
    let Some(continued) = continued.as_mut().filter(|groups| groups.continues()) else {
        return options.group(rows, columns.table.max_suppressed, watch);
    };
    let regroup =
        |points: &Points,
         rows: &mut KeptRows,
         space: &Space,
         group: &mut GroupPoints<'_>,
         watch: &mut Watch| continued.regroup(points, rows, space, group, watch);
    options.group_by(rows, regroup, watch)
}

/// Writes every row with what its group shows; says what that costs.
fn write_groups(
    rows: &mut KeptRows,
    columns: &NamedColumns,
    options: &Microaggregation,
    (grouped, continued): (&Grouped, &mut Option<ContinuedGroups>),
    masked: &TupleStore,
    watch: &mut Watch,
) -> Value {
    let partition = &grouped.partition;
    let Some(continued) = continued else {
        rows.mask(partition, masked, watch);
        let losses = rows.losses(partition, options.standardize);
        return json!({
            "information_loss": grouped.squares.information_loss(),
            "columns": register::by_name(&columns.keys, losses),
        });
    };
    let types: Vec<Oid> = (0..columns.keys.len())
        .map(|key| rows.key_type(key))
        .collect();
    let (kept, losses) = continued.kept_keys(rows, &types, partition);
    let mut masks = rows.masks(partition);
    continued.keep_masks(&mut masks, &kept);
    rows.write_masked(partition, &masks, masked, watch);
    let percents = losses.iter().map(ShownLoss::percent).collect();
    json!({
        "information_loss": ShownLoss::of_all(&losses, &options.weights, options.standardize),
        "columns": register::by_name(&columns.keys, percents),
    })
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
