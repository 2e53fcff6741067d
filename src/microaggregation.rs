//! How a call wants its rows microaggregated: the options that window, masking and publishing
//! functions share, and the engine's methods behind them.

use crate::errors::{self, Failure, Names};
use crate::progress::Watch;
use crate::settings;
use sdc_engine::measure::Squares;
use sdc_engine::{Categories, Column, Partition, Space, Table, assign, random};

/// The options of a call.
pub struct Microaggregation {
    pub k: usize,
    pub p: usize,
    pub method: Method,
    pub standardize: bool,
    /// `None`: the setting `sdc.seed`, or the operating system
    pub seed: Option<i64>,
}

/// A way to form groups, under the name users give it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    Mdav,
    PSensitive(assign::Method),
}

const METHODS: [(&str, Method); 6] = [
    ("mdav", Method::Mdav),
    ("k_first", Method::PSensitive(assign::Method::KFirst)),
    ("p_first", Method::PSensitive(assign::Method::PFirst)),
    (
        "p_first_lean",
        Method::PSensitive(assign::Method::PFirstLean),
    ),
    (
        "random_seeds",
        Method::PSensitive(assign::Method::RandomSeeds),
    ),
    (
        "random_rows",
        Method::PSensitive(assign::Method::RandomRows),
    ),
];

impl Method {
    /// The method of this name; without one the one that loses least for this p.
    pub fn new(name: Option<&str>, p: usize) -> Self {
        let Some(name) = name else {
            return match p {
                0 | 1 => Method::Mdav,
                _ => Method::PSensitive(assign::Method::PFirstLean),
            };
        };
        let found = METHODS.iter().find(|(known, _)| *known == name);
        found.map_or_else(|| unknown_method(name), |&(_, method)| method)
    }

    pub fn name(self) -> &'static str {
        let found = METHODS.iter().find(|(_, method)| *method == self);
        found.map_or("", |(name, _)| name)
    }
}

fn unknown_method(name: &str) -> ! {
    let names: Vec<&str> = METHODS.iter().map(|(name, _)| *name).collect();
    Failure::invalid(format!("unknown method \"{name}\""))
        .hint(format!("Methods are: {}.", names.join(", ")))
        .raise()
}

/// A grouping and what it costs.
pub struct Grouped {
    pub partition: Partition,
    pub squares: Squares,
}

impl Microaggregation {
    /// Cuts rows into groups by their keys, and measures the cost.
    pub fn group(
        &self,
        keys: &[Column],
        sensitive: &[Categories],
        names: Names<'_>,
        watch: &mut Watch,
    ) -> Grouped {
        let space = self.space(keys.to_vec(), names);
        let partition = self.partition(&space, sensitive, names, watch);
        let squares = Squares::new(&space, &partition);
        Grouped { partition, squares }
    }

    /// The keys as points.
    pub fn space(&self, keys: Vec<Column>, names: Names<'_>) -> Space {
        let table = errors::engine(Table::new(keys), names);
        settings::check_grouping_memory(table.rows(), table.columns().len());
        Space::new(&table, self.standardize)
    }

    pub fn partition(
        &self,
        space: &Space,
        sensitive: &[Categories],
        names: Names<'_>,
        watch: &mut Watch,
    ) -> Partition {
        let partition = match self.method {
            Method::Mdav if self.p > 1 => {
                Failure::invalid("mdav does not look at sensitive columns")
                    .hint("Leave method out for p > 1, or name one of the p-sensitive methods.")
                    .raise()
            }
            Method::Mdav => assign::mdav(space, self.k, watch),
            Method::PSensitive(method) => {
                let seed = self.seed.or_else(settings::seed);
                random::generator(seed.map(|seed| seed as u64)).and_then(|mut rng| {
                    assign::p_sensitive(space, sensitive, self.k, self.p, method, &mut rng, watch)
                })
            }
        };
        errors::engine(partition, names)
    }
}
