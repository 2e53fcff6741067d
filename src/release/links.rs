//! The relations of each release by their numbers in the catalog: a release that is renamed or
//! moved stays known, and what takes its name afterwards is not taken for it.

use crate::pg::errors::Failure;
use crate::pg::privileges;
use crate::pg::statements::{self, Row};
use crate::read::relation::relation_of;
use pgrx::pg_sys::{self, Oid};
use pgrx::prelude::*;

/// Where a release is, as far as it still is anywhere.
#[derive(Clone, Copy, Default)]
pub struct Links {
    pub source: Option<Oid>,
    pub target: Option<Oid>,
    /// the tables beside a target that is a view
    pub keys_table: Option<Oid>,
    pub values_table: Option<Oid>,
}

impl Links {
    /// The relations of a release, which may be as new as the statement that asks, or newer: one
    /// that was waited for.
    pub fn of(id: i64) -> Self {
        let sql = format!(
            "SELECT r.source, r.target, r.keys_table, r.values_table FROM sdc.registered r \
             WHERE r.id OPERATOR(pg_catalog.=) {id}::pg_catalog.int8"
        );
        let find = || in_register(|| statements::select(&sql, |row| Links::from_row(row, 1)));
        let found = statements::seeing_own_writes(find);
        found.into_iter().next().unwrap_or_default()
    }

    /// The release that is at this relation, the newest if there were several.
    pub fn release_at(target: Oid) -> Option<i64> {
        let sql = format!(
            "SELECT pg_catalog.max(r.id) FROM sdc.registered r \
             WHERE r.target OPERATOR(pg_catalog.=) {}::pg_catalog.oid AND NOT r.gone",
            u32::from(target)
        );
        in_register(|| statements::value(&sql))
    }

    /// The relations in four columns of a row, the first of which is this one.
    pub fn from_row(row: &Row, first: usize) -> Self {
        Links {
            source: row.get(first),
            target: row.get(first + 1),
            keys_table: row.get(first + 2),
            values_table: row.get(first + 3),
        }
    }

    /// The relations of the release, what depends on others first.
    pub fn relations(&self) -> [Option<Oid>; 3] {
        [self.target, self.keys_table, self.values_table]
    }

    /// The tables that hold the rows, the one of sensitive values last.
    pub fn tables(&self, apart: bool) -> Vec<Option<Oid>> {
        match apart {
            true => vec![self.keys_table, self.values_table],
            false => vec![self.target],
        }
    }

    /// Notes where a new release is.
    pub fn enter(&self, id: i64) {
        let number = |relation: Option<Oid>| match relation {
            Some(relation) => format!("{}::pg_catalog.oid", u32::from(relation)),
            None => "NULL".to_string(),
        };
        let relations = [self.source, self.target, self.keys_table, self.values_table];
        let publisher = u32::from(privileges::caller());
        let sql = format!(
            "INSERT INTO sdc.release_relation (release, publisher, source, target, keys_table, values_table) \
             VALUES ({id}::pg_catalog.int8, {publisher}::pg_catalog.oid, {})",
            relations.map(number).join(", ")
        );
        in_register(|| statements::run(&sql));
    }
}

/// Notes that a release is not there any more: replaced by another, or dropped. Its entry stays
/// as history, because what was read cannot be taken back.
pub fn end(id: i64, replaced_by: Option<i64>) {
    let forget = format!(
        "UPDATE sdc.release_relation SET target = NULL, keys_table = NULL, values_table = NULL \
         WHERE release OPERATOR(pg_catalog.=) {id}::pg_catalog.int8"
    );
    let (replaced_by, dropped_at) = match replaced_by {
        Some(new) => (new.to_string(), "NULL"),
        None => ("NULL".to_string(), "pg_catalog.now()"),
    };
    let end = format!(
        "INSERT INTO sdc.release_end (release, replaced_by, dropped_at) \
         VALUES ({id}::pg_catalog.int8, {replaced_by}::pg_catalog.int8, {dropped_at})"
    );
    in_register(|| {
        statements::run(&forget);
        statements::run(&end);
    });
}

/// Notes the relations of entries that came from another database, once they are found.
pub fn relink() {
    let lost = "SELECT EXISTS (SELECT 1 FROM sdc.release r WHERE NOT EXISTS ( \
                    SELECT 1 FROM sdc.release_relation l WHERE l.release OPERATOR(pg_catalog.=) r.id))";
    in_register(|| {
        if statements::seeing_own_writes(|| statements::value::<bool>(lost)) == Some(true) {
            statements::run(
                "INSERT INTO sdc.release_relation (release, publisher, source, target, keys_table, values_table) \
                 SELECT r.id, r.publisher, r.source, r.target, r.keys_table, r.values_table \
                 FROM sdc.registered r WHERE NOT r.linked AND r.publisher IS NOT NULL AND r.target IS NOT NULL \
                 ON CONFLICT DO NOTHING",
            );
        }
    });
}

