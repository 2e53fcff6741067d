//! Memory that follows the size of the data. An allocation that fails must come back as an
//! error: left to itself it would abort the whole database server. One that would pass the
//! limit of the process is not tried.

use super::limits;
use crate::{Error, Result};
use hashbrown::HashTable;

/// Before so many bytes are filled, the pulse is felt: most passes over many rows begin so.
const LARGE: usize = 1 << 16;

/// Makes room by `reserve`, which will allocate so many bytes.
pub(crate) fn granted<E>(
    bytes: usize,
    reserve: impl FnOnce() -> std::result::Result<(), E>,
) -> Result<()> {
    limits::room(bytes)?;
    if bytes >= LARGE {
        limits::pulse()?;
    }
    reserve().map_err(|_| Error::OutOfMemory { bytes })
}

/// An empty vector with room for exactly `len` items.
pub fn reserved<T>(len: usize) -> Result<Vec<T>> {
    let mut items = Vec::new();
    let bytes = len.saturating_mul(size_of::<T>());
    granted(bytes, || items.try_reserve_exact(len))?;
    Ok(items)
}

/// Makes room for `more` items in a vector that may grow further.
#[inline]
pub fn make_room<T>(items: &mut Vec<T>, more: usize) -> Result<()> {
    match items.capacity() - items.len() >= more {
        true => Ok(()),
        false => grow(items, more),
    }
}

/// Half as much again, where that suffices: a vector that doubles could be two thirds empty room.
#[cold]
fn grow<T>(items: &mut Vec<T>, more: usize) -> Result<()> {
    let (len, capacity) = (items.len(), items.capacity());
    let wanted = len.saturating_add(more).max(capacity + capacity / 2).max(4);
    let bytes = (wanted - capacity).saturating_mul(size_of::<T>());
    granted(bytes, || items.try_reserve_exact(wanted - len))
}

/// Makes room for `more` entries in a hash table that may grow further.
#[inline]
pub fn make_table_room<T>(
    table: &mut HashTable<T>,
    more: usize,
    hash: impl Fn(&T) -> u64,
) -> Result<()> {
    if table.capacity() - table.len() >= more {
        return Ok(());
    }
    let bytes = table_growth(table.len(), more, size_of::<T>());
    granted(bytes, || table.try_reserve(more, hash))
}

/// What a hash table allocates to have room for `more` entries: all anew, beside what it has.
/// It has a power of two of buckets, of which an eighth stays empty, with a byte for each.
pub(crate) fn table_growth(len: usize, more: usize, entry: usize) -> usize {
    let entries = len.saturating_add(more).max(len.saturating_mul(2));
    let buckets = entries
        .saturating_add(entries / 7)
        .checked_next_power_of_two();
    buckets.unwrap_or(usize::MAX).saturating_mul(entry + 1)
}

/// A vector of `len` copies of one item.
pub fn filled<T: Clone>(len: usize, item: T) -> Result<Vec<T>> {
    let mut items = reserved(len)?;
    items.resize(len, item);
    Ok(items)
}

/// A vector of the items of an iterator that knows its length.
pub fn collected<T>(source: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>> {
    let mut items = reserved(source.len())?;
    items.extend(source);
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_much_is_an_error() {
        let bytes = usize::MAX;
        assert_eq!(
            filled(usize::MAX / 2, 0u64),
            Err(Error::OutOfMemory { bytes })
        );
        assert!(make_room(&mut vec![7u64], usize::MAX / 2).is_err());
        assert_eq!(filled(2, 7), Ok(vec![7, 7]));
        assert_eq!(collected(0..3), Ok(vec![0, 1, 2]));
    }
}
