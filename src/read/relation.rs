//! A table, view or anything else with rows that a call names, and its columns.

use crate::pg::catalog_relations;
use crate::pg::citus;
use crate::pg::composite::Attribute;
use crate::pg::errors::Failure;
use crate::pg::pinned_relations::Pin;
use crate::pg::privileges;
use crate::pg::quoting;
use crate::pg::statements;
use crate::pg::type_capabilities;
use crate::pg::unnamed_relations::Unnamed;
use crate::read::code_owners::{Access, code_owners};
use pgrx::pg_sys::{self, Oid};
use pgrx::prelude::*;
use std::cell::OnceCell;

/// A relation to read from. It is read through SQL as the caller, so that privileges and
/// row-level security hold. Wherever it is read, its name must stand for this relation: the owner of
/// its schema could put another one under the name meanwhile.
pub struct Source {
    pub oid: Oid,
    /// schema-qualified and quoted, ready for generated SQL
    pub sql_name: String,
    /// all attributes in the row type's order, dropped ones included
    pub attributes: Vec<Attribute>,
    /// holds the name to the relation
    _pin: Option<Pin>,
    /// says that the caller has not named the relation, once it has been vetted
    unnamed: OnceCell<Unnamed>,
}

impl Source {
    /// Its columns stay as they are to the end of the transaction. A relation of which the caller
    /// may read nothing is refused before it is locked: a stranger could hold the lock.
    pub fn new(oid: Oid) -> Self {
        let kind = catalog_relations::kind(oid);
        if kind != 0 {
            privileges::require_select(oid, kind);
        }
        catalog_relations::lock(oid, pg_sys::AccessShareLock);
        let kind = catalog_relations::kind(oid);
        if !matches!(kind, b'r' | b'v' | b'm' | b'f' | b'p') {
            no_rows(oid, kind);
        }
        let (schema, name) = catalog_relations::names(oid);
        let sql_name = quoting::qualified(&schema, &name);
        Source {
            oid,
            _pin: Some(Pin::new(&sql_name, oid)),
            unnamed: OnceCell::new(),
            sql_name,
            attributes: catalog_relations::attributes(oid),
        }
    }

    /// A relation that is known by its number, if it is still there once nobody can drop it any
    /// more, and the caller may read of it.
    pub fn find(oid: Oid) -> Option<Self> {
        if catalog_relations::kind(oid) == 0 || !privileges::may_select(oid) {
            return None;
        }
        catalog_relations::lock(oid, pg_sys::AccessShareLock);
        (catalog_relations::kind(oid) != 0).then(|| Source::new(oid))
    }

    /// The relation of this quoted, schema-qualified name.
    pub fn named(sql_name: &str) -> Self {
        Source::new(relation_of(sql_name).unwrap_or(pg_sys::InvalidOid))
    }

    /// The same relation for another reader, under the name that it has by now.
    pub fn again(&self) -> Self {
        Source::new(self.oid)
    }

    /// What kind of relation it is, in PostgreSQL's letters.
    pub fn kind(&self) -> u8 {
        catalog_relations::kind(self.oid)
    }

    /// Whether the caller trusts everybody whose code reading the relation may run: the owners of
    /// the relation, its children and what its views and policies read, of the functions and
    /// operators that these call, and of its columns' types and of what these consist of, who decide
    /// on casts and domains. From then on it is read as a relation that the caller has not named.
    pub fn is_trusted(&self) -> bool {
        self.is_trusted_with(Access::Reading)
    }

    fn is_trusted_with(&self, access: Access) -> bool {
        let owners = code_owners(self.oid, access);
        let trusted = owners.into_iter().all(privileges::trusts);
        if trusted {
            self.unnamed.get_or_init(|| Unnamed::new(self.oid));
        }
        trusted
    }

    /// Refuses a relation that the caller has not named, where reading it may run the code of
    /// somebody whom the caller does not trust.
    pub fn require_trusted(&self) {
        self.require_trusted_with(Access::Reading);
    }

    /// The same where its rows are exchanged, which its rules may see, too.
    pub fn require_trusted_to_write(&self) {
        self.require_trusted_with(Access::Writing);
    }

    fn require_trusted_with(&self, access: Access) {
        if self.is_trusted_with(access) {
            return;
        }
        let (verb, rule, hint) = match access {
            Access::Reading => ("reading", "", NAME_IT),
            Access::Writing => ("writing", "a rule, ", REMOVE_IT),
        };
        Failure::new(
            PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            format!("{verb} {} could run code of another role", self.sql_name),
        )
        .detail(format!("The relation, or something that {verb} it uses, belongs to a role that is neither you nor a superuser. That can be a child table, a relation behind a view or policy, a function, {rule}a column's type or a foreign server."))
        .hint(hint)
        .raise()
    }

    /// Some rows of the relation: a query in brackets that has columns of the same names. The
    /// relation's own name is in the query, so that the pin of this source holds for it.
    pub fn part(&self, query: &str) -> Self {
        Source {
            oid: self.oid,
            sql_name: format!("({query}) AS part"),
            attributes: self.attributes.clone(),
            _pin: None,
            unnamed: OnceCell::new(),
        }
    }

