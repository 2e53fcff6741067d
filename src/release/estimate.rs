//! `sdc.estimate_count`: how many rows of the source met some conditions, from what a release
//! by anatomy or permutation shows.

use crate::pg::composite::Attribute;
use crate::pg::errors::{Failure, required};
use crate::pg::guard::guarded;
use crate::pg::quoting::{identifier, literal};
use crate::pg::statements;
use crate::read::relation::Source;
use crate::release::apart::{COUNT, GROUP};
use crate::release::{ReleaseMethod, Target, predicate};
use pgrx::prelude::*;

/// A release's two tables.
struct TablesApart {
    /// a permutation's columns are independent of each other, an anatomy's keys are not
    torn: bool,
    keys: Source,
    values: Source,
}

/// A column of a release and what all predicates on it ask for.
struct Condition {
    sensitive: bool,
    column: String,
    sql: String,
}

#[pg_extern(stable, parallel_restricted)]
fn estimate_count(target: Option<&str>, predicates: Option<VariadicArray<&str>>) -> Option<f64> {
    guarded(|| {
        let target = required(target, "target");
        let predicates = required(predicates, "predicates");
        let published = TablesApart::new(&Target::existing(target));
        let mut conditions: Vec<Condition> = Vec::new();
        for text in predicates.iter() {
            let text = text.unwrap_or_else(|| Failure::null("a predicate").raise());
            let condition = published.condition(text);
            match conditions
                .iter_mut()
                .find(|other| other.column == condition.column)
            {
                Some(same) => same.sql = format!("({} AND {})", same.sql, condition.sql),
                None => conditions.push(condition),
            }
        }
        let query = match published.torn {
            true => published.product(&conditions),
            false => published.weights(&conditions),
        };
        statements::value(&query)
    })
}

impl TablesApart {
    /// Finds the tables by their names beside the view. They must be its owner's: a table that
    /// somebody else has put there is none of the release's.
    fn new(target: &Target) -> Self {
        for method in ReleaseMethod::APART {
            let torn = method == ReleaseMethod::Permutation;
            let Some(tables) = method.tables_apart(target) else {
                continue;
            };
            let tables = tables.map(|table| table.sql_name());
            let names = [&target.sql_name(), &tables[0], &tables[1]];
            let names = names.map(|name| format!("pg_catalog.to_regclass({})", literal(name)));
            let same_owner = statements::value::<bool>(&format!(
                "SELECT pg_catalog.count(*) OPERATOR(pg_catalog.=) 3 \
                        AND pg_catalog.min(c.relowner::pg_catalog.text) OPERATOR(pg_catalog.=) pg_catalog.max(c.relowner::pg_catalog.text) \
                 FROM pg_catalog.pg_class c \
                 WHERE c.oid OPERATOR(pg_catalog.=) ANY (ARRAY[{}]::pg_catalog.oid[])",
                names.join(", ")
            ));
            if same_owner == Some(true) {
                let [keys, values] = tables.map(|table| Source::named(&table));
                return TablesApart { torn, keys, values };
            }
        }
        Failure::new(
            PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE,
            format!("{} is not a release by anatomy or permutation", target.sql_name()),
        )
        .hint("sdc.releases lists the releases. Other releases are counted as any table: SELECT count(*) … WHERE ….")
        .raise()
    }

    fn condition(&self, text: &str) -> Condition {
        let predicate = predicate::parse(text);
        let [keys, values] =
            [&self.keys, &self.values].map(|table| table.attribute(&predicate.column));
        let (sensitive, column) = match (keys, values) {
            _ if [GROUP, COUNT].contains(&predicate.column.as_str()) => {
                self.no_column(&predicate.column)
            }
            (Some(column), _) => (false, column),
            (None, Some(column)) => (true, column),
            (None, None) => self.no_column(&predicate.column),
        };
        Condition {
            sensitive,
            sql: predicate::sql(&predicate.test, column),
            column: predicate.column,
        }
    }

    fn no_column(&self, name: &str) -> ! {
        let all = self.keys.attributes.iter().chain(&self.values.attributes);
        let own = |column: &&Attribute| {
            !column.dropped && ![GROUP, COUNT].contains(&column.name.as_str())
        };
        let names: Vec<String> = all
            .filter(own)
            .map(|column| identifier(&column.name))
            .collect();
        Failure::new(
            PgSqlErrorCode::ERRCODE_UNDEFINED_COLUMN,
            format!("the release has no column {}", identifier(name)),
        )
        .hint(format!("Its columns are: {}.", names.join(", ")))
        .raise()
    }

    /// Anatomy: in each group the rows whose keys match, times the share of matching values.
    fn weights(&self, conditions: &[Condition]) -> String {
        let of = |sensitive| {
            let wanted = conditions
                .iter()
                .filter(|condition| condition.sensitive == sensitive);
            let sqls: Vec<&str> = wanted.map(|condition| condition.sql.as_str()).collect();
            if sqls.is_empty() {
                "true".to_string()
            } else {
                sqls.join(" AND ")
            }
        };
        format!(
            "SELECT coalesce(pg_catalog.sum(k.n::pg_catalog.float8 OPERATOR(pg_catalog.*) v.n::pg_catalog.float8 \
                    OPERATOR(pg_catalog./) v.size::pg_catalog.float8), 0) \
             FROM (SELECT {GROUP}, pg_catalog.count(*) AS n FROM {} WHERE {} GROUP BY {GROUP}) k \
             JOIN (SELECT {GROUP}, pg_catalog.sum({COUNT}) AS size, pg_catalog.sum({COUNT}) FILTER (WHERE {}) AS n \
                   FROM {} GROUP BY {GROUP}) v \
             ON v.{GROUP} OPERATOR(pg_catalog.=) k.{GROUP}",
            self.keys.sql_name,
            of(false),
            of(true),
            self.values.sql_name,
        )
    }

    /// Permutation: in each group its rows times the product of the columns' matching shares,
    /// multiplied first and divided once.
    fn product(&self, conditions: &[Condition]) -> String {
        let count = |(place, condition): (usize, &Condition)| {
            let count = format!(
                "pg_catalog.count(*) FILTER (WHERE {}) AS n{place}",
                condition.sql
            );
            (condition.sensitive, count)
        };
        let counts: Vec<(bool, String)> = conditions.iter().enumerate().map(count).collect();
        let of = |table: &Source, sensitive: bool| {
            let wanted = counts.iter().filter(|(of, _)| *of == sensitive);
            let counts: String = wanted.map(|(_, count)| format!(", {count}")).collect();
            format!(
                "SELECT {GROUP}, pg_catalog.count(*) AS size{counts} FROM {} GROUP BY {GROUP}",
                table.sql_name
            )
        };
        let float = |name: String| format!("{name}::pg_catalog.float8");
        let mut rows = float("k.size".into());
        if !conditions.is_empty() {
            let counts: Vec<String> = (0..conditions.len())
                .map(|place| float(format!("n{place}")))
                .collect();
            let power = conditions.len() - 1;
            rows = format!(
                "{} OPERATOR(pg_catalog./) pg_catalog.power(k.size::pg_catalog.float8, {power}::pg_catalog.float8)",
                counts.join(" OPERATOR(pg_catalog.*) ")
            );
        }
        format!(
            "SELECT coalesce(pg_catalog.sum({rows}), 0) FROM ({}) k JOIN ({}) v \
             ON v.{GROUP} OPERATOR(pg_catalog.=) k.{GROUP}",
            of(&self.keys, false),
            of(&self.values, true),
        )
    }
}
