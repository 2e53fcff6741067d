//! `sdc.column_risk`: which columns, alone or together, tell rows apart.
//!
//! One query counts the groups of every subset of the columns: rows are counted by all columns first,
//! and these counts by grouping sets.

use crate::pg::cell::Cell;
use crate::pg::errors::Failure;
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::quoting::identifier;
use crate::pg::row_results;
use crate::pg::sql_types::{Name, NameList};
use crate::pg::statements;
use crate::pg::type_capabilities;
use crate::read::label_text::ColumnRole;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::{self, Source};
use crate::risk::largest_set;
use pgrx::pg_sys::Datum;
use pgrx::prelude::*;
use sdc_engine::{Monitor, Phase};
use std::collections::{BTreeSet, HashMap};

/// PostgreSQL's own limits.
const MOST_COLUMNS: usize = 31;
const MOST_SETS: usize = 4096;

/// How well some columns tell rows apart.
pub struct ColumnRisk {
    pub columns: Vec<String>,
    /// groups per row
    pub distinction: Option<f64>,
    /// share of the pairs of rows that differ in these columns
    pub separation: Option<f64>,
    /// rows alone in their group
    pub uniques: i64,
    /// average risk of a row by these columns
    pub risk: Option<f64>,
    /// average risk of a row by all other columns
    pub risk_without: Option<f64>,
}

/// The groups of one subset.
#[derive(Clone, Copy)]
struct SubsetCounts {
    rows: i64,
    groups: i64,
    uniques: i64,
    /// ordered pairs of rows that are alike
    alike: f64,
}

/// The figures of every subset of at most `max_size` columns, small ones first.
pub fn column_risks(source: &Source, columns: &[String], max_size: usize) -> Vec<ColumnRisk> {
    relation::refuse_empty("columns", columns);
    for place in source.columns("columns", columns) {
        type_capabilities::require(source.attributes[place].typ);
    }
    refuse_too_many(columns.len(), max_size);
    let all = (1u64 << columns.len()) - 1;
    let subsets = subsets(columns.len(), max_size);
    let others = subsets.iter().map(|set| all & !set).filter(|&set| set != 0);
    let sets: BTreeSet<u64> = subsets.iter().copied().chain(others).collect();
    if sets.len() > MOST_SETS {
        too_many_sets(sets.len());
    }
    let mut watch = Watch::new(Some(source.oid));
    watch.start(Phase::Checking, sets.len() as u64);
    let counted = counted(source, columns, &sets);
    let named = |set: u64| {
        let held = columns.iter().enumerate();
        let held = held.filter(|(place, _)| set >> place & 1 == 1);
        held.map(|(_, name)| name.clone()).collect()
    };
    let of_subset = |&set: &u64| {
        let counts = counted.get(&set);
        let average = |counts: &SubsetCounts| counts.groups as f64 / counts.rows as f64;
        let without = match all & !set {
            0 => counts.map(|counts| 1.0 / counts.rows as f64),
            others => counted.get(&others).map(average),
        };
        ColumnRisk {
            columns: named(set),
            distinction: counts.map(average),
            separation: counts.and_then(SubsetCounts::separation),
            uniques: counts.map_or(0, |counts| counts.uniques),
            risk: counts.map(average),
            risk_without: without,
        }
    };
    subsets.iter().map(of_subset).collect()
}

impl SubsetCounts {
    /// `None` where there are no pairs.
    fn separation(&self) -> Option<f64> {
        let pairs = self.rows as f64 * (self.rows - 1) as f64;
        (self.rows > 1).then(|| 1.0 - self.alike / pairs)
    }
}

/// All subsets of at most `size` columns, small ones first, then in the order of the columns.
fn subsets(columns: usize, size: usize) -> Vec<u64> {
    let (mut all, mut last) = (Vec::new(), vec![0u64]);
    for _ in 0..size.min(columns) {
        let larger = |&set: &u64| {
            let first = 64 - set.leading_zeros() as usize;
            (first..columns).map(move |column| set | 1 << column)
        };
        last = last.iter().flat_map(larger).collect();
        all.extend_from_slice(&last);
    }
    all
}

