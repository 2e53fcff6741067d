//! Requirements that a call gives where they have no meaning: names, each with whether it is given.

use crate::pg::errors::Failure;

/// Refuses requirements on sensitive columns where none is named.
pub fn refuse_without_sensitive(requirements: &[(&str, bool)]) {
    if let Some(name) = first_given(requirements) {
        needs_sensitive(name);
    }
}

/// The error for such a requirement.
pub fn needs_sensitive(name: &str) -> ! {
    Failure::invalid(format!("{name} needs a sensitive column"))
        .hint("Name it in sensitive => '{…}'.")
        .raise()
}

/// Refuses requirements on groups where NULL matches every value.
pub fn refuse_with_wildcards(requirements: &[(&str, bool)], hint: &str) {
    if let Some(name) = first_given(requirements) {
        Failure::invalid(format!("{name} has no meaning with nulls => 'wildcard'"))
            .detail("Where NULL matches every value, rows have matches but no groups.")
            .hint(hint)
            .raise();
    }
}

fn first_given<'a>(requirements: &[(&'a str, bool)]) -> Option<&'a str> {
    let given = requirements.iter().find(|(_, given)| *given);
    given.map(|&(name, _)| name)
}
