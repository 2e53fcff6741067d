//! What an argument stands for that is NULL or left out: the columns that carry its label, or the
//! figure that the table's policy demands. The one place where calls meet labels.

use crate::pg::errors::Failure;
use crate::pg::quoting::literal;
use crate::pg::sql_types::Name;
use crate::pg::statements;
use crate::read::label_text::ColumnRole;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::{Source, relation_of};
use pgrx::pg_sys::{self, Datum};
use pgrx::{IntoDatum, JsonB, PgSqlErrorCode};
use serde_json::{Map, Value};

/// Arguments that name columns by their role.
const ROLE_ARGUMENTS: [&str; 7] = [
    "keys",
    "sensitive",
    "keep",
    "strata",
    "entity",
    "weight",
    "hierarchies",
];

/// The value that labels give to an argument of the call, of the argument's declared type.
pub fn labelled(arguments: &NamedArguments<'_>, name: &str) -> Option<Datum> {
    let policy = || arguments.labels().policy();
    match name {
        "keys" | "sensitive" | "keep" | "strata" | "weight" | "categorical" => {
            columns(arguments, name, labelled_columns(arguments, name))
        }
        "entity" => columns(arguments, name, entity(arguments)),
        // beside keys, hierarchies say how some of them are shown
        "hierarchies" if !arguments.has("keys") => hierarchies(arguments),
        "k" => integer(arguments, name, policy().k),
        "p" if demands_values(arguments) => integer(arguments, name, policy().p),
        "l" if demands_values(arguments) => number(arguments, name, policy().l),
        "t" if demands_values(arguments) => number(arguments, name, policy().t),
        _ => None,
    }
}

/// What a function takes that needs a value, where neither call nor labels give one.
pub fn usual(arguments: &NamedArguments<'_>, name: &str) -> Option<Datum> {
    match name {
        "sensitive" | "keep" | "strata" | "categorical"
            if arguments.declared_type(name) == pg_sys::NAMEARRAYOID =>
        {
            Vec::<Name>::new().into_datum()
        }
        "p" => integer(arguments, name, Some(1)),
        _ => None,
    }
}

