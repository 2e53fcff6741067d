//! The name under which a release is published.

use crate::pg::catalog_relations;
use crate::pg::errors::Failure;
use crate::pg::kept_schemas;
use crate::pg::quoting::{identifier, literal, qualified};
use crate::pg::statements;
use crate::pg::unnamed_relations::Unnamed;
use crate::read::relation::relation_of;
use pgrx::prelude::*;

/// PostgreSQL cuts longer names off, which could make two of them one.
const LONGEST_NAME: usize = pg_sys::NAMEDATALEN as usize - 1;

/// The name of a table or view.
pub struct Target {
    schema: String,
    name: String,
    /// the release whose rows are to be exchanged for new ones
    replaces: Option<i64>,
    /// says that its relation is one of the register's
    _unnamed: Option<Unnamed>,
}

impl Target {
    /// A name for something new. Something of that name is an error.
    pub fn new(text: &str) -> Self {
        let target = Target::named(text);
        target.keep_schema();
        target.refuse_existing();
        target
    }

    /// Where the caller may create something in the schema, the schema keeps its name from now on.
    fn keep_schema(&self) {
        let creates = statements::value::<bool>(&format!(
            "SELECT pg_catalog.has_schema_privilege(n.oid, 'CREATE') FROM pg_catalog.pg_namespace n \
             WHERE n.nspname OPERATOR(pg_catalog.=) {}::pg_catalog.name",
            literal(&self.schema)
        ));
        if creates == Some(true) {
            kept_schemas::keep(&self.schema);
        }
    }

    /// Keeps the name to a relation that the caller has locked; anything else under it is refused.
    pub fn keep_name_of(&self, relation: pg_sys::Oid) {
        kept_schemas::keep(&self.schema);
        if relation_of(&self.sql_name()) != Some(relation) {
            Failure::new(
                PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!(
                    "{} became another relation while it was about to be written",
                    self.sql_name()
                ),
            )
            .hint("Somebody renamed it or its schema. Try again.")
            .raise();
        }
    }

    /// Takes `name` or `schema.name`, quoted as in SQL.
    pub fn named(text: &str) -> Self {
        let parts = statements::value::<Vec<String>>(&format!(
            "SELECT pg_catalog.parse_ident({})",
            literal(text)
        ));
        let mut parts = parts.unwrap_or_default();
        let name = parts.pop().unwrap_or_default();
        let schema = parts.pop().unwrap_or_else(current_schema);
        if !parts.is_empty() || name.is_empty() {
            Failure::new(
                PgSqlErrorCode::ERRCODE_INVALID_NAME,
                "target must be a table name",
            )
            .hint("Use name or schema.name.")
            .raise();
        }
        Target {
            schema,
            name,
            replaces: None,
            _unnamed: None,
        }
    }

    /// The same name, whose relation holds a release that is to be replaced. Its indexes and
    /// constraints run as of any relation that the register names.
    pub fn replacing(self, release: i64) -> Self {
        Target {
            replaces: Some(release),
            _unnamed: relation_of(&self.sql_name()).map(Unnamed::new),
            ..self
        }
    }

    /// The release that is to be replaced.
    pub fn replaces(&self) -> Option<i64> {
        self.replaces
    }

    /// A table or view that exists, found as SQL would find it.
    pub fn existing(text: &str) -> Self {
        let relation = relation_of(text);
        relation.map(Target::of_relation).unwrap_or_else(|| {
            Failure::new(
                PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
                format!("relation {text} does not exist"),
            )
            .hint("sdc.releases lists the releases.")
            .raise()
        })
    }

    /// The name of a relation that exists.
    pub fn of_relation(relation: pg_sys::Oid) -> Self {
        let (schema, name) = catalog_relations::names(relation);
        if name.is_empty() {
            Failure::new(
                PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
                "a table of the release does not exist any more",
            )
            .hint("SELECT sdc.drop_release(id) removes its entry. Then publish it again.")
            .raise();
        }
        Target {
            schema,
            name,
            replaces: None,
            _unnamed: None,
        }
    }

    /// The name of a further table of the release.
    pub fn sibling(&self, suffix: &str) -> Self {
        Target {
            schema: self.schema.clone(),
            name: format!("{}{suffix}", self.name),
            replaces: self.replaces,
            _unnamed: None,
        }
    }

    /// Another name in the same schema.
    pub fn beside(&self, name: String) -> Self {
        Target {
            schema: self.schema.clone(),
            name,
            replaces: None,
            _unnamed: None,
        }
    }

    /// Quoted and with its schema.
    pub fn sql_name(&self) -> String {
        qualified(&self.schema, &self.name)
    }

    /// A release must outlive the session: the register keeps its entry.
    pub fn refuse_temporary(&self) {
        if self.schema == "pg_temp" || self.schema.starts_with("pg_temp_") {
            Failure::new(
                PgSqlErrorCode::ERRCODE_INVALID_TABLE_DEFINITION,
                "a release cannot be temporary",
            )
            .hint("Name a schema that outlives the session, or mask rows for this session alone with sdc.microaggregate() or the window functions.")
            .raise();
        }
    }

    /// Refuses a name that is too long, or that something has already.
    pub fn refuse_existing(&self) {
        if self.name.len() > LONGEST_NAME {
            Failure::new(
                PgSqlErrorCode::ERRCODE_NAME_TOO_LONG,
                format!(
                    "the name {} is longer than {LONGEST_NAME} bytes",
                    identifier(&self.name)
                ),
            )
            .hint("Choose a shorter target; some releases add a suffix to it.")
            .raise();
        }
        if relation_of(&self.sql_name()).is_some() {
            Failure::new(
                PgSqlErrorCode::ERRCODE_DUPLICATE_TABLE,
                format!("relation {} already exists", self.sql_name()),
            )
            .hint(match self.release() {
                Some(id) => format!("Add replace => true to take its place, choose another target, or drop it: SELECT sdc.drop_release({id})."),
                None => "Choose another target, or drop what is there first.".into(),
            })
            .raise();
        }
    }

    /// The number of the caller's release that has this name.
    fn release(&self) -> Option<i64> {
        statements::value(&format!(
            "SELECT pg_catalog.max(r.id) FROM sdc.releases r WHERE r.target OPERATOR(pg_catalog.=) {} \
             AND r.published_by OPERATOR(pg_catalog.=) current_user",
            literal(&self.sql_name())
        ))
    }
}

fn current_schema() -> String {
    let schema = statements::value("SELECT pg_catalog.current_schema()::pg_catalog.text");
    schema.unwrap_or_else(|| {
        Failure::new(
            PgSqlErrorCode::ERRCODE_INVALID_SCHEMA_NAME,
            "no schema has been selected to create the release in",
        )
        .hint("Name the schema: target => 'schema.name'.")
        .raise()
    })
}
