//! `replace => true`: a new release takes the place of an earlier one. Its rows are exchanged in
//! the tables that are there, in one transaction, so that readers see the old rows or the new
//! ones and wait for nothing, and owner, grants, comments, indexes and dependent views stay. A
//! fault undoes the exchange.

use crate::pg::errors::Failure;
use crate::pg::privileges;
use crate::pg::statements::{self, Row};
use crate::read::relation::{Source, is_safe_to_read, relation_of};
use crate::release::links::{self, Links};
use crate::release::{ReleaseMethod, Target};
use pgrx::pg_sys::Oid;
use pgrx::prelude::*;

/// The target of this name with the release that it is to replace. Where nothing has the name
/// yet there is nothing to replace: the first of many releases is published with the same call.
pub fn target(text: &str) -> Target {
    let target = Target::named(text);
    let Some(relation) = relation_of(&target.sql_name()) else {
        return Target::new(text);
    };
    refuse_others(&target, relation);
    // one replacement at a time: the next must find the release that this one makes
    statements::lock_against_writers(relation);
    let old = refuse_others(&target, relation);
    for relation in Links::of(old).relations().into_iter().flatten() {
        statements::lock_against_writers(relation);
        Source::new(relation).require_trusted_to_write();
        refuse_foreign_triggers(&target, relation);
        refuse_foreign_keys(&target, relation);
        // nothing else comes under its name before it is written to
        Target::of_relation(relation).keep_name_of(relation);
    }
    target.keep_name_of(relation);
    target.replacing(old)
}

/// The triggers of a relation: the owner of the function, and whether somebody else could have chosen
/// what it does, by a condition or by arguments. Nobody knows who created a trigger, and even functions
/// of PostgreSQL itself run SQL that they are handed (`query_to_xml`), so a condition may be anybody's
/// code, and an argument may name a table of theirs. In PostgreSQL 14 what a partition takes over from its
/// parent counts as internal; what a constraint made is.
const TRIGGERS: &str = "SELECT p.proowner, t.tgqual IS NOT NULL, t.tgnargs OPERATOR(pg_catalog.>) 0 \
     FROM pg_catalog.pg_trigger t \
     JOIN pg_catalog.pg_proc p ON p.oid OPERATOR(pg_catalog.=) t.tgfoid \
     WHERE (NOT t.tgisinternal OR t.tgconstraint OPERATOR(pg_catalog.=) 0::pg_catalog.oid) AND t.tgrelid OPERATOR(pg_catalog.=) ";

/// The roles that hold TRIGGER on a relation: 0 for PUBLIC.
const TRIGGER_HOLDERS: &str = "SELECT a.grantee FROM pg_catalog.pg_class c \
     CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) a \
     WHERE a.privilege_type OPERATOR(pg_catalog.=) 'TRIGGER' AND c.oid OPERATOR(pg_catalog.=) ";

/// A role that was granted TRIGGER could have put code there that would run as the caller. While it
/// holds that privilege even a function of the caller's own, without arguments, may be its choice:
/// one that was written for other tables. The lock against writers keeps new triggers out.
fn refuse_foreign_triggers(target: &Target, relation: Oid) {
    let sql = format!("{TRIGGERS}{}::pg_catalog.oid", u32::from(relation));
    let is_callers = |row: &Row| {
        let (owner, conditional, arguments) = (row.get(1), row.get(2), row.get(3));
        let own = owner == Some(privileges::caller());
        let trusted = own || owner.is_some_and(privileges::trusts);
        trusted && conditional == Some(false) && arguments == Some(false)
    };
    let found = statements::select(&sql, is_callers);
    if found.is_empty() {
        return;
    }
    if found.into_iter().all(|own| own) {
        return refuse_trigger_holders(target, relation);
    }
    Failure::new(
        PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
        format!(
            "a trigger on release {} could run code of another role",
            target.sql_name()
        ),
    )
    .detail("Its function is not yours, or it has arguments or a condition (WHEN), which anyone who was granted TRIGGER could have written.")
    .hint("Drop the trigger, and revoke TRIGGER on the release. Test conditions in a function of your own.")
    .raise()
}