/// An argument that neither call nor labels give.
pub fn missing(name: &str) -> ! {
    let null = PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED;
    let role = ROLE_ARGUMENTS.contains(&name);
    if !role && !["k", "l"].contains(&name) {
        Failure::null(name).raise();
    }
    let failure = Failure::new(null, format!("{name} must be given"));
    match name {
        "k" => failure.hint("For example k => 5. A policy of the table would give it, too: SELECT sdc.declare('my_table', policy => 'k=5')."),
        "l" => failure.hint("For example l => 3. A policy of the table would give it, too: SELECT sdc.declare('my_table', policy => 'l=3')."),
        "hierarchies" => failure.hint(r#"For example hierarchies => '{"age": "age_hierarchy"}'. No column of the table is labelled as a key with a hierarchy."#),
        "keys" => failure.hint("For example keys => '{age,zip}'. No column is labelled 'key' yet: SELECT sdc.declare('my_table', keys => '{age,zip}') does that once for all calls."),
        name => failure.hint(format!("Name the column, {name} => 'my_column'. No column is labelled '{name}' yet: see sdc.declare().")),
    }
    .raise()
}

/// One column written as an array, `'{illness}'`, where an argument takes one bare name.
pub fn one_of_array(arguments: &NamedArguments<'_>, name: &str) -> Option<Datum> {
    if !["sensitive", "entity", "weight"].contains(&name)
        || arguments.declared_type(name) != pg_sys::NAMEOID
    {
        return None;
    }
    let Name(text) = arguments.given(name)?;
    if !text.starts_with('{') || !text.ends_with('}') || is_column(arguments, &text) {
        return None;
    }
    let names =
        statements::value::<Vec<String>>(&format!("SELECT {}::pg_catalog.text[]", literal(&text)));
    let mut names = names.unwrap_or_default();
    match (names.pop(), names.is_empty()) {
        (Some(name), true) => Name(name).into_datum(),
        _ => Failure::invalid(format!("{name} must name one column"))
            .hint(format!("For example {name} => '{}'.", example(name)))
            .raise(),
    }
}

/// What a column of an argument could be called.
fn example(name: &str) -> &str {
    match name {
        "entity" => "patient_id",
        "weight" => "weight",
        _ => "illness",
    }
}

fn is_column(arguments: &NamedArguments<'_>, name: &str) -> bool {
    let Some(source) = arguments.source() else {
        return false;
    };
    let found = statements::value::<bool>(&format!(
        "SELECT EXISTS (SELECT FROM pg_catalog.pg_attribute a \
         WHERE a.attrelid OPERATOR(pg_catalog.=) {}::pg_catalog.oid \
           AND a.attname OPERATOR(pg_catalog.=) {}::pg_catalog.name AND NOT a.attisdropped)",
        u32::from(source),
        literal(name)
    ));
    found == Some(true)
}

/// The columns whose label fits an argument, without those that the call gives another role.
fn labelled_columns(arguments: &NamedArguments<'_>, name: &str) -> Vec<String> {
    let labels = arguments.labels();
    let mut columns = match name {
        "keys" => labels.with_role(ColumnRole::is_key),
        "sensitive" => labels.with_role(|role| role == ColumnRole::Sensitive),
        "keep" => labels.with_role(|role| role == ColumnRole::Keep),
        "strata" => labels.with_role(|role| role == ColumnRole::Strata),
        "weight" => labels.with_role(|role| role == ColumnRole::Weight),
        _ => labels.with_role(|role| role == ColumnRole::KeyCategorical),
    };
    if name == "categorical" {
        let keys = arguments.columns("keys");
        columns.retain(|column| keys.contains(column));
        return columns;
    }
    for other in ROLE_ARGUMENTS {
        let taken = arguments.given_columns(other);
        columns.retain(|column| !taken.contains(column));
    }
    columns
}

/// The column that tells persons apart: the policy's, or else the one that is labelled so.
fn entity(arguments: &NamedArguments<'_>) -> Vec<String> {
    let labels = arguments.labels();
    let of_policy = labels.policy_entities().into_iter();
    let mut columns: Vec<String> = of_policy.filter_map(|(_, column)| column).collect();
    columns.dedup();
    match columns.is_empty() {
        true => labels.with_role(|role| role == ColumnRole::Entity),
        false => columns,
    }
}

fn hierarchies(arguments: &NamedArguments<'_>) -> Option<Datum> {
    let labels = arguments.labels();
    let hierarchy = |name: String| {
        let table = labels.column(&name).and_then(|column| column.hierarchy());
        table
            .into_iter()
            .for_each(|table| refuse_foreign_code(arguments, &name, table));
        let table = table.map_or(Value::Null, Value::from);
        (name, table)
    };
    let keys = labelled_columns(arguments, "keys").into_iter();
    let tables: Map<String, Value> = keys.map(hierarchy).collect();
    let some = tables.values().any(|table| !table.is_null());
    some.then(|| JsonB(Value::Object(tables)).into_datum())
        .flatten()
}

/// The caller has not named the table of a label: reading it must not run code of somebody whom
/// the caller does not trust.
fn refuse_foreign_code(arguments: &NamedArguments<'_>, column: &str, table: &str) {
    let Some(found) = relation_of(table).and_then(Source::find) else {
        return;
    };
    if found.is_trusted() {
        return arguments.keep_unnamed(found);
    }
    Failure::new(
        PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
        format!("reading hierarchy {table} in the label of column \"{column}\" could run code of another role"),
    )
    .detail("Its owner is neither you nor a superuser.")
    .hint("If you trust it, name it yourself in hierarchies.")
    .raise()
}

/// A policy demands values only of what is published.
fn demands_values(arguments: &NamedArguments<'_>) -> bool {
    arguments.has("sensitive") && !arguments.columns("sensitive").is_empty()
}

/// Columns as the value of an argument that is declared as `name[]` or as `name`.
fn columns(arguments: &NamedArguments<'_>, name: &str, mut columns: Vec<String>) -> Option<Datum> {
    match arguments.declared_type(name) {
        _ if columns.is_empty() => None,
        pg_sys::NAMEARRAYOID => {
            let columns: Vec<Name> = columns.into_iter().map(Name).collect();
            columns.into_datum()
        }
        pg_sys::NAMEOID if columns.len() == 1 => Name(columns.swap_remove(0)).into_datum(),
        pg_sys::NAMEOID => several(name, &columns),
        _ => None,
    }
}

fn several(name: &str, columns: &[String]) -> ! {
    Failure::invalid(format!(
        "{name} must be given: {} columns are labelled so",
        columns.len()
    ))
    .hint(format!(
        "This function takes one of: {}.",
        columns.join(", ")
    ))
    .raise()
}

fn integer(arguments: &NamedArguments<'_>, name: &str, value: Option<i32>) -> Option<Datum> {
    match arguments.declared_type(name) {
        pg_sys::INT4OID => value.into_datum(),
        pg_sys::FLOAT8OID => value.map(f64::from).into_datum(),
        _ => None,
    }
}

/// A whole number where the argument takes no other: the next larger one is the stricter one.
fn number(arguments: &NamedArguments<'_>, name: &str, value: Option<f64>) -> Option<Datum> {
    match arguments.declared_type(name) {
        pg_sys::INT4OID => value.map(|value| value.ceil() as i32).into_datum(),
        pg_sys::FLOAT8OID => value.into_datum(),
        _ => None,
    }
}
