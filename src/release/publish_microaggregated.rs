//! `sdc.publish_microaggregated`.

use crate::check::Requirements;
use crate::microaggregate::options::{GroupPoints, Grouped, Microaggregation};
use crate::pg::composite::Attribute;
use crate::pg::errors::Failure;
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::sql_types::{NameList, Relation};
use crate::pg::tuple_store::TupleStore;
use crate::read::named_arguments::NamedArguments;
use crate::read::points::Points;
use crate::read::relation::{self, Source};
use crate::read::source_rows::{KeptRows, Selection};
use crate::read::table_options::{Suppression, TableOptions};
use crate::release::continued_groups::ContinuedGroups;
use crate::release::sensitive_models::{self, GroupPromise, SensitiveModels};
use crate::release::sequence::Sequence;
use crate::release::{
    Entry, ReleaseMethod, Target, create_table, promise_check, register, spread_masking,
    trial_attack,
};
use pgrx::pg_sys::{Datum, Oid};
use sdc_engine::Space;
use sdc_engine::assign::{GroupConditions, Method};
use sdc_engine::measure::ShownLoss;
use serde_json::{Value, json};

fn publish_microaggregated(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let mut columns = NamedColumns {
        keys: arguments.required::<NameList>("keys").0,
        sensitive: arguments.required::<NameList>("sensitive").0,
        keep: arguments.required::<NameList>("keep").0,
        table: TableOptions::of(&arguments),
    };
    let options = Microaggregation::of(&arguments, columns.table.weights(&columns.keys));
    let source = Source::new(arguments.required::<Relation>("source").0);
    let target = register::begin_compared(&source, &arguments);
    let sensitive = &columns.sensitive;
    let mut required = sensitive_models::required(&arguments, sensitive);
    refuse_lost_rows(required, &mut columns.table);
    let method = ReleaseMethod::Microaggregation;
    let sequence = Sequence::of(&arguments, &source, method, columns.table.entity.as_deref());
    if sequence.is_some() {
        refuse_closeness(required);
    }
    let keys = [&columns.keys[..], &columns.table.strata].concat();
    let mut parameters = json!({
        "keys": keys, "k": options.k, "sensitive": sensitive, "p": options.p, "keep": columns.keep,
        "standardize": options.standardize, "refine": arguments.required::<bool>("refine"),
    });
    sensitive_models::record(&arguments, &mut parameters);
    columns.table.record(&mut parameters);
    if let Some(sequence) = &sequence {
        sequence.record(&mut parameters);
    }
    let mut watch = Watch::new(Some(source.oid));
    let how = (&options, required, sequence.as_ref());
    let masked = mask(&source, &target, &columns, how, &mut watch);
    parameters["method"] = json!(masked.method.name());
    if masked.counted.is_some() {
        // counted by persons before; rows do not show them
        required.l = None;
    }
    let achieved = promise_check::verify(&target, &keys, sensitive, required);
    let mut achieved = promise_check::by_persons(achieved, masked.counted.clone());
    if let Some(groups) = &masked.continued {
        groups.figures(&mut achieved);
    }
    let entry = Entry {
        achieved,
        parameters,
        ..masked.entry(&source, &target)
    };
    let continued = masked.continued.as_ref();
    let entered = entry.register_continued(&arguments, sequence.as_ref(), continued, &mut watch);
    trial_attack::answer(&arguments, entered)
}

v1! {
    sdc_publish_microaggregated, pg_finfo_sdc_publish_microaggregated => publish_microaggregated;
}

/// The columns that a call names.
pub struct NamedColumns {
    pub keys: Vec<String>,
    pub sensitive: Vec<String>,
    pub keep: Vec<String>,
    pub table: TableOptions,
}

/// What the register keeps of the rows that were masked.
pub struct MaskedRows {
    pub method: Method,
    pub rows: u64,
    pub groups: u64,
    pub suppressed: u64,
    pub loss: Value,
    /// what groups achieve counted by persons, where the call tells them apart
    pub counted: Option<Value>,
    pub continued: Option<ContinuedGroups>,
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
    (options, required, sequence): (&Microaggregation, Requirements, Option<&Sequence>),
    watch: &mut Watch,
) -> MaskedRows {
    let selection = select(source, columns);
    if let Some(column) = spread_masking::column(source, columns, required, sequence) {
        return spread_masking::mask(&selection, target, columns, (options, required), &column);
    }
    let places = selection.columns[..selection.shown].iter();
    let attributes: Vec<Attribute> = places.map(|&p| source.attributes[p].clone()).collect();
    let mut rows = KeptRows::read(&selection, watch);
    source.refuse_no_rows(rows.rows);
    rows.warn_of_identifiers();
    rows.warn_of_codes();
    let read = rows.rows;
    let shown = columns.keys.len()..selection.shown;
    let mut continued = ContinuedGroups::of(sequence, &rows, shown, options.k, watch);
    let models = SensitiveModels::new(&rows);
    let promise = GroupPromise::new(&rows, &models, required);
    let suppression = columns.table.max_suppressed;
    let grouped = promise.with(|conditions| {
        let how = (options, conditions);
        group(&mut rows, suppression, how, &mut continued, watch)
    });
    let suppressed = match &mut continued {
        None => read - rows.rows,
        Some(continued) => continued.started(&rows, &grouped.partition),
    };
    let counted = promise_check::verify_persons(&rows, &grouped.partition, options.k, options.p);
    promise_check::verify_diversity(counted.as_ref(), required.l);
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
    suppression: Suppression,
    (options, conditions): (&Microaggregation, GroupConditions<'_>),
    continued: &mut Option<ContinuedGroups>,
    watch: &mut Watch,
) -> Grouped {
    let Some(continued) = continued.as_mut().filter(|groups| groups.continues()) else {
        return options.group(rows, conditions, suppression, watch);
    };
    let regroup =
        |points: &Points,
         rows: &mut KeptRows,
         space: &Space,
         group: &mut GroupPoints<'_>,
         watch: &mut Watch| continued.regroup(points, rows, space, group, watch);
    options.group_by(rows, conditions, regroup, watch)
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

/// Refuses to leave rows out where groups are compared with all rows.
fn refuse_lost_rows(required: Requirements, table: &mut TableOptions) {
    if required.t.is_some() && !matches!(table.max_suppressed, Suppression::None) {
        Failure::invalid("t cannot be combined with max_suppressed")
            .detail("Rows that are left out change the distribution that groups are compared with.")
            .hint("Leave max_suppressed out, or publish a view without the rows that fail.")
            .raise();
    }
    if required.t.is_some() {
        // a hint must not name what does not go with t
        table.max_suppressed = Suppression::Never;
    }
}

/// Groups of a sequence stay as they are, while the distribution that t compares them with
/// changes.
fn refuse_closeness(required: Requirements) {
    if required.t.is_some() {
        Failure::invalid("t cannot be combined with continues")
            .detail("Groups show the same values in every release, but the table's distribution changes.")
            .hint("Promise p or l instead, or publish without continues.")
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