fn refuse_trigger_holders(target: &Target, relation: Oid) {
    let sql = format!("{TRIGGER_HOLDERS}{}::pg_catalog.oid", u32::from(relation));
    let holders = statements::select(&sql, |row| row.get::<Oid>(1));
    if holders.into_iter().flatten().all(privileges::trusts) {
        return;
    }
    let name = target.sql_name();
    Failure::new(
        PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
        format!("a trigger on release {name} could be another role's"),
    )
    .detail("A role that is neither you nor a superuser holds TRIGGER on it, so it may have chosen the trigger's function.")
    .hint(format!("Drop triggers that you did not create. Then REVOKE TRIGGER ON {name} FROM that role."))
    .raise()
}

/// The foreign keys of a relation and those that refer to it: the table at the other end, and whether
/// they write to it when a row is deleted here.
const FOREIGN_KEYS: &str = "SELECT CASE WHEN k.conrelid OPERATOR(pg_catalog.=) {relation} THEN k.confrelid ELSE k.conrelid END, \
            k.confrelid OPERATOR(pg_catalog.=) {relation} AND k.confdeltype OPERATOR(pg_catalog.<>) ALL ('{a,r}'::pg_catalog.\"char\"[]) \
     FROM pg_catalog.pg_constraint k \
     WHERE k.contype OPERATOR(pg_catalog.=) 'f' AND {relation} OPERATOR(pg_catalog.=) ANY (ARRAY[k.conrelid, k.confrelid])";

/// Rows are deleted and inserted, and PostgreSQL looks for their counterparts in the table at the other
/// end. It reads that table as its owner, but in the caller's session, whose settings the code of the
/// table's indexes may change. A foreign key that deletes or changes rows there runs triggers as the
/// caller. Whoever was granted REFERENCES can make one. The lock against writers keeps new ones out.
fn refuse_foreign_keys(target: &Target, relation: Oid) {
    let number = format!("{}::pg_catalog.oid", u32::from(relation));
    let sql = FOREIGN_KEYS.replace("{relation}", &number);
    let found = statements::select(&sql, |row| (row.get::<Oid>(1), row.get(2) == Some(true)));
    let is_harmless =
        |(other, writes): (Option<Oid>, bool)| !writes && other.is_some_and(is_safe_to_read);
    if found.into_iter().all(is_harmless) {
        return;
    }
    Failure::new(
        PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
        format!(
            "a foreign key of release {}, or one that refers to it, could run code of another role",
            target.sql_name()
        ),
    )
    .detail("The table at its other end, or something that reading that table uses, belongs to another role. Or the key deletes or changes rows there when rows of the release are deleted.")
    .hint("Drop the foreign key, and revoke REFERENCES on the release.")
    .raise()
}

/// The caller's release that the relation holds; anything else stays where it is.
fn refuse_others(target: &Target, relation: Oid) -> i64 {
    let sql = format!(
        "SELECT r.id, l.publisher FROM sdc.registered l \
         JOIN sdc.release r ON r.id OPERATOR(pg_catalog.=) l.id \
         WHERE l.target OPERATOR(pg_catalog.=) {}::pg_catalog.oid AND NOT l.gone \
         ORDER BY r.id DESC LIMIT 1",
        u32::from(relation)
    );
    let find = || statements::select(&sql, |row| row.get::<i64>(1).zip(row.get::<Oid>(2)));
    let entry = statements::seeing_own_writes(|| links::in_register(find));
    match entry.into_iter().flatten().next() {
        Some((id, publisher)) if privileges::has_rights_of(publisher) => id,
        Some(_) => refuse(target, "is a release of somebody else"),
        None => refuse(target, "is not a release"),
    }
}

fn refuse(target: &Target, what: &str) -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_DUPLICATE_TABLE,
        format!("relation {} {what}", target.sql_name()),
    )
    .hint("replace => true replaces only your own releases. Choose another target.")
    .raise()
}

/// The tables of keys and of sensitive values beside a target that is a view: those that the
/// release to be replaced has, or names for new ones.
pub fn tables_apart(target: &Target, method: ReleaseMethod) -> [Target; 2] {
    let Some(tables) = method.tables_apart(target) else {
        Failure::internal("a method without tables of its own").raise()
    };
    let Some(old) = target.replaces() else {
        tables.iter().for_each(Target::refuse_existing);
        return tables;
    };
    let links = Links::of(old);
    let (Some(keys), Some(values)) = (links.keys_table, links.values_table) else {
        Failure::new(
            PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE,
            format!(
                "release {old} is one table, a release by {} is a view of two",
                method.name()
            ),
        )
        .hint(format!(
            "Choose another target, or drop it: SELECT sdc.drop_release({old})."
        ))
        .raise()
    };
    [keys, values].map(|table| Target::of_relation(table).replacing(old))
}
