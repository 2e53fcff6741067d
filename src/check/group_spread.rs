//! How the groups of a check are spread: over their sizes, and over the number of distinct
//! values that they have.

use crate::check::{Check, group_queries};
use crate::pg::quoting::identifier;
use crate::pg::statements;
use sdc_engine::spread::Spread;

impl Check {
    /// Groups by size, smallest first; with an entity column the size counts persons.
    pub fn group_sizes(&self) -> Vec<Spread> {
        let size = match self.entity {
            None => "g.size",
            Some(_) => "g.vals",
        };
        let _watch = self.watch(1);
        spread(&self.groups_by_keys().sql, size)
    }

    /// Groups by the number of distinct values of a sensitive column, fewest first.
    pub fn distinct_values(&self, column: &str) -> Vec<Spread> {
        spread(
            &group_queries::by_value(self, &identifier(column), None),
            "g.vals",
        )
    }
}

fn spread(groups: &str, figure: &str) -> Vec<Spread> {
    statements::select(&group_queries::spread(groups, figure), |row| {
        let number = |column| row.get(column).unwrap_or(0);
        Spread {
            figure: number(1),
            groups: number(2),
            rows: number(3),
        }
    })
}
