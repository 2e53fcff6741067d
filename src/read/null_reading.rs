//! How a check or a risk reads NULL in keys.

use crate::pg::errors::Failure;

/// What NULL in a key stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NullReading {
    /// a value like any other
    #[default]
    Value,
    /// nothing: it is refused
    Refused,
    /// every value
    Wildcard,
}

impl NullReading {
    /// The reading of this name.
    pub fn named(name: &str) -> Self {
        match name {
            "value" => NullReading::Value,
            "error" => NullReading::Refused,
            "wildcard" => NullReading::Wildcard,
            _ => Failure::invalid(format!("unknown reading of nulls \"{name}\""))
                .hint("nulls is value, error or wildcard.")
                .raise(),
        }
    }

    /// Refuses to count persons where a row matches several combinations of keys.
    pub fn refuse_with_entity(self, entity: Option<&str>) {
        if self == NullReading::Wildcard && entity.is_some() {
            Failure::invalid("nulls => 'wildcard' counts rows, not persons")
                .detail("A person with several rows could match a row through each of them.")
                .hint("Leave entity out, or use a view with one row for each person.")
                .raise();
        }
    }
}
