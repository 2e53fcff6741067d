//! Memory that follows the size of the data. An allocation that fails must come back as an
//! error: left to itself it would abort the whole database server.

use crate::{Error, Result};

/// An empty vector with room for exactly `len` items.
pub(crate) fn reserved<T>(len: usize) -> Result<Vec<T>> {
    let mut items = Vec::new();
    match items.try_reserve_exact(len) {
        Ok(()) => Ok(items),
        Err(_) => Err(Error::OutOfMemory {
            bytes: len.saturating_mul(size_of::<T>()),
        }),
    }
}

/// Makes room for `more` items in a vector that may grow further.
pub(crate) fn make_room<T>(items: &mut Vec<T>, more: usize) -> Result<()> {
    let bytes = items.len().saturating_add(more);
    let bytes = bytes.saturating_mul(size_of::<T>());
    let grown = items.try_reserve(more);
    grown.map_err(|_| Error::OutOfMemory { bytes })
}

/// A vector of `len` copies of one item.
pub(crate) fn filled<T: Clone>(len: usize, item: T) -> Result<Vec<T>> {
    let mut items = reserved(len)?;
    items.resize(len, item);
    Ok(items)
}

/// A vector of the items of an iterator that knows its length.
pub(crate) fn collected<T>(source: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>> {
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
