//! The tables and views that a release consists of.

use crate::pg::errors::Failure;
use crate::pg::quoting::literal;
use crate::pg::statements;
use crate::release::Target;
use pgrx::prelude::*;

/// How a release was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReleaseMethod {
    Microaggregation,
    Generalization,
    Mondrian,
    PAlpha,
    Anatomy,
    Permutation,
}

/// What a release by a method consists of.
struct Layout {
    method: ReleaseMethod,
    /// the name in the register
    name: &'static str,
    /// what the tables of keys and of sensitive values add to the target's name, where the
    /// target is a view that joins them
    tables: Option<[&'static str; 2]>,
}

/// The one place where methods, their names and their tables are written down.
const LAYOUTS: [Layout; 6] = [
    Layout::one_table(ReleaseMethod::Microaggregation, "microaggregation"),
    Layout::one_table(ReleaseMethod::Generalization, "generalization"),
    Layout::one_table(ReleaseMethod::Mondrian, "mondrian"),
    Layout::one_table(ReleaseMethod::PAlpha, "p_alpha"),
    Layout::two_tables(ReleaseMethod::Anatomy, "anatomy", ["_qit", "_st"]),
    Layout::two_tables(ReleaseMethod::Permutation, "permutation", ["_pqt", "_pst"]),
];

impl Layout {
    const fn one_table(method: ReleaseMethod, name: &'static str) -> Self {
        Layout {
            method,
            name,
            tables: None,
        }
    }

    const fn two_tables(
        method: ReleaseMethod,
        name: &'static str,
        tables: [&'static str; 2],
    ) -> Self {
        Layout {
            method,
            name,
            tables: Some(tables),
        }
    }
}

impl ReleaseMethod {
    /// The methods that publish keys and sensitive values in two tables.
    pub const APART: [ReleaseMethod; 2] = [ReleaseMethod::Anatomy, ReleaseMethod::Permutation];

    /// The method of this name; `None` for what only a forged entry of the register can have.
    pub fn named(name: &str) -> Option<Self> {
        let found = LAYOUTS.iter().find(|layout| layout.name == name);
        found.map(|layout| layout.method)
    }

    pub fn name(self) -> &'static str {
        self.layout().map_or("", |layout| layout.name)
    }

    /// The tables of keys and of sensitive values that stand beside the view of this name;
    /// `None` where the release is one table.
    pub fn tables_apart(self, target: &Target) -> Option<[Target; 2]> {
        let suffixes = self.layout()?.tables?;
        Some(suffixes.map(|suffix| target.sibling(suffix)))
    }

    fn layout(self) -> Option<&'static Layout> {
        LAYOUTS.iter().find(|layout| layout.method == self)
    }
}

/// A table or view of a release.
pub struct ReleasedRelation {
    /// how SQL calls such a thing
    kind: &'static str,
    sql_name: String,
}

/// What a release by this method consists of, what depends on others first. An unknown method
/// has one table.
pub fn of(method: Option<ReleaseMethod>, target: &Target) -> Vec<ReleasedRelation> {
    let Some(tables) = method.and_then(|method| method.tables_apart(target)) else {
        return vec![ReleasedRelation::new("TABLE", target)];
    };
    let mut relations = vec![ReleasedRelation::new("VIEW", target)];
    relations.extend(tables.map(|table| ReleasedRelation::new("TABLE", &table)));
    relations
}

/// The names of the tables that hold the rows of a release by this method, the one of
/// sensitive values last.
pub fn tables(method: Option<ReleaseMethod>, target: &Target) -> Vec<String> {
    let tables = of(method, target).into_iter();
    tables
        .filter(|relation| relation.kind == "TABLE")
        .map(|relation| relation.sql_name)
        .collect()
}

impl ReleasedRelation {
    fn new(kind: &'static str, target: &Target) -> Self {
        ReleasedRelation {
            kind,
            sql_name: target.sql_name(),
        }
    }

    /// Marks the relation as part of a release. A comment comes through a dump, where a number
    /// of the catalog would not.
    pub fn mark(&self, id: i64) {
        statements::run(&format!(
            "COMMENT ON {} {} IS {}",
            self.kind,
            self.sql_name,
            literal(&mark(id))
        ));
    }

    /// Drops the relation, if it is the one that the release created; one that is gone already
    /// is passed over.
    pub fn drop(&self, id: i64) {
        let sql = format!(
            "SELECT COALESCE(pg_catalog.obj_description(c.oid, 'pg_class'), '') \
             FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass({})",
            literal(&self.sql_name)
        );
        // it may be as new as the statement that drops it
        match statements::seeing_own_writes(|| statements::value::<String>(&sql)) {
            None => notice!("relation {} is gone already", self.sql_name),
            Some(comment) if comment == mark(id) => {
                statements::run(&format!("DROP {} {}", self.kind, self.sql_name));
            }
            Some(_) => self.not_ours(id),
        }
    }

    fn not_ours(&self, id: i64) -> ! {
        Failure::new(
            PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            format!(
                "relation {} is not the one that release {id} created",
                self.sql_name
            ),
        )
        .detail(format!("Its comment is not \"{}\".", mark(id)))
        .hint("Rename the relation, or give it its comment back if it is the release after all.")
        .raise()
    }
}

fn mark(id: i64) -> String {
    format!("release {id} of sdc.releases")
}
