//! How a call wants its rows microaggregated: the options that the masking and the publishing
//! function share, and the engine's methods behind them.

use crate::errors::{self, Failure, Names};
use crate::progress::Watch;
use sdc_engine::measure::Squares;
use sdc_engine::{Categories, Column, Partition, Space, Table, assign};

/// The options of a call.
pub struct Microaggregation {
    pub k: usize,
    pub p: usize,
    /// `None`: the best for these parameters
    pub method: Option<String>,
    pub standardize: bool,
    pub seed: Option<i64>,
}

/// A grouping and what it costs.
pub struct Grouped {
    pub partition: Partition,
    pub squares: Squares,
}

impl Microaggregation {
    /// Cuts rows into groups by their keys.
    pub fn group(
        &self,
        keys: &[Column],
        sensitive: &[Categories],
        names: Names<'_>,
        watch: &mut Watch,
    ) -> Grouped {
        let table = errors::engine(Table::new(keys.to_vec()), names);
        let space = Space::new(&table, self.standardize);
        drop(table);
        let partition = self.partition(&space, sensitive, watch);
        let partition = errors::engine(partition, names);
        let squares = Squares::new(&space, &partition);
        Grouped { partition, squares }
    }

    fn partition(
        &self,
        space: &Space,
        sensitive: &[Categories],
        watch: &mut Watch,
    ) -> sdc_engine::Result<Partition> {
        match self.method() {
            "mdav" => assign::mdav(space, self.k, watch),
            method => unknown_method(method),
        }
    }

    /// The method that is used.
    pub fn method(&self) -> &str {
        match &self.method {
            Some(method) => method,
            None => "mdav",
        }
    }
}

fn unknown_method(method: &str) -> ! {
    Failure::invalid(format!("unknown method \"{method}\""))
        .hint("Methods are: mdav.")
        .raise()
}
