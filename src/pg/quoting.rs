//! The one way generated SQL is quoted: every name an identifier, every relation with its schema.

use crate::pg::statements;
use pgrx::pg_sys::{self, Oid};
use std::ffi::{CStr, CString};

/// A name as an SQL identifier.
pub fn identifier(name: &str) -> String {
    let name = CString::new(name).unwrap_or_default();
    // SAFETY: takes a C string, returns one that lives in the current memory context (or the same).
    unsafe { CStr::from_ptr(pg_sys::quote_identifier(name.as_ptr())) }
        .to_string_lossy()
        .into_owned()
}

/// The name of a relation. It is the same whatever the caller has set: the register keeps it.
pub fn qualified(schema: &str, name: &str) -> String {
    statements::under(&[(c"quote_all_identifiers", c"off")], || {
        format!("{}.{}", identifier(schema), identifier(name))
    })
}

/// A text as an SQL literal.
pub fn literal(text: &str) -> String {
    let text = CString::new(text).unwrap_or_default();
    // SAFETY: takes a C string, returns a new one in the current memory context.
    unsafe { CStr::from_ptr(pg_sys::quote_literal_cstr(text.as_ptr())) }
        .to_string_lossy()
        .into_owned()
}

/// Identifiers, separated by commas.
pub fn identifiers<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(identifier).collect();
    names.join(", ")
}

/// A type with its schema where it needs one; -1 for a type without modifiers.
pub fn type_name(typ: Oid, typmod: i32) -> String {
    let flags = pg_sys::FORMAT_TYPE_TYPEMOD_GIVEN | pg_sys::FORMAT_TYPE_FORCE_QUALIFY;
    formatted(typ, typmod, flags)
}

/// The name of a type for messages, as short as the caller's search_path allows.
pub fn type_label(typ: Oid) -> String {
    formatted(typ, -1, 0)
}

fn formatted(typ: Oid, typmod: i32, flags: u32) -> String {
    // SAFETY: returns a new C string for every oid.
    unsafe { CStr::from_ptr(pg_sys::format_type_extended(typ, typmod, flags as u16)) }
        .to_string_lossy()
        .into_owned()
}
