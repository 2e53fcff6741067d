//! The generated SQL of a table check. Names are quoted, functions and operators named with
//! their schema: nothing depends on the caller's search_path.

use crate::check::{Check, Figure, Groups};
use crate::pg::quoting::{identifier, literal};
use crate::pg::type_capabilities;

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

/// One row per group: k1 … kn, its size in rows, its persons, the number of distinct values, and
/// the persons who have the most frequent one.
pub fn by_person(check: &Check, value: &str, entity: &str) -> String {
    let (keys, columns) = (check.keys.len(), key_columns(check));
    let aliases = key_aliases("d", keys);
    let source = &check.source.sql_name;
    format!(
        "SELECT {}, pg_catalog.max(c.size) AS size, pg_catalog.max(c.persons) AS persons, \
         pg_catalog.count(c.n) AS vals, pg_catalog.max(c.n) AS most \
         FROM (SELECT {aliases}, NULL::pg_catalog.int8 AS size, NULL::pg_catalog.int8 AS persons, \
         pg_catalog.count(*) AS n \
         FROM (SELECT DISTINCT {columns}, {value} AS val, {entity} AS person FROM {source}) d \
         GROUP BY {aliases}, d.val \
         UNION ALL SELECT {aliases}, pg_catalog.sum(d.rows)::pg_catalog.int8, \
         pg_catalog.count(*), NULL::pg_catalog.int8 \
         FROM (SELECT {columns}, {entity} AS person, pg_catalog.count(*) AS rows FROM {source} \
         GROUP BY {}) d GROUP BY {aliases}) c GROUP BY {}",
        key_aliases("c", keys),
        positions(keys + 1),
        positions(keys)
    )
}

/// The same as [`by_value`] for persons, each with the least of their values: c.n are the persons
/// who have it. The size of a group is in rows.
pub fn by_least_value(check: &Check, value: &str, entity: &str, extra: &str) -> String {
    let keys = check.keys.len();
    format!(
        "SELECT {}, pg_catalog.sum(c.rows)::pg_catalog.int8 AS size, pg_catalog.count(*) AS vals, \
         {extra} AS extra FROM (SELECT {}, d.val, pg_catalog.count(*) AS n, \
         pg_catalog.sum(d.rows) AS rows FROM (SELECT {}, {entity} AS person, \
         pg_catalog.min({value}) AS val, pg_catalog.count(*) AS rows FROM {} GROUP BY {}) d \
         GROUP BY {}) c GROUP BY {}",
        key_aliases("c", keys),
        key_aliases("d", keys),
        key_columns(check),
        check.source.sql_name,
        positions(keys + 1),
        positions(keys + 1),
        positions(keys)
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

/// The number of a value's category; NULL for values in none of them. Texts are compared byte
/// by byte, as `sdc.category` does.
pub fn category(column: &str, categories: &[Vec<String>]) -> String {
    let column = identifier(column);
    let when = |(number, values): (usize, &Vec<String>)| {
        let values: Vec<String> = values.iter().map(|value| literal(value)).collect();
        format!(
            "WHEN {column}::pg_catalog.text COLLATE pg_catalog.\"C\" OPERATOR(pg_catalog.=) ANY (ARRAY[{}]::pg_catalog.text[]) THEN {}",
            values.join(", "),
            number + 1
        )
    };
    let whens: Vec<String> = categories.iter().enumerate().map(when).collect();
    format!("(CASE {} END)", whens.join(" "))
}

/// One row for all groups of a query, marked with its number: for each figure the worst, the
/// groups and the rows that miss the requirement; then the pairs of group and value.
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
        "SELECT {part} AS part, {} AS actual, {} AS violating_groups, {} AS violating_rows, \
         {}::pg_catalog.int8 AS pairs FROM ({}) g",
        array(
            &|figure| match figure.property.larger_is_better() {
                true => format!("pg_catalog.min({})", figure.sql),
                false => format!("pg_catalog.max({})", figure.sql),
            },
            "float8"
        ),
        array(&counted("pg_catalog.count(*)"), "int8"),
        array(&counted("pg_catalog.sum(g.size)"), "int8"),
        match groups.counts_values {
            true => "pg_catalog.sum(g.vals)",
            false => "NULL",
        },
        groups.sql
    )
}

