//! Microaggregation on the workers of Citus: where strata hold the column by which the source is
//! distributed, no group crosses nodes, so each worker masks the strata that it has. An `INSERT …
//! SELECT` that Citus pushes down does it, in the caller's transaction.

use crate::check::Requirements;
use crate::microaggregate::options::{Microaggregation, Refinement};
use crate::pg::citus;
use crate::pg::composite::Attribute;
use crate::pg::errors::{Failure, Names, engine, known};
use crate::pg::quoting::{self, identifier, literal};
use crate::pg::statements;
use crate::pg::{settings, type_capabilities};
use crate::read::arguments;
use crate::read::codec::Codec;
use crate::read::distinct_values;
use crate::read::key_warnings::{self, CodesDone};
use crate::read::numbers::Number;
use crate::read::points::FailedStrata;
use crate::read::relation::Source;
use crate::read::source_rows::Selection;
use crate::release::publish_microaggregated::{MaskedRows, NamedColumns};
use crate::release::register;
use crate::release::stratum_masking::{AllStrata, StratumOrder};
use crate::release::{Target, sequence::Sequence};
use crate::write::placed_rows::{self, PlacedRows};
use sdc_engine::measure::ShownLoss;
use sdc_engine::{Error, random};
use serde_json::{Value, json};

/// The column by which strata are on the workers that have the source's rows. None where the rows
/// must be grouped in one place: a sequence looks at earlier groups, t at the distribution of all
/// rows, strata that cannot be sorted cannot be told apart by SQL, and each row keeps its own value of
/// the column by which it is placed, which must not differ in looks from those it is equal to.
pub fn column(
    source: &Source,
    columns: &NamedColumns,
    required: Requirements,
    sequence: Option<&Sequence>,
) -> Option<String> {
    if sequence.is_some() || required.t.is_some() {
        return None;
    }
    let strata = &columns.table.strata;
    let sortable = |&place: &usize| type_capabilities::can_sort(source.attributes[place].typ);
    let column = placed_rows::column_among(source, strata)?;
    let places = source.columns("strata", strata);
    let exact = |column: &Attribute| Codec::new(column.typ, column.collation).is_exact();
    let placed = source.attribute(&column).is_some_and(exact);
    (placed && places.iter().all(sortable)).then_some(column)
}

/// Masks the strata where they are, and writes the table of the release.
pub fn mask(
    selection: &Selection<'_>,
    target: &Target,
    columns: &NamedColumns,
    (options, required): (&Microaggregation, Requirements),
    column: &str,
) -> MaskedRows {
    let source = selection.source;
    let order = order(selection, columns, (options, required));
    let places = selection.columns[..selection.shown].iter();
    let attributes: Vec<Attribute> = places.map(|&p| source.attributes[p].clone()).collect();
    let number = random::number(&mut known(random::generator(None)));
    let rows = PlacedRows::new(target, number, &attributes, (column, source));
    rows.fill(&query(selection, columns, &order, column));
    let mut all = AllStrata::default();
    for figures in rows.figures() {
        let figures = serde_json::from_value(figures);
        all.add(figures.unwrap_or_else(|_| unreadable()));
    }
    refuse(selection, &all, columns);
    warn(source, columns, &all);
    let kept = all.rows - all.failed_rows;
    rows.move_to(target, kept as usize);
    MaskedRows {
        method: arguments::method(&all.method),
        rows: kept,
        groups: all.groups,
        suppressed: all.failed_rows,
        loss: loss(&all, columns, options),
        counted: all.counted(),
        continued: None,
    }
}

fn order(
    selection: &Selection<'_>,
    columns: &NamedColumns,
    (options, required): (&Microaggregation, Requirements),
) -> StratumOrder {
    let name = |&place: &usize| selection.source.attributes[place].name.clone();
    let seed = options.seed.or_else(settings::seed);
    let max_memory = citus::setting(c"sdc.max_memory").unwrap_or_default();
    let (refine, effort) = match options.refinement {
        Refinement::None => (false, None),
        Refinement::Usual => (true, None),
        Refinement::Effort(effort) => (true, i32::try_from(effort).ok()),
    };
    StratumOrder {
        names: selection.columns.iter().map(name).collect(),
        keys: columns.keys.len(),
        sensitive: columns.sensitive.len(),
        strata: columns.table.strata.len(),
        shown: selection.shown,
        nulls: columns.table.nulls.name().to_string(),
        categorical: columns.table.categorical.clone(),
        weights: options.weights.clone(),
        k: options.k,
        p: options.p,
        l: required.l,
        method: options.method.map(|method| method.name().to_string()),
        standardize: options.standardize,
        seed,
        refine,
        effort,
        max_memory: max_memory.to_string_lossy().into_owned(),
    }
}

