//! Everything the engine can refuse, with the numbers that say why.

/// A result whose error is the engine's own.
pub type Result<T> = std::result::Result<T, Error>;

/// Why the engine refused or stopped. Messages never hold a value out of the data:
/// they reach logs. `column` counts from 0 in the order the caller gave.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("{name} must be at least {least}, not {actual}")]
    TooSmall {
        name: &'static str,
        least: i64,
        actual: i64,
    },
    #[error("{name} must be a positive number")]
    NotPositive { name: &'static str },
    #[error("{name} must be at least 0")]
    Negative { name: &'static str },
    #[error(
        "weights of categorical columns must be whole multiples of the least of them, up to {most}"
    )]
    UnevenWeights { most: u32 },
    #[error("{persons} persons have rows in several strata")]
    PersonsInSeveralStrata { persons: usize },
    #[error(
        "the rows of one person cannot be kept apart: one has {rows} rows, and l = {l} leaves {groups} groups"
    )]
    PersonsNotApart {
        l: usize,
        rows: usize,
        groups: usize,
    },
    #[error("{name} must be above 0 and at most 100")]
    NotAPercentage { name: &'static str },
    #[error("{name} must be between 0 and 1")]
    NotAProbability { name: &'static str },
    #[error("p = {p} is larger than k = {k}")]
    PAboveK { p: usize, k: usize },
    #[error("{rows} rows are fewer than k = {k}")]
    TooFewRows { rows: usize, k: usize },
    #[error("p = {p}, but sensitive column {column} has only {distinct} distinct values")]
    TooFewValues {
        p: usize,
        column: usize,
        distinct: usize,
    },
    #[error("method \"{method}\" ignores sensitive columns")]
    IgnoresSensitive { method: &'static str },
    #[error(
        "method \"univariate\" needs one numeric key that varies, not {numeric} and {categorical} categorical ones"
    )]
    NotUnivariate { numeric: usize, categorical: usize },
    #[error("the most frequent sensitive value has too many rows for l = {l}")]
    NotEligible { l: usize, largest: usize },
    #[error("{property} of {required} is out of reach")]
    OutOfReach {
        property: &'static str,
        column: usize,
        required: f64,
        /// what one single group of all rows has
        figure: f64,
    },
    #[error("alpha = {alpha} is out of reach")]
    WeightTooLarge {
        alpha: f64,
        /// the weight of one single group of all rows
        largest: f64,
        k: usize,
        /// the most that all of as many groups as k allows can have
        largest_for_k: f64,
    },
    #[error("columns of {first} and {other} rows")]
    UnequalColumns { first: usize, other: usize },
    #[error("no columns")]
    NoColumns,
    #[error("{keys} keys are more than {most}")]
    TooManyKeys { keys: usize, most: usize },
    #[error("column {column} holds an infinite value")]
    NotFinite { column: usize },
    #[error("level {level} parts {values} values that the level below holds together")]
    NotCoarser { level: usize, values: usize },
    #[error("the lattice has more than {limit} nodes")]
    TooManyNodes { limit: usize },
    #[error("level {level} of key column {column}, which has levels up to {top}")]
    NoSuchLevel {
        column: usize,
        level: usize,
        top: usize,
    },
    #[error("out of memory: {bytes} bytes could not be allocated")]
    OutOfMemory { bytes: usize },
    /// What all work of the process holds, and what was asked for, is beyond its limit.
    #[error("{bytes} bytes are more than the limit")]
    OverLimit { bytes: usize },
    #[error("more rows than {limit}")]
    TooManyRows { limit: usize },
    /// A method that knows beforehand what it needs, and another one that needs less.
    #[error("method \"{method}\" needs {bytes} bytes, more than the limit")]
    MethodOverLimit {
        method: &'static str,
        bytes: usize,
        instead: &'static str,
    },
    #[error("the operating system started no thread")]
    NoThreads,
    #[error("the operating system gave no random numbers")]
    NoRandomness,
    #[error("interrupted")]
    Interrupted,
    /// A result that fails its own check: nothing of it may leave the engine.
    #[error("internal error: {0}")]
    Broken(String),
}

impl Error {
    /// Whether other rows could have been grouped.
    pub fn is_infeasible(&self) -> bool {
        matches!(
            self,
            Error::TooFewRows { .. }
                | Error::TooFewValues { .. }
                | Error::NotEligible { .. }
                | Error::OutOfReach { .. }
                | Error::PersonsNotApart { .. }
                | Error::WeightTooLarge { .. }
        )
    }
}
