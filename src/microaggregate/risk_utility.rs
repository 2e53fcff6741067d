//! `sdc.risk_utility`: what each k would cost, and what risk it would leave. The rows are read
//! once and grouped again for each k.

use crate::microaggregate::options::{Microaggregation, Refinement, checked_p};
use crate::pg::cell::Cell;
use crate::pg::errors::{self, Failure};
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::row_results;
use crate::pg::sql_types::NameList;
use crate::read::arguments::{self, count};
use crate::read::named_arguments::NamedArguments;
use crate::read::points::Points;
use crate::read::relation::{self, Source};
use crate::read::source_rows::{KeptRows, Selection};
use crate::read::table_options::TableOptions;
use pgrx::pg_sys::Datum;
use sdc_engine::assign::Method;
use sdc_engine::attack::link_groups;
use sdc_engine::measure::average_risk;
use std::time::Instant;

/// What to group, and how.
pub struct TradeOff<'a> {
    pub source: &'a Source,
    pub keys: &'a [String],
    pub sensitive: &'a [String],
    pub p: usize,
    pub method: Option<Method>,
    pub standardize: bool,
    pub table: &'a TableOptions,
}

/// One k of a trade-off.
#[derive(Clone, Copy)]
pub struct Point {
    pub k: usize,
    pub p: usize,
    /// nothing where there, or in some stratum, are fewer rows than k, or k is below p
    pub outcome: Option<Outcome>,
}

/// What a grouping costs and leaves.
#[derive(Clone, Copy)]
pub struct Outcome {
    pub groups: usize,
    /// 100 · SSE/SST
    pub loss: f64,
    /// the average over rows of 1/|group|
    pub risk: f64,
    pub seconds: f64,
    /// the share of rows, or persons, that somebody who knows all keys is expected to link rightly
    pub linkage: f64,
}

impl TradeOff<'_> {
    /// Reads the columns that count, and no other.
    pub fn read(&self, watch: &mut Watch) -> KeptRows {
        relation::refuse_empty("keys", self.keys);
        relation::refuse_overlap(("keys", self.keys), ("sensitive", self.sensitive));
        let sensitive = ("sensitive", self.sensitive);
        self.table
            .refuse_names(self.source, self.keys, &[sensitive]);
        let mut columns = self.source.columns("keys", self.keys);
        columns.extend(self.source.columns("sensitive", self.sensitive));
        let (keys, sensitive) = (self.keys.len(), self.sensitive.len());
        let selection = Selection::new(self.source, columns, keys, sensitive, self.table);
        KeptRows::read(&selection, watch)
    }

    /// The point of each k, in the order given.
    pub fn points(&self, rows: KeptRows, ks: &[usize], watch: &mut Watch) -> Vec<Point> {
        let points = Points::of(&rows, |persons, values, strata| {
            persons.representatives(values, strata, self.p)
        });
        let space = self.options(1).space(&points.keys, rows.names());
        let shown = points.shown();
        let outcome = |&k: &usize| {
            let began = Instant::now();
            let options = self.options(k);
            let feasible = k <= space.rows() && self.p <= k;
            let grouped = feasible
                .then(|| options.partition(&space, &points, &rows, watch))
                .flatten();
            let outcome = grouped.map(|grouped| {
                let seconds = began.elapsed().as_secs_f64();
                let linked = link_groups(shown.as_ref().unwrap_or(&points.keys), &grouped, watch);
                let linked = errors::engine(linked, rows.names());
                let partition = points.of_rows(&rows, grouped);
                Outcome {
                    groups: partition.groups(),
                    loss: options.squares(&rows, &partition).information_loss(),
                    risk: average_risk(partition.groups() as u64, space.rows() as u64),
                    seconds,
                    linkage: linked.expected / linked.persons.max(1) as f64,
                }
            });
            let p = self.p;
            Point { k, p, outcome }
        };
        ks.iter().map(outcome).collect()
    }

    fn options(&self, k: usize) -> Microaggregation {
        Microaggregation {
            k,
            p: self.p,
            weights: self.table.weights(self.keys),
            method: self.method,
            standardize: self.standardize,
            seed: None,
            refinement: Refinement::None,
        }
    }
}

/// The values of `ks`, each once and in order.
pub fn checked_ks(ks: Vec<Option<i32>>) -> Vec<usize> {
    let k = |k: Option<i32>| {
        let k = k.unwrap_or_else(|| Failure::null("an element of ks").raise());
        if k < 1 {
            Failure::invalid(format!("every k must be at least 1, not {k}"))
                .hint("For example ks => '{2,5,10}'.")
                .raise();
        }
        count(k, "k")
    };
    let mut ks: Vec<usize> = ks.into_iter().map(k).collect();
    ks.sort_unstable();
    ks.dedup();
    ks
}

fn risk_utility(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let source = Source::new(arguments.required_source());
    let keys = arguments.required::<NameList>("keys").0;
    let ks = checked_ks(arguments.required("ks"));
    let sensitive = arguments.required::<NameList>("sensitive").0;
    let method: Option<String> = arguments.optional("method");
    let trade_off = TradeOff {
        p: checked_p(arguments.required("p"), &sensitive),
        method: method.as_deref().map(arguments::method),
        standardize: true,
        table: &TableOptions::of(&arguments),
        source: &source,
        keys: &keys,
        sensitive: &sensitive,
    };
    let mut watch = Watch::new(Some(source.oid));
    let rows = trade_off.read(&mut watch);
    rows.warn_of_codes();
    let points = trade_off.points(rows, &ks, &mut watch);
    row_results::answer_table(call, |result| {
        points.iter().for_each(|point| result.push(&cells(point)));
    })
}

/// The columns are k, p, groups, loss, risk, seconds and linkage.
fn cells(point: &Point) -> [Cell<'static>; 7] {
    let outcome = point.outcome;
    [
        Cell::of(Some(point.k as i32)),
        Cell::of(Some(point.p as i32)),
        Cell::of(outcome.map(|outcome| outcome.groups as i64)),
        Cell::of(outcome.map(|outcome| outcome.loss)),
        Cell::of(outcome.map(|outcome| outcome.risk)),
        Cell::of(outcome.map(|outcome| outcome.seconds)),
        Cell::of(outcome.map(|outcome| outcome.linkage)),
    ]
}

v1! {
    sdc_risk_utility, pg_finfo_sdc_risk_utility => risk_utility;
}
