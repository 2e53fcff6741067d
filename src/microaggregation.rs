//! How a call wants its rows microaggregated: the options that window, masking and publishing
//! functions share, and the engine's methods behind them.

use crate::arguments::count;
use crate::errors::{self, Failure, Names};
use crate::progress::Watch;
use crate::settings;
use sdc_engine::assign::refine::{self, Limits};
use sdc_engine::measure::Squares;
use sdc_engine::random::Generator;
use sdc_engine::{Categories, Column, Partition, Space, Table, assign, random};

/// The options of a call.
#[derive(Clone, Copy)]
pub struct Microaggregation {
    pub k: usize,
    pub p: usize,
    /// `None`: the one that loses least
    pub method: Option<Method>,
    pub standardize: bool,
    /// `None`: the setting `sdc.seed`, or the operating system
    pub seed: Option<i64>,
    pub refinement: Refinement,
}

/// Whether a local search lowers the loss after any method, and how long it may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refinement {
    None,
    /// as long as a table of this size affords in about a second
    Usual,
    /// units of work: a row is offered so many exchanges
    Effort(u32),
}

impl Refinement {
    /// What the arguments `refine` and `effort` ask for.
    pub fn new(refine: bool, effort: Option<i32>) -> Self {
        match (refine, effort) {
            (false, None) => Refinement::None,
            (true, None) => Refinement::Usual,
            (false, Some(_)) => Failure::invalid("effort is for refine => true")
                .hint("Add refine => true, or leave effort out.")
                .raise(),
            (true, Some(effort)) => match u32::try_from(effort) {
                Ok(effort) => Refinement::Effort(effort),
                Err(_) => Failure::invalid(format!("effort must not be negative, but is {effort}"))
                    .hint("0 is a plain descent; larger numbers search longer.")
                    .raise(),
            },
        }
    }

    fn effort(self, rows: usize) -> Option<u32> {
        match self {
            Refinement::None => None,
            Refinement::Usual => Some(refine::default_effort(rows)),
            Refinement::Effort(effort) => Some(effort),
        }
    }
}

/// A way to form groups, under the name users give it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    Mdav,
    /// groups of k to 2k - 1 rows
    VMdav,
    /// one numeric key: the least loss there can be
    Univariate,
    PSensitive(assign::Method),
}

const METHODS: [(&str, Method); 11] = [
    ("mdav", Method::Mdav),
    ("v_mdav", Method::VMdav),
    ("univariate", Method::Univariate),
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
    (
        "random_rows_lean",
        Method::PSensitive(assign::Method::RandomRowsLean),
    ),
    ("merge", Method::PSensitive(assign::Method::Merge)),
    ("least_loss", Method::PSensitive(assign::Method::LeastLoss)),
];

impl Method {
    /// The method of this name.
    pub fn named(name: &str) -> Self {
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

/// The number of distinct values that a call asks for in every group: nothing can promise any of
/// columns that are not named.
pub fn checked_p(p: i32, sensitive: &[String]) -> usize {
    if p < 1 {
        Failure::invalid(format!("p must be at least 1, not {p}"))
            .hint("Use p => 1 or more.")
            .raise();
    }
    if p > 1 && sensitive.is_empty() {
        Failure::invalid("p needs a sensitive column")
            .hint("Name it in sensitive => '{…}'.")
            .raise();
    }
    count(p, "p")
}

/// A grouping, how it was made and what it costs.
pub struct Grouped {
    pub partition: Partition,
    pub method: Method,
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
        let copies = keys.iter().map(Column::try_clone).collect();
        let space = self.space(errors::engine(copies, names), names);
        let partition = self.partition(&space, sensitive, names, watch);
        Grouped {
            squares: errors::engine(Squares::new(&space, &partition), names),
            method: self.method(&space),
            partition,
        }
    }

    /// What each key loses, in percent.
    pub fn losses(&self, keys: &[Column], partition: &Partition, names: Names<'_>) -> Vec<f64> {
        let loss = |key: &Column| {
            let alone = self.space(vec![errors::engine(key.try_clone(), names)], names);
            errors::engine(Squares::new(&alone, partition), names).information_loss()
        };
        keys.iter().map(loss).collect()
    }

    /// The keys as points.
    pub fn space(&self, keys: Vec<Column>, names: Names<'_>) -> Space {
        let table = errors::engine(Table::new(keys), names);
        settings::check_grouping_memory(table.rows(), table.columns().len());
        errors::engine(Space::new(&table, self.standardize), names)
    }

    pub fn partition(
        &self,
        space: &Space,
        sensitive: &[Categories],
        names: Names<'_>,
        watch: &mut Watch,
    ) -> Partition {
        let method = self.method(space);
        let mut rng = errors::engine(self.generator(method), names);
        let partition = match method {
            method @ (Method::Mdav | Method::VMdav | Method::Univariate) if self.p > 1 => {
                ignores_sensitive(method)
            }
            Method::Mdav => assign::mdav(space, self.k, watch),
            Method::VMdav => assign::v_mdav(space, self.k, None, watch),
            Method::Univariate => assign::univariate(only_column(space), self.k, watch),
            Method::PSensitive(method) => {
                assign::p_sensitive(space, sensitive, self.k, self.p, method, &mut rng, watch)
            }
        };
        let partition = errors::engine(partition, names);
        match self.refinement.effort(space.rows()) {
            None => partition,
            Some(effort) => {
                let (k, p) = (self.k, self.p.max(1));
                let limits = Limits { k, p, sensitive };
                let refined = refine::refine(space, limits, partition, effort, &mut rng, watch);
                errors::engine(refined, names)
            }
        }
    }

    /// What a method draws from. One that only tries out random groupings among others shall
    /// still give the same groups run after run: its draws hide nothing.
    fn generator(&self, method: Method) -> sdc_engine::Result<Generator> {
        let tries = method == Method::PSensitive(assign::Method::LeastLoss);
        let seed = self.seed.or_else(settings::seed).or(tries.then_some(0));
        random::generator(seed.map(|seed| seed as u64))
    }

    fn method(&self, space: &Space) -> Method {
        let one_number = space.numeric().len() == 1 && space.categorical().is_empty();
        self.method.unwrap_or(match self.p {
            0 | 1 if one_number => Method::Univariate,
            0 | 1 => Method::Mdav,
            _ => Method::PSensitive(assign::Method::LeastLoss),
        })
    }
}

fn only_column(space: &Space) -> &[f64] {
    match (space.numeric(), space.categorical()) {
        ([column], []) => column,
        (numeric, categorical) => Failure::invalid(format!(
            "method \"univariate\" needs one numeric key that varies, not {} and {} categorical ones",
            numeric.len(),
            categorical.len()
        ))
        .hint("Leave method out, or take mdav.")
        .raise(),
    }
}

fn ignores_sensitive(method: Method) -> ! {
    Failure::invalid(format!(
        "method \"{}\" does not look at sensitive columns",
        method.name()
    ))
    .hint("Leave method out for p > 1, or name one of the p-sensitive methods.")
    .raise()
}
