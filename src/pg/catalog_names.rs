//! Types and collations by their names, for other servers: OIDs are this one's own.

use crate::pg::quoting;
use crate::pg::statements;
use pgrx::pg_sys::{self, Oid};
use std::ffi::{CStr, CString};

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
    looked_up(pg_sys::regtypein, name)
}

/// A collation's name with its schema, unless that is pg_catalog.
pub fn collation_name(collation: Oid) -> String {
    from_catalog(|| {
        // SAFETY: takes an OID, returns a new C string.
        let name = unsafe {
            let arguments = [Some(pg_sys::Datum::from(collation))];
            pgrx::direct_function_call::<&CStr>(pg_sys::regcollationout, &arguments)
        };
        name.unwrap_or_default().to_string_lossy().into_owned()
    })
}

/// The collation of a name that [`collation_name`] gave; an error where there is none.
pub fn collation_named(name: &str) -> Oid {
    looked_up(pg_sys::regcollationin, name)
}

/// A relation's name with its schema, unless that is pg_catalog.
pub fn relation_name(relation: Oid) -> String {
    from_catalog(|| {
        // SAFETY: takes an OID, returns a new C string.
        let name = unsafe {
            let arguments = [Some(pg_sys::Datum::from(relation))];
            pgrx::direct_function_call::<&CStr>(pg_sys::regclassout, &arguments)
        };
        name.unwrap_or_default().to_string_lossy().into_owned()
    })
}

/// The relation of a name that [`relation_name`] gave; an error where there is none.
pub fn relation_named(name: &str) -> Oid {
    looked_up(pg_sys::regclassin, name)
}

type Input = unsafe fn(pg_sys::FunctionCallInfo) -> pg_sys::Datum;

fn looked_up(input: Input, name: &str) -> Oid {
    let name = CString::new(name).unwrap_or_default();
    let arguments = [Some(pg_sys::Datum::from(name.as_ptr()))];
    // SAFETY: the input function of a type of OIDs takes a C string.
    let oid = from_catalog(|| unsafe { pgrx::direct_function_call::<Oid>(input, &arguments) });
    oid.unwrap_or(pg_sys::InvalidOid)
}

/// Whatever the caller's search_path is, names mean the same.
fn from_catalog<T>(act: impl FnOnce() -> T) -> T {
    statements::under(&[(c"search_path", c"pg_catalog")], act)
}
