//! The rows of a release that is replaced, set aside until the new one has been compared with it:
//! whoever kept them has both.

use crate::pg::privileges;
use crate::pg::statements;
use crate::pg::unnamed_relations::in_own_names;
use crate::read::relation::relation_of;
use crate::release::Target;
use crate::release::links::{self, Links};
use pgrx::pg_sys::Oid;

/// Copies the rows of the release that is about to be replaced, if that is one table, and none of
/// the sequence that is continued.
pub fn set_aside(target: &Target, sequence: Option<i64>) {
    let Some(old) = target.replaces() else {
        return;
    };
    let table = Links::of(old);
    if table.keys_table.is_some() || is_of(old, sequence) || !may_set_aside() {
        return;
    }
    // a policy that hides rows from their owner would hide them here
    statements::under(&[(c"row_security", c"off")], || {
        let sql = format!(
            "CREATE TEMP TABLE {} ON COMMIT DROP AS TABLE {}",
            name(old),
            target.sql_name()
        );
        in_own_names(|| statements::run(&sql));
    });
}

/// The copy of the rows of a release, if there is one.
pub fn of(old: i64) -> Option<Oid> {
    statements::seeing_own_writes(|| relation_of(&format!("pg_temp.{}", name(old))))
}

/// Does something while the register has the copy for the release that was replaced; then the copy
/// is gone.
pub fn standing_in<T>(old: Option<i64>, act: impl FnOnce() -> T) -> T {
    let Some((old, rows)) = old.and_then(|old| of(old).map(|rows| (old, rows))) else {
        return act();
    };
    let stand_in = format!(
        "UPDATE sdc.release_relation SET target = {}::pg_catalog.oid \
         WHERE release OPERATOR(pg_catalog.=) {old}::pg_catalog.int8",
        u32::from(rows)
    );
    links::in_register(|| statements::run(&stand_in));
    let result = act();
    statements::run(&format!("DROP TABLE pg_temp.{}", name(old)));
    result
}

fn name(old: i64) -> String {
    format!("pg_sdc_replaced_{old}")
}

/// Whether a release belongs to a sequence.
fn is_of(release: i64, sequence: Option<i64>) -> bool {
    let sql = format!(
        "SELECT EXISTS (SELECT FROM sdc.release_sequence q \
         WHERE q.release OPERATOR(pg_catalog.=) {release}::pg_catalog.int8 \
           AND q.sequence OPERATOR(pg_catalog.=) {}::pg_catalog.int8)",
        // no sequence has this number
        sequence.unwrap_or(0)
    );
    let find = || links::in_register(|| statements::value(&sql));
    statements::seeing_own_writes(find).unwrap_or(false)
}

fn may_set_aside() -> bool {
    let sql = format!(
        "SELECT pg_catalog.has_database_privilege({}::pg_catalog.oid, d.oid, 'TEMP') FROM pg_catalog.pg_database d \
         WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()",
        u32::from(privileges::caller())
    );
    statements::value(&sql).unwrap_or(false)
}
