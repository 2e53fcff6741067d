//! `sdc.suda`, `sdc.dis_suda` and `sdc.suda_keys`: special uniques.

use crate::pg::aggregate_call::float;
use crate::pg::cell::Cell;
use crate::pg::errors::known;
use crate::pg::function_call::{Call, v1};
use crate::pg::memory;
use crate::pg::progress::{ROWS_BETWEEN_CHECKS, Watch};
use crate::pg::quoting::identifiers;
use crate::pg::row_results;
use crate::pg::sql_types::{Name, NameList};
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::pg::type_capabilities;
use crate::read::arguments::fraction;
use crate::read::columns::{ColumnReader, Role, TableReader, categories};
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::{self, Source};
use crate::read::window_rows::{Columns, WindowCall};
use crate::risk::largest_set;
use pgrx::pg_sys::{self, Datum, Oid};
use sdc_engine::risk::{KeyCodes, SudaScores, search_memory};
use sdc_engine::{Categories, Monitor, Phase};

fn suda(call: &Call) -> Option<Datum> {
    let call = WindowCall::new(call);
    let score = call.figure(|| {
        let size = largest_set(call.required(0, "max_size"));
        let mut watch = Watch::new(None);
        let keys = window_keys(&call, 1, &mut watch);
        scored(&keys, size, &mut watch, |scores, _| scores.into_scores())
    });
    float(score)
}

fn dis_suda(call: &Call) -> Option<Datum> {
    let call = WindowCall::new(call);
    let risk = call.figure(|| {
        let share = fraction(call.required(0, "fraction"));
        let size = largest_set(call.required(1, "max_size"));
        let mut watch = Watch::new(None);
        let keys = window_keys(&call, 2, &mut watch);
        scored(&keys, size, &mut watch, |scores, keys| {
            let (uniques, pairs) = known(keys.uniques_and_pairs());
            known(scores.risks(uniques, pairs, share))
        })
    });
    float(risk)
}

/// The key columns of a window partition, from an argument on.
fn window_keys(call: &WindowCall<'_>, first: usize, watch: &mut Watch) -> Vec<Categories> {
    let keys = Columns {
        arguments: first..call.arguments(),
        // by equality, whatever their types
        role: Role::Sensitive,
    };
    let tables = call.read(&[keys], watch).into_iter();
    tables
        .flat_map(|table| categories(table.finish().0))
        .collect()
}

/// What `take` makes of the scores of these keys.
fn scored<T>(
    keys: &[Categories],
    size: usize,
    watch: &mut Watch,
    take: impl FnOnce(SudaScores, &KeyCodes<'_>) -> T,
) -> T {
    let keys = known(KeyCodes::new(keys.iter().map(Categories::codes).collect()));
    memory::room(search_memory(keys.rows(), keys.len(), size));
    let scores = known(SudaScores::new(&keys, size, watch));
    take(scores, &keys)
}

fn suda_keys(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let source = Source::new(arguments.required_source());
    let names = arguments.required::<NameList>("keys").0;
    let size = largest_set(arguments.required("max_size"));
    let mut watch = Watch::new(Some(source.oid));
    let keys = distinct_keys(&source, &names, &mut watch);
    let (shares, total) = scored(&keys, size, &mut watch, |scores, _| {
        (scores.keys().to_vec(), scores.total())
    });
    row_results::answer_table(call, |result| {
        for (name, share) in names.into_iter().zip(shares) {
            // without any unique there is nothing to share
            let contribution = (total > 0.0).then(|| share.score / total);
            result.push(&[
                Cell::of(Some(Name(name))),
                Cell::of(contribution),
                Cell::of(Some(share.minimal_uniques as i64)),
            ]);
        }
    })
}

/// The combinations of key values of a table: once where one row has them, else twice. More rows
/// change nothing about who is unique.
fn distinct_keys(source: &Source, names: &[String], watch: &mut Watch) -> Vec<Categories> {
    relation::refuse_empty("keys", names);
    let places = source.columns("keys", names);
    let attributes = places.iter().map(|&place| &source.attributes[place]);
    let mut types: Vec<Oid> = attributes.clone().map(|attribute| attribute.typ).collect();
    types.iter().copied().for_each(type_capabilities::require);
    let column = |(attribute, name): (&_, &String)| {
        let crate::pg::composite::Attribute { typ, collation, .. } = attribute;
        let name = format!("column \"{name}\"");
        ColumnReader::new(name, *typ, *collation, Role::Sensitive, 0)
    };
    watch.start(Phase::Reading, 0);
    let mut reader = KeySink {
        table: TableReader {
            columns: attributes.zip(names).map(column).collect(),
        },
        rows: 0,
        watch,
    };
    types.push(pg_sys::INT8OID);
    let keys = identifiers(names.iter().map(String::as_str));
    let sql = format!(
        "SELECT {keys}, pg_catalog.count(*) FROM {} GROUP BY {keys}",
        source.sql_name
    );
    statements::read(&sql, &types, Order::Queried, &mut reader);
    categories(reader.table.finish().0)
}

struct KeySink<'a> {
    table: TableReader,
    rows: u64,
    watch: &'a mut Watch,
}

impl RowSink for KeySink<'_> {
    fn row(&mut self, row: &Row<'_>) {
        let times = row.cell(self.table.columns.len()).int8().min(2);
        for _ in 0..times {
            for (column, cell) in self.table.columns.iter_mut().zip(row.cells()) {
                column.push(cell);
            }
        }
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS_BETWEEN_CHECKS as u64) {
            self.watch.tick(self.rows);
        }
    }
}

v1! {
    sdc_suda, pg_finfo_sdc_suda => suda;
    sdc_dis_suda, pg_finfo_sdc_dis_suda => dis_suda;
    sdc_suda_keys, pg_finfo_sdc_suda_keys => suda_keys;
}
