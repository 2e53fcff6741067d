//! What a check says about the population that a table was taken from: k-map and delta-presence.

use crate::check::{Check, Figure, Groups, group_queries};
use crate::pg::statements;
use crate::read::key_counts::{KeyCounts, Population, population_lacks};
use crate::read::population_argument::InPopulation;
use crate::read::relation::Source;
use sdc_engine::model::Property;

impl Check {
    /// The rows of the table, and of the population where there is one, by their keys.
    pub fn key_counts(&self) -> KeyCounts {
        let population = self
            .in_population
            .as_ref()
            .map(|there| Source::new(there.relation));
        KeyCounts::new(
            self.source.again(),
            self.keys.clone(),
            population.map_or(Population::Table, Population::Relation),
            self.entity.clone(),
        )
    }

    /// The groups of the table and of the population with their sizes in both. k-map is about
    /// groups of the table; nobody of a group that it lacks is in it, which is a delta of 0.
    pub(super) fn groups_in_population(&self) -> Option<Groups> {
        let there = self.in_population.as_ref()?;
        let of_table = group_queries::operate("g.size", ">", "0");
        let share = group_queries::operate(&group_queries::float("g.size"), "/", "g.pop");
        let figure = |property, required, sql| Figure {
            property,
            attribute: None,
            required,
            sql,
        };
        Some(Groups {
            sql: self.key_counts().groups(),
            figures: vec![
                figure(
                    Property::KMap,
                    there.k_map,
                    format!("CASE WHEN {of_table} THEN g.pop END"),
                ),
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

    /// Refuses a call that requires nothing.
    pub fn refuse_none(&self) {
        if !self
            .in_population
            .as_ref()
            .is_some_and(InPopulation::requires)
        {
            self.required.refuse_none();
        }
    }
}
