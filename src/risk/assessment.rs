//! The figures of `sdc.risk`, from counted groups or, where NULL matches every value, from matches.

use crate::pg::errors::Failure;
use crate::pg::progress::Watch;
use crate::pg::statements::{self, Order, Row, RowSink};
use crate::read::key_counts::{KeyCounts, Population, population_lacks};
use crate::read::key_tuples::MatchedKeys;
use crate::read::null_reading::NullReading;
use pgrx::pg_sys;
use sdc_engine::risk::{AttackerRisks, Exposure, RiskFigure, individual_risk};
use sdc_engine::{Monitor, Phase};

/// What to assess.
pub struct Assessment {
    pub counts: KeyCounts,
    pub nulls: NullReading,
    /// above this a row is at risk
    pub threshold: f64,
}

impl Assessment {
    /// Refuses a threshold that no risk can pass, or every risk does.
    pub fn new(counts: KeyCounts, nulls: NullReading, threshold: f64) -> Self {
        if !(0.0..1.0).contains(&threshold) {
            Failure::invalid(format!(
                "threshold must be at least 0 and below 1, not {threshold}"
            ))
            .hint("Use threshold => 0.2: rows with a larger risk count as at risk.")
            .raise();
        }
        nulls.refuse_with_entity(counts.entity.as_deref());
        Assessment {
            counts,
            nulls,
            threshold,
        }
    }

    /// All figures.
    pub fn figures(&self) -> Vec<RiskFigure> {
        let mut watch = Watch::new(Some(self.counts.source.oid));
        watch.start(Phase::Checking, 0);
        let mut summary = Summary {
            population: &self.counts.population,
            risks: AttackerRisks::new(self.threshold),
            lacking: 0,
            bad: 0,
        };
        match self.nulls {
            NullReading::Wildcard => {
                summary.add_matches(&MatchedKeys::read(&self.counts, None, &mut watch))
            }
            NullReading::Value => self.read_groups(&mut summary),
            NullReading::Refused => {
                self.counts.refuse_nulls();
                self.read_groups(&mut summary);
            }
        }
        self.counts.refuse_bad(summary.bad);
        if let (Population::Relation(population), 1..) = (summary.population, summary.lacking) {
            population_lacks(population, summary.lacking);
        }
        summary.risks.figures()
    }

    /// Groups that are alike are counted by PostgreSQL.
    fn read_groups(&self, summary: &mut Summary<'_>) {
        let sql = format!(
            "SELECT g.size, g.pop, pg_catalog.count(*), pg_catalog.max(g.bad) FROM ({}) g GROUP BY 1, 2",
            self.counts.groups()
        );
        let types = [
            pg_sys::INT8OID,
            pg_sys::FLOAT8OID,
            pg_sys::INT8OID,
            pg_sys::INT4OID,
        ];
        statements::read(&sql, &types, Order::Queried, summary);
    }
}

/// Sums over groups.
struct Summary<'a> {
    population: &'a Population,
    risks: AttackerRisks,
    /// groups with fewer rows in the population than here
    lacking: u64,
    bad: i32,
}

impl Summary<'_> {
    /// Groups that have so many rows each, and so many matches here and in the population.
    fn add(&mut self, groups: u64, rows: u64, sample: f64, population: f64) {
        let (population, risk) = match self.population {
            Population::Weight(_) => {
                // weights below one: there are at least the rows themselves
                let population = population.max(sample);
                (population, individual_risk(sample as u64, population))
            }
            _ => (population, 1.0 / population),
        };
        let estimated = matches!(self.population, Population::Weight(_));
        if population > 0.0 && !estimated {
            self.risks.add_presence(sample, population);
        }
        if rows > 0 {
            self.lacking += if population < sample { groups } else { 0 };
            self.risks.add(Exposure {
                groups,
                rows,
                sample,
                population,
                risk,
            });
        }
    }

    fn add_matches(&mut self, keys: &MatchedKeys) {
        let matches = keys.matches.sample.iter().zip(&keys.matches.population);
        let here = keys.tuples.sample().iter().zip(keys.tuples.population());
        for ((&rows, &there), (&sample, &population)) in here.zip(matches) {
            if rows > 0.0 || there > 0.0 {
                self.add(1, rows as u64, sample, population);
            }
        }
    }
}

impl RowSink for Summary<'_> {
    fn row(&mut self, row: &Row<'_>) {
        let rows = row.cell(0).int8() as u64;
        // the sum of weights that are all null is null
        let population = row.get(2).unwrap_or(0.0);
        self.bad = self.bad.max(row.get(4).unwrap_or(0));
        self.add(row.cell(2).int8() as u64, rows, rows as f64, population);
    }
}
