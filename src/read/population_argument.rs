//! The population that a table was taken from, and what is required of the table in it: the
//! arguments `population`, `k_map` and `delta`.

use crate::pg::errors::Failure;
use crate::pg::sql_types::Relation;
use crate::read::named_arguments::NamedArguments;
use pgrx::pg_sys::Oid;

/// A population, and what is required of the table in it.
pub struct InPopulation {
    pub relation: Oid,
    /// each group of the table has so many persons in the population
    pub k_map: Option<f64>,
    /// at most this share of a group of the population is in the table
    pub delta: Option<f64>,
}

impl InPopulation {
    /// The population that a call names; a requirement without one is refused.
    pub fn of_arguments(arguments: &NamedArguments<'_>) -> Option<Self> {
        if !arguments.has("k_map") {
            return None;
        }
        let k_map = arguments.optional::<i32>("k_map").map(f64::from);
        let delta = arguments.optional::<f64>("delta");
        refuse_nonsense(k_map, delta);
        let relation = arguments.optional::<Relation>("population");
        let required = [("k_map", k_map.is_some()), ("delta", delta.is_some())];
        match (relation, required.iter().find(|(_, given)| *given)) {
            (Some(relation), _) => Some(InPopulation {
                relation: relation.0,
                k_map,
                delta,
            }),
            (None, Some((name, _))) => Failure::invalid(format!("{name} needs a population"))
                .hint("Name the table of the whole population in population => '…'.")
                .raise(),
            (None, None) => None,
        }
    }

    /// Whether anything is required.
    pub fn requires(&self) -> bool {
        self.k_map.is_some() || self.delta.is_some()
    }
}

fn refuse_nonsense(k_map: Option<f64>, delta: Option<f64>) {
    if let Some(k_map) = k_map.filter(|&k_map| k_map < 1.0) {
        Failure::invalid(format!("k_map must be at least 1, not {k_map}"))
            .hint("Use k_map => 1 or more.")
            .raise();
    }
    if let Some(delta) = delta.filter(|delta| !(0.0..=1.0).contains(delta)) {
        Failure::invalid(format!("delta must be between 0 and 1, not {delta}"))
            .hint("It is the largest share of a group of the population that may be in the table.")
            .raise();
    }
}
