//! `sdc.feasibility`: TV06's two necessary conditions, before any masking is tried.

use crate::pg::errors::{self, Failure, Names, required};
use crate::pg::guard::guarded;
use crate::pg::memory;
use crate::pg::progress::{ROWS_BETWEEN_CHECKS, Watch};
use crate::pg::quoting::identifier;
use crate::pg::settings;
use crate::pg::sql_types::{NameList, Relation};
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::pg::type_capabilities;
use crate::read::relation::{self, Source};
use pgrx::pg_sys;
use pgrx::prelude::*;
use sdc_engine::{Monitor, Phase, feasibility};

#[pg_extern(stable, parallel_restricted)]
fn feasibility(
    source: Relation,
    sensitive: NameList,
    p: Option<i32>,
) -> TableIterator<
    'static,
    (
        name!(max_p, Option<i64>),
        name!(max_groups, Option<i64>),
        name!(feasible, bool),
    ),
> {
    guarded(|| {
        let p = required(p, "p");
        let source = Source::new(source.0);
        relation::refuse_empty("sensitive", &sensitive.0);
        for place in source.columns("sensitive", &sensitive.0) {
            type_capabilities::require(source.attributes[place].typ);
        }
        let Some(p) = usize::try_from(p).ok().filter(|&p| p > 0) else {
            Failure::invalid(format!("p must be at least 1, not {p}"))
                .hint("Use p => 1 or more.")
                .raise()
        };
        let mut watch = Watch::new(Some(source.oid));
        watch.start(Phase::Checking, sensitive.0.len() as u64);
        let count = |(done, column): (u64, &String)| {
            watch.tick(done);
            counts(&source, column)
        };
        let counts: Vec<Vec<u64>> = (0..).zip(&sensitive.0).map(count).collect();
        let max_p = feasibility::max_p(&counts);
        let max_groups = errors::engine(feasibility::max_groups(&counts, p), Names::default());
        let feasible = max_p.is_some_and(|max_p| p <= max_p);
        let row = (
            max_p.map(|p| p as i64),
            max_groups.map(|groups| groups as i64),
            feasible,
        );
        TableIterator::new(vec![row])
    })
}

/// How often each value of a column occurs.
fn counts(source: &Source, column: &str) -> Vec<u64> {
    let mut counts = Counts(Vec::new());
    let query = format!(
        "SELECT pg_catalog.count(*) FROM {} GROUP BY {}",
        source.sql_name,
        identifier(column)
    );
    statements::read(&query, &[pg_sys::INT8OID], Order::Queried, &mut counts);
    counts.0
}

struct Counts(Vec<u64>);

impl RowSink for Counts {
    fn row(&mut self, row: &Row<'_>) {
        memory::push(&mut self.0, row.cell(0).int8() as u64);
        if self.0.len().is_multiple_of(ROWS_BETWEEN_CHECKS) {
            settings::check_memory(size_of::<u64>() * self.0.capacity());
        }
    }
}
