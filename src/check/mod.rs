//! Checking a table: what is asked, which figures answer it, and the SQL that computes them.
//!
//! Each sensitive column needs one pass: rows are counted by keys and value, by a plain GROUP
//! BY, so that PostgreSQL hashes, spills and runs in parallel, on partitioned and foreign
//! tables too. The counts of a group are put together in memory (`counted`) or, where that is
//! short and for lists of violations, by a second GROUP BY.

mod assert_difference;
mod brought_values;
mod category_functions;
mod check_functions;
mod feasibility;
mod group_queries;
mod group_spread;
mod histogram;
mod in_memory;
mod in_population;
mod requirements;
mod spilled;
mod unfit_rows;
mod verdict;
mod violations;
mod wildcards;

use crate::pg::citus;
use crate::pg::progress::Watch;
use crate::pg::quoting::identifier;
use crate::pg::sql_types::{Json, Name, NameList, Relation};
use crate::pg::type_capabilities;
use crate::read::named_arguments::NamedArguments;
use crate::read::null_reading::NullReading;
use crate::read::population_argument::InPopulation;
use crate::read::relation::{self, Source};
use crate::read::sensitivity_categories;
use crate::read::value_distance::ValueDistance;
use pgrx::pg_sys::Oid;
use sdc_engine::model::Property;
use sdc_engine::{Monitor, Phase};

pub use requirements::Requirements;
pub use unfit_rows::refuse_unfit_rows;
pub use verdict::Line;

/// A table and what to check about it.
pub struct Check {
    pub source: Source,
    pub keys: Vec<String>,
    pub sensitive: Vec<String>,
    pub required: Requirements,
    /// sensitivity categories of the one sensitive column
    pub categories: Option<Vec<Vec<String>>>,
    /// the column that tells persons apart who have several rows
    pub entity: Option<String>,
    /// how far apart sensitive numbers are
    pub distance: ValueDistance,
    /// what NULL in a key stands for
    pub nulls: NullReading,
    pub in_population: Option<InPopulation>,
}

/// One figure of each group, computed from the columns of its [`Groups`] query.
pub struct Figure {
    pub property: Property,
    pub attribute: Option<String>,
    pub required: Option<f64>,
    /// SQL over the group's columns, of type float8
    pub sql: String,
}

/// A query that gives one row per group, and the figures it allows.
pub struct Groups {
    pub sql: String,
    pub figures: Vec<Figure>,
    /// whether each group says how many values it has
    pub counts_values: bool,
}

impl Check {
    /// The check that a call asks for, by the names that every check of a table uses.
    pub fn of_arguments(arguments: &NamedArguments<'_>) -> Self {
        let distance: String = arguments.required("distance");
        let nulls = arguments
            .has("nulls")
            .then(|| arguments.required::<String>("nulls"));
        let check = Check {
            distance: ValueDistance::named(&distance),
            nulls: nulls.map_or(NullReading::Value, |nulls| NullReading::named(&nulls)),
            in_population: InPopulation::of_arguments(arguments),
            ..Check::new(
                Relation(arguments.required_source()),
                arguments.required("keys"),
                arguments.required("sensitive"),
                Requirements::of_arguments(arguments),
                arguments.optional("categories"),
                arguments.optional("entity"),
            )
        };
        check.refuse_wildcard_models();
        check
    }

    pub fn new(
        source: Relation,
        keys: NameList,
        sensitive: NameList,
        required: Requirements,
        categories: Option<Json>,
        entity: Option<Name>,
    ) -> Self {
        let entity = entity.map(|name| name.0);
        let source = Source::new(source.0);
        relation::refuse_empty("keys", &keys.0);
        let entities = entity.as_slice();
        for (argument, names) in [
            ("keys", &keys.0[..]),
            ("sensitive", &sensitive.0),
            ("entity", entities),
        ] {
            let places = source.columns(argument, names);
            let types = places.iter().map(|&place| source.attributes[place].typ);
            types.for_each(type_capabilities::require);
        }
        relation::refuse_overlap(("keys", &keys.0), ("sensitive", &sensitive.0));
        relation::refuse_overlap(("keys", &keys.0), ("entity", entities));
        let check = Check {
            categories: categories.map(sensitivity_categories::parse),
            entity,
            ..Check::of(source, keys.0, sensitive.0, required)
        };
        required.refuse_nonsense();
        if check.entity.is_none() {
            required.refuse_p_above_k();
        }
        if check.sensitive.is_empty() {
            required.refuse_without_sensitive();
        }
        sensitivity_categories::refuse_unfit(
            check.categories.as_deref(),
            check.sensitive.len(),
            required.alpha,
        );
        check
    }

    /// A check of columns that are known to exist.
    pub fn of(
        source: Source,
        keys: Vec<String>,
        sensitive: Vec<String>,
        required: Requirements,
    ) -> Self {
        Check {
            source,
            keys,
            sensitive,
            required,
            categories: None,
            entity: None,
            distance: ValueDistance::default(),
            nulls: NullReading::default(),
            in_population: None,
        }
    }

    /// Shows that the table is being checked, by so many queries.
    fn watch(&self, queries: usize) -> Watch {
        let mut watch = Watch::new(Some(self.source.oid));
        watch.start(Phase::Checking, queries as u64);
        watch
    }

