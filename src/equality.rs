//! What PostgreSQL can do with the values of a type: tell them apart, sort them, hash them.

use crate::codec::type_name;
use crate::errors::Failure;
use pgrx::pg_sys::{self, Oid};
use pgrx::prelude::*;

/// Refuses types without equality, which GROUP BY refuses as well.
pub fn require(typ: Oid) {
    if !can_compare(typ) {
        no_equality(typ);
    }
}

/// Whether two values of the type can be told equal or not.
pub fn can_compare(typ: Oid) -> bool {
    has(typ, pg_sys::TYPECACHE_EQ_OPR, |entry| entry.eq_opr)
}

/// Whether ORDER BY takes values of the type.
pub fn can_sort(typ: Oid) -> bool {
    has(typ, pg_sys::TYPECACHE_LT_OPR, |entry| entry.lt_opr)
}

/// Whether values of the type have a 64-bit hash.
pub fn can_hash(typ: Oid) -> bool {
    let flag = pg_sys::TYPECACHE_HASH_EXTENDED_PROC;
    has(typ, flag, |entry| entry.hash_extended_proc)
}

fn has(typ: Oid, flag: u32, function: impl Fn(&pg_sys::TypeCacheEntry) -> Oid) -> bool {
    // SAFETY: a cache look-up that raises for an unknown type and never returns null.
    let entry = unsafe { &*pg_sys::lookup_type_cache(pg_sys::getBaseType(typ), flag as i32) };
    function(entry) != pg_sys::InvalidOid
}

/// The error for a type whose values cannot be told apart.
pub fn no_equality(typ: Oid) -> ! {
    let name = type_name(typ);
    Failure::new(
        PgSqlErrorCode::ERRCODE_UNDEFINED_FUNCTION,
        format!("could not identify an equality operator for type {name}"),
    )
    .hint("Cast the column to a type that can be grouped by, for example jsonb or text.")
    .raise()
}
