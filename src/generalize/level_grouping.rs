//! `sdc.grouping_hierarchy`: a hierarchy from lists of values.

use crate::generalize::hierarchy_builders::{EVERYTHING, ValuesOf, checked, existing};
use crate::pg::cell::Cell;
use crate::pg::composite::Attribute;
use crate::pg::errors::{Failure, number_of, required};
use crate::pg::guard::guarded;
use crate::pg::sql_types::{Json, Name, Relation};
use crate::pg::statements;
use crate::pg::stored_rows;
use crate::pg::tuple_store::TupleStore;
use crate::write::table::create_table;
use crate::write::target::Target;
use pgrx::prelude::*;
use std::collections::BTreeMap;

/// One level: the members of each group.
type Grouping = BTreeMap<String, Vec<String>>;

/// Groups of values, then groups of these groups, and so on.
#[pg_extern(volatile, parallel_unsafe)]
fn grouping_hierarchy(
    source: Relation,
    attribute: Name,
    target: Option<&str>,
    groupings: Json,
    replace: default!(Option<bool>, "false"),
) -> Relation {
    guarded(|| {
        let target = required(target, "target");
        let values = ValuesOf::new(source, &attribute.0);
        let groupings: Vec<Grouping> = serde_json::from_value(groupings.0)
            .ok()
            .filter(|groupings: &Vec<Grouping>| !groupings.is_empty())
            .unwrap_or_else(|| not_groupings());
        let rows = rows(&groupings);
        let levels = groupings.len() + 1;
        let refilled = existing(target, levels, required(replace, "replace"));
        let refill = refilled.is_some();
        let target = refilled.unwrap_or_else(|| Target::new(target));
        write(&target, &rows, levels, holds_nulls(&values), refill);
        refuse_unlisted(&values, &target, &attribute.0);
        checked(&target)
    })
}

/// For each value its group at each level.
fn rows(groupings: &[Grouping]) -> Vec<Vec<&str>> {
    let groups: Vec<_> = (1..).zip(groupings).map(group_of).collect();
    let values = groupings[0].values().flatten();
    values.map(|value| row(value, &groups)).collect()
}

fn row<'a>(value: &'a str, levels: &[BTreeMap<&'a str, &'a str>]) -> Vec<&'a str> {
    let mut row = vec![value];
    let mut label = value;
    for (level, group_of) in (1..).zip(levels) {
        label = match group_of.get(label) {
            Some(group) => group,
            None => not_grouped(level),
        };
        row.push(label);
    }
    row
}

/// The group of each member of a level.
fn group_of((level, grouping): (usize, &Grouping)) -> BTreeMap<&str, &str> {
    let mut group_of = BTreeMap::new();
    for (group, members) in grouping {
        for member in members {
            if group_of.insert(member.as_str(), group.as_str()).is_some() {
                Failure::invalid(format!("level {level} lists a member more than once"))
                    .hint("Each member belongs to one group.")
                    .raise();
            }
        }
    }
    group_of
}

/// Whether the column lacks values: NULL cannot be listed, and stays NULL below the top level.
fn holds_nulls(values: &ValuesOf) -> bool {
    let query = values.query();
    let sql = format!("SELECT EXISTS (SELECT FROM ({query}) q WHERE q.text IS NULL)");
    statements::value::<bool>(&sql) == Some(true)
}

/// The hierarchy's table, with a level on top that holds everything together. The values go
/// there as rows, not as literals of a statement, which statistics views would show.
fn write(target: &Target, rows: &[Vec<&str>], levels: usize, nulls: bool, refill: bool) {
    let columns: Vec<Attribute> = (0..=levels).map(level_column).collect();
    let store = TupleStore::new(&columns);
    let listed = rows
        .iter()
        .map(|row| row.iter().copied().map(Some).collect());
    let nulls = nulls.then(|| vec![None; levels]);
    for row in listed.chain(nulls) {
        let row: Vec<Option<&str>> = row;
        let labels = row.into_iter().chain([Some(EVERYTHING)]);
        let labels: Vec<Cell> = labels
            .map(|label| Cell::text(label.map(str::as_bytes)))
            .collect();
        store.push(&labels);
    }
    match refill {
        true => stored_rows::insert(&target.sql_name(), &store),
        false => create_table(target, &columns, &store),
    }
}

fn level_column(level: usize) -> Attribute {
    Attribute::text(&format!("level{level}"))
}

fn refuse_unlisted(values: &ValuesOf, target: &Target, column: &str) {
    let sql = format!(
        "SELECT pg_catalog.count(*) FROM ({}) q WHERE q.text IS NOT NULL AND NOT EXISTS (\
         SELECT FROM {} h WHERE h.level0 OPERATOR(pg_catalog.=) q.text)",
        values.query(),
        target.sql_name()
    );
    let missing = statements::seeing_own_writes(|| statements::value::<i64>(&sql)).unwrap_or(0);
    if missing > 0 {
        Failure::invalid(format!(
            "column \"{column}\" holds {} in no group",
            number_of(missing as u64, "distinct value")
        ))
        .hint("The first grouping must list every value.")
        .raise();
    }
}

fn not_grouped(level: usize) -> ! {
    Failure::invalid(format!(
        "level {level} lacks a group of level {}",
        level - 1
    ))
    .hint("Each grouping must list all groups of the one before it.")
    .raise()
}

fn not_groupings() -> ! {
    Failure::invalid("groupings must be a JSON array of objects of arrays of strings")
        .hint(r#"For example [{"Europe": ["DE", "FR"], "Asia": ["JP"]}, {"Old World": ["Europe", "Asia"]}]."#)
        .raise()
}
