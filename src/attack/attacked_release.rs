//! A release that is attacked, as the register has it, with its source.

use crate::pg::errors::Failure;
use crate::pg::statements::{self, Row};
use crate::read::relation::{Source, relation_of};
use crate::release::{ReleaseMethod, Target};
use pgrx::JsonB;
use pgrx::prelude::*;
use serde_json::Value;

pub struct AttackedRelease {
    pub id: i64,
    pub source: Source,
    pub method: ReleaseMethod,
    pub parameters: Value,
    pub achieved: Value,
    pub keys: Vec<String>,
    pub sensitive: Vec<String>,
    /// the tables that hold the rows, the one of sensitive values last
    pub tables: Vec<Source>,
    is_callers: bool,
}

/// What the register says, before any relation is looked at.
struct RegisterLine {
    source: String,
    target: String,
    method: String,
    parameters: Value,
    achieved: Value,
    is_callers: bool,
}

impl AttackedRelease {
    /// The same; `None` where a relation of it is gone.
    pub fn find(id: i64) -> Option<Self> {
        let line = RegisterLine::read(id);
        let target = Target::named(&line.target);
        let mut relations = tables(ReleaseMethod::named(&line.method), &target);
        relations.push(line.source);
        let there = relations
            .iter()
            .all(|name| relation_of(name).and_then(Source::find).is_some());
        there.then(|| AttackedRelease::new(id))
    }

    /// The release of this number, if the caller may see its entry and read what it names.
    pub fn new(id: i64) -> Self {
        let line = RegisterLine::read(id);
        let Some(method) = ReleaseMethod::named(&line.method) else {
            unknown_method(id)
        };
        let found = tables(Some(method), &Target::named(&line.target)).into_iter();
        let tables: Vec<Source> = found.map(|table| find(&table, id, "table")).collect();
        let release = AttackedRelease {
            id,
            source: find(&line.source, id, "source"),
            method,
            keys: match (&line.parameters["keys"], &line.parameters["hierarchies"]) {
                (Value::Null, Value::Object(hierarchies)) => hierarchies.keys().cloned().collect(),
                (keys, _) => names(keys),
            },
            sensitive: names(&line.parameters["sensitive"]),
            parameters: line.parameters,
            achieved: line.achieved,
            tables,
            is_callers: line.is_callers,
        };
        release
            .tables
            .iter()
            .chain([&release.source])
            .for_each(|relation| release.trust(relation));
        release
    }

    /// A number among the call's arguments.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        self.parameters[name].as_f64()
    }

    /// The largest share that a value is promised to have in any group.
    pub fn promised_share(&self) -> Option<f64> {
        let promised = self.parameter("l").or_else(|| self.achieved["l"].as_f64());
        promised.filter(|&l| l >= 1.0).map(|l| 1.0 / l)
    }

    /// How many different values each group is promised to have.
    pub fn promised_values(&self) -> usize {
        let values = self.parameter("p").into_iter().chain(self.parameter("l"));
        values.fold(1.0, f64::max) as usize
    }

    /// Whether keys and sensitive values stand in tables of their own.
    pub fn is_apart(&self) -> bool {
        self.tables.len() > 1
    }

    /// Refuses a relation that would run code of whoever entered it here: the caller has not
    /// named it.
    fn trust(&self, relation: &Source) {
        if !self.is_callers && !relation.is_trusted() {
            Failure::new(
                PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
                format!(
                    "{} of release {}, which is not yours, is not a plain table",
                    relation.sql_name, self.id
                ),
            )
            .detail("Reading it could run code of its owner with your privileges.")
            .hint("Attack releases as the role that published them.")
            .raise();
        }
    }

    /// Refuses to look up what only names it: hierarchies are found by the caller's search_path.
    pub fn refuse_others(&self) {
        if !self.is_callers {
            Failure::new(
                PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
                format!("release {} is not yours", self.id),
            )
            .detail("Its hierarchies are looked up by the names that its publisher gave.")
            .hint("Attack releases as the role that published them.")
            .raise();
        }
    }
}

impl RegisterLine {
    fn read(id: i64) -> Self {
        let sql = format!(
            "SELECT r.source, r.target, r.method, r.parameters, r.achieved, \
                    r.published_by OPERATOR(pg_catalog.=) current_user \
             FROM sdc.releases r WHERE r.id OPERATOR(pg_catalog.=) {id}::pg_catalog.int8"
        );
        let text = |row: &Row, column| row.get::<String>(column).unwrap_or_default();
        let json = |row: &Row, column| row.get::<JsonB>(column).map_or(Value::Null, |json| json.0);
        let entries = statements::select(&sql, |row| RegisterLine {
            source: text(row, 1),
            target: text(row, 2),
            method: text(row, 3),
            parameters: json(row, 4),
            achieved: json(row, 5),
            is_callers: row.get(6).unwrap_or(false),
        });
        let entry = entries.into_iter().next();
        entry.unwrap_or_else(|| no_such_release(id))
    }
}

/// The tables that hold the rows of a release.
fn tables(method: Option<ReleaseMethod>, target: &Target) -> Vec<String> {
    let apart = method.and_then(|method| method.tables_apart(target));
    match apart {
        Some(tables) => tables.iter().map(Target::sql_name).collect(),
        None => vec![target.sql_name()],
    }
}

fn find(name: &str, id: i64, what: &str) -> Source {
    relation_of(name).and_then(Source::find).unwrap_or_else(|| {
        Failure::new(
            PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
            format!("{what} {name} of release {id} does not exist"),
        )
        .hint("An attack compares a release with its source, so both must be there.")
        .raise()
    })
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

fn unknown_method(id: i64) -> ! {
    Failure::invalid(format!("release {id} has a method that is not known"))
        .hint("Only what the publishing functions of sdc made can be attacked.")
        .raise()
}