/// Reads or writes the register, which only its owner may.
pub fn in_register<T>(act: impl FnOnce() -> T) -> T {
    privileges::as_owner_of(register(), act)
}

/// Whether the caller published a release: by the role's number, for a name may be given again.
pub fn is_callers_own(id: i64) -> bool {
    let sql = format!(
        "SELECT r.publisher OPERATOR(pg_catalog.=) {}::pg_catalog.oid FROM sdc.registered r \
         WHERE r.id OPERATOR(pg_catalog.=) {id}::pg_catalog.int8",
        u32::from(privileges::caller())
    );
    let find = || in_register(|| statements::value::<bool>(&sql));
    statements::seeing_own_writes(find) == Some(true)
}

/// The columns of an entry `r` of the register, in their order, for RETURNING.
pub const ENTRY_COLUMNS: &str = "r.id, r.source, r.target, r.method, r.parameters, r.rows, r.groups, \
     r.suppressed, r.achieved, r.loss, r.published_by, r.published_at, r.checksums";

/// The register's number.
pub fn register() -> Oid {
    relation_of("sdc.release").unwrap_or(pg_sys::InvalidOid)
}

/// Lets nobody else publish the source, or drop or continue a release of it, to the end of the
/// transaction. Those who did meanwhile must be seen: a transaction whose snapshot is older would
/// continue a sequence twice, or compare the new release with too few.
pub fn lock_source(source: Oid) {
    statements::lock_pair(register(), source);
    if !statements::has_one_snapshot() {
        return;
    }
    let sql = format!(
        "SELECT pg_catalog.concat_ws(' ', pg_catalog.count(*), pg_catalog.max(l.release), pg_catalog.count(e.release), \
                pg_catalog.max(e.replaced_by), pg_catalog.count(q.release), pg_catalog.count(q.release) FILTER (WHERE EXISTS ( \
                    SELECT FROM sdc.membership m WHERE m.sequence OPERATOR(pg_catalog.=) q.sequence))) \
         FROM sdc.release_relation l \
         LEFT JOIN sdc.release_end e ON e.release OPERATOR(pg_catalog.=) l.release \
         LEFT JOIN sdc.release_sequence q ON q.release OPERATOR(pg_catalog.=) l.release \
         WHERE l.source OPERATOR(pg_catalog.=) {}::pg_catalog.oid",
        u32::from(source)
    );
    let state = || in_register(|| statements::value::<String>(&sql));
    if statements::seeing_own_writes(state) != statements::seeing_all_that_is_committed(state) {
        Failure::new(
            PgSqlErrorCode::ERRCODE_T_R_SERIALIZATION_FAILURE,
            "could not serialize access due to a concurrent release of the same source",
        )
        .hint("Run the transaction again, or publish at READ COMMITTED.")
        .raise();
    }
}

/// The same, and nobody else changes its entry to the end of the transaction.
pub fn kept_by_caller(id: i64) -> (String, String) {
    let lock = format!(
        "SELECT r.id FROM sdc.release r WHERE r.id OPERATOR(pg_catalog.=) {id}::pg_catalog.int8 FOR UPDATE"
    );
    in_register(|| statements::run(&lock));
    published_by_caller(id)
}

/// The release of this number that the caller published, and that is still there: the name of
/// its target and its method.
pub fn published_by_caller(id: i64) -> (String, String) {
    let caller = u32::from(privileges::caller());
    let sql = format!(
        "SELECT r.target, r.method FROM sdc.release r \
         JOIN sdc.registered l ON l.id OPERATOR(pg_catalog.=) r.id \
         WHERE r.id OPERATOR(pg_catalog.=) {id}::pg_catalog.int8 \
           AND NOT l.gone \
           AND pg_catalog.pg_has_role({caller}::pg_catalog.oid, l.publisher, 'USAGE')"
    );
    let find = || statements::select(&sql, |row| row.get(1).zip(row.get(2)));
    let found = in_register(|| statements::seeing_own_writes(find));
    let hint = "sdc.releases lists the releases. Only the publisher can drop or verify one.";
    let found = found.into_iter().flatten().next();
    found.unwrap_or_else(|| not_published(id, hint))
}

/// The error for a release that is not there, or not the caller's.
pub fn not_published(id: i64, hint: &str) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT,
        format!("there is no release {id} that you published"),
    )
    .hint(hint)
    .raise()
}
