//! `sdc.publish_permutation`: a table of permuted keys, one of permuted sensitive values, a
//! view with weights.

use crate::assign::permutation;
use crate::pg::cell::Cell;
use crate::pg::composite::Attribute;
use crate::pg::errors::{self, Names};
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::{ROWS_BETWEEN_CHECKS, Watch};
use crate::pg::quoting::identifier;
use crate::pg::randomness;
use crate::pg::tuple_store::TupleStore;
use crate::read::named_arguments::NamedArguments;
use crate::read::source_rows::KeptRows;
use crate::release::apart::{Apart, ApartLayout, GROUP, RowsApart};
use crate::release::composition;
use crate::release::permuted_values::PermutedColumns;
use crate::release::{ReleaseMethod, Target, create_table, create_view, register, trial_attack};
use pgrx::pg_sys::{self, Datum};
use sdc_engine::random::Generator;
use sdc_engine::{Column, Monitor, Partition, Phase, Table, assign, measure};
use serde_json::{Value, json};

fn publish_permutation(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let release = Apart::new(&arguments);
    let rounds = permutation::rounds(arguments.required("rounds"));
    let [pqt, pst] = release.tables(ReleaseMethod::Permutation);
    let mut watch = Watch::new(Some(release.source.oid));
    let mut rows = release.read(true, &mut watch);
    rows.warn_of_distances();
    let mut generator = randomness::generator(arguments.optional("seed"));
    let (partition, loss) = group(&release, &mut rows, rounds, &mut generator, &mut watch);
    let earlier = composition::shown_before(&release, &mut rows);
    write(
        &release,
        [&pqt, &pst],
        &rows,
        &partition,
        &mut generator,
        &mut watch,
    );
    create_view(
        &release.target,
        &release.view(ReleaseMethod::Permutation, [&pqt, &pst]),
    );
    let layout = ApartLayout {
        method: ReleaseMethod::Permutation,
        options: json!({ "rounds": rounds }),
        partition: &partition,
        keys: &pqt,
        values: format!(
            "SELECT {GROUP}, {}, 1::pg_catalog.int8 FROM {}",
            identifier(&release.sensitive),
            pst.sql_name(),
        ),
        signed: None,
        earlier,
    };
    let entered = release.register(layout, &mut rows, loss, &mut watch);
    trial_attack::answer(&arguments, entered)
}

v1! {
    sdc_publish_permutation, pg_finfo_sdc_publish_permutation => publish_permutation;
}

/// Cuts the rows into groups, and says what that costs. The keys are taken out of the rows: they
/// are not needed any more.
fn group(
    release: &Apart,
    rows: &mut KeptRows,
    rounds: usize,
    generator: &mut Generator,
    watch: &mut Watch,
) -> (Partition, Value) {
    let keys = rows.key_table();
    let l = release.l;
    let method = |apart: RowsApart<'_>, monitor: &mut dyn Monitor| {
        let RowsApart {
            numbers,
            sensitive,
            persons,
        } = apart;
        let chosen = numbers.map(|rows| keys.select(rows)).transpose()?;
        let keys = chosen.as_ref().unwrap_or(&keys);
        assign::permutation_of_persons(keys, sensitive, persons, l, rounds, generator, monitor)
    };
    let partition = release.group(rows, method, watch);
    let partition = release.shuffled(partition, generator);
    let keys = errors::engine(Table::new(std::mem::take(&mut rows.keys)), rows.names());
    let (sensitive, names) = (&rows.sensitive[0], rows.names());
    let error = measure::reconstruction_error(&partition, sensitive, Some(&keys));
    let loss = json!({
        "columns": register::by_name(&release.keys, losses(&keys, &partition, names)),
        // of a cell, as other methods record it
        "ncp": errors::engine(measure::ncp(&keys, &partition), names) / cells(&keys),
        "reconstruction_error": errors::engine(error, names),
    });
    (partition, loss)
}

fn cells(keys: &Table) -> f64 {
    (keys.rows() * keys.columns().len()).max(1) as f64
}

/// Permutes the columns within the groups and writes both tables.
fn write(
    release: &Apart,
    [pqt, pst]: [&Target; 2],
    rows: &KeptRows,
    partition: &Partition,
    generator: &mut Generator,
    watch: &mut Watch,
) {
    let mut columns = release.attributes(&release.keys);
    let sensitive = release.attributes(std::slice::from_ref(&release.sensitive));
    columns.extend(sensitive);
    let permuted = PermutedColumns::new(&columns, rows, partition, generator, watch);
    if let Some(sensitive) = columns.pop() {
        write_keys(pqt, columns, &permuted, partition, watch);
        write_values(pst, sensitive, &permuted, partition, watch);
    }
}

/// The normalized certainty penalty of each key, in percent of the worst there can be.
fn losses(keys: &Table, partition: &Partition, names: Names<'_>) -> Vec<f64> {
    let loss = |key: &Column| {
        let alone = key.try_clone().and_then(|key| Table::new(vec![key]));
        let penalty = alone.and_then(|alone| measure::ncp(&alone, partition));
        100.0 * errors::engine(penalty, names) / partition.rows() as f64
    };
    keys.columns().iter().map(loss).collect()
}

/// PQT: the permuted keys, and the group.
fn write_keys(
    table: &Target,
    mut columns: Vec<Attribute>,
    permuted: &PermutedColumns,
    partition: &Partition,
    watch: &mut Watch,
) {
    let keys = columns.len();
    columns.push(Attribute::plain(GROUP, pg_sys::INT4OID));
    let store = TupleStore::new(&columns);
    let mut cells = Vec::with_capacity(keys + 1);
    each_place(partition, watch, |at, group| {
        cells.clear();
        cells.extend((0..keys).map(|column| permuted.value(column, at)));
        cells.push(Cell::of(Some(group)));
        store.push(&cells);
    });
    create_table(table, &columns, &store);
}

/// PST: the group, and the permuted sensitive values.
fn write_values(
    table: &Target,
    sensitive: Attribute,
    permuted: &PermutedColumns,
    partition: &Partition,
    watch: &mut Watch,
) {
    let columns = [Attribute::plain(GROUP, pg_sys::INT4OID), sensitive];
    let store = TupleStore::new(&columns);
    let place = permuted.columns() - 1;
    each_place(partition, watch, |at, group| {
        store.push(&[Cell::of(Some(group)), permuted.value(place, at)]);
    });
    create_table(table, &columns, &store);
}

/// Hands every place over with the number of its group, from 1: groups stand one after the other.
fn each_place(partition: &Partition, watch: &mut Watch, mut take: impl FnMut(usize, i32)) {
    watch.start(Phase::Writing, partition.rows() as u64);
    let sizes = (1i32..).zip(partition.sizes());
    let groups = sizes.flat_map(|(group, &size)| (0..size).map(move |_| group));
    for (place, group) in groups.enumerate() {
        take(place, group);
        if place.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            watch.tick(place as u64);
        }
    }
}
