//! Warnings of keys that look like something else: like identifiers, or like codes.

use crate::pg::errors::{Failure, number_of};
use pgrx::PgSqlErrorCode;

/// Among so few rows that values differ says nothing.
const FEW_ROWS: usize = 100;
/// Among so few rows codes are those that occur so often, one with another.
const TIMES_IN_FEW: usize = 10;
/// Whole numbers with so few distinct values may be codes.
const FEW_CODES: usize = 20;

/// Warns of a key that is no number and hardly ever twice the same: its groups' most frequent value
/// is one person's own. Names and numbers of persons look like that. Where persons are told apart,
/// there are so many of them.
pub fn warn_of_identifier(name: &str, distinct: usize, rows: usize, persons: Option<usize>) {
    if 2 * distinct <= persons.unwrap_or(rows).max(FEW_ROWS) {
        return;
    }
    let values = number_of(distinct as u64, "distinct value");
    let place = match persons {
        Some(persons) => format!("for {}", number_of(persons as u64, "person")),
        None => format!("in {}", number_of(rows as u64, "row")),
    };
    Failure::new(
        PgSqlErrorCode::ERRCODE_WARNING,
        format!("{name} has {values} {place}"),
    )
    .hint("A group shows its most frequent value, which here belongs to one person. Leave identifiers out, and generalize other columns first.")
    .warn();
}

/// What becomes of codes that are taken for numbers, and what a group would show instead.
#[derive(Clone, Copy)]
pub struct CodesDone {
    done: &'static str,
    instead: &'static str,
}

impl CodesDone {
    pub const AVERAGED: Self = CodesDone {
        done: "averaged",
        instead: "A group then shows the most frequent one.",
    };
    pub const RANGES: Self = CodesDone {
        done: "shown as ranges",
        instead: "A group then shows a set of them.",
    };
    pub const COMPARED: Self = CodesDone {
        done: "compared by their distances",
        instead: "They are then compared by equality.",
    };
}

/// Warns of whole numbers with few distinct values: means of codes are codes that nobody has. How
/// many there are is asked only where it matters; `None` stands for many.
pub fn warn_of_codes(
    name: &str,
    distinct: impl FnOnce() -> Option<usize>,
    rows: usize,
    codes: CodesDone,
) {
    let few = |distinct: &usize| {
        let repeats = rows >= FEW_ROWS || distinct * TIMES_IN_FEW <= rows;
        repeats && (2..=FEW_CODES).contains(distinct)
    };
    let Some(distinct) = distinct().filter(few) else {
        return;
    };
    let distinct = number_of(distinct as u64, "distinct value");
    let place = name.trim_start_matches("column ").trim_matches('"');
    Failure::new(
        PgSqlErrorCode::ERRCODE_WARNING,
        format!(
            "{name} holds whole numbers with {distinct}, which are {}",
            codes.done
        ),
    )
    .hint(format!(
        "If they are codes, add categorical => '{{{place}}}'. {}",
        codes.instead
    ))
    .warn();
}

/// How many distinct numbers there are, if they are few.
pub fn few_distinct(values: &[f64]) -> Option<usize> {
    let mut found: Vec<f64> = Vec::new();
    for value in values.iter().filter(|value| !value.is_nan()) {
        if !found.contains(value) {
            if found.len() == FEW_CODES {
                return None;
            }
            found.push(*value);
        }
    }
    (found.len() > 1).then_some(found.len())
}
