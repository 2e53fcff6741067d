//! `sdc.masked_stratum`: the rows of a window partition as a release shows them, in random order. It
//! is what `sdc.publish_microaggregated` runs on the workers of Citus; `sdc.column_of` takes its
//! records apart.

use crate::check::Requirements;
use crate::microaggregate::options::{GroupPoints, Microaggregation, Refinement};
use crate::pg::cell::Cell;
use crate::pg::citus;
use crate::pg::composite::{Attribute, RecordReader, RecordWriter};
use crate::pg::errors::{Failure, known};
use crate::pg::function_call::{Call, v1};
use crate::pg::memory_context::Arena;
use crate::pg::progress::Watch;
use crate::pg::sql_types::Json;
use crate::pg::statements;
use crate::pg::tuple_store::{StoreCursor, TupleStore};
use crate::pg::type_capabilities;
use crate::read::arguments;
use crate::read::points::Points;
use crate::read::relation::Source;
use crate::read::source_rows::{KeptRows, Selection};
use crate::read::table_options::{Nulls, TableOptions};
use crate::read::window_rows::WindowCall;
use crate::release::promise_check;
use crate::release::sensitive_models::{GroupPromise, SensitiveModels};
use crate::release::stratum_masking::{KeyLoss, StratumFigures, StratumOrder};
use crate::write::shuffle::shuffled;
use pgrx::JsonB;
use pgrx::pg_sys::{self, Datum};
use sdc_engine::{Partition, Space};
use std::ffi::CString;

fn masked_stratum(call: &Call) -> Option<Datum> {
    let call = WindowCall::new(call);
    call.with_state(|| MaskedStratum::of(&call), MaskedStratum::next)
}

fn column_of(call: &Call) -> Option<Datum> {
    let number: i32 = call.required(1, "number");
    let place = usize::try_from(number - 1).unwrap_or(usize::MAX);
    let record = call.argument(0);
    if record.is_null() {
        return None;
    }
    let make = || RecordReader::new(record);
    call.with_kept(make, |reader| {
        let reader = reader.as_mut()?;
        reader.load(record)?;
        if place >= reader.attributes.len() {
            Failure::invalid(format!("the record has no column {number}"))
                .hint("Columns are counted from 1.")
                .raise();
        }
        let cell = reader.cell(place);
        if type_capabilities::base_of(cell.typ()) != call.argument_type(2) {
            Failure::invalid(format!("column {number} of the record is of another type")).raise();
        }
        cell.datum()
    })
}

v1! {
    sdc_masked_stratum, pg_finfo_sdc_masked_stratum => masked_stratum;
    sdc_column_of, pg_finfo_sdc_column_of => column_of;
}

/// The masked rows of a stratum, on their way out.
struct MaskedStratum {
    /// none where the stratum cannot keep the promise
    rows: Option<StoreCursor>,
    /// goes with the first row
    figures: Option<StratumFigures>,
    shown: Vec<Attribute>,
    writer: RecordWriter,
}

impl MaskedStratum {
    fn of(call: &WindowCall<'_>) -> Self {
        let Json(order) = call.required(1, "what is wanted");
        let order: StratumOrder = serde_json::from_value(order).unwrap_or_else(|_| no_order());
        take_limit(&order.max_memory);
        let mut watch = Watch::new(None);
        let table = TableOptions {
            nulls: Nulls::named(&order.nulls),
            categorical: order.categorical.clone(),
            ..TableOptions::default()
        };
        let (shown, mut rows) = gather(call, &order, &table, &mut watch);
        let (masked, figures) = mask(&mut rows, &order, &shown, &mut watch);
        let mut all = shown.clone();
        all.push(Attribute::plain("figures", pg_sys::JSONBOID));
        all.push(Attribute::plain("kept", pg_sys::BOOLOID));
        MaskedStratum {
            rows: masked.map(|masked| StoreCursor::new(shuffled(&masked))),
            figures: Some(figures),
            writer: RecordWriter::new(&all),
            shown,
        }
    }

    /// The next row with figures and whether it is one; nothing behind the figures of a stratum that
    /// has none.
    fn next(&mut self) -> Option<Datum> {
        let figures = self.figures.take();
        let figures = figures.map(|figures| serde_json::to_value(figures).unwrap_or_default());
        let (is_first, kept) = (figures.is_some(), self.rows.is_some());
        let mut cells = match &mut self.rows {
            Some(rows) => rows.next()?,
            None if is_first => self.shown.iter().map(|c| Cell::null(c.typ)).collect(),
            None => return None,
        };
        cells.push(Cell::of(figures.map(JsonB)));
        cells.push(Cell::of(Some(kept)));
        Some(self.writer.record(&cells))
    }
}

