//! What a check says about the population that a table was taken from: k-map and delta-presence.

use crate::check::{Check, Figure, Groups, group_queries};
use crate::pg::errors::Failure;
use crate::pg::sql_types::Relation;
use crate::pg::statements;
use crate::read::key_counts::{KeyCounts, Population, population_lacks};
use crate::read::named_arguments::NamedArguments;
use crate::read::relation::Source;
use pgrx::pg_sys::Oid;
use sdc_engine::model::Property;

/// A population, and what is required of the table in it.
pub struct InPopulation {
    relation: Oid,
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

impl Check {
    /// The rows of the table, and of the population where there is one, by their keys.
    pub fn key_counts(&self) -> KeyCounts {
        let population = self
            .in_population
            .as_ref()
            .map(|there| Source::new(there.relation));
        KeyCounts::new(
            Source::new(self.source.oid),
            self.keys.clone(),
            population.map_or(Population::Table, Population::Relation),
            self.entity.clone(),
        )
    }

    /// The groups of the table with their size in the population.
    pub(super) fn groups_in_population(&self) -> Option<Groups> {
        let there = self.in_population.as_ref()?;
        let of_table = group_queries::operate("c.size", ">", "0");
        let share = group_queries::operate(&group_queries::float("g.size"), "/", "g.pop");
        let figure = |property, required, sql| Figure {
            property,
            attribute: None,
            required,
            sql,
        };
        Some(Groups {
            sql: format!(
                "SELECT c.* FROM ({}) c WHERE {of_table}",
                self.key_counts().groups()
            ),
            figures: vec![
                figure(Property::KMap, there.k_map, "g.pop".to_string()),
                figure(Property::DeltaPresence, there.delta, share),
            ],
            counts_values: false,
        })
    }

    /// Refuses a population that does not hold the table, and rows of nobody in it.
    pub(super) fn refuse_foreign_rows(&self) {
        if self.in_population.is_none() {
            return;
        }
        let counts = self.key_counts();
        let lacking = group_queries::operate("g.pop", "<", &group_queries::float("g.size"));
        let found = statements::select(
            &format!(
                "SELECT pg_catalog.max(g.bad), pg_catalog.count(*) FILTER (WHERE {lacking}) FROM ({}) g",
                counts.groups()
            ),
            |row| (row.get::<i32>(1), row.get::<i64>(2)),
        );
        for (bad, lacking) in found {
            counts.refuse_bad(bad.unwrap_or(0));
            if let (Population::Relation(population), Some(1..)) = (&counts.population, lacking) {
                population_lacks(population, lacking.unwrap_or(0) as u64);
            }
        }
    }

    /// Refuses a call that requires nothing, in the words of what it could not do.
    pub fn refuse_none(&self, done: &str) {
        if !self
            .in_population
            .as_ref()
            .is_some_and(InPopulation::requires)
        {
            self.required.refuse_none(done);
        }
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
