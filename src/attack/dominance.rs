//! `sdc.dominance`: groups whose mean would show their largest member, counted before
//! publishing.

use crate::attack::attack_figures::{Finding, share};
use crate::attack::coded_rows::{self, CodedColumn};
use crate::pg::errors::{self, Failure, Names, known};
use crate::pg::progress::Watch;
use crate::pg::quoting::type_label;
use crate::read::arguments::count;
use crate::read::relation::{Source, refuse_empty};
use pgrx::prelude::*;
use sdc_engine::assign::Method;
use sdc_engine::attack::dominated_groups;
use sdc_engine::{Column, Space, Table};

pub fn findings(source: &Source, keys: &[String], k: i32, limit: f64) -> Vec<Finding> {
    refuse_empty("keys", keys);
    if !(0.0..=1.0).contains(&limit) {
        Failure::invalid("share must be between 0 and 1")
            .hint("With share => 0.9 one member of a group has more than 90 % of its sum.")
            .raise();
    }
    let mut watch = Watch::new(Some(source.oid));
    source.columns("keys", keys);
    let mut columns: Vec<CodedColumn> = keys
        .iter()
        .map(|key| CodedColumn::new(source, key))
        .collect();
    if !columns.iter().any(CodedColumn::is_numeric) {
        no_number(&columns);
    }
    let mut read: Vec<&mut CodedColumn> = columns.iter_mut().collect();
    let codes = coded_rows::read(source, &mut read, &mut watch);
    if codes[0].is_empty() {
        Failure::invalid(format!("{} has no rows", source.sql_name))
            .hint("Name a table with at least k rows that you may see.")
            .raise();
    }
    let typed = columns.iter().zip(&codes).map(|(column, codes)| {
        let label = format!("column \"{}\"", column.name);
        let column = column.column(codes);
        if column.has_gaps() {
            errors::null_key(&label).raise();
        }
        column
    });
    let table = known(Table::new(typed.collect()));
    let space = known(Space::new(&table, true));
    let mut rng = known(Method::Mdav.generator(None));
    let grouped = Method::Mdav.group(&space, &[], count(k, "k"), 1, &mut rng, &mut watch);
    let partition = errors::engine(
        grouped,
        Names {
            keys,
            sensitive: &[],
        },
    );
    let numeric = keys.iter().zip(table.columns());
    let found = numeric.filter_map(|(key, column)| match column {
        Column::Numeric(values) => {
            let groups = known(dominated_groups(values, &partition, limit));
            Some(finding(key, groups, partition.groups() as u64, limit))
        }
        Column::Categorical(_) => None,
    });
    found.collect()
}

/// The error where no key has a mean. Beside numbers other keys are fine: they shape the groups.
fn no_number(columns: &[CodedColumn]) -> ! {
    let message = match columns {
        [one] => format!("column \"{}\" is of type {}", one.name, type_label(one.typ)),
        _ => "none of the keys is a number".into(),
    };
    Failure::new(PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH, message)
        .hint("Dominance needs numeric keys.")
        .raise()
}

fn finding(key: &str, dominated: u64, groups: u64, limit: f64) -> Finding {
    let advice = match dominated {
        0 => "No mean shows its largest member.",
        _ => "Top code the column before publishing, or use a larger k.",
    };
    Finding {
        attack: "dominance",
        attacker: "multiplies a group's mean by its size to estimate its largest member",
        persons: dominated,
        promised: Some(0.0),
        baseline: None,
        measured: share(dominated, groups),
        recall: None,
        margin: 0.0,
        note: format!(
            "Column \"{key}\": in {dominated} of {groups} groups one member has more than {} % of the sum. {advice}",
            (100.0 * limit).round()
        ),
    }
}
