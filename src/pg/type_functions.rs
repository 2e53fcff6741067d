//! The functions by which PostgreSQL tells the values of a type apart: hash, equality, order.

use crate::pg::cell::Cell;
use crate::pg::errors::Failure;
use crate::pg::type_capabilities;
use pgrx::pg_sys::{self, Datum, FmgrInfo, Oid};
use std::cmp::Ordering;

/// Those of one type, or of the type below a domain; `None` for what the type does not have.
pub struct TypeFunctions {
    typ: Oid,
    collation: Oid,
    hash: Option<*mut FmgrInfo>,
    equal: Option<*mut FmgrInfo>,
    compare: Option<*mut FmgrInfo>,
}

impl TypeFunctions {
    pub fn of(typ: Oid, collation: Oid) -> Self {
        let flags = pg_sys::TYPECACHE_HASH_EXTENDED_PROC_FINFO
            | pg_sys::TYPECACHE_EQ_OPR_FINFO
            | pg_sys::TYPECACHE_CMP_PROC_FINFO;
        let entry = type_capabilities::cached(type_capabilities::base_of(typ), flags);
        let there = |function: Oid| function != pg_sys::InvalidOid;
        // SAFETY: the entry lives as long as the backend.
        unsafe {
            let hash = there((*entry).hash_extended_proc);
            let (equal, compare) = (there((*entry).eq_opr), there((*entry).cmp_proc));
            TypeFunctions {
                typ,
                collation,
                hash: hash.then_some(&raw mut (*entry).hash_extended_proc_finfo),
                equal: equal.then_some(&raw mut (*entry).eq_opr_finfo),
                compare: compare.then_some(&raw mut (*entry).cmp_proc_finfo),
            }
        }
    }

    /// Whether values have a hash that fits their equality.
    pub fn can_hash(&self) -> bool {
        self.hash.is_some() && self.equal.is_some()
    }

    /// Whether values have an order.
    pub fn can_compare(&self) -> bool {
        self.compare.is_some()
    }

    pub fn hash(&self, value: Cell<'_>, seed: u64) -> u64 {
        let seed = Datum::from(seed);
        self.call(self.hash, self.checked(value), seed).value() as u64
    }

    pub fn equal(&self, a: Cell<'_>, b: Cell<'_>) -> bool {
        let (a, b) = (self.checked(a), self.checked(b));
        self.call(self.equal, a, b).value() as u8 != 0
    }

    pub fn compare(&self, a: Cell<'_>, b: Cell<'_>) -> Ordering {
        let (a, b) = (self.checked(a), self.checked(b));
        (self.call(self.compare, a, b).value() as i32).cmp(&0)
    }

    fn checked(&self, value: Cell<'_>) -> Datum {
        value.require(self.typ);
        value.datum().unwrap_or_else(|| missing("a value"))
    }

    fn call(&self, function: Option<*mut FmgrInfo>, first: Datum, second: Datum) -> Datum {
        let function = function.unwrap_or_else(|| missing("a function"));
        // SAFETY: a function of the type that takes one or two of its values, which were checked.
        unsafe { pg_sys::FunctionCall2Coll(function, self.collation, first, second) }
    }
}

#[cold]
fn missing(what: &str) -> ! {
    Failure::internal(format!("values are compared without {what}")).raise()
}
