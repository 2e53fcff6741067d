//! The order of a column's values, for methods that need one.

use crate::pg::cell::Cell;
use crate::pg::errors::known;
use crate::pg::memory::{self, Charge};
use crate::pg::memory_context::Arena;
use crate::pg::progress::ROWS_BETWEEN_CHECKS;
use crate::pg::type_functions::TypeFunctions;
use crate::read::codec::Codec;
use crate::read::numbers::Number;
use sdc_engine::{Interner, limits, sorting};
use std::cmp::Ordering;

/// A number for each listed value in the order of its type, NULL last; `None` for types
/// whose order means nothing (all but numbers and dates).
pub fn ranks(codec: &Codec, values: &Interner) -> Option<Vec<u32>> {
    let kind = Number::of(codec.typ())?;
    Some(ranked(codec, values, |a, b| match codec.dictionary() {
        Some(dictionary) => dictionary.compare(a, b),
        None => kind.compare_words(a.word(), b.word()),
    }))
}

/// The same by the order that a type has for sorting, text and enums too; `None` for types
/// without one.
pub fn places(codec: &Codec, values: &Interner) -> Option<Vec<u32>> {
    let functions = TypeFunctions::of(codec.typ(), codec.collation());
    let ordered = functions.can_compare();
    ordered.then(|| ranked(codec, values, |a, b| functions.compare(a, b)))
}

fn ranked(
    codec: &Codec,
    values: &Interner,
    compare: impl Fn(Cell<'_>, Cell<'_>) -> Ordering,
) -> Vec<u32> {
    let decoded = Arena::new("pg_sdc values in order");
    let mut charge = Charge::new(0);
    let mut listed: Vec<Cell<'_>> = memory::reserved(values.len());
    for (number, bytes) in values.iter().enumerate() {
        listed.push(decoded.within(|| codec.decode(bytes)));
        if number.is_multiple_of(ROWS_BETWEEN_CHECKS) {
            charge.set(decoded.context().bytes());
            known(limits::pulse());
        }
    }
    let mut order = memory::collected(0..values.len() as u32);
    // values that the order calls equal stay as they came
    let sorted = sorting::sort_by(&mut order, |&a, &b| {
        let (first, second) = (listed[a as usize], listed[b as usize]);
        let compared = match first.is_null() || second.is_null() {
            true => first.is_null().cmp(&second.is_null()),
            false => compare(first, second),
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
