//! `sdc.publish_permutation`: a table of permuted keys, one of permuted sensitive values, a
//! view with weights.

use super::apart::{Apart, GROUP, Shape, WEIGHT, number_column};
use super::permuted::PermutedColumns;
use super::{Release, Target, create_table, create_view, register};
use crate::errors::{self, Names, required};
use crate::generate_sql::identifier;
use crate::guard::guarded;
use crate::permutation;
use crate::progress::Watch;
use crate::randomness;
use crate::record::Attribute;
use crate::row_store::RowStore;
use crate::settings;
use crate::sql_types::{Name, NameList, Relation};
use pgrx::pg_sys::{self, Datum};
use pgrx::prelude::*;
use sdc_engine::{Column, Monitor, Partition, Phase, Table, assign, measure};
use serde_json::json;

const ROWS_BETWEEN_CHECKS: usize = 4096;

#[allow(clippy::too_many_arguments)]
#[pg_extern(volatile, parallel_unsafe)]
fn publish_permutation(
    source: Relation,
    target: Option<&str>,
    keys: NameList,
    sensitive: Name,
    l: Option<i32>,
    rounds: default!(Option<i32>, "5"),
    nulls: default!(Option<&str>, "'value'"),
    seed: default!(Option<i64>, "NULL"),
) -> Release {
    guarded(|| {
        let target = required(target, "target");
        let l = required(l, "l");
        let rounds = required(rounds, "rounds");
        let nulls = required(nulls, "nulls");
        let release = Apart::new(source, target, (keys, sensitive), l, nulls);
        let rounds = permutation::rounds(rounds);
        let pqt = release.target.with_suffix("_pqt");
        let pst = release.target.with_suffix("_pst");
        let mut watch = Watch::new(Some(release.source.oid));
        let mut rows = release.read(true, &mut watch);
        settings::check_grouping_memory(rows.rows, release.keys.len());
        let mut generator = randomness::generator(seed);
        let keys = errors::engine(Table::new(std::mem::take(&mut rows.keys)), rows.names());
        let (sensitive, l) = (&rows.sensitive[0], release.l);
        let partition =
            assign::permutation(&keys, sensitive, l, rounds, &mut generator, &mut watch);
        let partition = errors::engine(partition, rows.names());
        let loss = json!({
            "columns": register::by_name(&release.keys, losses(&keys, &partition, rows.names())),
            "ncp": errors::engine(measure::ncp(&keys, &partition), rows.names()),
            "reconstruction_error": errors::engine(
                measure::reconstruction_error(&partition, sensitive, Some(&keys)), rows.names()),
        });
        drop(keys);

        let mut columns = release.keys.clone();
        columns.push(release.sensitive.clone());
        let columns = release.attributes(&columns);
        let permuted =
            PermutedColumns::new(&columns, &rows, &partition, &mut generator, &mut watch);
        write_keys(
            &pqt,
            columns[..release.keys.len()].to_vec(),
            &permuted,
            &partition,
            &mut watch,
        );
        write_values(
            &pst,
            columns[release.keys.len()].clone(),
            &permuted,
            &partition,
            &mut watch,
        );
        drop(permuted);
        create_view(&release.target, &view(&release, &pqt, &pst));

        let shape = Shape {
            method: "permutation",
            options: json!({ "rounds": rounds }),
            partition: &partition,
            keys: &pqt,
            values: format!(
                "SELECT {GROUP}, {}, 1::pg_catalog.int8 FROM {}",
                identifier(&release.sensitive),
                pst.sql_name(),
            ),
        };
        release.register(shape, &mut rows, loss, &mut watch)
    })
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
    columns.push(number_column(GROUP, pg_sys::INT4OID));
    let store = RowStore::new(&columns);
    let mut values = vec![Datum::from(0usize); keys + 1];
    let mut nulls = vec![false; keys + 1];
    each_place(partition, watch, |at, group| {
        for column in 0..keys {
            (values[column], nulls[column]) = permuted.value(column, at);
        }
        values[keys] = Datum::from(group);
        // SAFETY: the permuted columns come in the order of the table's.
        unsafe { store.push(&values, &nulls) };
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
    let columns = [number_column(GROUP, pg_sys::INT4OID), sensitive];
    let store = RowStore::new(&columns);
    let place = permuted.columns() - 1;
    each_place(partition, watch, |at, group| {
        let (value, null) = permuted.value(place, at);
        // SAFETY: the sensitive column is the last of those permuted.
        unsafe { store.push(&[Datum::from(group), value], &[false, null]) };
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
            let _ = watch.advance(place as u64);
        }
    }
}

/// Every row of PQT with every sensitive value of its group, all of equal weight.
fn view(release: &Apart, pqt: &Target, pst: &Target) -> String {
    format!(
        "SELECT {columns}, pg_catalog.trim_scale(1::pg_catalog.numeric OPERATOR(pg_catalog./) g.size::pg_catalog.numeric) AS {WEIGHT} \
         FROM {pqt} q \
         JOIN {pst} s ON s.{GROUP} OPERATOR(pg_catalog.=) q.{GROUP} \
         JOIN (SELECT {GROUP}, pg_catalog.count(*) AS size FROM {pst} GROUP BY {GROUP}) g \
              ON g.{GROUP} OPERATOR(pg_catalog.=) q.{GROUP}",
        columns = release.columns("q", "s"),
        pqt = pqt.sql_name(),
        pst = pst.sql_name(),
    )
}
