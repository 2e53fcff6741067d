//! Generalization and suppression (TV06): hierarchies are tables, rows are counted once, the
//! engine searches the lattice that the hierarchies span.
//!
//! ```text
//! hierarchy_keys.rs ─┐
//! (tables → levels)   ├─► row_counting.rs ─► engine ─► lattice_functions.rs  nodes
//! conditions.rs ─────┘   (rows → counts)         └─► release               masked rows
//! ```
//!
//! hierarchy_builders.rs and level_grouping.rs make hierarchies, lookup.rs looks single values up
//! in them, local_recoding.rs shows the rows of a group by what is common to them.

mod conditions;
mod group_labels;
mod hierarchy_builders;
mod lattice_functions;
mod level_grouping;
mod lookup;
mod population_counting;
mod row_counting;
mod time_bins;
mod uncovered_values;

mod hierarchy_keys;
mod local_recoding;

pub use conditions::{Conditions, model_of_category};
pub use group_labels::{GroupEnds, read_ends, sets};
pub use hierarchy_keys::Keys;
pub use local_recoding::{KeyColumn, Recoded, recode};
pub use row_counting::{CountedColumns, CountedRows, count_rows};

use crate::pg::errors::{self, Failure, Names, number_of};
use crate::pg::memory;
use crate::pg::progress::Watch;
use crate::pg::sql_types::{Json, NameList, Relation};
use crate::read::column_weights;
use crate::read::named_arguments::NamedArguments;
use crate::read::population_argument::InPopulation;
use crate::read::relation::{self, Source};
use crate::read::table_options::{Nulls, TableOptions, null_entity};
use pgrx::prelude::*;
use population_counting::{count_population, refuse_lacking};
use sdc_engine::lattice::{self, Combinations, Figures, PopulationLimits, Price, Requirement};

/// A source, its keys with their hierarchies, and what is required of groups.
pub struct Generalization {
    pub source: Source,
    pub keys: Keys,
    pub sensitive: Vec<String>,
    pub sensitive_labels: Vec<String>,
    /// the column that tells persons apart, if there is one; it is counted behind the sensitive ones
    pub entity: Vec<String>,
    /// keys that are never generalized
    pub strata: Vec<String>,
    nulls: Nulls,
    pub conditions: Conditions,
    /// the population that the source was taken from, and what is required there
    pub population: Option<(Source, PopulationLimits)>,
    /// what losses cost; `None`: all columns alike, and a suppressed row loses everything
    pub price: Option<Price>,
}

impl Generalization {
    pub fn new(arguments: &NamedArguments<'_>) -> Self {
        let sensitive = arguments.required::<NameList>("sensitive").0;
        let hierarchies: Json = arguments.required("hierarchies");
        let table = TableOptions::or_wildcards(arguments);
        let conditions = Conditions::new(arguments, sensitive.len(), &table);
        let source = Source::new(arguments.required::<Relation>("source").0);
        source.columns("sensitive", &sensitive);
        let keys = match arguments.given::<Json>("hierarchies") {
            Some(_) => Keys::new(&source, &hierarchies),
            None => Keys::unnamed(&source, &hierarchies),
        };
        relation::refuse_overlap(("hierarchies", &keys.names), ("sensitive", &sensitive));
        let unweighted = TableOptions {
            weights: None, // read with the price of losses
            ..table.clone()
        };
        unweighted.refuse_names(&source, &keys.names, &[("sensitive", &sensitive)]);
        let price = price(arguments, &keys, table.strata.len());
        let population = population(arguments, &table);
        let nulls_match = table.nulls == Nulls::Wildcard;
        Generalization {
            price,
            sensitive_labels: labels(&sensitive),
            sensitive,
            keys: match nulls_match {
                true => keys.with_wildcards(),
                false => keys,
            }
            .and_strata(&source, &table.strata),
            source,
            conditions,
            population,
            entity: table.entity.into_iter().collect(),
            strata: table.strata,
            nulls: table.nulls,
        }
    }

