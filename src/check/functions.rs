//! `sdc.check_anonymity`, `sdc.violations`, `sdc.assert_anonymity` and `sdc.feasibility`.

use super::lines::{Line, lines, select};
use super::{Check, Requirements, closeness, sql};
use crate::errors::Failure;
use crate::generate_sql::identifier;
use crate::source::Source;
use crate::sql_types::{Name, NameList, Relation};
use pgrx::JsonB;
use pgrx::prelude::*;
use pgrx::spi::SpiHeapTupleData;
use sdc_engine::feasibility;

/// An unclassified value has no weight, so nothing can be said about its group.
fn refuse_unclassified(check: &Check) {
    let Some(categories) = &check.categories else {
        return;
    };
    let column = &check.sensitive[0];
    let query = format!(
        "SELECT pg_catalog.count(*) FROM (SELECT 1 FROM {} WHERE {} IS NULL GROUP BY {}) q",
        check.source.sql_name,
        sql::category(column, categories),
        identifier(column)
    );
    let values = select(&query, |row| row.get::<i64>(1).ok().flatten().unwrap_or(0));
    if values.first().is_some_and(|&values| values > 0) {
        Failure::invalid(format!(
            "{} distinct values of column \"{column}\" are in none of the categories",
            values[0]
        ))
        .hint("Every value must be listed in one of the arrays; NULL cannot be classified.")
        .raise();
    }
}

type CheckRow = (
    String,
    Option<Name>,
    Option<f64>,
    Option<f64>,
    Option<bool>,
    Option<i64>,
    Option<i64>,
);

#[allow(clippy::too_many_arguments)]
#[pg_extern(stable, parallel_restricted)]
fn check_anonymity(
    source: Relation,
    keys: NameList,
    sensitive: default!(NameList, "'{}'"),
    k: default!(Option<i32>, "NULL"),
    p: default!(Option<i32>, "NULL"),
    l: default!(Option<f64>, "NULL"),
    t: default!(Option<f64>, "NULL"),
    alpha: default!(Option<f64>, "NULL"),
    categories: default!(Option<JsonB>, "NULL"),
    entity: default!(Option<Name>, "NULL"),
) -> TableIterator<
    'static,
    (
        name!(property, String),
        name!(attribute, Option<Name>),
        name!(required, Option<f64>),
        name!(actual, Option<f64>),
        name!(satisfied, Option<bool>),
        name!(violating_groups, Option<i64>),
        name!(violating_rows, Option<i64>),
    ),
> {
    let required = Requirements { k, p, l, t, alpha };
    let check = Check::new(
        source,
        keys,
        sensitive,
        required,
        categories,
        entity.map(|name| name.0),
    );
    refuse_unclassified(&check);
    let row = |line: Line| -> CheckRow {
        let satisfied = line.satisfied();
        (
            line.property.to_string(),
            line.attribute.map(Name),
            line.required,
            line.actual,
            satisfied,
            line.violating_groups,
            line.violating_rows,
        )
    };
    TableIterator::new(lines(&check).into_iter().map(row).collect::<Vec<_>>())
}

type ViolationRow = (Option<JsonB>, i64, String, Option<Name>, f64);

#[allow(clippy::too_many_arguments)]
#[pg_extern(stable, parallel_restricted)]
fn violations(
    source: Relation,
    keys: NameList,
    sensitive: default!(NameList, "'{}'"),
    k: default!(Option<i32>, "NULL"),
    p: default!(Option<i32>, "NULL"),
    l: default!(Option<f64>, "NULL"),
    t: default!(Option<f64>, "NULL"),
    alpha: default!(Option<f64>, "NULL"),
    categories: default!(Option<JsonB>, "NULL"),
    entity: default!(Option<Name>, "NULL"),
) -> TableIterator<
    'static,
    (
        name!(key_values, Option<JsonB>),
        name!(rows, i64),
        name!(property, String),
        name!(attribute, Option<Name>),
        name!(actual, f64),
    ),
> {
    let required = Requirements { k, p, l, t, alpha };
    let check = Check::new(
        source,
        keys,
        sensitive,
        required,
        categories,
        entity.map(|name| name.0),
    );
    if required.none() {
        Failure::invalid("nothing is required that could be violated")
            .hint("Give k, p, l, t or alpha.")
            .raise();
    }
    refuse_unclassified(&check);
    let mut found = failing_groups(&check);
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    TableIterator::new(found.into_iter().map(|(_, row)| row).collect::<Vec<_>>())
}

