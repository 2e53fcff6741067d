//! `sdc.declare`: writes the labels of a table. PostgreSQL checks that the caller owns it.

use crate::pg::errors::Failure;
use crate::pg::function_call::{Call, v1};
use crate::pg::label_provider::PROVIDER;
use crate::pg::quoting::{identifier, literal};
use crate::pg::sql_types::{Json, Name, NameList};
use crate::pg::statements;
use crate::read::label_text::{ColumnLabel, ColumnRole, Policy, entity_item};
use crate::read::labels::{own_labels, understood};
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::{self, Source};
use crate::write::target::Target;
use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::Datum;
use serde_json::Value;

/// Arguments that give their columns a role. `keys` come apart, because codes are keys, too.
const GIVES_ROLE: [(&str, ColumnRole); 6] = [
    ("sensitive", ColumnRole::Sensitive),
    ("identifiers", ColumnRole::Identifier),
    ("entity", ColumnRole::Entity),
    ("strata", ColumnRole::Strata),
    ("weight", ColumnRole::Weight),
    ("keep", ColumnRole::Keep),
];

fn declare(call: &Call) -> Option<Datum> {
    let arguments = NamedArguments::of(call);
    let source = Source::new(arguments.required_source());
    let before = Declaration::of(&source);
    let mut after = before.clone();
    // labels are written under the name, which may be another relation's by then
    Target::named(&source.sql_name).keep_name_of(source.oid);
    refuse_two_roles(&arguments);
    after.take_roles(&source, &arguments);
    after.take_keys(&source, &arguments);
    after.take_hierarchies(&source, &arguments);
    after.write(&before, &source);
    after.say_unprotected(&before);
    if let Some(policy) = arguments.given::<String>("policy") {
        write_policy(&source, &policy);
    }
    None
}

v1! {
    sdc_declare, pg_finfo_sdc_declare => declare;
}

/// The labels of a table's columns, in their order.
#[derive(Clone)]
struct Declaration(Vec<(String, Option<ColumnLabel>)>);

impl Declaration {
    /// The labels as they are.
    fn of(source: &Source) -> Self {
        let own = own_labels([source.oid].into_iter());
        let live = source.attributes.iter().filter(|column| !column.dropped);
        let label = |name: &String| own.get(&(source.oid, name.clone())).cloned();
        let columns = live.map(|column| (column.name.clone(), label(&column.name)));
        Declaration(columns.collect())
    }

    /// An argument that is given says which columns have its role, and that no others have it.
    fn take_roles(&mut self, source: &Source, arguments: &NamedArguments<'_>) {
        for (argument, role) in GIVES_ROLE {
            if let Some(names) = given(arguments, argument) {
                source.columns(argument, &names);
                self.clear(|label| label.role == role);
                self.give(&names, |_| ColumnLabel::new(role));
            }
        }
    }

    /// Keys that stay keys stay codes and keep their hierarchies, unless the call says otherwise.
    fn take_keys(&mut self, source: &Source, arguments: &NamedArguments<'_>) {
        if let Some(keys) = given(arguments, "keys") {
            source.columns("keys", &keys);
            let old = self.clone();
            self.clear(|label| label.role.is_key());
            let key = |name: &str| {
                let label = old.label(name).filter(|label| label.role.is_key());
                label.unwrap_or(ColumnLabel::new(ColumnRole::Key))
            };
            self.give(&keys, key);
        }
        if let Some(codes) = given(arguments, "categorical") {
            source.columns("categorical", &codes);
            codes
                .iter()
                .for_each(|name| self.require_key(name, "categorical"));
            for (name, label) in &mut self.0 {
                let key = label.as_mut().filter(|label| label.role.is_key());
                if let Some(label) = key {
                    label.role = match codes.contains(name) {
                        true => ColumnRole::KeyCategorical,
                        false => ColumnRole::Key,
                    };
                }
            }
        }
    }

    /// `{"age": "age_hierarchy", "sex": null}`; null takes a hierarchy away.
    fn take_hierarchies(&mut self, source: &Source, arguments: &NamedArguments<'_>) {
        let tables = match arguments.given::<Json>("hierarchies") {
            None => return,
            Some(Json(Value::Object(tables))) => tables,
            Some(_) => not_hierarchies(),
        };
        for (name, table) in tables {
            source.columns("hierarchies", std::slice::from_ref(&name));
            self.require_key(&name, "hierarchies");
            let table = match table {
                Value::Null => None,
                Value::String(table) => Some(hierarchy_name(&name, &table)),
                _ => not_hierarchies(),
            };
            let entry = self.0.iter_mut().find(|(other, _)| *other == name);
            if let Some(label) = entry.and_then(|(_, label)| label.as_mut()) {
                label.hierarchy = table;
            }
        }
    }

    fn label(&self, name: &str) -> Option<ColumnLabel> {
        let found = self.0.iter().find(|(other, _)| other == name);
        found.and_then(|(_, label)| label.clone())
    }