    /// The verdict on each property.
    pub fn lines(&self) -> Vec<Line> {
        verdict::lines(self)
    }

    /// The verdict on k for those who know so many of the keys; `None` where the sets of keys are
    /// too many to count.
    pub fn line_of_known_keys(&self, known: usize, watch: &mut Watch) -> Option<Line> {
        wildcards::worst_of_known_keys(self, known, watch)
    }

    /// The types of the key columns.
    fn key_types(&self) -> impl Iterator<Item = Oid> {
        let places = self.source.columns("keys", &self.keys).into_iter();
        places.map(|place| self.source.attributes[place].typ)
    }

    /// Whether the sizes of groups come with the counts of a sensitive column.
    fn gives_size_by_value(&self) -> bool {
        self.entity.is_none() && !self.sensitive.is_empty()
    }

    /// Whether the rows of each group are on one node of Citus, and nothing that is required needs
    /// the counts of all groups in one place.
    fn is_grouped_on_workers(&self) -> bool {
        self.required.t.is_none()
            && !self.sensitive.is_empty()
            && citus::distribution_column(self.source.oid)
                .is_some_and(|column| self.keys.contains(&column))
    }

    /// The queries that give all figures but t-closeness.
    pub fn groups(&self) -> Vec<Groups> {
        let by_value = |(place, column): (usize, &String)| {
            self.groups_by_value(column, place == 0 && self.gives_size_by_value())
        };
        let mut groups = Vec::from_iter(self.groups_by_size());
        groups.extend(self.sensitive.iter().enumerate().map(by_value));
        groups.extend(self.groups_by_categories());
        groups.extend(self.groups_in_population());
        groups
    }

    /// Of these the ones that do not count a sensitive column's values.
    fn groups_beside_values(&self) -> Vec<Groups> {
        let by_size = self.groups_by_size().into_iter();
        let beside = by_size.chain(self.groups_by_categories());
        beside.chain(self.groups_in_population()).collect()
    }

    fn groups_by_size(&self) -> Option<Groups> {
        (!self.gives_size_by_value()).then(|| self.groups_by_keys())
    }

    fn groups_by_categories(&self) -> Option<Groups> {
        let categories = self.categories.as_ref()?;
        Some(self.groups_by_category(&self.sensitive[0], categories))
    }

    /// Only the sizes of groups, in rows or in persons.
    fn groups_by_keys(&self) -> Groups {
        let (sql, size) = match &self.entity {
            None => (group_queries::sizes(self), "g.size"),
            Some(entity) => (
                group_queries::by_value(self, &identifier(entity), None),
                "g.vals",
            ),
        };
        Groups {
            sql,
            figures: vec![self.k_anonymity(size)],
            counts_values: false,
        }
    }

    fn groups_by_value(&self, column: &str, gives_size: bool) -> Groups {
        let mut figures = Vec::new();
        if gives_size {
            figures.push(self.k_anonymity("g.size"));
        }
        // what persons bring is not counted by SQL
        if self.entity.is_none() {
            figures.push(Figure::new(
                Property::PSensitivity,
                column,
                self.required.p.map(f64::from),
                group_queries::float("g.vals"),
            ));
        }
        let value = identifier(column);
        let (sql, all) = match &self.entity {
            None => (group_queries::by_value(self, &value, None), "g.size"),
            Some(entity) => {
                let sql = group_queries::by_person(self, &value, &identifier(entity));
                (sql, "g.persons")
            }
        };
        let share = group_queries::operate(
            &group_queries::float(all),
            "/",
            &group_queries::float("g.most"),
        );
        figures.push(Figure::new(
            Property::LDiversity,
            column,
            self.required.l,
            share,
        ));
        Groups {
            sql,
            figures,
            counts_values: true,
        }
    }

    fn groups_by_category(&self, column: &str, categories: &[Vec<String>]) -> Groups {
        // whole numbers first, one division at the end: thirds added up fall short of 2
        let above_first = group_queries::operate("c.val", "-", "1");
        let weight = format!(
            "pg_catalog.sum({})",
            group_queries::operate(&above_first, "*", "c.n")
        );
        let steps = group_queries::number((categories.len() - 1) as f64);
        let weight_per_step = group_queries::operate(&group_queries::float("g.extra"), "/", &steps);
        let p = self.required.p.map(f64::from);
        let figures = vec![
            Figure::new(Property::PPlus, column, p, group_queries::float("g.vals")),
            Figure::new(
                Property::AlphaWeight,
                column,
                self.required.alpha,
                weight_per_step,
            ),
        ];
        let category = group_queries::category(column, categories);
        // a person counts by the most sensitive category, as in a release
        let sql = match &self.entity {
            None => group_queries::by_value(self, &category, Some(&weight)),
            Some(entity) => {
                group_queries::by_least_value(self, &category, &identifier(entity), &weight)
            }
        };
        Groups {
            sql,
            figures,
            counts_values: false,
        }
    }

    fn k_anonymity(&self, size: &str) -> Figure {
        Figure {
            property: Property::KAnonymity,
            attribute: None,
            required: self.required.k.map(f64::from),
            sql: group_queries::float(size),
        }
    }
}

impl Figure {
    fn new(property: Property, column: &str, required: Option<f64>, sql: String) -> Self {
        Figure {
            property,
            attribute: Some(column.into()),
            required,
            sql,
        }
    }
}