/// The groups that miss a requirement, each with the share of it that they reach.
fn failing_groups(check: &Check) -> Vec<(f64, ViolationRow)> {
    let queries: Vec<String> = check
        .groups()
        .iter()
        .flat_map(|groups| sql::violations(check, groups))
        .collect();
    let read = |row: SpiHeapTupleData| {
        let attribute: Option<Name> = row.get(4).ok().flatten();
        let row_of_result = (
            row.get(1).ok().flatten(),
            row.get(2).ok().flatten().unwrap_or(0),
            row.get(3).ok().flatten().unwrap_or_default(),
            attribute,
            row.get(5).ok().flatten().unwrap_or(f64::NAN),
        );
        (row.get(6).ok().flatten().unwrap_or(0.0), row_of_result)
    };
    let mut found = match queries.is_empty() {
        true => Vec::new(),
        false => select(&queries.join(" UNION ALL "), read),
    };
    if let Some(t) = check.required.t {
        for column in &check.sensitive {
            closeness::distances(check, column, true, &mut |group| {
                if group.distance > t {
                    let property = "t-closeness".to_string();
                    let attribute = Some(Name(column.clone()));
                    let row = (
                        group.key_values,
                        group.rows as i64,
                        property,
                        attribute,
                        group.distance,
                    );
                    found.push((t / group.distance, row));
                }
            });
        }
    }
    found
}

#[allow(clippy::too_many_arguments)]
#[pg_extern(stable, parallel_restricted)]
fn assert_anonymity(
    source: Relation,
    keys: NameList,
    sensitive: default!(NameList, "'{}'"),
    k: default!(Option<i32>, "NULL"),
    p: default!(Option<i32>, "NULL"),
    l: default!(Option<f64>, "NULL"),
    t: default!(Option<f64>, "NULL"),
    alpha: default!(Option<f64>, "NULL"),
    categories: default!(Option<JsonB>, "NULL"),
    entity: default!(Option<Name>, "NULL"),
) {
    let required = Requirements { k, p, l, t, alpha };
    let check = Check::new(
        source,
        keys,
        sensitive,
        required,
        categories,
        entity.map(|name| name.0),
    );
    if required.none() {
        Failure::invalid("nothing is required that could be asserted")
            .hint("Give k, p, l, t or alpha.")
            .raise();
    }
    refuse_unclassified(&check);
    let missed: Vec<Line> = lines(&check)
        .into_iter()
        .filter(|line| line.satisfied() == Some(false))
        .collect();
    if !missed.is_empty() {
        assertion_failed(&check, &missed);
    }
}

fn assertion_failed(check: &Check, missed: &[Line]) -> ! {
    let sentence = |line: &Line| {
        let of = line
            .attribute
            .as_ref()
            .map_or(String::new(), |name| format!(" of column \"{name}\""));
        format!(
            "{}{of} is {}, required {}: {} groups with {} rows fail",
            line.property,
            line.actual.unwrap_or(f64::NAN),
            line.required.unwrap_or(f64::NAN),
            line.violating_groups.unwrap_or(0),
            line.violating_rows.unwrap_or(0)
        )
    };
    let sentences: Vec<String> = missed.iter().map(sentence).collect();
    Failure::new(
        PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
        format!("{} is not as anonymous as required", check.source.sql_name),
    )
    .detail(format!("{}.", sentences.join("; ")))
    .hint("sdc.violations() with the same arguments lists the failing groups.")
    .raise()
}

#[pg_extern(stable, parallel_restricted)]
fn feasibility(
    source: Relation,
    sensitive: NameList,
    p: i32,
) -> TableIterator<
    'static,
    (
        name!(max_p, Option<i64>),
        name!(max_groups, Option<i64>),
        name!(feasible, bool),
    ),
> {
    let source = Source::new(source.0);
    if sensitive.0.is_empty() {
        Failure::invalid("sensitive must name at least one column").raise();
    }
    source.columns("sensitive", &sensitive.0);
    let Some(p) = usize::try_from(p).ok().filter(|&p| p > 0) else {
        Failure::invalid("p must be at least 1").raise()
    };
    let counts = |column: &String| {
        let query = format!(
            "SELECT pg_catalog.count(*) FROM {} GROUP BY {}",
            source.sql_name,
            identifier(column)
        );
        select(&query, |row| {
            row.get::<i64>(1).ok().flatten().unwrap_or(0) as u64
        })
    };
    let counts: Vec<Vec<u64>> = sensitive.0.iter().map(counts).collect();
    let max_p = feasibility::max_p(&counts);
    let max_groups = feasibility::max_groups(&counts, p);
    let feasible = max_p.is_some_and(|max_p| p <= max_p);
    let row = (
        max_p.map(|p| p as i64),
        max_groups.map(|groups| groups as i64),
        feasible,
    );
    TableIterator::new(vec![row])
}