/// Counts the groups of each set. A table without rows has none.
fn counted(
    source: &Source,
    columns: &[String],
    sets: &BTreeSet<u64>,
) -> HashMap<u64, SubsetCounts> {
    let names: Vec<String> = (1..=columns.len())
        .map(|place| format!("c{place}"))
        .collect();
    let selected = columns.iter().zip(&names);
    let selected: Vec<String> = selected
        .map(|(column, name)| format!("{} AS {name}", identifier(column)))
        .collect();
    let set = |set: &u64| {
        let held = names.iter().enumerate();
        let held = held.filter(|(place, _)| set >> place & 1 == 1);
        let held: Vec<&str> = held.map(|(_, name)| name.as_str()).collect();
        format!("({})", held.join(", "))
    };
    let sets: Vec<String> = sets.iter().map(set).collect();
    let all = names.join(", ");
    // Citus knows no GROUPING SETS; OFFSET keeps it from sending them to its workers
    let sql = format!(
        "SELECT g.left_out, pg_catalog.sum(g.n)::pg_catalog.int8, pg_catalog.count(*), \
         pg_catalog.count(*) FILTER (WHERE g.n OPERATOR(pg_catalog.=) 1), \
         pg_catalog.sum(g.n::pg_catalog.float8 OPERATOR(pg_catalog.*) (g.n OPERATOR(pg_catalog.-) 1)::pg_catalog.float8) \
         FROM (SELECT GROUPING({all}) AS left_out, pg_catalog.sum(r.rows)::pg_catalog.int8 AS n \
               FROM (SELECT {}, pg_catalog.count(*) AS rows FROM {} GROUP BY {all} OFFSET 0) r \
               GROUP BY GROUPING SETS ({})) g GROUP BY 1",
        selected.join(", "),
        source.sql_name,
        sets.join(", ")
    );
    let found = statements::select(&sql, |row| {
        let number = |column| row.get::<i64>(column).unwrap_or(0);
        let counts = SubsetCounts {
            rows: number(2),
            groups: number(3),
            uniques: number(4),
            alike: row.get(5).unwrap_or(0.0),
        };
        (held(row.get(1).unwrap_or(0), columns.len()), counts)
    });
    found.into_iter().collect()
}

/// The columns that GROUPING() does not say were left out; its highest bit is the first column's.
fn held(left_out: i32, columns: usize) -> u64 {
    let is_held = |place: &usize| left_out >> (columns - 1 - place) & 1 == 0;
    (0..columns)
        .filter(is_held)
        .fold(0, |set, place| set | 1 << place)
}

fn refuse_too_many(columns: usize, max_size: usize) {
    if columns > MOST_COLUMNS {
        Failure::new(
            PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
            format!("{columns} columns are more than {MOST_COLUMNS}"),
        )
        .hint("Name the columns that somebody could know.")
        .raise();
    }
    // before they are listed: a binomial number can be large
    let (mut sets, mut of_size) = (0u64, 1u64);
    for size in 1..=max_size.min(columns) {
        of_size = of_size * (columns + 1 - size) as u64 / size as u64;
        sets += of_size;
    }
    if sets > MOST_SETS as u64 {
        too_many_sets(sets as usize);
    }
}

fn too_many_sets(sets: usize) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
        format!("{sets} subsets of columns are more than {MOST_SETS}"),
    )
    .hint("Use a smaller max_size, or name fewer columns.")
    .raise()
}

fn column_risk(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let source = Source::new(arguments.required_source());
    let columns = columns(&arguments);
    let max_size = largest_set(arguments.required("max_size"));
    let risks = column_risks(&source, &columns, max_size);
    row_results::answer_table(call, |result| {
        for risk in risks {
            let names: Vec<Name> = risk.columns.into_iter().map(Name).collect();
            result.push(&[
                Cell::of(Some(names)),
                Cell::of(risk.distinction),
                Cell::of(risk.separation),
                Cell::of(Some(risk.uniques)),
                Cell::of(risk.risk),
                Cell::of(risk.risk_without),
            ]);
        }
    })
}

/// The columns that a call names, or else those that are labelled as keys.
fn columns(arguments: &NamedArguments<'_>) -> Vec<String> {
    let named = arguments
        .optional::<NameList>("columns")
        .map(|names| names.0);
    named.unwrap_or_else(|| arguments.labels().with_role(ColumnRole::is_key))
}

v1! {
    sdc_column_risk, pg_finfo_sdc_column_risk => column_risk;
}