    fn clear(&mut self, fits: impl Fn(&ColumnLabel) -> bool) {
        for (_, label) in &mut self.0 {
            label.take_if(|label| fits(label));
        }
    }

    fn give(&mut self, names: &[String], label: impl Fn(&str) -> ColumnLabel) {
        for (name, place) in &mut self.0 {
            if names.contains(name) {
                *place = Some(label(name));
            }
        }
    }

    fn require_key(&self, name: &str, argument: &str) {
        if !self.label(name).is_some_and(|label| label.role.is_key()) {
            Failure::invalid(format!(
                "column \"{name}\" is named in {argument} but is not a key"
            ))
            .hint("Name it in keys, too.")
            .raise();
        }
    }

    /// Says which columns were to be protected and are not any more.
    fn say_unprotected(&self, before: &Declaration) {
        for ((name, new), (_, old)) in self.0.iter().zip(&before.0) {
            let (Some(new), Some(old)) = (new, old) else {
                continue;
            };
            let protected = [ColumnRole::Identifier, ColumnRole::Sensitive];
            if protected.contains(&old.role) && new.role != old.role {
                Failure::new(
                    PgSqlErrorCode::ERRCODE_WARNING,
                    format!(
                        "column \"{name}\" was labelled {} and is now labelled {}",
                        old.role.name(),
                        new.role.name()
                    ),
                )
                .warn();
            }
        }
    }

    /// Writes the labels that differ.
    fn write(&self, before: &Declaration, source: &Source) {
        for ((name, new), (_, old)) in self.0.iter().zip(&before.0) {
            if new != old {
                let column = format!("COLUMN {}.{}", source.sql_name, identifier(name));
                write_label(&column, new.as_ref().map(ColumnLabel::text));
            }
        }
    }
}

/// The columns that an argument names; `None` where it is left out.
fn given(arguments: &NamedArguments<'_>, argument: &str) -> Option<Vec<String>> {
    match argument {
        "entity" | "weight" => arguments.given::<Name>(argument).map(|name| vec![name.0]),
        _ => arguments.given::<NameList>(argument).map(|names| names.0),
    }
}

fn refuse_two_roles(arguments: &NamedArguments<'_>) {
    let roles = GIVES_ROLE.map(|(argument, _)| argument);
    let named: Vec<(&str, Vec<String>)> = ["keys"]
        .into_iter()
        .chain(roles)
        .filter_map(|argument| Some((argument, given(arguments, argument)?)))
        .collect();
    for (place, (first, names)) in named.iter().enumerate() {
        for (second, others) in &named[place + 1..] {
            relation::refuse_overlap((first, names), (second, others));
        }
    }
}

/// The table of a hierarchy with its schema: a label is read under any search_path.
fn hierarchy_name(column: &str, table: &str) -> String {
    let sql = format!(
        "SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) FROM pg_catalog.pg_class c \
         JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
         WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass({})",
        literal(table)
    );
    statements::value(&sql).unwrap_or_else(|| {
        Failure::new(
            pgrx::PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
            format!("hierarchy \"{table}\" of column \"{column}\" does not exist"),
        )
        .hint("Load it with \\copy, or build it, for example with sdc.interval_hierarchy().")
        .raise()
    })
}

fn not_hierarchies() -> ! {
    Failure::invalid("hierarchies must be a JSON object of column and table names")
        .hint(r#"For example {"age": "age_hierarchy"}; null takes a hierarchy away."#)
        .raise()
}

/// An empty text takes the policy away.
fn write_policy(source: &Source, text: &str) {
    let table = format!("{} {}", kind(source), source.sql_name);
    if text.trim().is_empty() {
        return write_label(&table, None);
    }
    let policy = understood(Policy::parse(text));
    if let Some(entity) = &policy.entity
        && source.attribute(entity).is_none()
    {
        Failure::new(
            pgrx::PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN,
            format!(
                "{} names no column of {}",
                entity_item(entity),
                source.sql_name
            ),
        )
        .hint("entity is the column that tells persons apart, as in entity=patient_id.")
        .raise();
    }
    write_label(&table, Some(text.trim().to_string()));
}

/// How SQL calls the relation.
fn kind(source: &Source) -> &'static str {
    let kind = statements::value::<String>(&format!(
        "SELECT c.relkind::pg_catalog.text FROM pg_catalog.pg_class c \
         WHERE c.oid OPERATOR(pg_catalog.=) {}::pg_catalog.oid",
        u32::from(source.oid)
    ));
    match kind.as_deref() {
        Some("v") => "VIEW",
        Some("m") => "MATERIALIZED VIEW",
        Some("f") => "FOREIGN TABLE",
        _ => "TABLE",
    }
}

fn write_label(object: &str, text: Option<String>) {
    let text = text.map_or("NULL".into(), |text| literal(&text));
    statements::run(&format!(
        "SECURITY LABEL FOR {PROVIDER} ON {object} IS {text}"
    ));
}
