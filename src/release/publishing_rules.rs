//! What may be published of a table whose columns have labels, and which columns look like
//! identifiers without one. Every publishing function passes here before it reads.

use crate::pg::composite::Attribute;
use crate::pg::errors::{Failure, number_of};
use crate::pg::type_capabilities;
use crate::read::distinct_values::{self, CountedValues};
use crate::read::label_text::ColumnRole;
use crate::read::labels::Labels;
use crate::read::named_arguments::NamedArguments;
use crate::read::numbers::Number;
use crate::read::relation::{self, Source};
use crate::release::policy_rules;
use crate::roles;
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
    warn_of_names(source, arguments, allowed);
    if !allowed && arguments.columns("entity").is_empty() {
        warn_of_persons(source, arguments);
    }
}

/// The fewest values that a column of persons has: fewer are kinds of them.
const FEW_PERSONS: i64 = 20;

/// Columns whose names say that they tell persons apart, where nobody has said which does. Their
/// values repeat where persons have several rows, so that no count of rows finds them.
fn warn_of_persons(source: &Source, arguments: &NamedArguments<'_>) {
    let masked = arguments.has("k");
    for argument in ["keep", "strata", "sensitive", "keys"] {
        for name in arguments.columns(argument) {
            let Some(column) = source.attribute(&name) else {
                continue; // the method itself says so
            };
            let is_fit = roles::names_person(&name)
                && !is_labelled(arguments, &name)
                && type_capabilities::can_compare(column.typ)
                && !(masked && argument == "keys" && !type_capabilities::is_text(column.typ));
            if !is_fit {
                continue;
            }
            let occurrence = Occurrence::of(source, arguments, &name, false);
            if occurrence.counted.distinct > FEW_PERSONS && !occurrence.is_nearly_unique() {
                Failure::new(
                    PgSqlErrorCode::ERRCODE_WARNING,
                    format!(
                        "column \"{name}\" seems to tell persons apart, and is named in {argument}"
                    ),
                )
                .detail(format!("It has {}.", occurrence.spread()))
                .hint(format!(
                    "If it does, leave it out and add entity => '{name}' so that k counts persons."
                ))
                .warn();
            }
        }
    }
}

/// How often the values of a column occur: in rows, or among persons where they are told apart.
struct Occurrence {
    counted: CountedValues,
    of_persons: bool,
}

impl Occurrence {
    fn of(source: &Source, arguments: &NamedArguments<'_>, column: &str, texts: bool) -> Self {
        let entity = arguments.columns("entity").pop();
        let is_fit = |name: &String| {
            let attribute = source.attribute(name);
            name != column && attribute.is_some_and(|it| type_capabilities::can_compare(it.typ))
        };
        match entity.filter(is_fit) {
            Some(entity) => Occurrence {
                counted: distinct_values::count_by_persons(source, column, texts, &entity),
                of_persons: true,
            },
            None => Occurrence {
                counted: distinct_values::count(source, column, texts),
                of_persons: false,
            },
        }
    }

    fn is_nearly_unique(&self) -> bool {
        self.counted.is_nearly_unique()
    }

    /// "270 distinct values in 270 rows"
    fn spread(&self) -> String {
        let values = number_of(self.counted.distinct as u64, "distinct value");
        match self.of_persons {
            true => format!("{values}, hardly any of which two persons share"),
            false => format!(
                "{values} in {}",
                number_of(self.counted.not_null as u64, "row")
            ),
        }
    }
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
            let occurrence = Occurrence::of(source, arguments, &name, false);
            if occurrence.is_nearly_unique() {
                nearly_unique(&name, argument, &occurrence);
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

const ALLOW: &str =
    "Leave it out, or make it a key that is masked; allow_identifiers => true publishes it anyway.";

fn declared_unique(column: &str, argument: &str) -> ! {
    Failure::invalid(format!(
        "column \"{column}\" has a unique constraint, so each value identifies one row"
    ))
    .detail(format!("The call names it in {argument}."))
    .hint("Leave it out; allow_identifiers => true publishes it anyway.")
    .raise()
}

fn nearly_unique(column: &str, argument: &str, occurrence: &Occurrence) -> ! {
    Failure::invalid(format!(
        "column \"{column}\" has {}, so it may identify persons",
        occurrence.spread()
    ))
    .detail(format!(
        "The call names it in {argument}, which publishes it as it is."
    ))
    .hint(ALLOW)
    .raise()
}

const TEXTS: &str = "Text that hardly repeats may name persons: look at it, and leave it out or replace it by categories.";
/// Among fewer rows or persons, ages and years differ by chance.
const FEW_NUMBERS: i64 = 50;
const NUMBERS: &str = "Nearly unique numbers may identify persons, and this method publishes keys unchanged. Leave the column out, or use allow_identifiers => true.";

/// Texts that hardly repeat may name persons, where they are published as they are: the
/// sensitive ones, and the keys of methods without a k. Whole numbers among those keys may, too.
fn warn_of_names(source: &Source, arguments: &NamedArguments<'_>, allowed: bool) {
    let sensitive = arguments.columns("sensitive");
    let keys = match arguments.has("k") {
        true => Vec::new(),
        false => arguments.columns("keys"),
    };
    let is_number = |column: &Attribute| Number::of(column.typ).is_some_and(Number::is_whole);
    for (name, is_key) in [(sensitive, false), (keys, true)]
        .into_iter()
        .flat_map(|(names, is_key)| names.into_iter().map(move |name| (name, is_key)))
    {
        let Some(column) = source.attribute(&name) else {
            continue; // the method itself says so
        };
        let is_text = type_capabilities::is_text(column.typ);
        let (hint, few) = match is_text {
            true => (TEXTS, 0),
            false if is_key && !allowed && is_number(column) => (NUMBERS, FEW_NUMBERS),
            false => continue,
        };
        let occurrence = Occurrence::of(source, arguments, &name, is_text);
        if occurrence.is_nearly_unique() && occurrence.counted.not_null >= few {
            Failure::new(
                PgSqlErrorCode::ERRCODE_WARNING,
                format!("column \"{name}\" has {}", occurrence.spread()),
            )
            .hint(hint)
            .warn();
        }
    }
}