    /// What messages call the columns.
    pub fn names(&self) -> Names<'_> {
        Names {
            keys: &self.keys.labels,
            sensitive: &self.sensitive_labels,
        }
    }

    /// Reads the rows; nothing but counts is kept of them.
    pub fn count(&self, watch: &mut Watch) -> CountedRows {
        let counted = self.counted();
        let columns = CountedColumns {
            others: &counted,
            counted: counted.len(),
            of_persons: !self.entity.is_empty(),
            keep: false,
        };
        self.checked(count_rows(&self.source, &self.keys, &columns, watch))
    }

    /// The places of the columns whose values are counted: sensitive ones, then that of persons.
    pub fn counted(&self) -> Vec<usize> {
        let mut counted = self.source.columns("sensitive", &self.sensitive);
        counted.extend(self.source.columns("entity", &self.entity));
        counted
    }

    /// Refuses rows that are nobody's and, where the call says so, keys that are NULL.
    pub fn checked(&self, rows: CountedRows) -> CountedRows {
        let keys = self.keys.labels.iter().zip(&rows.key_values);
        for (label, values) in keys {
            if self.nulls == Nulls::Error && values.holds_null() {
                errors::null_key(label).raise();
            }
        }
        if let Some(entity) = self.entity.first() {
            let column = self.sensitive.len();
            let (codec, values) = (&rows.sensitive[column], rows.counter.values(column));
            if values.iter().any(|bytes| codec.decode(bytes).is_null()) {
                null_entity(&format!("column \"{entity}\"")).raise();
            }
        }
        rows
    }

    /// Counts the population beside the rows, if there is one.
    pub fn count_population(&self, rows: &mut CountedRows, watch: &mut Watch) {
        if let Some((population, _)) = &self.population {
            count_population(&mut rows.counter, population, &self.keys, watch);
        }
    }

    /// The distinct combinations of counted rows.
    pub fn combinations(&self, rows: &CountedRows) -> Combinations {
        let mut combinations = errors::engine(rows.counter.combinations(), self.names());
        if let Some((population, limits)) = &self.population {
            refuse_lacking(population, &combinations);
            combinations = errors::engine(combinations.in_population(*limits), self.names());
        }
        if self.has_wildcards() {
            let wildcards = combinations.with_wildcards(self.keys.wildcards.clone());
            combinations = errors::engine(wildcards, self.names());
        }
        match &self.price {
            Some(price) => errors::engine(combinations.priced(price.clone()), self.names()),
            None => combinations,
        }
    }

    /// Whether NULL in a key matches every value.
    pub fn has_wildcards(&self) -> bool {
        self.nulls == Nulls::Wildcard
    }

    /// The node that loses least of all.
    pub fn best(
        &self,
        combinations: &Combinations,
        requirement: &Requirement<'_>,
        watch: &mut Watch,
    ) -> Figures {
        let best = lattice::best_generalization(combinations, requirement, watch);
        let best = errors::engine(best, self.names());
        log_search(combinations, format_args!("{} evaluated", best.evaluated));
        best.node
            .unwrap_or_else(|| self.none_satisfies(combinations, requirement, watch))
    }

    /// No node of the lattice does: even the top has too few rows, values or diversity.
    fn none_satisfies(
        &self,
        combinations: &Combinations,
        requirement: &Requirement<'_>,
        watch: &mut Watch,
    ) -> ! {
        let failure = Failure::new(
            PgSqlErrorCode::ERRCODE_DATA_EXCEPTION,
            "no generalization of these hierarchies satisfies the requirements",
        )
        .hint("Allow more rows to be suppressed (max_suppressed), add a level '*' on top of each hierarchy, or require less; sdc.lattice() shows every node.");
        if self.strata.is_empty() || self.has_wildcards() {
            failure.raise();
        }
        let top = combinations.lattice().nodes() - 1;
        let figures = lattice::figures(combinations, requirement, top, watch);
        failure
            .detail(format!(
                "At the highest levels {} in groups that fail, and max_suppressed allows {}. The smallest group has {}.",
                match errors::engine(figures, self.names()).suppressed {
                    1 => "1 row is".into(),
                    rows => format!("{rows} rows are"),
                },
                requirement.max_suppressed,
                self.fewest(combinations, top, watch)
            ))
            .raise()
    }

    /// How many rows or persons the smallest group of a node has, beside k.
    fn fewest(&self, combinations: &Combinations, node: usize, watch: &mut Watch) -> String {
        let kept = memory::collected((0..combinations.len()).map(|_| true));
        let groups = lattice::kept_groups(combinations, node, &kept, watch);
        let groups = errors::engine(groups, self.names());
        let (fewest, counted) = match self.entity.is_empty() {
            true => (groups.sizes().iter().min().copied(), "row"),
            false => {
                let persons = groups.columns()[self.sensitive.len()].iter();
                (persons.map(|persons| persons.len() as u64).min(), "person")
            }
        };
        let counted = number_of(fewest.unwrap_or(0), counted);
        format!("{counted} where k = {}", self.conditions.k)
    }

    /// Every minimal node, the one that loses least first.
    pub fn minimal(
        &self,
        combinations: &Combinations,
        requirement: &Requirement<'_>,
        watch: &mut Watch,
    ) -> Vec<Figures> {
        let minimal = lattice::minimal_generalizations(combinations, requirement, watch);
        let minimal = errors::engine(minimal, self.names());
        let (evaluated, found) = (minimal.evaluated, minimal.nodes.len());
        log_search(
            combinations,
            format_args!("{evaluated} evaluated, {found} minimal"),
        );
        minimal.nodes
    }
}

