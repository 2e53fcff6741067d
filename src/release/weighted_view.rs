//! The view over the two tables of a release by anatomy or permutation: every row of keys with every
//! value of its group, weighted by the value's share, so that an estimate is ordinary SQL.

use crate::pg::quoting::identifier;
use crate::pg::statements;
use crate::read::relation::Source;
use crate::release::ReleaseMethod;
use crate::release::apart::{COUNT, GROUP, WEIGHT};

/// What such a view shows, and where it has it from.
pub struct WeightedView<'a> {
    pub method: ReleaseMethod,
    pub keys: &'a [String],
    pub sensitive: &'a str,
    /// the tables of keys and of values, as SQL has them
    pub tables: [String; 2],
}

impl WeightedView<'_> {
    pub fn query(&self) -> String {
        let [keys, values] = &self.tables;
        // a table of values has each value of a group once with its count, or once for each row
        let (weight, size) = match self.method {
            ReleaseMethod::Permutation => (
                "1::pg_catalog.numeric OPERATOR(pg_catalog./) g.size::pg_catalog.numeric".into(),
                "pg_catalog.count(*)".to_string(),
            ),
            _ => (
                format!("s.{COUNT}::pg_catalog.numeric OPERATOR(pg_catalog./) g.size"),
                format!("pg_catalog.sum({COUNT})"),
            ),
        };
        format!(
            "SELECT {columns}, pg_catalog.trim_scale({weight}) AS {WEIGHT} \
             FROM {keys} q \
             JOIN {values} s ON s.{GROUP} OPERATOR(pg_catalog.=) q.{GROUP} \
             JOIN (SELECT {GROUP}, {size} AS size FROM {values} GROUP BY {GROUP}) g \
                  ON g.{GROUP} OPERATOR(pg_catalog.=) q.{GROUP}",
            columns = self.columns(),
        )
    }

    fn columns(&self) -> String {
        let key = |name: &String| format!("q.{}", identifier(name));
        let mut columns: Vec<String> = self.keys.iter().map(key).collect();
        columns.push(format!("s.{}", identifier(self.sensitive)));
        columns.join(", ")
    }

    /// Whether a view shows this, whatever its definition is by now.
    pub fn is_shown_by(&self, view: &Source) -> bool {
        let rows = |of: &str| format!("SELECT (r.*)::pg_catalog.text FROM {of} AS r");
        let (found, wanted) = (rows(&view.sql_name), rows(&format!("({})", self.query())));
        let unlike = statements::value::<bool>(&format!(
            "SELECT EXISTS (({found} EXCEPT ALL {wanted}) UNION ALL ({wanted} EXCEPT ALL {found}))"
        ));
        unlike == Some(false)
    }

    /// Whether the tables still have the columns that the view needs.
    pub fn fits(&self, [keys, values]: [&Source; 2]) -> bool {
        let count = match self.method {
            ReleaseMethod::Permutation => GROUP,
            _ => COUNT,
        };
        let of_keys = self.keys.iter().map(String::as_str).chain([GROUP]);
        let of_values = [self.sensitive, GROUP, count];
        of_keys
            .into_iter()
            .all(|name| keys.attribute(name).is_some())
            && of_values
                .iter()
                .all(|name| values.attribute(name).is_some())
    }
}
