//! The tables and views that a release consists of.

use crate::pg::attempt;
use crate::pg::errors::Failure;
use crate::pg::quoting::literal;
use crate::pg::statements::{self, Row};
use crate::read::relation::relation_of;
use crate::release::Target;
use pgrx::pg_sys::Oid;
use pgrx::prelude::*;

/// How a release was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReleaseMethod {
    Microaggregation,
    Generalization,
    Mondrian,
    Perturbation,
    Suppression,
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
const LAYOUTS: [Layout; 8] = [
    Layout::one_table(ReleaseMethod::Microaggregation, "microaggregation"),
    Layout::one_table(ReleaseMethod::Generalization, "generalization"),
    Layout::one_table(ReleaseMethod::Mondrian, "mondrian"),
    Layout::one_table(ReleaseMethod::Perturbation, "perturbation"),
    Layout::one_table(ReleaseMethod::Suppression, "suppression"),
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

    /// Whether keys and sensitive values are in tables of their own, and the target is a view.
    pub fn is_apart(self) -> bool {
        self.layout().is_some_and(|layout| layout.tables.is_some())
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

impl ReleasedRelation {
    fn new(kind: &'static str, target: &Target) -> Self {
        ReleasedRelation {
            kind,
            sql_name: target.sql_name(),
        }
    }

    /// The number of a relation that was just created.
    pub fn number(&self) -> Option<Oid> {
        relation_of(&self.sql_name)
    }

    /// Drops the relation of this number, whatever it is called by now. One that is gone
    /// already is passed over.
    pub fn drop(&self, relation: Option<Oid>) {
        let sql_name = relation.and_then(name_of);
        match sql_name {
            None => notice!("relation {} is gone already", self.sql_name),
            Some(sql_name) => {
                relation.into_iter().for_each(keep_name);
                let sql = format!("DROP {} {sql_name}", self.kind);
                let hint = format!(
                    "Drop the objects that depend on it, or run {sql} CASCADE. Then call sdc.drop_release() again."
                );
                let in_use = PgSqlErrorCode::ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST;
                attempt::hinted(&[in_use], hint, || statements::run(&sql));
            }
        }
    }
}

/// What a relation is called, if it is still there.
pub fn name_of(relation: Oid) -> Option<String> {
    let sql = format!(
        "SELECT sdc.relation_name({}::pg_catalog.oid)",
        u32::from(relation)
    );
    statements::seeing_own_writes(|| statements::value(&sql))
}

/// What is dropped under its name is the relation of this number.
fn keep_name(relation: Oid) {
    Target::of_relation(relation).keep_name_of(relation);
}

/// Marks a relation as part of a release. A comment comes through a dump, where a number of the
/// catalog would not. The comment of the release that was there before gives way, others stay.
pub fn mark(relation: Oid, id: i64, before: Option<i64>) {
    let sql = format!(
        "SELECT COALESCE(pg_catalog.obj_description(c.oid, 'pg_class'), ''), \
                CASE WHEN c.relkind OPERATOR(pg_catalog.=) 'v' THEN 'VIEW' ELSE 'TABLE' END, sdc.relation_name(c.oid) \
         FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) {}::pg_catalog.oid",
        u32::from(relation)
    );
    let texts = |row: &Row| [1, 2, 3].map(|place| row.get::<String>(place).unwrap_or_default());
    let found = statements::seeing_own_writes(|| statements::select(&sql, texts));
    for [comment, kind, name] in found {
        if comment.is_empty() || before.is_some_and(|before| comment == comment_of(before)) {
            let comment = literal(&comment_of(id));
            statements::run(&format!("COMMENT ON {kind} {name} IS {comment}"));
        }
    }
}

fn comment_of(id: i64) -> String {
    format!("release {id} of sdc.releases")
}

/// A release that does not exist, or that the caller may not know of.
pub fn no_such_release(id: i64) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT,
        format!("there is no release {id} that you published or may read"),
    )
    .hint("sdc.releases lists the releases.")
    .raise()
}
