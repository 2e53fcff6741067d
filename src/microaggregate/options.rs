//! How a call wants its rows microaggregated: the options that window, masking and publishing
//! functions share, and the engine's methods behind them.

use crate::pg::errors::{self, Failure, Names};
use crate::pg::progress::Watch;
use crate::pg::settings;
use crate::read::arguments::count;
use crate::read::columns;
use sdc_engine::assign::Method;
use sdc_engine::assign::refine::{self, Limits};
use sdc_engine::measure::Squares;
use sdc_engine::{Categories, Column, Partition, Space};

/// The options of a call.
#[derive(Clone, Copy)]
pub struct Microaggregation {
    pub k: usize,
    pub p: usize,
    /// `None`: the usual one
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

    /// The keys as points.
    pub fn space(&self, keys: Vec<Column>, names: Names<'_>) -> Space {
        columns::space(keys, self.standardize, names)
    }

    pub fn partition(
        &self,
        space: &Space,
        sensitive: &[Categories],
        names: Names<'_>,
        watch: &mut Watch,
    ) -> Partition {
        let method = self.method(space);
        // what draws nothing needs no seed, not even a well-formed one
        let effort = self.refinement.effort(space.rows());
        let seed = match method.draws() || effort.is_some() {
            true => self.seed.or_else(settings::seed).map(|seed| seed as u64),
            false => Some(0),
        };
        let mut rng = errors::engine(method.generator(seed), names);
        let (k, p) = (self.k, self.p.max(1));
        let partition = match effort {
            None => method.group(space, sensitive, k, p, &mut rng, watch),
            Some(effort) => {
                let limits = Limits { k, p, sensitive };
                method.group_refined(space, limits, effort, &mut rng, watch)
            }
        };
        errors::engine(partition, names)
    }

    fn method(&self, space: &Space) -> Method {
        self.method.unwrap_or_else(|| Method::usual(space, self.p))
    }
}