/// The rows of the partition, and the columns of which they show something.
fn gather(
    call: &WindowCall<'_>,
    order: &StratumOrder,
    table: &TableOptions,
    watch: &mut Watch,
) -> (Vec<Attribute>, KeptRows) {
    let descriptors = Arena::new("pg_sdc row types");
    let first = |record: Cell<'_>| descriptors.within(|| RecordReader::new(record));
    let Some(mut reader) = call.first_value(0, first) else {
        no_order()
    };
    let columns = order.names.len();
    // anyone may call this with numbers of their own: a sum that wraps around would pass
    let parts = order.keys.saturating_add(order.sensitive);
    if reader.attributes.len() != columns
        || order.shown > columns
        || parts.saturating_add(order.strata) > order.shown
    {
        no_order();
    }
    let named = reader.attributes.iter().zip(&order.names);
    let named = named.map(|(attribute, name)| Attribute {
        name: name.clone(),
        ..attribute.clone()
    });
    let source = Source::of_columns(named.collect());
    let selection = Selection {
        source: &source,
        columns: (0..columns).collect(),
        keys: (0..order.keys).collect(),
        sensitive: (order.keys..order.keys + order.sensitive).collect(),
        strata: (order.shown - order.strata..order.shown).collect(),
        entity: (order.shown..columns).collect(),
        shown: order.shown,
        options: table,
    };
    let rows = KeptRows::gather(&selection, watch, |take| {
        call.each_value(0, |record| match reader.read(record) {
            Some(cells) => take(&cells.collect::<Vec<_>>()),
            None => no_order(),
        });
    });
    (source.attributes[..order.shown].to_vec(), rows)
}

/// Groups the rows and lets them show what their groups do.
fn mask(
    rows: &mut KeptRows,
    order: &StratumOrder,
    shown: &[Attribute],
    watch: &mut Watch,
) -> (Option<TupleStore>, StratumFigures) {
    let mut figures = StratumFigures {
        rows: rows.rows as u64,
        persons: rows
            .persons
            .as_ref()
            .map_or(0, |persons| persons.len() as u64),
        failed: None,
        groups: 0,
        method: String::new(),
        counted: None,
        losses: Vec::new(),
    };
    let options = order.options();
    let models = SensitiveModels::new(rows);
    let promise = GroupPromise::new(rows, &models, order.required());
    let grouped = promise.with(|conditions| {
        let how = |points: &Points,
                   rows: &mut KeptRows,
                   _: &Space,
                   group: &mut GroupPoints<'_>,
                   watch: &mut Watch| {
            let grouped = points.group_stratum(rows, group, watch);
            grouped.unwrap_or_else(|reason| {
                figures.failed = Some(reason);
                known(Partition::new(vec![0; rows.rows], 1))
            })
        };
        options.group_by(rows, conditions, how, watch)
    });
    if figures.failed.is_some() {
        return (None, figures);
    }
    let partition = &grouped.partition;
    figures.counted = promise_check::verify_persons(rows, partition, options.k, options.p);
    promise_check::verify_diversity(figures.counted.as_ref(), order.l);
    figures.groups = partition.groups() as u64;
    figures.method = grouped.method.name().to_string();
    let losses = (0..order.keys).map(|key| KeyLoss::of(rows, key, partition));
    figures.losses = losses.collect();
    let masked = TupleStore::new(shown);
    rows.mask(partition, &masked, watch);
    (Some(masked), figures)
}

impl StratumOrder {
    fn options(&self) -> Microaggregation {
        Microaggregation {
            k: self.k,
            p: self.p,
            weights: self.weights.clone(),
            method: self.method.as_deref().map(arguments::method),
            standardize: self.standardize,
            seed: self.seed,
            refinement: Refinement::new(self.refine, self.effort),
        }
    }

    fn required(&self) -> Requirements {
        Requirements {
            k: i32::try_from(self.k).ok(),
            p: (self.sensitive > 0).then_some(self.p as i32),
            l: self.l,
            t: None,
            alpha: None,
        }
    }
}

/// A limit on memory goes with the order: Citus sends no settings.
fn take_limit(max_memory: &str) {
    if let (true, Ok(limit)) = (citus::is_internal_backend(), CString::new(max_memory)) {
        statements::set_to_end_of_transaction(c"sdc.max_memory", &limit);
    }
}

fn no_order() -> ! {
    Failure::invalid("sdc.masked_stratum was not called by sdc.publish_microaggregated")
        .hint("Use sdc.mdav() to group the rows of a window partition.")
        .raise()
}
