//! Vectors sized by the data. A failed ordinary allocation would abort the database server;
//! these report it instead.

use crate::{Error, Result};

/// An empty vector with room for `capacity` items.
pub(crate) fn reserved<T>(capacity: usize) -> Result<Vec<T>> {
    let mut items = Vec::new();
    match items.try_reserve_exact(capacity) {
        Ok(()) => Ok(items),
        Err(_) => Err(Error::OutOfMemory {
            bytes: capacity.saturating_mul(size_of::<T>()),
        }),
    }
}

/// A vector of `len` copies of `item`.
pub(crate) fn filled<T: Clone>(item: T, len: usize) -> Result<Vec<T>> {
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
    fn what_cannot_be_allocated_is_an_error() {
        let bytes = usize::MAX;
        assert_eq!(filled(0u8, bytes), Err(Error::OutOfMemory { bytes }));
        assert_eq!(filled(1u8, 2), Ok(vec![1, 1]));
        assert_eq!(collected(0..3), Ok(vec![0, 1, 2]));
    }
}
