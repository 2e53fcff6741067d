//! What may be published of a table whose columns have labels, and which columns look like
//! identifiers without one. Every publishing function passes here before it reads.

use crate::pg::composite::Attribute;
use crate::pg::errors::{Failure, number_of};
use crate::pg::type_capabilities;
use crate::read::distinct_values::{self, CountedValues};
use crate::read::label_text::ColumnRole;
use crate::read::labels::Labels;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::{self, Source};
use crate::release::policy_rules;
use pgrx::prelude::*;

/// Arguments that name columns to publish.
pub const PUBLISHED: [&str; 7] = [
    "keys",
    "hierarchies",
    "methods",
    "strata",
    "keep",
    "columns",
    "sensitive",
];

/// Refuses a call that would publish what it must not, or promise less than it must.
pub fn before(source: &Source, arguments: &NamedArguments<'_>) {
    let labels = arguments.labels();
    refuse_two_roles(arguments);
    for argument in PUBLISHED {
        for column in arguments.columns(argument) {
            refuse_identifier(labels, &column, Some(argument));
        }
    }
    policy_rules::refuse_weaker(arguments);
    let allowed = arguments.has("allow_identifiers")
        && arguments.given::<bool>("allow_identifiers") == Some(true);
    if !allowed {
        refuse_unique(source, arguments);
    }
    warn_of_texts(source, arguments);
}

/// A column has one role. Keys may have hierarchies beside them.
fn refuse_two_roles(arguments: &NamedArguments<'_>) {
    let named = PUBLISHED.map(|argument| (argument, arguments.columns(argument)));
    for (place, (first, names)) in named.iter().enumerate() {
        let others = named[place + 1..].iter();
        for (second, others) in others.filter(|(second, _)| *second != "hierarchies") {
            relation::refuse_overlap((first, names), (second, others));
        }
    }
}

/// A label is stronger than any argument: the owner has decided.
pub fn refuse_identifier(labels: &Labels, column: &str, argument: Option<&str>) {
    let labelled = labels.column(column);
    let Some((label, origin)) = labelled.and_then(|column| column.identifying()) else {
        return;
    };
    let role = label.role.name();
    let failure = Failure::invalid(format!(
        "column \"{column}\" is labelled {role} and cannot be published"
    ))
    .hint(format!(
        "Leave it out. If it does not tell who a row is about, the owner of {} can change its label.",
        origin.sql_relation
    ));
    let place = format!(
        "The label is on column \"{}\" of {}",
        origin.name, origin.sql_relation
    );
    match argument {
        Some(argument) => failure.detail(format!("{place}; the call names it in {argument}.")),
        None => failure.detail(format!("{place}.")),
    }
    .raise()
}

/// Columns that are published as they are must not tell rows apart. Keys may, because every
/// method has its own answer to that, unless a constraint says that they always do.
fn refuse_unique(source: &Source, arguments: &NamedArguments<'_>) {
    let unique = distinct_values::unique_columns(source);
    for argument in ["keep", "strata", "keys", "hierarchies"] {
        let is_key = ["keys", "hierarchies"].contains(&argument);
        for name in arguments.columns(argument) {
            let Some(column) = source.attribute(&name) else {
                continue; // the method itself says so
            };
            if unique.contains(&name) {
                declared_unique(&name, argument);
            }
            let comparable = type_capabilities::can_compare(column.typ);
            if is_key || is_labelled(arguments, &name) || !comparable {
                continue;
            }
            let counted = distinct_values::count(source, &name, false);
            if counted.is_nearly_unique() {
                nearly_unique(&name, argument, counted);
            }
        }
    }
}

/// The owner's word that a column may be shown as it is.
fn is_labelled(arguments: &NamedArguments<'_>, column: &str) -> bool {
    let labels = arguments.labels();
    let shown = matches!(
        labels.role(column),
        Some(ColumnRole::Keep | ColumnRole::Strata)
    );
    shown && !labels.is_mixed(column)
}

const ALLOW: &str = "Leave it out, or make it a key that is masked; allow_identifiers => true publishes it all the same.";

fn declared_unique(column: &str, argument: &str) -> ! {
    Failure::invalid(format!(
        "column \"{column}\" is unique by a constraint: each value stands for one row"
    ))
    .detail(format!("The call names it in {argument}."))
    .hint("Leave it out; allow_identifiers => true publishes it all the same.")
    .raise()
}

fn nearly_unique(column: &str, argument: &str, counted: CountedValues) -> ! {
    Failure::invalid(format!(
        "column \"{column}\" has {}: it tells who a row is about",
        spread(counted)
    ))
    .detail(format!(
        "The call names it in {argument}, which publishes it as it is."
    ))
    .hint(ALLOW)
    .raise()
}

fn spread(counted: CountedValues) -> String {
    format!(
        "{} in {}",
        number_of(counted.distinct as u64, "distinct value"),
        number_of(counted.not_null as u64, "row")
    )
}

/// Texts that hardly repeat may name persons, where they are published as they are: the
/// sensitive ones, and the keys of methods without a k.
fn warn_of_texts(source: &Source, arguments: &NamedArguments<'_>) {
    let is_text = |column: &&Attribute| type_capabilities::is_text(column.typ);
    let mut names = arguments.columns("sensitive");
    if !arguments.has("k") {
        names.extend(arguments.columns("keys"));
    }
    for name in names {
        let Some(column) = source.attribute(&name).filter(is_text) else {
            continue;
        };
        let counted = distinct_values::count(source, &column.name, true);
        if counted.is_nearly_unique() {
            Failure::new(
                PgSqlErrorCode::ERRCODE_WARNING,
                format!("column \"{name}\" has {}", spread(counted)),
            )
            .hint("Text that hardly repeats may name persons: look at it, and leave it out or replace it by categories.")
            .warn();
        }
    }
}
