//! A release as the register has it, and its tables as they stand.

use crate::pg::errors::Failure;
use crate::pg::quoting::{identifier, literal};
use crate::pg::statements::{self, Row};
use crate::read::relation::Source;
use crate::release::{
    COUNT, Check, GROUP, Links, Recorded, ReleaseMethod, Requirements, checksum, is_changed,
    name_of, no_such_release,
};
use crate::report::counted_persons::CountedPersons;
use pgrx::prelude::*;
use serde_json::Value;

/// An entry of the register.
pub struct Released {
    pub id: i64,
    pub source: String,
    pub target: String,
    /// as the register spells it
    pub method: String,
    pub parameters: Value,
    pub rows: i64,
    pub suppressed: i64,
    pub loss: Value,
    /// what attacks found on the day of publication; nothing where none was made
    pub attacks: Value,
    pub published_by: String,
    /// in UTC, to the minute
    pub published_at: String,
    pub keys: Vec<String>,
    /// what was counted by persons, where rows are as they were then
    pub persons: Option<CountedPersons>,
    promise: Recorded,
    links: Links,
}

impl Released {
    /// The release of this number, if the caller may see its entry.
    pub fn new(id: i64) -> Self {
        let sql = format!(
            "SELECT r.source, r.target, r.method, r.parameters::pg_catalog.text, r.rows, r.suppressed, r.loss::pg_catalog.text, \
                    r.published_by::pg_catalog.text, \
                    pg_catalog.to_char(pg_catalog.timezone('UTC', r.published_at), 'YYYY-MM-DD HH24:MI \"UTC\"'), \
                    r.achieved::pg_catalog.text \
             FROM sdc.releases r WHERE r.id OPERATOR(pg_catalog.=) {id}::pg_catalog.int8"
        );
        let entries = statements::select(&sql, |row| Self::from_row(id, row));
        let entry = entries.into_iter().next();
        entry.unwrap_or_else(|| no_such_release(id))
    }

    fn from_row(id: i64, row: &Row) -> Self {
        let text = |column| row.get::<String>(column).unwrap_or_default();
        let method = text(3);
        let achieved: Value = serde_json::from_str(&text(10)).unwrap_or_default();
        let mut promise = Recorded::parse(id, ReleaseMethod::named(&method), &text(4));
        Released {
            id,
            source: text(1),
            target: text(2),
            method,
            rows: row.get(5).unwrap_or(0),
            suppressed: row.get(6).unwrap_or(0),
            loss: serde_json::from_str(&text(7)).unwrap_or_default(),
            published_by: text(8),
            published_at: text(9),
            attacks: achieved["attacks"].clone(),
            persons: CountedPersons::of(&achieved, promise.nulls),
            keys: promise.keys.clone(),
            parameters: promise.all.take(),
            promise,
            links: Links::of(id),
        }
    }

    /// The method, where the register's entry names one.
    pub fn known_method(&self) -> Option<ReleaseMethod> {
        ReleaseMethod::named(&self.method)
    }

    /// The sensitive columns, as the source has them.
    pub fn sensitive(&self) -> &[String] {
        &self.promise.sensitive
    }

    /// Whether keys and sensitive values are in tables of their own.
    pub fn is_apart(&self) -> bool {
        self.known_method().is_some_and(ReleaseMethod::is_apart)
    }

    /// Whether keys are shown with other values than they have.
    pub fn is_perturbed(&self) -> bool {
        self.known_method() == Some(ReleaseMethod::Perturbation)
    }

    /// The tables that hold the released rows, each of them there and fit to be read.
    fn tables(&self) -> Vec<Source> {
        let tables = self.links.tables(self.is_apart()).into_iter();
        tables.map(|table| self.table(table)).collect()
    }

    /// How many keys attackers know, where the promise is about those who do not know all.
    pub fn known_keys(&self) -> Option<usize> {
        let known = self.promise.known_keys;
        known.filter(|known| (1..self.keys.len()).contains(known))
    }

