//! The tables and views that a release consists of.

use super::Target;
use super::table::run;
use crate::errors::Failure;
use crate::generate_sql::literal;
use crate::query;
use pgrx::prelude::*;

/// A table or view of a release.
pub struct Relation {
    /// how SQL calls such a thing
    kind: &'static str,
    sql_name: String,
}

/// What a release by this method consists of, what depends on others first.
pub fn of(method: &str, target: &Target) -> Vec<Relation> {
    let tables = match method {
        "anatomy" => ["_qit", "_st"],
        "permutation" => ["_pqt", "_pst"],
        _ => return vec![Relation::new("TABLE", target)],
    };
    let mut relations = vec![Relation::new("VIEW", target)];
    relations.extend(tables.map(|suffix| Relation::new("TABLE", &target.sibling(suffix))));
    relations
}

/// The names of the tables that hold the rows of a release by this method, the one of
/// sensitive values last.
pub fn tables(method: &str, target: &Target) -> Vec<String> {
    let tables = of(method, target).into_iter();
    tables
        .filter(|relation| relation.kind == "TABLE")
        .map(|relation| relation.sql_name)
        .collect()
}

impl Relation {
    fn new(kind: &'static str, target: &Target) -> Self {
        Relation {
            kind,
            sql_name: target.sql_name(),
        }
    }

    /// Marks the relation as part of a release. A comment comes through a dump, where a number
    /// of the catalog would not.
    pub fn mark(&self, id: i64) {
        run(&format!(
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
        match query::seeing_own_writes(|| query::value::<String>(&sql)) {
            None => notice!("relation {} is gone already", self.sql_name),
            Some(comment) if comment == mark(id) => {
                run(&format!("DROP {} {}", self.kind, self.sql_name));
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
