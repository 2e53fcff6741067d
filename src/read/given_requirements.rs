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

/// Refuses a t that is no distance of two distributions.
pub fn refuse_distance(t: Option<f64>) {
    if let Some(t) = t.filter(|t| !(0.0..=1.0).contains(t)) {
        Failure::invalid(format!("t must be between 0 and 1, not {t}"))
            .hint("For example t => 0.3.")
            .raise();
    }
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
