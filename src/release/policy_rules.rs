//! A release of a table with a policy promises at least the policy. Arguments that are weaker are
//! refused before anything is read; what arguments cannot say is checked in the release itself.

use crate::check::{Check, Line, Requirements};
use crate::pg::errors::Failure;
use crate::pg::sql_types::Name;
use crate::pg::statements;
use crate::read::label_text::{Policy, entity_item};
use crate::read::labels::Labels;
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::Source;
use crate::release::category_columns::category_name;
use crate::release::publishing_rules::{PUBLISHED, refuse_identifier};
use crate::release::{Entry, GROUP, ReleaseMethod};
use pgrx::pg_sys;
use pgrx::prelude::*;
use serde_json::Value;

/// Refuses arguments that promise less than the policy.
pub fn refuse_weaker(arguments: &NamedArguments<'_>) {
    let labels = arguments.labels();
    let policy = labels.policy();
    let number = |name: &str| number(arguments, name);
    let least = [
        ("k", policy.k.map(f64::from)),
        (
            "p",
            policy
                .p
                .map(f64::from)
                .filter(|_| !arguments.columns("sensitive").is_empty()),
        ),
        ("l", policy.l),
    ];
    for (name, demanded) in least {
        if let (Some(demanded), Some(given)) = (demanded, number(name))
            && given < demanded
        {
            weaker(labels, name, given, demanded, "or more");
        }
    }
    if let (Some(demanded), Some(given)) = (policy.t, number("t"))
        && given > demanded
    {
        weaker(labels, "t", given, demanded, "or less");
    }
    refuse_other_persons(arguments);
    if policy.is_about_values() {
        refuse_other_roles(arguments);
    }
}

/// The number that an argument has, given or by the policy; `None` where there is none.
fn number(arguments: &NamedArguments<'_>, name: &str) -> Option<f64> {
    match arguments.declared_type(name) {
        pg_sys::INT4OID => arguments.optional::<i32>(name).map(f64::from),
        pg_sys::FLOAT8OID => arguments.optional(name),
        _ => None,
    }
}

fn weaker(labels: &Labels, name: &str, given: f64, demanded: f64, direction: &str) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
        format!(
            "{name} = {given} is weaker than the policy of {}, which demands {name} = {demanded}",
            tables(labels)
        ),
    )
    .hint(format!(
        "Use {name} => {demanded} {direction}. Only the owner can change the policy."
    ))
    .raise()
}

/// The tables that have policies.
fn tables(labels: &Labels) -> String {
    let tables: Vec<&str> = labels
        .policies
        .iter()
        .map(|table| table.sql_relation.as_str())
        .collect();
    tables.join(" and ")
}

/// Persons are counted by the policy's column.
fn refuse_other_persons(arguments: &NamedArguments<'_>) {
    for (table, column) in arguments.labels().policy_entities() {
        let demanded = table.policy.entity.as_deref().unwrap_or_default();
        let failure = |message: String| {
            Failure::new(PgSqlErrorCode::ERRCODE_CHECK_VIOLATION, message).detail(format!(
                "The policy of {} has {}.",
                table.sql_relation,
                entity_item(demanded)
            ))
        };
        let Some(column) = column else {
            failure(format!(
                "the source does not show column \"{demanded}\", which tells persons apart"
            ))
            .hint("Add the column to the view; it is not published. If it was renamed, the owner must set the policy again.")
            .raise()
        };
        if !arguments.has("entity") {
            failure("this function cannot count persons, as the policy demands".into())
                .hint("Publish with a function that takes entity.")
                .raise();
        }
        if arguments
            .optional::<Name>("entity")
            .is_none_or(|given| given.0 != column)
        {
            failure(format!("entity must be \"{column}\""))
                .hint(format!("Use entity => '{column}', or leave it out."))
                .raise();
        }
    }
}

