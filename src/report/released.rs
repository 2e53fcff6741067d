//! A release as the register has it, and its tables as they stand.

use crate::pg::errors::Failure;
use crate::pg::quoting::{identifier, literal};
use crate::pg::sql_types::Json;
use crate::pg::statements::{self, Row};
use crate::read::relation::Source;
use crate::read::sensitivity_categories;
use crate::release::{
    COUNT, Check, GROUP, PublishedSensitive, ReleaseMethod, Requirements, Target, tables,
};
use crate::report::checksum;
use pgrx::JsonB;
use pgrx::prelude::*;
use serde_json::Value;

/// An entry of the register.
pub struct Released {
    pub id: i64,
    pub source: String,
    pub target: String,
    /// as the register spells it; anybody may enter what they like
    pub method: String,
    pub parameters: Value,
    pub rows: i64,
    pub suppressed: i64,
    pub loss: Value,
    pub published_by: String,
    /// in UTC, to the minute
    pub published_at: String,
    /// whether the caller published it; anybody may enter what they like in their own name
    is_callers: bool,
    pub keys: Vec<String>,
    sensitive: Vec<String>,
}

impl Released {
    /// The release of this number, if the caller may see its entry.
    pub fn new(id: i64) -> Self {
        let sql = format!(
            "SELECT r.source, r.target, r.method, r.parameters, r.rows, r.suppressed, r.loss, \
                    r.published_by::pg_catalog.text, \
                    pg_catalog.to_char(pg_catalog.timezone('UTC', r.published_at), 'YYYY-MM-DD HH24:MI \"UTC\"'), \
                    r.published_by OPERATOR(pg_catalog.=) current_user \
             FROM sdc.releases r WHERE r.id OPERATOR(pg_catalog.=) {id}::pg_catalog.int8"
        );
        let entries = statements::select(&sql, |row| Self::from_row(id, row));
        let entry = entries.into_iter().next();
        entry.unwrap_or_else(|| no_such_release(id))
    }

    fn from_row(id: i64, row: &Row) -> Self {
        let text = |column| row.get::<String>(column).unwrap_or_default();
        let json = |column| row.get::<JsonB>(column).map_or(Value::Null, |json| json.0);
        let parameters = json(4);
        Released {
            id,
            source: text(1),
            target: text(2),
            method: text(3),
            rows: row.get(5).unwrap_or(0),
            suppressed: row.get(6).unwrap_or(0),
            loss: json(7),
            published_by: text(8),
            published_at: text(9),
            is_callers: row.get(10).unwrap_or(false),
            keys: match (&parameters["keys"], &parameters["hierarchies"]) {
                (Value::Null, Value::Object(hierarchies)) => hierarchies.keys().cloned().collect(),
                (keys, _) => names(keys),
            },
            sensitive: names(&parameters["sensitive"]),
            parameters,
        }
    }

    /// The method, where the register's entry names one.
    pub fn known_method(&self) -> Option<ReleaseMethod> {
        ReleaseMethod::named(&self.method)
    }

    /// Whether keys and sensitive values are in tables of their own.
    pub fn is_apart(&self) -> bool {
        self.tables().len() > 1
    }

    /// The tables that hold the released rows.
    fn tables(&self) -> Vec<String> {
        tables(self.known_method(), &Target::named(&self.target))
    }

    /// The promise of the release, to be checked against its rows.
    pub fn check(&self) -> Check {
        self.tables().iter().for_each(|table| self.refuse(table));
        let (source, keys) = match self.is_apart() {
            true => (self.linked_values(), vec![GROUP.to_string()]),
            false => (Source::named(&self.target), self.keys.clone()),
        };
        let (sensitive, categories) = self.shown();
        Check {
            categories,
            ..Check::of(source, keys, sensitive, self.required())
        }
    }