    /// The column that tells persons apart, as the source has it.
    pub fn entity(&self) -> Option<&str> {
        self.parameters["entity"].as_str()
    }

    /// Forgets persons who were counted in rows that have changed since.
    pub fn forget_changed(&mut self) {
        if self.persons.is_some() && is_changed(self.id, self.known_method()) {
            self.persons = None;
        }
    }

    /// The promise of the release, to be checked against its rows.
    pub fn check(&self) -> Check {
        let Some(table) = self.tables().pop() else {
            gone(self.id)
        };
        let (sensitive, categories) = self.promise.shown();
        table.columns("sensitive", &sensitive);
        let (source, keys) = match self.is_apart() {
            true => (self.linked_values(table), vec![GROUP.to_string()]),
            false => (table, self.keys.clone()),
        };
        source.columns("keys", &keys);
        Check {
            categories,
            nulls: self.promise.nulls,
            ..Check::of(source, keys, sensitive, self.required())
        }
    }

    fn required(&self) -> Requirements {
        self.promise.requirements()
    }

    /// A row for each sensitive value with the group that links it to keys.
    fn linked_values(&self, mut source: Source) -> Source {
        if let (Some(_), Some(sensitive)) =
            (source.attribute(COUNT), self.promise.sensitive.first())
        {
            source.sql_name = format!(
                "(SELECT s.{GROUP}, s.{} FROM {} s, pg_catalog.generate_series(1, s.{COUNT})) AS s",
                identifier(sensitive),
                source.sql_name
            );
        }
        source
    }

    /// The source as it is now, if it is there, the caller may read what was published, and
    /// trusts whose code that may run.
    pub fn source_now(&self) -> Option<Source> {
        self.source_with(&[])
    }

    /// The same, if the caller may read some other columns as well.
    pub fn source_with(&self, others: &[String]) -> Option<Source> {
        let source = self.links.source?;
        let mut columns = self.keys.clone();
        columns.extend(self.promise.sensitive.iter().chain(others).cloned());
        columns.sort_unstable();
        columns.dedup();
        let columns: Vec<String> = columns.iter().map(|name| literal(name)).collect();
        let columns = format!("ARRAY[{}]::pg_catalog.name[]", columns.join(", "));
        let readable = statements::value::<bool>(&format!(
            "SELECT pg_catalog.has_schema_privilege(c.relnamespace, 'USAGE') \
               AND (SELECT pg_catalog.count(*) FROM pg_catalog.pg_attribute a \
                    WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND NOT a.attisdropped \
                      AND a.attname OPERATOR(pg_catalog.=) ANY ({columns}) \
                      AND pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT')) \
                   OPERATOR(pg_catalog.=) pg_catalog.cardinality({columns}) \
             FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) {}::pg_catalog.oid",
            u32::from(source)
        ));
        let source = Source::find(source).filter(|_| readable == Some(true));
        source.filter(Source::is_trusted)
    }

    /// The name and the checksum of each table.
    pub fn checksums(&self) -> Vec<(String, Option<String>)> {
        let tables = self.tables().into_iter();
        tables
            .map(|table| {
                let sum = checksum::of(&table.sql_name);
                (table.sql_name, sum)
            })
            .collect()
    }

    /// A table of the release. The caller has not named it: one that would run code of somebody
    /// whom the caller does not trust is refused.
    fn table(&self, table: Option<pg_sys::Oid>) -> Source {
        let Some(table) = table.filter(|&table| name_of(table).is_some()) else {
            gone(self.id)
        };
        let table = Source::new(table);
        table.require_trusted();
        table
    }
}

fn gone(id: i64) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
        format!("a table of release {id} does not exist any more"),
    )
    .hint(format!("SELECT sdc.drop_release({id}) removes its entry."))
    .raise()
}