/// Values are counted of columns that are named as sensitive, so those that are labelled so must
/// be named so.
fn refuse_other_roles(arguments: &NamedArguments<'_>) {
    let labels = arguments.labels();
    let sensitive = arguments.columns("sensitive");
    for argument in PUBLISHED.into_iter().filter(|&name| name != "sensitive") {
        let named = arguments.columns(argument);
        if let Some(column) = named.iter().find(|name| labels.is_sensitive(name)) {
            Failure::new(
                PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
                format!("column \"{column}\" is labelled sensitive but named in {argument}"),
            )
            .detail(format!(
                "The policy of {} is about sensitive columns.",
                tables(labels)
            ))
            .hint(format!("Name \"{column}\" in sensitive, or leave it out."))
            .raise();
        }
    }
    if sensitive.is_empty() && !labels.any_sensitive() {
        Failure::new(
            PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
            "sensitive must be given",
        )
        .detail(format!(
            "The policy of {} is about sensitive columns, but none is labelled so.",
            tables(labels)
        ))
        .hint("Name them, or label them with sdc.declare().")
        .raise();
    }
}

/// Refuses a release that holds an identifier, or that does not keep the policy.
pub fn after(entry: &Entry<'_>) {
    let labels = Labels::of(entry.source.oid);
    let tables = entry.tables();
    for column in tables.iter().flat_map(|table| &table.attributes) {
        refuse_identifier(&labels, &column.name, None);
    }
    let policy = labels.policy();
    if policy == Policy::default() {
        return;
    }
    let Some(first) = tables.into_iter().next() else {
        return;
    };
    let released = PublishedColumns::of(&first, entry, &labels);
    let of_persons = !labels.policy_entities().is_empty();
    let mut failing = match entry.method.tables_apart(entry.target) {
        None => failing(first, &released, &by_rows(&policy, of_persons)),
        Some(_) => {
            let keys = released.keys.clone();
            let only_k = Policy {
                k: policy.k,
                ..Policy::default()
            };
            let apart = PublishedColumns {
                keys,
                sensitive: Vec::new(),
            };
            let mut found = failing(first, &apart, &only_k);
            found.extend(short_of(&entry.achieved, &policy));
            found
        }
    };
    failing.extend(without_sensitive(&labels, &released, &policy));
    if of_persons {
        failing.extend(uncounted(entry, &released));
        // those of keys and values apart are judged by what was counted already
        let apart = entry.method.tables_apart(entry.target).is_some();
        if !apart && !released.sensitive.is_empty() {
            failing.extend(short_by_persons(&entry.achieved, &policy));
        }
    }
    if !failing.is_empty() {
        broken(&labels, &released, &failing);
    }
}

/// What released rows can miss. k and p count no more persons than rows. l does not follow from
/// rows: somebody with many rows of one value makes it the most frequent one.
fn by_rows(policy: &Policy, of_persons: bool) -> Policy {
    Policy {
        l: policy.l.filter(|_| !of_persons),
        ..policy.clone()
    }
}

/// The columns of a release by what the policy counts them as.
struct PublishedColumns {
    keys: Vec<String>,
    sensitive: Vec<String>,
}

impl PublishedColumns {
    /// What the owner calls neither sensitive nor harmless counts as a key.
    fn of(table: &Source, entry: &Entry<'_>, labels: &Labels) -> Self {
        let named = names(&entry.parameters["sensitive"]);
        // a category that the method made stands for the sensitive value; a column of the source that
        // is called alike does not
        let made = entry.method == ReleaseMethod::PAlpha;
        let stands_for = |name: &String| {
            let of = |of: &&String| *of == name || made && category_name(of) == *name;
            named.iter().find(of)
        };
        let exempt = |name: &String| {
            let sensitive = stands_for(name);
            labels.is_exempt(sensitive.unwrap_or(name), sensitive.is_some())
        };
        let numbered = entry.method.tables_apart(entry.target).is_some();
        let names = table.attributes.iter().map(|column| column.name.clone());
        let names = names.filter(|name| !numbered || name != GROUP);
        let (exempt, keys): (Vec<_>, Vec<_>) = names.partition(exempt);
        let is_named = |name: &String| stands_for(name).is_some();
        PublishedColumns {
            keys,
            sensitive: exempt.into_iter().filter(is_named).collect(),
        }
    }
}

