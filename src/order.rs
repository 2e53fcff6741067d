//! The order of a column's values, for models that need one.

use crate::codec::Codec;
use crate::number::Number;
use pgrx::pg_sys::Datum;
use sdc_engine::Interner;

/// A number for each listed value in the order of its type, NULL last; `None` for types
/// whose order means nothing (all but numbers and dates).
pub fn ranks(codec: &Codec, values: &Interner) -> Option<Vec<u32>> {
    let kind = Number::of(codec.typ())?;
    let values: Vec<Option<Datum>> = values.iter().map(|bytes| codec.decode(bytes)).collect();
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_by(|&a, &b| match (values[a as usize], values[b as usize]) {
        (Some(a), Some(b)) => match codec.dictionary() {
            Some(dictionary) => dictionary.compare(a, b),
            None => kind.compare_words(a, b),
        },
        (a, b) => a.is_none().cmp(&b.is_none()),
    });
    let mut ranks = vec![0; order.len()];
    for (rank, value) in (0..).zip(order) {
        ranks[value as usize] = rank;
    }
    Some(ranks)
}