/// The rows that workers mask: the columns of the release, the figures of strata, and whether a row
/// is one of the release. Rows are sorted within strata, so that a seed gives the same result
/// whatever their order of arrival.
fn query(
    selection: &Selection<'_>,
    columns: &NamedColumns,
    order: &StratumOrder,
    column: &str,
) -> String {
    let source = selection.source;
    let column_of = |number: usize, typ| {
        let typ = quoting::type_name(type_capabilities::base_of(typ), -1);
        format!("sdc.column_of(s.masked, {number}, NULL::{typ})")
    };
    let shown = selection.columns[..selection.shown].iter();
    let mut released: Vec<String> = (1..)
        .zip(shown)
        .map(|(number, &place)| match &source.attributes[place] {
            // Citus must see that it is the source's own
            attribute if attribute.name == column => "s.place".to_string(),
            attribute => column_of(number, attribute.typ),
        })
        .collect();
    let kept = column_of(selection.shown + 2, pgrx::pg_sys::BOOLOID);
    released.push(column_of(selection.shown + 1, pgrx::pg_sys::JSONBOID));
    released.push(kept.clone());
    let names = |names: &[String]| quoting::identifiers(names.iter().map(String::as_str));
    let wanted = serde_json::to_string(order).unwrap_or_default();
    format!(
        "SELECT {} FROM (SELECT {} AS place, \
             sdc.masked_stratum(ROW({}), {}::pg_catalog.jsonb) OVER (PARTITION BY {} ORDER BY {}) AS masked \
         FROM {}) AS s WHERE {kept} IS NOT NULL",
        released.join(", "),
        identifier(column),
        names(&order.names),
        literal(&wanted),
        names(&columns.table.strata),
        source.order(&selection.columns),
        source.sql_name
    )
}

/// Refuses what a release of one node refuses.
fn refuse(selection: &Selection<'_>, all: &AllStrata, columns: &NamedColumns) {
    selection.source.refuse_no_rows(all.rows as usize);
    refuse_persons_of_several(selection, all, columns);
    if let Some(reason) = &all.reason {
        let failed = FailedStrata {
            reason: reason.clone(),
            strata: (all.failed, all.strata),
            rows: (all.failed_rows as usize, all.rows as usize),
        };
        failed.refuse(columns.table.max_suppressed);
    }
}

/// Nobody may be in several strata: the sum of those of each would count them twice.
fn refuse_persons_of_several(selection: &Selection<'_>, all: &AllStrata, columns: &NamedColumns) {
    let Some(entity) = &columns.table.entity else {
        return;
    };
    let sql = format!(
        "SELECT pg_catalog.count(DISTINCT {}) FROM {}",
        identifier(entity),
        selection.source.sql_name
    );
    let persons = statements::value::<i64>(&sql).unwrap_or(0) as u64;
    if all.persons > persons {
        let persons = (all.persons - persons) as usize;
        engine::<()>(
            Err(Error::PersonsInSeveralStrata { persons }),
            Names::default(),
        );
    }
}

/// Warns of what a release of one node warns of.
fn warn(source: &Source, columns: &NamedColumns, all: &AllStrata) {
    let rows = all.rows as usize;
    let persons = columns.table.entity.as_ref();
    let persons = persons.map(|_| all.persons as usize);
    let keys = source.columns("keys", &columns.keys).into_iter();
    for attribute in keys.map(|place| &source.attributes[place]) {
        let categorical = columns.table.categorical.contains(&attribute.name);
        let number = Number::of(attribute.typ).filter(|_| !categorical);
        let name = format!("column \"{}\"", attribute.name);
        let distinct = || distinct_values::count(source, &attribute.name, false).distinct as usize;
        match number {
            None => key_warnings::warn_of_identifier(&name, distinct(), rows, persons),
            Some(number) if number.is_whole() => {
                key_warnings::warn_of_codes(&name, || Some(distinct()), rows, CodesDone::AVERAGED);
            }
            Some(_) => {}
        }
    }
}

fn loss(all: &AllStrata, columns: &NamedColumns, options: &Microaggregation) -> Value {
    let losses = all.losses(columns.keys.len());
    let percents = losses.iter().map(ShownLoss::percent).collect();
    json!({
        "information_loss": ShownLoss::of_all(&losses, &options.weights, options.standardize),
        "columns": register::by_name(&columns.keys, percents),
    })
}

fn unreadable() -> ! {
    Failure::internal("figures of a stratum cannot be read").raise()
}
