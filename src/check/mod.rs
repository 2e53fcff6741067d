//! Checking a table: what is asked, which figures answer it, and the SQL that computes them.
//!
//! Each sensitive column needs one pass: rows are counted by keys and value, these counts
//! summed up by keys. Both are plain GROUP BY, so that PostgreSQL hashes, spills and runs in
//! parallel, on partitioned and foreign tables too.

mod closeness;
mod functions;
mod lines;
mod sql;

use crate::errors::Failure;
use crate::generate_sql::identifier;
use crate::sensitivity;
use crate::source::{self, Source};
use crate::sql_types::{NameList, Relation};
use pgrx::JsonB;

pub use lines::Line;

/// What a caller requires; what is not required is only shown.
#[derive(Default, Clone, Copy)]
pub struct Requirements {
    pub k: Option<i32>,
    pub p: Option<i32>,
    pub l: Option<f64>,
    pub t: Option<f64>,
    pub alpha: Option<f64>,
}

impl Requirements {
    pub fn none(&self) -> bool {
        self.k.is_none()
            && self.p.is_none()
            && self.l.is_none()
            && self.t.is_none()
            && self.alpha.is_none()
    }
}

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
}

/// One figure of each group, computed from the columns of its [`Groups`] query.
pub struct Figure {
    pub property: &'static str,
    pub attribute: Option<String>,
    pub required: Option<f64>,
    /// SQL over the group's columns, of type float8
    pub sql: String,
}

/// A query that gives one row per group, and the figures it allows.
pub struct Groups {
    pub sql: String,
    pub figures: Vec<Figure>,
}

impl Check {
    pub fn new(
        source: Relation,
        keys: NameList,
        sensitive: NameList,
        required: Requirements,
        categories: Option<JsonB>,
        entity: Option<String>,
    ) -> Self {
        let source = Source::new(source.0);
        if keys.0.is_empty() {
            Failure::invalid("keys must name at least one column").raise();
        }
        source.columns("keys", &keys.0);
        source.columns("sensitive", &sensitive.0);
        source.columns("entity", entity.as_slice());
        source::refuse_overlap(("keys", &keys.0), ("sensitive", &sensitive.0));
        let check = Check {
            categories: categories.map(sensitivity::parse),
            entity,
            ..Check::of(source, keys.0, sensitive.0, required)
        };
        check.refuse_nonsense();
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
        }
    }

    /// The verdict on each property.
    pub fn lines(&self) -> Vec<Line> {
        lines::lines(self)
    }

    fn refuse_nonsense(&self) {
        let Requirements { k, p, l, t, alpha } = self.required;
        let at_least_1 = [("k", k.map(f64::from)), ("p", p.map(f64::from)), ("l", l)];
        for (name, value) in at_least_1 {
            if value.is_some_and(|value| value.is_nan() || value < 1.0) {
                Failure::invalid(format!("{name} must be at least 1")).raise();
            }
        }
        for (name, value) in [("t", t), ("alpha", alpha)] {
            if value.is_some_and(|value| value.is_nan() || value < 0.0) {
                Failure::invalid(format!("{name} must not be negative")).raise();
            }
        }
        let needs_sensitive = [("p", p.is_some()), ("l", l.is_some()), ("t", t.is_some())];
        for (name, given) in needs_sensitive {
            if given && self.sensitive.is_empty() {
                Failure::invalid(format!("{name} needs a sensitive column"))
                    .hint("Name it in sensitive => '{…}'.")
                    .raise();
            }
        }
        self.refuse_categories();
    }

    fn refuse_categories(&self) {
        match &self.categories {
            None if self.required.alpha.is_some() => Failure::invalid("alpha needs categories")
                .hint(r#"Pass categories => '[["HIV", "Cancer"], ["Flu"]]', most sensitive first."#)
                .raise(),
            Some(_) if self.sensitive.len() != 1 => Failure::invalid(format!(
                "categories need exactly one sensitive column, not {}",
                self.sensitive.len()
            ))
            .raise(),
            Some(categories) if categories.len() < 2 => {
                Failure::invalid("there must be at least two categories").raise()
            }
            _ => {}
        }
    }

    /// t-closeness needs all groups sorted, so it is only computed when asked for, or when
    /// nothing particular is.
    pub fn wants_closeness(&self) -> bool {
        !self.sensitive.is_empty() && (self.required.t.is_some() || self.required.none())
    }

    /// The queries that give all figures but t-closeness.
    pub fn groups(&self) -> Vec<Groups> {
        let mut groups = Vec::new();
        if self.entity.is_some() || self.sensitive.is_empty() {
            groups.push(self.groups_by_keys());
        }
        for column in &self.sensitive {
            let gives_size = groups.is_empty();
            groups.push(self.groups_by_value(column, gives_size));
        }
        if let Some(categories) = &self.categories {
            groups.push(self.groups_by_category(&self.sensitive[0], categories));
        }
        groups
    }

    /// Only the sizes of groups, in rows or in persons.
    fn groups_by_keys(&self) -> Groups {
        let (sql, size) = match &self.entity {
            None => (sql::sizes(self), "g.size"),
            Some(entity) => (sql::by_value(self, &identifier(entity), None), "g.vals"),
        };
        Groups {
            sql,
            figures: vec![self.k_anonymity(size)],
        }
    }

    fn groups_by_value(&self, column: &str, gives_size: bool) -> Groups {
        let mut figures = Vec::new();
        if gives_size {
            figures.push(self.k_anonymity("g.size"));
        }
        let p = self.required.p.map(f64::from);
        figures.push(Figure::new(
            "p-sensitivity",
            column,
            p,
            sql::float("g.vals"),
        ));
        let share = sql::operate(&sql::float("g.size"), "/", &sql::float("g.most"));
        figures.push(Figure::new("l-diversity", column, self.required.l, share));
        Groups {
            sql: sql::by_value(self, &identifier(column), None),
            figures,
        }
    }

    fn groups_by_category(&self, column: &str, categories: &[Vec<String>]) -> Groups {
        // whole numbers first, one division at the end: thirds added up fall short of 2
        let above_first = sql::operate("c.val", "-", "1");
        let weight = format!("pg_catalog.sum({})", sql::operate(&above_first, "*", "c.n"));
        let steps = sql::number((categories.len() - 1) as f64);
        let weight_per_step = sql::operate(&sql::float("g.extra"), "/", &steps);
        let p = self.required.p.map(f64::from);
        let figures = vec![
            Figure::new("p+-sensitivity", column, p, sql::float("g.vals")),
            Figure::new("alpha-weight", column, self.required.alpha, weight_per_step),
        ];
        let category = sql::category(column, categories);
        Groups {
            sql: sql::by_value(self, &category, Some(&weight)),
            figures,
        }
    }

    fn k_anonymity(&self, size: &str) -> Figure {
        Figure {
            property: "k-anonymity",
            attribute: None,
            required: self.required.k.map(f64::from),
            sql: sql::float(size),
        }
    }
}

impl Figure {
    fn new(property: &'static str, column: &str, required: Option<f64>, sql: String) -> Self {
        Figure {
            property,
            attribute: Some(column.into()),
            required,
            sql,
        }
    }
}
