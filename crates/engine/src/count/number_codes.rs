//! Numbers, numbered by first appearance: an interner for values of eight bytes.

use crate::Result;
use crate::run::allocation::make_table_room;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Codes of the bits of numbers.
#[derive(Debug, Default)]
pub struct NumberCodes {
    codes: HashTable<(u64, u32)>,
    hasher: RandomState,
}

impl NumberCodes {
    /// The code of a value; the next one for a value that is new.
    pub fn code(&mut self, bits: u64) -> Result<u32> {
        let hasher = &self.hasher;
        let hash = |entry: &(u64, u32)| hasher.hash_one(entry.0);
        make_table_room(&mut self.codes, 1, hash)?;
        let next = self.codes.len() as u32;
        let entry = self
            .codes
            .entry(hash(&(bits, 0)), |entry| entry.0 == bits, hash);
        Ok(entry.or_insert((bits, next)).get().1)
    }

    /// How many different values there are.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbered_as_they_come() {
        let mut codes = NumberCodes::default();
        let values = [7.5f64, -1.0, 7.5, f64::NAN, -1.0, 1e300, f64::NAN];
        let given = values.map(|value| codes.code(value.to_bits()).unwrap());
        assert_eq!(given, [0, 1, 0, 2, 1, 3, 2]);
        assert_eq!((codes.len(), codes.is_empty()), (4, false));
        let many: Vec<u32> = (0..10_000u64)
            .map(|bits| codes.code(bits << 20).unwrap())
            .collect();
        assert_eq!(many, (4..10_004).collect::<Vec<u32>>());
    }
}
