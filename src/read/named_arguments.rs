//! Arguments by the names that the function's SQL declaration gives them: what several functions
//! take is read in one place, wherever it stands in each of them. An argument that is NULL or left
//! out stands for what the source's labels say (see `label_defaults`).

use crate::pg::errors::Failure;
use crate::pg::function_call::Call;
use crate::pg::quoting::literal;
use crate::pg::row_results;
use crate::pg::sql_types::{Json, Name, NameList, Relation};
use crate::pg::statements;
use crate::read::label_defaults;
use crate::read::labels::Labels;
use crate::read::relation::Source;
use pgrx::pg_sys::{self, Datum, Oid};
use pgrx::{FromDatum, PgSqlErrorCode};
use serde_json::Value;
use std::cell::{OnceCell, RefCell};

/// The arguments of one call.
pub struct NamedArguments<'a> {
    call: &'a Call,
    names: Vec<String>,
    types: Vec<Oid>,
    labels: OnceCell<Labels>,
    /// tables that labels name in place of the caller
    unnamed: RefCell<Vec<Source>>,
}

impl<'a> NamedArguments<'a> {
    pub fn of(call: &'a Call) -> Self {
        let declared = statements::select(
            &format!(
                "SELECT p.proargnames, p.proargtypes::pg_catalog.oid[] FROM pg_catalog.pg_proc p \
                 WHERE p.oid OPERATOR(pg_catalog.=) {}::pg_catalog.oid",
                u32::from(call.function())
            ),
            |row| (row.get::<Vec<String>>(1), row.get::<Vec<Oid>>(2)),
        );
        let (names, types) = declared.into_iter().next().unwrap_or_default();
        NamedArguments {
            call,
            names: names.unwrap_or_default(),
            types: types.unwrap_or_default(),
            labels: OnceCell::new(),
            unnamed: RefCell::default(),
        }
    }

    /// Lets a table that was vetted count as one that the caller has not named, as long as the call
    /// has its arguments.
    pub fn keep_unnamed(&self, table: Source) {
        self.unnamed.borrow_mut().push(table);
    }

    /// Whether the function has an argument of this name.
    pub fn has(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    fn place(&self, name: &str) -> Option<usize> {
        let index = self.names.iter().position(|other| other == name);
        index.filter(|&index| index < self.call.arguments())
    }

    fn index(&self, name: &str) -> usize {
        self.place(name).unwrap_or_else(|| {
            Failure::internal(format!("the function has no argument \"{name}\"")).raise()
        })
    }

    /// The SQL type that the declaration gives an argument.
    pub fn declared_type(&self, name: &str) -> Oid {
        let typ = self.place(name).and_then(|index| self.types.get(index));
        typ.copied().unwrap_or(pg_sys::InvalidOid)
    }

    /// The value that the call gives, whose SQL type is the one that T stands for; `None` for
    /// NULL, whatever labels say.
    pub fn given<T: FromDatum>(&self, name: &str) -> Option<T> {
        self.call.optional(self.index(name))
    }

    /// The value of an argument whose SQL type is the one that T stands for: as given, or else
    /// as the labels say; `None` where they say nothing.
    pub fn optional<T: FromDatum>(&self, name: &str) -> Option<T> {
        if let Some(one) = label_defaults::one_of_array(self, name) {
            return value_of(one);
        }
        self.given(name)
            .or_else(|| value_of(label_defaults::labelled(self, name)?))
    }

    /// The same for an argument that must not be NULL.
    pub fn required<T: FromDatum>(&self, name: &str) -> T {
        let value = self.optional(name);
        let value = value.or_else(|| value_of(label_defaults::usual(self, name)?));
        value.unwrap_or_else(|| label_defaults::missing(name))
    }

    /// The columns that an argument names, be it a `name[]`, a `name` or a JSON object; none
    /// where the function does not have it.
    pub fn columns(&self, name: &str) -> Vec<String> {
        self.columns_named(name, true)
    }

    /// The same without labels.
    pub fn given_columns(&self, name: &str) -> Vec<String> {
        self.columns_named(name, false)
    }

    fn columns_named(&self, name: &str, or_labelled: bool) -> Vec<String> {
        match self.declared_type(name) {
            pg_sys::NAMEARRAYOID => {
                let names = self.value::<NameList>(name, or_labelled);
                names.unwrap_or_default().0
            }
            pg_sys::NAMEOID => {
                let column = self.value::<Name>(name, or_labelled);
                Vec::from_iter(column.map(|name| name.0))
            }
            pg_sys::JSONBOID => json_columns(self.value(name, or_labelled)),
            _ => Vec::new(),
        }
    }

    fn value<T: FromDatum>(&self, name: &str, or_labelled: bool) -> Option<T> {
        match or_labelled {
            true => self.optional(name),
            false => self.given(name),
        }
    }

    /// The labels of the relation that the call is about.
    pub fn labels(&self) -> &Labels {
        self.labels.get_or_init(|| match self.source() {
            Some(source) => Labels::of(source),
            None => Labels::default(),
        })
    }

    /// The relation that the call is about: `source`, or the one of a row type, `NULL::patient`.
    pub fn source(&self) -> Option<Oid> {
        if let Some(index) = self.place("rowtype") {
            return self.call.relation_of_argument(index);
        }
        match self.declared_type("source") {
            pg_sys::REGCLASSOID => self.given::<Relation>("source").map(|source| source.0),
            // a name where another form of the function takes a row type
            pg_sys::TEXTOID => self.given::<String>("source").and_then(|name| {
                let name = literal(&name);
                statements::value(&format!(
                    "SELECT {name}::pg_catalog.regclass::pg_catalog.oid"
                ))
            }),
            _ => None,
        }
    }

    /// The relation that the call is about, which must be given.
    pub fn required_source(&self) -> Oid {
        if self.has("rowtype") {
            return row_results::relation_of_rowtype(self.call);
        }
        self.source().unwrap_or_else(|| {
            Failure::new(
                PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED,
                "source must not be null",
            )
            .hint("Name a table, as in 'patient'.")
            .raise()
        })
    }
}

/// What `label_defaults` gives for an argument whose SQL type is the one that T stands for.
fn value_of<T: FromDatum>(value: Datum) -> Option<T> {
    // SAFETY: a value of the argument's declared type.
    unsafe { T::from_datum(value, false) }
}

fn json_columns(object: Option<Json>) -> Vec<String> {
    match object {
        Some(Json(Value::Object(object))) => object.keys().cloned().collect(),
        _ => Vec::new(),
    }
}