    /// The sensitive columns as the release shows them, and their categories.
    fn shown(&self) -> (Vec<String>, Option<Vec<Vec<String>>>) {
        let categories = self.parameters.get("categories").cloned();
        let categories =
            categories.map(|categories| sensitivity_categories::parse(Json(categories)));
        let publish = self.parameters["publish"].as_str();
        match (publish, categories, self.sensitive.first()) {
            (Some(publish), Some(categories), Some(sensitive)) => {
                let published = PublishedSensitive::named(publish);
                let (column, categories) = published.shown(sensitive, &categories);
                (vec![column], Some(categories))
            }
            (_, categories, _) => (self.sensitive.clone(), categories),
        }
    }

    fn required(&self) -> Requirements {
        let float = |name: &str| self.parameters[name].as_f64();
        let whole = |name: &str| float(name).map(|number| number as i32);
        Requirements {
            // l different values are l rows at least
            k: whole("k").or_else(|| whole("l").filter(|_| self.is_apart())),
            p: whole("p").filter(|_| !self.sensitive.is_empty()),
            l: float("l"),
            t: float("t"),
            alpha: float("alpha"),
        }
    }

    /// A row for each sensitive value with the group that links it to keys.
    fn linked_values(&self) -> Source {
        let values = self.tables().pop().unwrap_or_default();
        let mut source = Source::named(&values);
        if let (Some(_), Some(sensitive)) = (source.attribute(COUNT), self.sensitive.first()) {
            source.sql_name = format!(
                "(SELECT s.{GROUP}, s.{} FROM {values} s, pg_catalog.generate_series(1, s.{COUNT})) AS s",
                identifier(sensitive)
            );
        }
        source
    }

    /// The source as it is now, if it is there and the caller may read what was published.
    pub fn source_now(&self) -> Option<Source> {
        let mut columns = self.keys.clone();
        columns.extend(self.sensitive.iter().cloned());
        let columns: Vec<String> = columns.iter().map(|name| literal(name)).collect();
        let columns = format!("ARRAY[{}]::pg_catalog.name[]", columns.join(", "));
        let [schema, name] = Target::named(&self.source).parts().map(literal);
        let found = statements::value::<pg_sys::Oid>(&format!(
            "SELECT c.oid FROM pg_catalog.pg_class c \
             JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
             WHERE n.nspname OPERATOR(pg_catalog.=) {schema} AND c.relname OPERATOR(pg_catalog.=) {name} \
               AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') \
               AND (SELECT pg_catalog.count(*) FROM pg_catalog.pg_attribute a \
                    WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND NOT a.attisdropped \
                      AND a.attname OPERATOR(pg_catalog.=) ANY ({columns}) \
                      AND pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT')) \
                   OPERATOR(pg_catalog.=) pg_catalog.cardinality({columns})"
        ));
        let found = found.map(Source::new);
        found.filter(|source| self.is_callers || source.is_plain())
    }

    /// The name and the checksum of each table.
    pub fn checksums(&self) -> Vec<(String, Option<String>)> {
        let tables = self.tables().into_iter();
        tables
            .map(|table| {
                let sum = checksum::of(&table);
                (table, sum)
            })
            .collect()
    }

    /// Refuses a table that is gone, and one that would run code of whoever entered it here:
    /// the caller has not named it.
    fn refuse(&self, table: &str) {
        let Some(relation) = Source::find(table) else {
            Failure::new(
                PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
                format!("table {table} of release {} does not exist", self.id),
            )
            .hint("sdc.drop_release() takes a release that is gone out of the register.")
            .raise()
        };
        if !self.is_callers && !relation.is_plain() {
            Failure::new(
                PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
                format!(
                    "{table} of release {}, which is not yours, is no plain table",
                    self.id
                ),
            )
            .detail("Reading it could run code of its owner with your privileges.")
            .hint("If you trust it, name it yourself: sdc.report('…', keys => '{…}').")
            .raise();
        }
    }
}

/// The names in a parameter, which may be one or several.
fn names(parameter: &Value) -> Vec<String> {
    let name = |value: &Value| value.as_str().map(str::to_string);
    match parameter {
        Value::Array(values) => values.iter().filter_map(name).collect(),
        value => name(value).into_iter().collect(),
    }
}

fn no_such_release(id: i64) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT,
        format!("there is no release {id} that you published or may read"),
    )
    .hint("sdc.releases lists the releases.")
    .raise()
}
