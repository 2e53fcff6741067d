//! The generated SQL of a table check. Names are quoted, functions and operators named with
//! their schema: nothing depends on the caller's search_path.

use super::{Check, Figure, Groups};
use crate::generate_sql::{identifier, literal};

/// `a operator b`, with PostgreSQL's own operator.
pub fn operate(a: &str, operator: &str, b: &str) -> String {
    format!("({a} OPERATOR(pg_catalog.{operator}) {b})")
}

pub fn float(sql: &str) -> String {
    format!("{sql}::pg_catalog.float8")
}

pub fn number(value: f64) -> String {
    format!("'{value}'::pg_catalog.float8")
}

/// One row per group: k1 … kn and its size.
pub fn sizes(check: &Check) -> String {
    format!(
        "SELECT {}, pg_catalog.count(*) AS size FROM {} GROUP BY {}",
        key_columns(check),
        check.source.sql_name,
        positions(check.keys.len())
    )
}

/// One row per group: k1 … kn, its size, the number of distinct values, the rows of the most
/// frequent one, and `extra` over the counted values c.val (c.n rows each).
pub fn by_value(check: &Check, value: &str, extra: Option<&str>) -> String {
    let extra = extra.map_or(String::new(), |extra| format!(", {extra} AS extra"));
    format!(
        "SELECT {}, pg_catalog.sum(c.n)::pg_catalog.int8 AS size, pg_catalog.count(*) AS vals, \
         pg_catalog.max(c.n) AS most{extra} FROM ({}) c GROUP BY {}",
        key_aliases("c", check.keys.len()),
        counted_values(check, value),
        positions(check.keys.len())
    )
}

/// One row per group and value: k1 … kn, val and its rows n.
pub fn counted_values(check: &Check, value: &str) -> String {
    format!(
        "SELECT {}, {value} AS val, pg_catalog.count(*) AS n FROM {} GROUP BY {}",
        key_columns(check),
        check.source.sql_name,
        positions(check.keys.len() + 1)
    )
}

/// The number of a value's category; NULL for values in none of them.
pub fn category(column: &str, categories: &[Vec<String>]) -> String {
    let column = identifier(column);
    let when = |(number, values): (usize, &Vec<String>)| {
        let values: Vec<String> = values.iter().map(|value| literal(value)).collect();
        format!(
            "WHEN {column}::pg_catalog.text OPERATOR(pg_catalog.=) ANY (ARRAY[{}]::pg_catalog.text[]) THEN {}",
            values.join(", "),
            number + 1
        )
    };
    let whens: Vec<String> = categories.iter().enumerate().map(when).collect();
    format!("(CASE {} END)", whens.join(" "))
}

/// One row for all groups of a query, marked with its number: for each figure the worst, the
/// groups and the rows that miss the requirement.
pub fn worst((part, groups): (usize, &Groups)) -> String {
    let array = |item: &dyn Fn(&Figure) -> String, of: &str| {
        let items: Vec<String> = groups.figures.iter().map(item).collect();
        format!("ARRAY[{}]::pg_catalog.{of}[]", items.join(", "))
    };
    let counted = |what: &str| {
        let what = what.to_string();
        move |figure: &Figure| match missed(figure) {
            Some(missed) => format!("{what} FILTER (WHERE {missed})"),
            None => "NULL".to_string(),
        }
    };
    format!(
        "SELECT {part} AS part, {} AS actual, {} AS violating_groups, {} AS violating_rows FROM ({}) g",
        array(
            &|figure| format!("pg_catalog.min({})", figure.sql),
            "float8"
        ),
        array(&counted("pg_catalog.count(*)"), "int8"),
        array(&counted("pg_catalog.sum(g.size)"), "int8"),
        groups.sql
    )
}

/// The groups of a query that miss a requirement, each with its key values.
pub fn violations(check: &Check, groups: &Groups) -> Vec<String> {
    let violation = |figure: &Figure| {
        let missed = missed(figure)?;
        let attribute = figure.attribute.as_deref().map_or("NULL".into(), literal);
        let required = number(figure.required?);
        Some(format!(
            "SELECT {} AS key_values, g.size AS rows, {}::pg_catalog.text AS property, \
             {attribute}::pg_catalog.name AS attribute, {} AS actual, {} AS badness FROM ({}) g WHERE {missed}",
            key_values(check),
            literal(figure.property),
            figure.sql,
            operate(&figure.sql, "/", &required),
            groups.sql
        ))
    };
    groups.figures.iter().filter_map(violation).collect()
}

/// SQL that is true for groups whose figure misses its requirement.
fn missed(figure: &Figure) -> Option<String> {
    figure
        .required
        .map(|required| operate(&figure.sql, "<", &number(required)))
}

/// A group's key values as one jsonb object, under the columns' own names.
pub fn key_values(check: &Check) -> String {
    let key = |(index, name): (usize, &String)| format!("g.k{} AS {}", index + 1, identifier(name));
    let keys: Vec<String> = check.keys.iter().enumerate().map(key).collect();
    format!(
        "(SELECT pg_catalog.to_jsonb(q) FROM (SELECT {}) q)",
        keys.join(", ")
    )
}

fn key_columns(check: &Check) -> String {
    let key = |(index, name): (usize, &String)| format!("{} AS k{}", identifier(name), index + 1);
    let keys: Vec<String> = check.keys.iter().enumerate().map(key).collect();
    keys.join(", ")
}

pub fn key_aliases(table: &str, keys: usize) -> String {
    let aliases: Vec<String> = (1..=keys)
        .map(|index| format!("{table}.k{index}"))
        .collect();
    aliases.join(", ")
}

fn positions(columns: usize) -> String {
    let positions: Vec<String> = (1..=columns).map(|position| position.to_string()).collect();
    positions.join(", ")
}