/// One row for each figure that groups of a query have: how many of them, and their rows.
pub fn spread(groups: &str, figure: &str) -> String {
    format!(
        "SELECT {figure}, pg_catalog.count(*), pg_catalog.sum(g.size)::pg_catalog.int8 \
         FROM ({groups}) g GROUP BY 1 ORDER BY 1"
    )
}

/// The groups of a query that miss a requirement: key values, rows and all figures. In the
/// order of the keys where they have one, so that equally bad groups come in the same order
/// each time.
pub fn violations(check: &Check, groups: &Groups) -> Option<String> {
    let missed: Vec<String> = groups.figures.iter().filter_map(missed).collect();
    if missed.is_empty() {
        return None;
    }
    let figures: Vec<&str> = groups.figures.iter().map(|f| f.sql.as_str()).collect();
    let order = match check.key_types().all(type_capabilities::can_sort) {
        true => format!(" ORDER BY {}", key_aliases("g", check.keys.len())),
        false => String::new(),
    };
    Some(format!(
        "SELECT {}, g.size, {} FROM ({}) g WHERE {}{order}",
        key_values(check),
        figures.join(", "),
        groups.sql,
        missed.join(" OR ")
    ))
}

/// One row per group and value, groups one after the other: the group's number, val, its rows
/// n and, where asked for, the key values in one of the group's rows.
pub fn values_by_group(check: &Check, value: &str, with_keys: bool) -> String {
    sorted_by_group(check, "g.val", &counted_values(check, value), with_keys)
}

/// One row per group, value and person, groups one after the other: the group's number, val,
/// person, their rows n and, where asked for, the key values in one of the group's rows.
pub fn persons_by_group(check: &Check, value: &str, entity: &str, with_keys: bool) -> String {
    let counted = format!(
        "SELECT {}, {value} AS val, {entity} AS person, pg_catalog.count(*) AS n FROM {} GROUP BY {}",
        key_columns(check),
        check.source.sql_name,
        positions(check.keys.len() + 2)
    );
    sorted_by_group(check, "g.val, g.person", &counted, with_keys)
}

fn sorted_by_group(check: &Check, columns: &str, counted: &str, with_keys: bool) -> String {
    let keys = key_aliases("g", check.keys.len());
    // comparing a hash first spares most comparisons of texts, which are slow; groups that are shown
    // come in the order of their keys
    let order = match !with_keys && check.key_types().all(type_capabilities::can_hash) {
        true => format!("pg_catalog.hash_record_extended(ROW({keys}), 0), {keys}"),
        false => keys,
    };
    let key_values = match with_keys {
        true => format!(
            ", CASE WHEN {} THEN {} END",
            operate(
                &format!("pg_catalog.row_number() OVER (PARTITION BY {order})"),
                "=",
                "1"
            ),
            key_values(check)
        ),
        false => String::new(),
    };
    format!(
        "SELECT pg_catalog.dense_rank() OVER (ORDER BY {order}), {columns}, g.n{key_values} \
         FROM ({counted}) g ORDER BY {order}"
    )
}

/// SQL that is true for groups whose figure misses its requirement.
fn missed(figure: &Figure) -> Option<String> {
    let misses = match figure.property.larger_is_better() {
        true => "<",
        false => ">",
    };
    figure
        .required
        .map(|required| operate(&figure.sql, misses, &number(required)))
}

/// A group's key values as one jsonb object, under the columns' own names.
pub fn key_values(check: &Check) -> String {
    let key = |(index, name): (usize, &String)| format!("g.k{} AS {}", index + 1, identifier(name));
    let keys: Vec<String> = check.keys.iter().enumerate().map(key).collect();
    format!(
        "(SELECT pg_catalog.to_jsonb(q.*) FROM (SELECT {}) q)",
        keys.join(", ")
    )
}

fn key_columns(check: &Check) -> String {
    let key = |(index, name): (usize, &String)| format!("{} AS k{}", identifier(name), index + 1);
    let keys: Vec<String> = check.keys.iter().enumerate().map(key).collect();
    keys.join(", ")
}

fn key_aliases(table: &str, keys: usize) -> String {
    let aliases: Vec<String> = (1..=keys)
        .map(|index| format!("{table}.k{index}"))
        .collect();
    aliases.join(", ")
}

fn positions(columns: usize) -> String {
    let positions: Vec<String> = (1..=columns).map(|position| position.to_string()).collect();
    positions.join(", ")
}
