//! `sdc.suggest`: a role for each column, and the reason for it. A suggestion for people to
//! judge: where data and names say nothing, a column counts as something that others may know.

use crate::pg::cell::Cell;
use crate::pg::function_call::{Call, v1};
use crate::pg::row_results;
use crate::pg::sql_types::Name;
use crate::read::distinct_values::CountedValues;
use crate::read::label_text::ColumnRole;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::Source;
use crate::roles::column_figures::{ColumnFigures, ValueKind};
use crate::roles::column_words::{
    is_about_persons, is_number_of_something, is_one_person, is_quantity, spoken,
};
use pgrx::pg_sys::Datum;

/// As many distinct whole numbers look like codes.
const MOST_CODES: i64 = 20;
/// A text of so many letters is more than a name of something.
const FREE_TEXT: f64 = 40.0;
/// A share of nulls that is worth a word.
const MANY_NULLS: f64 = 0.5;

fn suggest(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let source = Source::new(arguments.required_source());
    let columns = ColumnFigures::of(&source);
    row_results::answer_table(call, |result| {
        for column in &columns {
            result.push(&cells(column, &Suggestion::of(column)));
        }
    })
}

v1! {
    sdc_suggest, pg_finfo_sdc_suggest => suggest;
}

/// The columns are column, role, distinct_values, distinct_share, null_share and reason.
fn cells(column: &ColumnFigures, suggestion: &Suggestion) -> [Cell<'static>; 6] {
    [
        Cell::of(Some(Name(column.name.clone()))),
        Cell::text(Some(suggestion.role.name().as_bytes())),
        Cell::of(column.counted.map(|counted| counted.distinct)),
        Cell::of(column.distinct_share().map(rounded)),
        Cell::of(column.null_share().map(rounded)),
        Cell::text(Some(suggestion.reason.as_bytes())),
    ]
}

fn rounded(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}

/// A role and why.
struct Suggestion {
    role: ColumnRole,
    reason: String,
}

impl Suggestion {
    fn new(role: ColumnRole, reason: impl Into<String>) -> Self {
        Suggestion {
            role,
            reason: reason.into(),
        }
    }

    fn of(column: &ColumnFigures) -> Self {
        let Some(counted) = column.counted else {
            return Suggestion::new(
                ColumnRole::Identifier,
                format!(
                    "Values of type {} cannot be compared and may hold anything about a person.",
                    column.type_name
                ),
            );
        };
        let found = by_emptiness(counted)
            .or_else(|| by_constraints(column, counted))
            .or_else(|| by_name(column, counted))
            .or_else(|| by_values(column, counted));
        let mut suggestion = found.unwrap_or_else(|| {
            Suggestion::new(
                ColumnRole::Key,
                format!(
                    "{}. Nothing suggests another role, so others may know it.",
                    spread(counted)
                ),
            )
        });
        if let Some(share) = column.null_share().filter(|&share| share >= MANY_NULLS) {
            let nulls = format!(" {:.0} % are null.", 100.0 * share);
            suggestion.reason.push_str(&nulls);
        }
        suggestion
    }
}

fn by_emptiness(counted: CountedValues) -> Option<Suggestion> {
    let reason = match counted.distinct {
        0 => "It holds no values.",
        1 => "All its values are the same, so it tells nothing about anyone.",
        _ => return None,
    };
    Some(Suggestion::new(ColumnRole::Keep, reason))
}

/// Unique constraints and foreign keys.
fn by_constraints(column: &ColumnFigures, counted: CountedValues) -> Option<Suggestion> {
    if column.unique {
        let reason = "A constraint makes it unique, so each value stands for one row.";
        return Some(Suggestion::new(ColumnRole::Identifier, reason));
    }
    let table = column.refers_to.as_ref()?;
    if is_about_persons(table) || is_about_persons(&column.name) {
        let reason = format!(
            "It refers to {table}, with {}: rows of one person have it in common.",
            values_in_rows(counted)
        );
        return Some(Suggestion::new(ColumnRole::Entity, reason));
    }
    let role = match column.kind {
        ValueKind::Integer => ColumnRole::KeyCategorical,
        _ => ColumnRole::Key,
    };
    let reason = format!("It refers to {table}: a code, not a quantity.");
    Some(Suggestion::new(role, reason))
}

/// What the name says, unless the values say that it tells rows apart.
fn by_name(column: &ColumnFigures, counted: CountedValues) -> Option<Suggestion> {
    if let Some(person) = name_of_person(column, counted) {
        let says = format!(
            "Its name is that of {person}, with {}",
            values_in_rows(counted)
        );
        return Some(match counted.is_nearly_unique() {
            true => Suggestion::new(ColumnRole::Identifier, format!("{says}.")),
            false => Suggestion::new(
                ColumnRole::Entity,
                format!("{says}: several rows per person."),
            ),
        });
    }
    let (role, word, about) = spoken(&column.name)?;
    if role == ColumnRole::Weight
        && !matches!(column.kind, ValueKind::Integer | ValueKind::Continuous)
    {
        return None;
    }
    let says = format!("Its name has the word \"{word}\", which suggests {about}");
    let codes = column.kind == ValueKind::Integer && counted.distinct <= MOST_CODES;
    if role == ColumnRole::Key && codes && !is_quantity(&column.name) {
        let reason = format!(
            "{says}; {} whole numbers look like codes.",
            counted.distinct
        );
        return Some(Suggestion::new(ColumnRole::KeyCategorical, reason));
    }
    if counted.average_length >= FREE_TEXT && counted.is_nearly_unique() {
        let reason = format!("{says}, but it is free text, which may name persons.");
        return Some(Suggestion::new(ColumnRole::Identifier, reason));
    }
    Some(Suggestion::new(role, format!("{says}.")))
}

/// What a name says that a person is told by: `patient_id`, or `patient` with so many values that
/// they are neither kinds of patients nor how many there are.
fn name_of_person(column: &ColumnFigures, counted: CountedValues) -> Option<&'static str> {
    if is_about_persons(&column.name) && is_number_of_something(&column.name) {
        return Some("a person's number");
    }
    let whole = matches!(column.kind, ValueKind::Integer | ValueKind::Text);
    (whole && counted.distinct > MOST_CODES && is_one_person(&column.name)).then_some("a person")
}

fn by_values(column: &ColumnFigures, counted: CountedValues) -> Option<Suggestion> {
    if counted.is_nearly_unique() && column.kind != ValueKind::Continuous {
        let reason = match counted.average_length >= FREE_TEXT {
            true => "It is free text that hardly repeats and may name persons.".to_string(),
            false => format!(
                "It has {}, nearly one for each row.",
                values_in_rows(counted)
            ),
        };
        return Some(Suggestion::new(ColumnRole::Identifier, reason));
    }
    if column.kind != ValueKind::Integer {
        return None;
    }
    if is_number_of_something(&column.name) {
        let reason = "Its name is that of a number given to something, which is not a quantity.";
        return Some(Suggestion::new(ColumnRole::KeyCategorical, reason));
    }
    (counted.distinct <= MOST_CODES && !is_quantity(&column.name)).then(|| {
        Suggestion::new(
            ColumnRole::KeyCategorical,
            format!("{} whole numbers look like codes.", counted.distinct),
        )
    })
}

fn values_in_rows(counted: CountedValues) -> String {
    format!(
        "{} distinct values in {} rows",
        counted.distinct, counted.not_null
    )
}

fn spread(counted: CountedValues) -> String {
    format!("{} distinct values", counted.distinct)
}
