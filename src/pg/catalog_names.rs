//! Types and collations by their names, for other servers: OIDs are this one's own.

use crate::pg::quoting;
use crate::pg::statements;
use crate::pg::text_casts;
use pgrx::pg_sys::{self, Oid};
use std::ffi::CStr;

/// Whether every server of this version gives an object this OID: PostgreSQL's sources do. Those
/// of collations are given out when a cluster is made, and all others later.
pub fn is_everywhere(oid: Oid) -> bool {
    u32::from(oid) < 10_000
}

/// A type's name with its schema.
pub fn type_name(typ: Oid) -> String {
    quoting::type_name(typ, -1)
}

/// The type of a name that [`type_name`] gave; an error where there is none.
pub fn type_named(name: &str) -> Oid {
    looked_up(pg_sys::REGTYPEOID, name)
}

/// A collation's name with its schema, unless that is pg_catalog.
pub fn collation_name(collation: Oid) -> String {
    spelled(pg_sys::regcollationout, collation)
}

/// The collation of a name that [`collation_name`] gave; an error where there is none.
pub fn collation_named(name: &str) -> Oid {
    looked_up(pg_sys::REGCOLLATIONOID, name)
}

/// A relation's name with its schema, unless that is pg_catalog.
pub fn relation_name(relation: Oid) -> String {
    spelled(pg_sys::regclassout, relation)
}

/// The relation of a name that [`relation_name`] gave; an error where there is none.
pub fn relation_named(name: &str) -> Oid {
    looked_up(pg_sys::REGCLASSOID, name)
}

/// The name that a type of OIDs writes.
fn spelled(output: unsafe fn(pg_sys::FunctionCallInfo) -> pg_sys::Datum, oid: Oid) -> String {
    from_catalog(|| {
        let arguments = [Some(pg_sys::Datum::from(oid))];
        // SAFETY: takes an OID, returns a new C string.
        let name = unsafe { pgrx::direct_function_call::<&CStr>(output, &arguments) };
        name.unwrap_or_default().to_string_lossy().into_owned()
    })
}

/// The value that a type of OIDs reads from a name.
fn looked_up(typ: Oid, name: &str) -> Oid {
    let oid = from_catalog(|| text_casts::input(typ, name.into()));
    Oid::from(oid.value() as u32)
}

/// Whatever the caller's search_path is, names mean the same.
fn from_catalog<T>(act: impl FnOnce() -> T) -> T {
    statements::under(&[(c"search_path", c"pg_catalog")], act)
}
