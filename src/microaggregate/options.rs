//! How a call wants its rows microaggregated: the options that window, masking and publishing
//! functions share, and the engine's methods behind them.

use crate::pg::errors::{self, Failure, Names};
use crate::pg::progress::Watch;
use crate::pg::settings;
use crate::pg::sql_types::NameList;
use crate::read::arguments::{self, count};
use crate::read::columns::weighted_space;
use crate::read::given_requirements;
use crate::read::named_arguments::NamedArguments;
use crate::read::points::Points;
use crate::read::source_rows::KeptRows;
use crate::read::table_options::Suppression;
use sdc_engine::assign::refine::{self, Limits};
use sdc_engine::assign::{GroupConditions, Method};
use sdc_engine::measure::Squares;
use sdc_engine::random::Generator;
use sdc_engine::{Categories, Monitor, Partition, Result, Space, Table};

/// The options of a call.
#[derive(Clone)]
pub struct Microaggregation {
    pub k: usize,
    pub p: usize,
    /// of each key; none at all stand for ones
    pub weights: Vec<f64>,
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
    /// units of work: each offers every row 25 exchanges
    Effort(u32),
}

impl Refinement {
    /// What the arguments `refine` and `effort` ask for.
    pub fn new(refine: bool, effort: Option<i32>) -> Self {
        match (refine, effort) {
            (false, None) => Refinement::None,
            (true, None) => Refinement::Usual,
            (false, Some(_)) => Failure::invalid("effort needs refine => true")
                .hint("Add refine => true, or leave effort out.")
                .raise(),
            (true, Some(effort)) => match u32::try_from(effort) {
                Ok(effort) if effort <= refine::MOST_EFFORT => Refinement::Effort(effort),
                _ => Failure::invalid(format!(
                    "effort must be between 0 and {}, not {effort}",
                    refine::MOST_EFFORT
                ))
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
        given_requirements::needs_sensitive("p");
    }
    count(p, "p")
}

/// Groups of some points, or of all for `None`.
pub type GroupPoints<'a> = dyn FnMut(Option<&[u32]>, &mut dyn Monitor) -> Result<Partition> + 'a;

/// A grouping, how it was made and what it costs.
pub struct Grouped {
    pub partition: Partition,
    pub method: Method,
    pub squares: Squares,
}

impl Microaggregation {
    /// What a call asks for; the weights are those of its keys.
    pub fn of(arguments: &NamedArguments<'_>, weights: Vec<f64>) -> Self {
        let sensitive = arguments.required::<NameList>("sensitive").0;
        let method: Option<String> = arguments.optional("method");
        Microaggregation {
            k: count(arguments.required("k"), "k"),
            p: checked_p(arguments.required("p"), &sensitive),
            weights,
            method: method.as_deref().map(arguments::method),
            standardize: arguments.required("standardize"),
            seed: arguments.optional("seed"),
            refinement: Refinement::new(arguments.required("refine"), arguments.optional("effort")),
        }
    }

    /// Cuts rows into groups by their keys, and measures the cost. Rows of strata that cannot
    /// keep the promise are left out of `rows`, if they may be.
    pub fn group(
        &self,
        rows: &mut KeptRows,
        conditions: GroupConditions<'_>,
        suppression: Suppression,
        watch: &mut Watch,
    ) -> Grouped {
        let group =
            |points: &Points,
             rows: &mut KeptRows,
             _: &Space,
             group: &mut GroupPoints<'_>,
             watch: &mut Watch| points.group(rows, suppression, group, watch);
        self.group_by(rows, conditions, group, watch)
    }

    /// The same, where `how` says which points are grouped.
    pub fn group_by(
        &self,
        rows: &mut KeptRows,
        conditions: GroupConditions<'_>,
        how: impl FnOnce(&Points, &mut KeptRows, &Space, &mut GroupPoints<'_>, &mut Watch) -> Partition,
        watch: &mut Watch,
    ) -> Grouped {
        let mut points = Points::of(rows, |persons, values, strata| {
            persons.representatives(values, strata, self.p)
        });
        // the points themselves are not needed beside their places in space
        let space = self.space(&points.take_keys(), rows.names());
        let method = self.method(&space, !conditions.is_empty());
        let mut rng = errors::engine(method.generator(self.seed(method)), rows.names());
        let sensitive = &points.sensitive;
        let mut group = |chosen: Option<&[u32]>, monitor: &mut dyn Monitor| {
            self.cut_some(&space, sensitive, chosen, conditions, &mut rng, monitor)
        };
        let partition = how(&points, rows, &space, &mut group, watch);
        // where points are rows, all of them, what was grouped can be measured as it is
        let as_grouped = rows.persons.is_none() && rows.rows == space.rows();
        let squares = match as_grouped {
            true => errors::engine(Squares::new(&space, &partition), rows.names()),
            false => self.squares(rows, &partition),
        };
        Grouped {
            squares,
            method,
            partition,
        }
    }

    /// What a grouping of rows costs, whatever points were grouped.
    pub fn squares(&self, rows: &KeptRows, partition: &Partition) -> Squares {
        let space = self.space(&rows.key_table(), rows.names());
        errors::engine(Squares::new(&space, partition), rows.names())
    }

    /// The keys as points.
    pub fn space(&self, keys: &Table, names: Names<'_>) -> Space {
        weighted_space(keys, self.standardize, &self.weights, names)
    }

    /// Groups of all points, which cross no strata; `None` where a stratum has too few points or
    /// values.
    pub fn partition(
        &self,
        space: &Space,
        points: &Points,
        rows: &KeptRows,
        watch: &mut Watch,
    ) -> Option<Partition> {
        let method = self.method(space, false);
        let mut rng = errors::engine(method.generator(self.seed(method)), rows.names());
        let conditions = GroupConditions::default();
        let group = |chosen: Option<&[u32]>, monitor: &mut dyn Monitor| {
            let sensitive = &points.sensitive;
            self.cut_some(space, sensitive, chosen, conditions, &mut rng, monitor)
        };
        points.group_all(rows, group, watch)
    }

    /// Groups of some points, or of all for `None`.
    fn cut_some(
        &self,
        space: &Space,
        sensitive: &[Categories],
        chosen: Option<&[u32]>,
        conditions: GroupConditions<'_>,
        rng: &mut Generator,
        monitor: &mut dyn Monitor,
    ) -> Result<Partition> {
        let Some(chosen) = chosen else {
            return self.cut(space, sensitive, conditions, rng, monitor);
        };
        let columns = sensitive.iter().map(|column| column.select(chosen));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let conditions = GroupConditions {
            points: Some(chosen),
            ..conditions
        };
        let some = space.select(chosen)?;
        self.cut(&some, &columns, conditions, rng, monitor)
    }

    fn cut(
        &self,
        space: &Space,
        sensitive: &[Categories],
        conditions: GroupConditions<'_>,
        rng: &mut Generator,
        monitor: &mut dyn Monitor,
    ) -> Result<Partition> {
        let limits = Limits {
            k: self.k,
            p: self.p.max(1),
            sensitive,
        };
        let effort = |rows| self.refinement.effort(rows);
        // a stratum may lack what made a method the usual one
        let method = self.method(space, !conditions.is_empty());
        method.group_meeting(space, limits, conditions, effort, rng, monitor)
    }

    /// What draws nothing needs no seed, not even a well-formed one.
    fn seed(&self, method: Method) -> Option<u64> {
        match method.draws() || self.refinement != Refinement::None {
            true => self.seed.or_else(settings::seed).map(|seed| seed as u64),
            false => Some(0),
        }
    }

    /// The method that the call names, or the usual one; conditions on values are like p > 1.
    fn method(&self, space: &Space, has_conditions: bool) -> Method {
        let p = if has_conditions {
            self.p.max(2)
        } else {
            self.p
        };
        self.method.unwrap_or_else(|| Method::usual(space, p))
    }
}