    /// Columns that belong to no relation.
    pub fn of_columns(attributes: Vec<Attribute>) -> Self {
        Source {
            oid: pg_sys::InvalidOid,
            sql_name: String::new(),
            attributes,
            _pin: None,
            unnamed: OnceCell::new(),
        }
    }

    /// The places of the named columns among the attributes. Unknown and doubled names are errors.
    pub fn columns(&self, argument: &str, names: &[String]) -> Vec<usize> {
        let place = |(index, name): (usize, &String)| {
            if names[..index].contains(name) {
                Failure::new(
                    PgSqlErrorCode::ERRCODE_DUPLICATE_COLUMN,
                    format!("column \"{name}\" is named twice in {argument}"),
                )
                .hint("Name each column once.")
                .raise();
            }
            self.column(name)
        };
        names.iter().enumerate().map(place).collect()
    }

    /// The column of this name, if there is one.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        let mut live = self
            .attributes
            .iter()
            .filter(|attribute| !attribute.dropped);
        live.find(|attribute| attribute.name == name)
    }

    fn column(&self, name: &str) -> usize {
        let found = |attribute: &Attribute| !attribute.dropped && attribute.name == name;
        self.attributes.iter().position(found).unwrap_or_else(|| {
            let live = self
                .attributes
                .iter()
                .filter(|attribute| !attribute.dropped);
            let names: Vec<&str> = live.map(|attribute| attribute.name.as_str()).collect();
            Failure::new(
                PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN,
                format!(
                    "column \"{name}\" of relation {} does not exist",
                    self.sql_name
                ),
            )
            .hint(format!("Its columns are: {}.", names.join(", ")))
            .raise()
        })
    }

    /// Refuses a release of nothing.
    pub fn refuse_no_rows(&self, rows: usize) {
        if rows == 0 {
            Failure::invalid(format!("{} has no rows to publish", self.sql_name))
                .hint("A release needs at least k rows that you may see.")
                .raise();
        }
    }

    /// A SELECT of the attributes at these places, a NULL for each dropped one.
    pub fn select(&self, places: &[usize]) -> String {
        let column = |&place: &usize| match &self.attributes[place] {
            attribute if attribute.dropped => "NULL::pg_catalog.int4".to_string(),
            attribute => quoting::identifier(&attribute.name),
        };
        let columns: Vec<String> = places.iter().map(column).collect();
        format!("SELECT {} FROM {}", columns.join(", "), self.sql_name)
    }

    /// The same where the order of rows matters. Those of a distributed table arrive in any order,
    /// so they are sorted: rows that this leaves alike are alike.
    pub fn select_in_order(&self, places: &[usize]) -> String {
        let rows = self.select(places);
        if !citus::is_spread(self.oid) {
            return rows;
        }
        format!("{rows} ORDER BY {}", self.order(places))
    }

    /// By what rows are sorted so that those that this leaves alike are alike in these columns.
    pub fn order(&self, places: &[usize]) -> String {
        let attributes = places.iter().map(|&place| &self.attributes[place]);
        let column = |attribute: &Attribute| {
            let name = quoting::identifier(&attribute.name);
            match type_capabilities::can_sort(attribute.typ) {
                true => name,
                false => format!("{name}::pg_catalog.text"),
            }
        };
        let live = attributes.filter(|attribute| !attribute.dropped);
        let columns: Vec<String> = live.map(column).collect();
        columns.join(", ")
    }
}

const NAME_IT: &str =
    "If you trust that role, name the table yourself: sdc.report('…', keys => '{…}').";
const REMOVE_IT: &str =
    "Remove what belongs to that role from the release, or publish under another name.";

/// An argument that must name columns and names none.
pub fn refuse_empty(argument: &str, names: &[String]) {
    if names.is_empty() {
        Failure::invalid(format!("{argument} must name at least one column"))
            .hint(format!("For example {argument} => '{{age,zip}}'."))
            .raise();
    }
}

/// Names given twice over two arguments, as in a column that is both key and sensitive.
pub fn refuse_overlap(first: (&str, &[String]), second: (&str, &[String])) {
    if let Some(name) = first.1.iter().find(|name| second.1.contains(name)) {
        Failure::new(
            PgSqlErrorCode::ERRCODE_DUPLICATE_COLUMN,
            format!(
                "column \"{name}\" is named in both {} and {}",
                first.0, second.0
            ),
        )
        .hint("A column has one role: name it in one of the two.")
        .raise();
    }
}

/// Whether reading the relation of this number runs code of the caller and of superusers alone.
pub fn is_safe_to_read(relation: pg_sys::Oid) -> bool {
    let owners = code_owners(relation, Access::Reading);
    owners.into_iter().all(privileges::trusts)
}

/// The relation that SQL finds under a name.
pub fn relation_of(name: &str) -> Option<Oid> {
    statements::value(&format!(
        "SELECT pg_catalog.to_regclass({})::pg_catalog.oid",
        quoting::literal(name)
    ))
}

fn no_rows(oid: Oid, kind: u8) -> ! {
    if kind == 0 {
        Failure::new(
            PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
            format!("relation with OID {} does not exist", u32::from(oid)),
        )
        .raise()
    }
    Failure::new(
        PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE,
        "only relations that hold rows can be read",
    )
    .hint("Name a table, a view, a materialized view or a foreign table.")
    .raise()
}
