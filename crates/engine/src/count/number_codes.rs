//! Numbers, numbered by first appearance: an interner for values of eight bytes.

use crate::Result;
use crate::run::allocation::{make_room, make_table_room};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Whole numbers from 0 to so many times as many as there are codes are looked up by their place.
const SPARSE: usize = 4;
/// The place of a number without a code.
const NONE: u32 = u32::MAX;

/// Codes of the bits of numbers.
#[derive(Debug, Default)]
pub struct NumberCodes {
    codes: HashTable<(u64, u32)>,
    hasher: RandomState,
    /// The codes of small whole numbers, as of identifiers and groups. What was too large when it
    /// first came stands in the table, too.
    small: Vec<u32>,
    len: usize,
}

impl NumberCodes {
    /// The code of a value; the next one for a value that is new.
    pub fn code(&mut self, bits: u64) -> Result<u32> {
        let Some(place) = self.place(bits)? else {
            return self.in_table(bits);
        };
        if self.small[place] == NONE {
            self.small[place] = match self.codes.is_empty() {
                true => self.next(),
                false => self.in_table(bits)?,
            };
        }
        Ok(self.small[place])
    }

    /// The place of a small whole number.
    fn place(&mut self, bits: u64) -> Result<Option<usize>> {
        let number = f64::from_bits(bits);
        let place = number as usize;
        // negative zero has other bits
        if (place as f64).to_bits() != bits || place >= SPARSE * (self.len + 256) {
            return Ok(None);
        }
        if place >= self.small.len() {
            let len = (place + 1).next_power_of_two();
            let more = len - self.small.len();
            make_room(&mut self.small, more)?;
            self.small.resize(len, NONE);
        }
        Ok(Some(place))
    }

    fn in_table(&mut self, bits: u64) -> Result<u32> {
        let hasher = &self.hasher;
        let hash = |entry: &(u64, u32)| hasher.hash_one(entry.0);
        make_table_room(&mut self.codes, 1, hash)?;
        let next = self.len as u32;
        let entry = self
            .codes
            .entry(hash(&(bits, 0)), |entry| entry.0 == bits, hash);
        let code = entry.or_insert((bits, next)).get().1;
        self.len += usize::from(code == next);
        Ok(code)
    }

    fn next(&mut self) -> u32 {
        self.len += 1;
        (self.len - 1) as u32
    }

    /// How many different values there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

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

    proptest! {
        /// Small and large, whole and broken, in any order: as a map numbers them.
        #[test]
        fn numbers_are_coded_as_by_a_map(spread in 1i64..20_000, drawn in prop::collection::vec((any::<i64>(), 0u8..12), 0..3000)) {
            let (mut codes, mut map) = (NumberCodes::default(), HashMap::new());
            for (number, kind) in drawn {
                let whole = (number % spread) as f64;
                let value = match kind {
                    0 => whole / 3.0,
                    1 => whole * 1e9,
                    2 => f64::NAN,
                    3 => -0.0,
                    _ => whole.abs(),
                };
                let next = map.len() as u32;
                let expected = *map.entry(value.to_bits()).or_insert(next);
                prop_assert_eq!(codes.code(value.to_bits()).unwrap(), expected);
            }
            prop_assert_eq!(codes.len(), map.len());
        }
    }
}
