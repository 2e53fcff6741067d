//! Arguments by the names that the function's SQL declaration gives them: what several functions
//! take is read in one place, wherever it stands in each of them.

use crate::pg::errors::{self, Failure};
use crate::pg::function_call::Call;
use crate::pg::statements;
use pgrx::FromDatum;

/// The arguments of one call.
pub struct NamedArguments<'a> {
    call: &'a Call,
    names: Vec<String>,
}

impl<'a> NamedArguments<'a> {
    pub fn of(call: &'a Call) -> Self {
        let names = statements::value::<Vec<String>>(&format!(
            "SELECT p.proargnames FROM pg_catalog.pg_proc p WHERE p.oid OPERATOR(pg_catalog.=) {}::pg_catalog.oid",
            u32::from(call.function())
        ));
        NamedArguments {
            call,
            names: names.unwrap_or_default(),
        }
    }

    /// Whether the function has an argument of this name.
    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|other| other == name)
    }

    /// The value of an argument whose SQL type is the one that T stands for; `None` for NULL.
    pub fn optional<T: FromDatum>(&self, name: &str) -> Option<T> {
        let index = self.names.iter().position(|other| other == name);
        let Some(index) = index.filter(|&index| index < self.call.arguments()) else {
            Failure::internal(format!("the function has no argument \"{name}\"")).raise()
        };
        self.call.optional(index)
    }

    /// The same for an argument that must not be NULL.
    pub fn required<T: FromDatum>(&self, name: &str) -> T {
        errors::required(self.optional(name), name)
    }
}
