//! The order of a column's values, for methods that need one.

use crate::pg::errors::known;
use crate::pg::memory::{self, Charge};
use crate::read::codec::Codec;
use crate::read::numbers::Number;
use pgrx::PgMemoryContexts;
use pgrx::pg_sys::{self, Datum};
use sdc_engine::{Interner, limits, sorting};
use std::cmp::Ordering;

const VALUES_BETWEEN_CHECKS: usize = 4096;

/// A number for each listed value in the order of its type, NULL last; `None` for types
/// whose order means nothing (all but numbers and dates).
pub fn ranks(codec: &Codec, values: &Interner) -> Option<Vec<u32>> {
    let kind = Number::of(codec.typ())?;
    Some(ranked(codec, values, |a, b| match codec.dictionary() {
        Some(dictionary) => dictionary.compare(a, b),
        None => kind.compare_words(a, b),
    }))
}

/// The same by the order that a type has for sorting, text and enums too; `None` for types
/// without one.
pub fn places(codec: &Codec, values: &Interner) -> Option<Vec<u32>> {
    // SAFETY: the type's own comparison function, called with values of the type; the entry
    // lives as long as the backend.
    unsafe {
        let base = pg_sys::getBaseType(codec.typ());
        let entry = pg_sys::lookup_type_cache(base, pg_sys::TYPECACHE_CMP_PROC_FINFO as i32);
        if (*entry).cmp_proc == pg_sys::InvalidOid {
            return None;
        }
        let function = &raw mut (*entry).cmp_proc_finfo;
        Some(ranked(codec, values, |a, b| {
            let order = pg_sys::FunctionCall2Coll(function, codec.collation(), a, b);
            (order.value() as i32).cmp(&0)
        }))
    }
}

fn ranked(
    codec: &Codec,
    values: &Interner,
    compare: impl Fn(Datum, Datum) -> Ordering,
) -> Vec<u32> {
    let mut decoded = PgMemoryContexts::new("pg_sdc values in order");
    let mut charge = Charge::new(0);
    let mut listed: Vec<Option<Datum>> = memory::reserved(values.len());
    for (number, bytes) in values.iter().enumerate() {
        // SAFETY: what is decoded there is not used after the context is gone.
        listed.push(unsafe { decoded.switch_to(|_| codec.decode(bytes).datum()) });
        if number.is_multiple_of(VALUES_BETWEEN_CHECKS) {
            // SAFETY: the context is ours.
            let bytes = unsafe { pg_sys::MemoryContextMemAllocated(decoded.value(), true) };
            charge.set(bytes as usize);
            known(limits::pulse());
        }
    }
    let mut order = memory::collected(0..values.len() as u32);
    // values that the order calls equal stay as they came
    let sorted = sorting::sort_by(&mut order, |&a, &b| {
        let compared = match (listed[a as usize], listed[b as usize]) {
            (Some(a), Some(b)) => compare(a, b),
            (a, b) => a.is_none().cmp(&b.is_none()),
        };
        compared.then(a.cmp(&b))
    });
    known(sorted);
    let mut ranks = memory::reserved(order.len());
    ranks.resize(order.len(), 0);
    for (rank, value) in (0..).zip(order) {
        ranks[value as usize] = rank;
    }
    ranks
}
