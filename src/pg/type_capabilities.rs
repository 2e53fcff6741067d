//! What PostgreSQL can do with the values of a type: tell them apart, sort them, hash them.

use crate::pg::errors::Failure;
use crate::pg::quoting::type_label;
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

/// Whether values of the type are rows.
pub fn is_record(typ: Oid) -> bool {
    // SAFETY: a catalog look-up.
    unsafe { pg_sys::type_is_rowtype(typ) }
}

/// Whether values of the type are texts.
pub fn is_text(typ: Oid) -> bool {
    let (mut category, mut preferred) = (0, false);
    // SAFETY: a catalog look-up that fills both.
    unsafe { pg_sys::get_type_category_preferred(typ, &mut category, &mut preferred) };
    category as u8 == pg_sys::TYPCATEGORY_STRING
}

/// The type of an array's elements; invalid for other types.
pub fn element_of(typ: Oid) -> Oid {
    // SAFETY: a catalog look-up.
    unsafe { pg_sys::get_element_type(typ) }
}

/// The type below a domain, or the type itself.
pub fn base_of(typ: Oid) -> Oid {
    // SAFETY: a catalog look-up that raises for an unknown type.
    unsafe { pg_sys::getBaseType(typ) }
}

/// How values of a type are held.
#[derive(Clone, Copy)]
pub struct Storage {
    pub typ: Oid,
    /// bytes; -1 for variable length, -2 for zero-terminated strings
    pub length: i16,
    pub by_value: bool,
}

/// How values of the type are held.
pub fn storage(typ: Oid) -> Storage {
    let (mut length, mut by_value) = (0, false);
    // SAFETY: a catalog look-up that raises for an unknown type and fills both.
    unsafe { pg_sys::get_typlenbyval(typ, &mut length, &mut by_value) };
    Storage {
        typ,
        length,
        by_value,
    }
}

/// Whether the type is a domain.
pub fn is_domain(typ: Oid) -> bool {
    class(typ) == pg_sys::TYPTYPE_DOMAIN
}

/// Whether the type is an enum.
pub fn is_enum(typ: Oid) -> bool {
    class(typ) == pg_sys::TYPTYPE_ENUM
}

fn class(typ: Oid) -> u8 {
    // SAFETY: a catalog look-up.
    unsafe { pg_sys::get_typtype(typ) as u8 }
}

/// PostgreSQL's cache entry of a type, with what the flags ask for. It is never null and lives as
/// long as the backend.
pub(super) fn cached(typ: Oid, flags: u32) -> *mut pg_sys::TypeCacheEntry {
    // SAFETY: a cache look-up that raises for an unknown type.
    unsafe { pg_sys::lookup_type_cache(typ, flags as i32) }
}

/// The type's own operator for a comparison, by the number of its B-tree strategy; `None`
/// where the type has none.
pub fn comparison_operator(typ: Oid, strategy: u32) -> Option<Oid> {
    let flags = pg_sys::TYPECACHE_BTREE_OPFAMILY | pg_sys::TYPECACHE_EQ_OPR;
    // SAFETY: the entry lives as long as the backend; a catalog look-up.
    let oid = unsafe {
        let entry = &*cached(typ, flags);
        match strategy {
            pg_sys::BTEqualStrategyNumber => entry.eq_opr,
            _ if entry.btree_opf == pg_sys::InvalidOid => pg_sys::InvalidOid,
            strategy => {
                let of = entry.btree_opintype;
                pg_sys::get_opfamily_member(entry.btree_opf, of, of, strategy as i16)
            }
        }
    };
    (oid != pg_sys::InvalidOid).then_some(oid)
}

fn has(typ: Oid, flag: u32, function: impl Fn(&pg_sys::TypeCacheEntry) -> Oid) -> bool {
    // SAFETY: the entry lives as long as the backend.
    let entry = unsafe { &*cached(base_of(typ), flag) };
    function(entry) != pg_sys::InvalidOid
}

/// The error for a type whose values cannot be told apart.
pub fn no_equality(typ: Oid) -> ! {
    if typ == pg_sys::UNKNOWNOID {
        Failure::new(
            PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
            "arguments must be columns, not quoted text",
        )
        .hint("Write sdc.k_anonymity(age, zip) … FROM patient, or check a table: sdc.check_anonymity('patient', '{age,zip}').")
        .raise();
    }
    let name = type_label(typ);
    Failure::new(
        PgSqlErrorCode::ERRCODE_UNDEFINED_FUNCTION,
        format!("could not identify an equality operator for type {name}"),
    )
    .hint("Cast the column to a type that can be grouped by, for example jsonb or text.")
    .raise()
}
