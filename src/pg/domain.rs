//! Domains: a mean need not meet the constraints of its column's type.

use crate::pg::type_capabilities;
use pgrx::pg_sys::{self, Datum, Oid};
use std::ffi::c_void;

/// The constraints of a type, looked up once; a type that is not a domain has none.
pub struct Constraints {
    domain: Option<Oid>,
    known: *mut c_void,
}

impl Constraints {
    pub fn of(typ: Oid) -> Self {
        Constraints {
            domain: type_capabilities::is_domain(typ).then_some(typ),
            known: std::ptr::null_mut(),
        }
    }

    /// The value, or PostgreSQL's error that names the constraint it violates.
    pub fn checked(&mut self, value: Datum) -> Datum {
        if let Some(domain) = self.domain {
            // SAFETY: the value is of the domain's base type; what is known of the domain lives
            // in the current context, as the value does.
            unsafe {
                let context = pg_sys::CurrentMemoryContext;
                pg_sys::domain_check(value, false, domain, &mut self.known, context);
            }
        }
        value
    }
}