fn log_search(combinations: &Combinations, searched: std::fmt::Arguments<'_>) {
    debug1!(
        "lattice of {} nodes over {} combinations of key values: {searched}",
        combinations.lattice().nodes(),
        combinations.len()
    );
}

/// The population that a call names. It has a row for each person.
fn population(
    arguments: &NamedArguments<'_>,
    options: &TableOptions,
) -> Option<(Source, PopulationLimits)> {
    let there = InPopulation::of_arguments(arguments)?;
    if options.nulls == Nulls::Wildcard {
        Failure::new(
            PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED,
            "population cannot be combined with nulls => 'wildcard'",
        )
        .detail("With 'wildcard', rows have no groups to compare with the population. If several rows match one person, it is not defined which one to suppress.")
        .hint("Leave one of the two out; sdc.check_anonymity() takes both and says what the release achieves.")
        .raise();
    }
    if options.entity.is_some() {
        Failure::new(
            PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED,
            "population counts rows, and cannot be combined with entity",
        )
        .hint("Leave one of the two out, or publish a view with one row for each person.")
        .raise();
    }
    let limits = PopulationLimits {
        k_map: there.k_map.unwrap_or(0.0) as u64,
        delta: there.delta,
    };
    Some((Source::new(there.relation), limits))
}

/// What a call says that losses cost, if it says so. Strata, which come behind the keys, are
/// never generalized and cost nothing.
fn price(arguments: &NamedArguments<'_>, keys: &Keys, strata: usize) -> Option<Price> {
    let weights: Option<Json> = arguments.optional("weights");
    let factor: f64 = arguments.required("suppression_factor");
    if weights.is_none() && factor == 1.0 && strata == 0 {
        return None;
    }
    let even = || vec![1.0; keys.names.len()];
    let weights = weights.map(|weights| column_weights::parse("weights", &weights, &keys.names));
    let mut weights = weights.unwrap_or_else(even);
    weights.resize(weights.len() + strata, 0.0);
    let price = Price::new(weights, factor);
    Some(errors::engine(price, Names::default()))
}

/// What messages call columns.
fn labels(names: &[String]) -> Vec<String> {
    let label = |name: &String| format!("column \"{name}\"");
    names.iter().map(label).collect()
}
