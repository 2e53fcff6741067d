//! Byte strings become small numbers: values and keys are compared once, then by number.

use crate::run::allocation::{make_room, make_table_room, reserved};
use crate::{Error, Result};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Seen;
use std::hash::BuildHasher;

/// Numbers byte strings `0, 1, 2 …` by first appearance. The strings stand one after the
/// other in one buffer, so that a million short ones cost no million allocations.
#[derive(Debug, Clone, Default)]
pub struct Interner {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    table: HashTable<Entry>,
    /// seeded at random: who could foresee hashes could write values that all collide
    hasher: RandomState,
}

/// A string's number, and its hash: a growing table need not read the strings again.
#[derive(Debug, Clone, Copy)]
struct Entry {
    hash: u32,
    id: u32,
}

impl Interner {
    /// No keys yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of `key`, a new one if it has not been seen.
    pub fn intern(&mut self, key: &[u8]) -> Result<u32> {
        let hash = self.hash(key);
        match self.lookup(hash, key) {
            Some(id) => Ok(id),
            None => self.find_or_insert(hash, key),
        }
    }

    /// The numbers of many keys, which stand one after the other in `keys` up to `ends`. Steps that
    /// wait for memory are taken for all keys before the next step, so that they wait together.
    pub fn intern_all(&mut self, keys: &[u8], ends: &[usize], ids: &mut Vec<u32>) -> Result<()> {
        let mut found: Vec<(u32, Option<u32>, &[u8])> = reserved(ends.len())?;
        make_room(ids, ends.len())?;
        let key = |place: usize| slice(keys, ends, place as u32);
        found.extend((0..ends.len()).map(|place| {
            let hash = self.hash(key(place));
            let likely = self.table.find(spread(hash), |entry| entry.hash == hash);
            (hash, likely.map(|entry| entry.id), &[][..])
        }));
        for (_, likely, seen) in &mut found {
            *seen = likely.map_or(&[], |id| self.get(id));
        }
        let same =
            |place: usize, likely: Option<u32>, seen: &[u8]| likely.filter(|_| seen == key(place));
        let found = found.iter().enumerate();
        let found: Vec<(u32, Option<u32>)> = found
            .map(|(place, &(hash, likely, seen))| (hash, same(place, likely, seen)))
            .collect();
        for (place, (hash, id)) in found.into_iter().enumerate() {
            // a key that is new may be in the batch several times
            ids.push(match id {
                Some(id) => id,
                None => self.find_or_insert(hash, key(place))?,
            });
        }
        Ok(())
    }

    /// The number of `key` if it has been seen.
    pub fn find(&self, key: &[u8]) -> Option<u32> {
        self.lookup(self.hash(key), key)
    }

    fn hash(&self, key: &[u8]) -> u32 {
        self.hasher.hash_one(key) as u32
    }

    fn lookup(&self, hash: u32, key: &[u8]) -> Option<u32> {
        let same = |entry: &Entry| entry.hash == hash && self.get(entry.id) == key;
        let found = self.table.find(spread(hash), same);
        found.map(|entry| entry.id)
    }

    fn find_or_insert(&mut self, hash: u32, key: &[u8]) -> Result<u32> {
        let rehash = |entry: &Entry| spread(entry.hash);
        make_table_room(&mut self.table, 1, rehash)?;
        let (bytes, ends) = (&mut self.bytes, &mut self.ends);
        let same = |entry: &Entry| entry.hash == hash && slice(bytes, ends, entry.id) == key;
        match self.table.entry(spread(hash), same, rehash) {
            Seen::Occupied(entry) => Ok(entry.get().id),
            Seen::Vacant(place) => {
                let id = u32::try_from(ends.len()).map_err(|_| Error::TooManyRows {
                    limit: u32::MAX as usize,
                })?;
                make_room(bytes, key.len())?;
                make_room(ends, 1)?;
                bytes.extend_from_slice(key);
                ends.push(bytes.len());
                place.insert(Entry { hash, id });
                Ok(id)
            }
        }
    }

    /// The string that got the number `id`.
    pub fn get(&self, id: u32) -> &[u8] {
        slice(&self.bytes, &self.ends, id)
    }

    /// The number of distinct keys.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no key yet.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All strings in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len() as u32).map(|id| self.get(id))
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.bytes.capacity() + 8 * self.ends.capacity() + self.table.allocation_size()
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], id: u32) -> &'a [u8] {
    let start = if id == 0 { 0 } else { ends[id as usize - 1] };
    &bytes[start..ends[id as usize]]
}

/// The table takes its buckets from the lowest and its tags from the highest bits.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    #[test]
    fn empty_strings_and_prefixes_are_strings_of_their_own() {
        let mut interner = Interner::new();
        let ids: Vec<u32> = [&b""[..], b"a", b"ab", b"a", b""]
            .iter()
            .map(|key| interner.intern(key).unwrap())
            .collect();
        assert_eq!(ids, [0, 1, 2, 1, 0]);
        assert_eq!(interner.get(2), b"ab");
        assert_eq!(interner.find(b"b"), None);
        assert_eq!(interner.len(), 3);
    }

    proptest! {
        #[test]
        fn numbers_follow_first_appearance(keys in proptest::collection::vec(proptest::collection::vec(0u8..3, 0..4), 0..200)) {
            let mut interner = Interner::new();
            let mut reference: HashMap<Vec<u8>, u32> = HashMap::new();
            for key in &keys {
                let next = reference.len() as u32;
                let expected = *reference.entry(key.clone()).or_insert(next);
                prop_assert_eq!(interner.intern(key).unwrap(), expected);
            }
            let mut together = Interner::new();
            let mut ids = Vec::new();
            for batch in keys.chunks(50) {
                let bytes = batch.concat();
                let ends: Vec<usize> = batch.iter().scan(0, |end, key| { *end += key.len(); Some(*end) }).collect();
                together.intern_all(&bytes, &ends, &mut ids).unwrap();
            }
            let one_by_one: Vec<u32> = keys.iter().map(|key| reference[key]).collect();
            prop_assert_eq!(ids, one_by_one);
            for (key, id) in reference {
                prop_assert_eq!(interner.get(id), key);
            }
        }
    }
}
