//! Relations in the catalog, by their numbers.

use crate::pg::composite::{self, Attribute};
use pgrx::pg_sys::{self, Oid};
use std::ffi::{CStr, c_char};

/// What kind of relation it is, in PostgreSQL's letters; 0 where there is none.
pub fn kind(relation: Oid) -> u8 {
    // SAFETY: a catalog look-up.
    unsafe { pg_sys::get_rel_relkind(relation) as u8 }
}

/// Locks a relation to the end of the transaction. The lock is on its number, so it can be taken before
/// anybody has looked whether the relation is still there.
pub fn lock(relation: Oid, mode: u32) {
    // SAFETY: a lock on a number.
    unsafe { pg_sys::LockRelationOid(relation, mode as i32) };
}

/// The names of a relation's schema and of itself; empty where there is none.
pub fn names(relation: Oid) -> (String, String) {
    // SAFETY: catalog look-ups, which return zero-terminated names or null.
    unsafe {
        let schema = pg_sys::get_namespace_name(pg_sys::get_rel_namespace(relation));
        (owned(schema), owned(pg_sys::get_rel_name(relation)))
    }
}

/// # Safety
/// `name` must be a zero-terminated string or null.
unsafe fn owned(name: *const c_char) -> String {
    if name.is_null() {
        return String::new();
    }
    // SAFETY: as promised by the caller.
    let name = unsafe { CStr::from_ptr(name) };
    name.to_string_lossy().into_owned()
}

/// The columns of a relation, which must be there; dropped ones too.
pub fn attributes(relation: Oid) -> Vec<Attribute> {
    // SAFETY: the descriptor is a copy, freed when it is read; an unknown row type raises.
    unsafe {
        let row_type = pg_sys::get_rel_type_id(relation);
        let descriptor = pg_sys::lookup_rowtype_tupdesc_copy(row_type, -1);
        let attributes = composite::attributes(descriptor);
        pg_sys::FreeTupleDesc(descriptor);
        attributes
    }
}