/// The columns that a parameter names: one, or several.
fn names(parameter: &Value) -> Vec<String> {
    match parameter {
        Value::String(name) => vec![name.clone()],
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str);
            names.map(str::to_string).collect()
        }
        _ => Vec::new(),
    }
}

/// What a released table misses of a policy.
fn failing(table: Source, columns: &PublishedColumns, policy: &Policy) -> Vec<String> {
    let values = !columns.sensitive.is_empty();
    let required = Requirements {
        k: policy.k,
        p: policy.p.filter(|_| values),
        l: policy.l.filter(|_| values),
        t: policy.t.filter(|_| values),
        ..Default::default()
    };
    let check = Check::of(
        table,
        columns.keys.clone(),
        columns.sensitive.clone(),
        required,
    );
    let lines = statements::seeing_own_writes(|| check.lines());
    let missed = |line: &&Line| line.satisfied() == Some(false);
    let sentence = |line: &Line| {
        let of = line
            .attribute
            .as_ref()
            .map_or(String::new(), |name| format!(" of column \"{name}\""));
        format!(
            "{}{of} is {}, the policy demands {} {}",
            line.property.name(),
            line.actual.unwrap_or(f64::NAN),
            line.bound(),
            line.required.unwrap_or(f64::NAN)
        )
    };
    lines.iter().filter(missed).map(sentence).collect()
}

/// Where no column counts as sensitive, nothing can be said about p, l and t. That is fine unless a
/// column is sensitive all the same, or is computed and might be made of one.
fn without_sensitive(
    labels: &Labels,
    released: &PublishedColumns,
    policy: &Policy,
) -> Option<String> {
    let demands = policy.p.is_some() || policy.l.is_some() || policy.t.is_some();
    if !demands || !released.sensitive.is_empty() {
        return None;
    }
    let mut names = released.keys.iter();
    let hidden = names.find(|name| labels.is_sensitive(name) || labels.is_computed(name))?;
    Some(format!(
        "column \"{hidden}\" is sensitive or computed, and no column counts as sensitive, so p, l and t cannot be checked"
    ))
}

/// A release does not show who its rows are about, so persons are counted by the method alone: over
/// the keys and strata that it was given.
fn uncounted(entry: &Entry<'_>, released: &PublishedColumns) -> Option<String> {
    let parameters = &entry.parameters;
    let mut counted = names(&parameters["keys"]);
    counted.extend(names(&parameters["strata"]));
    if let Value::Object(hierarchies) = &parameters["hierarchies"] {
        counted.extend(hierarchies.keys().cloned());
    }
    let mut keys = released.keys.iter();
    let other = keys.find(|name| !counted.contains(name))?;
    Some(format!(
        "the persons of a group are counted without column \"{other}\""
    ))
}

/// What the groups of keys and values that are published apart miss.
fn short_of(achieved: &Value, policy: &Policy) -> Vec<String> {
    let t = policy
        .t
        .map(|t| format!("the method does not promise t, the policy demands at most {t}"));
    let mut short = short_by_persons(achieved, policy);
    short.extend(t);
    short
}

/// What a method counted too little of, where the release itself does not show it.
fn short_by_persons(achieved: &Value, policy: &Policy) -> Vec<String> {
    let least = [("p", policy.p.map(f64::from)), ("l", policy.l)];
    let short = least.into_iter().filter_map(|(name, demanded)| {
        let (demanded, actual) = (demanded?, achieved[name].as_f64().unwrap_or(0.0));
        (actual < demanded)
            .then(|| format!("{name} is {actual}, the policy demands at least {demanded}"))
    });
    short.collect()
}

fn broken(labels: &Labels, released: &PublishedColumns, failing: &[String]) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
        format!("the release does not keep the policy of {}", tables(labels)),
    )
    .detail(format!(
        "{}. Counted over {}.",
        failing.join("; "),
        released.keys.join(", ")
    ))
    .hint("A published column counts as a key unless its owner labelled it 'sensitive' or 'keep'. Publish fewer columns, mask more, or use a method that promises what is missing.")
    .raise()
}
