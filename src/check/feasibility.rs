//! `sdc.feasibility`: TV06's two necessary conditions, before any masking is tried.

use crate::pg::cell::Cell;
use crate::pg::errors::{self, Failure, Names};
use crate::pg::function_call::{Call, v1};
use crate::pg::memory;
use crate::pg::progress::Watch;
use crate::pg::quoting::identifier;
use crate::pg::row_results;
use crate::pg::sql_types::NameList;
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::pg::type_capabilities;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::{self, Source};
use pgrx::pg_sys::{self, Datum};
use sdc_engine::{Monitor, Phase, feasibility};

fn feasibility(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let sensitive = arguments.required::<NameList>("sensitive").0;
    let p: i32 = errors::required(arguments.optional("p"), "p");
    let source = Source::new(arguments.required_source());
    relation::refuse_empty("sensitive", &sensitive);
    for place in source.columns("sensitive", &sensitive) {
        type_capabilities::require(source.attributes[place].typ);
    }
    let Some(p) = usize::try_from(p).ok().filter(|&p| p > 0) else {
        Failure::invalid(format!("p must be at least 1, not {p}"))
            .hint("Use p => 1 or more.")
            .raise()
    };
    let mut watch = Watch::new(Some(source.oid));
    watch.start(Phase::Checking, sensitive.len() as u64);
    let count = |(done, column): (u64, &String)| {
        watch.tick(done);
        counts(&source, column)
    };
    let counts: Vec<Vec<u64>> = (0..).zip(&sensitive).map(count).collect();
    let max_p = feasibility::max_p(&counts);
    let max_groups = errors::engine(feasibility::max_groups(&counts, p), Names::default());
    let feasible = max_p.is_some_and(|max_p| p <= max_p);
    row_results::answer_table(call, |result| {
        result.push(&[
            Cell::of(max_p.map(|p| p as i64)),
            Cell::of(max_groups.map(|groups| groups as i64)),
            Cell::of(Some(feasible)),
        ]);
    })
}

v1! {
    sdc_feasibility, pg_finfo_sdc_feasibility => feasibility;
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
    }
}
