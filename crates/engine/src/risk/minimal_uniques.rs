//! Minimal sample uniques (Elliot, Manning and Ford 2002; Manning, Haglin and Keane 2008, SUDA2): the
//! sets of keys on which a row is unique, and on no subset of them.
//!
//! The sets are searched depth first. Each holds lists of rows that are alike on its keys; adding a
//! key sorts every list by that key. A row that ends up alone is unique and leaves the search,
//! because it is minimal on no larger set below. Sets are visited in the order of their bits, so
//! that all subsets of a set come before it.

use crate::run::Meter;
use crate::run::allocation::{filled, make_room, reserved};
use crate::{Error, Monitor, Phase, Result};
use std::collections::HashMap;

/// The bits of a set of keys are one word.
const MOST_KEYS: usize = 64;

/// The codes of each key, a column of equal length for each.
#[derive(Debug, Clone)]
pub struct KeyCodes<'a> {
    columns: Vec<&'a [u32]>,
}

impl<'a> KeyCodes<'a> {
    pub fn new(columns: Vec<&'a [u32]>) -> Result<Self> {
        let Some(first) = columns.first().map(|column| column.len()) else {
            return Err(Error::NoColumns);
        };
        if let Some(other) = columns.iter().find(|column| column.len() != first) {
            let other = other.len();
            return Err(Error::UnequalColumns { first, other });
        }
        if first > u32::MAX as usize {
            let limit = u32::MAX as usize;
            return Err(Error::TooManyRows { limit });
        }
        if columns.len() > MOST_KEYS {
            let keys = columns.len();
            return Err(Error::TooManyKeys {
                keys,
                most: MOST_KEYS,
            });
        }
        Ok(KeyCodes { columns })
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Never: there is a key at least.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    pub fn rows(&self) -> usize {
        self.columns[0].len()
    }

    /// Rows that are unique on all keys, and rows that share them with one other row.
    pub fn uniques_and_pairs(&self) -> Result<(u64, u64)> {
        let mut scratch = Vec::new();
        let mut groups = AlikeRows::all(self.rows())?;
        let mut uniques = 0;
        for column in &self.columns {
            let mut finer = AlikeRows::default();
            groups.split(column, &mut scratch, Some(&mut finer), |_| uniques += 1)?;
            groups = finer;
        }
        let pairs = groups.iter().filter(|rows| rows.len() == 2).count();
        Ok((uniques, 2 * pairs as u64))
    }
}

/// Bytes that a search takes: for each row its marks, a place in one list for each level, and two
/// words to sort by.
pub fn search_memory(rows: usize, keys: usize, max_size: usize) -> usize {
    let depth = max_size.min(keys);
    let marks = 8usize.saturating_mul(words(marked_sets(keys, depth)));
    let per_row = marks.saturating_add(8 * depth + 24);
    rows.saturating_mul(per_row)
}

/// Hands every minimal unique of at most `max_size` keys to `found`: the row, and the set of keys as
/// bits.
pub fn minimal_uniques(
    keys: &KeyCodes<'_>,
    max_size: usize,
    monitor: &mut dyn Monitor,
    found: &mut dyn FnMut(usize, u64),
) -> Result<()> {
    let depth = max_size.min(keys.len());
    let sets = marked_sets(keys.len(), depth + 1);
    let mut search = Search {
        keys,
        depth,
        marks: Marks::new(keys.rows(), marked_sets(keys.len(), depth))?,
        scratch: Vec::new(),
        meter: Meter::start(monitor, Phase::Checking, sets),
        found,
    };
    let all = AlikeRows::all(keys.rows())?;
    search.visit(&all, 0, 0, keys.len())
}

/// The number of sets of fewer than `size` of so many keys, the empty one not counted.
fn marked_sets(keys: usize, size: usize) -> usize {
    let (mut sets, mut of_size) = (0u128, 1u128);
    for taken in 1..size.min(keys.saturating_add(1)) {
        of_size = of_size.saturating_mul((keys + 1 - taken) as u128) / taken as u128;
        sets = sets.saturating_add(of_size);
    }
    usize::try_from(sets).unwrap_or(usize::MAX)
}

fn words(bits: usize) -> usize {
    bits.div_ceil(64)
}

struct Search<'a> {
    keys: &'a KeyCodes<'a>,
    depth: usize,
    marks: Marks,
    scratch: Vec<u64>,
    meter: Meter<'a>,
    found: &'a mut dyn FnMut(usize, u64),
}

impl Search<'_> {
    /// Adds each key below `below` to the set at hand, of `size` keys.
    fn visit(&mut self, groups: &AlikeRows, set: u64, size: usize, below: usize) -> Result<()> {
        if size == self.depth || groups.rows.is_empty() {
            return Ok(());
        }
        let deepest = size + 1 == self.depth;
        for key in 0..below {
            let larger = set | 1 << key;
            let within = self.marks.subsets(set, key);
            let mark = match deepest {
                true => None,
                false => Some(self.marks.number(larger)),
            };
            let mut finer = AlikeRows::default();
            let (marks, found) = (&mut self.marks, &mut *self.found);
            let single = |row: u32| {
                if !marks.any(row, &within) {
                    found(row as usize, larger);
                    mark.into_iter().for_each(|mark| marks.set(row, mark));
                }
            };
            let next = (!deepest).then_some(&mut finer);
            groups.split(self.keys.columns[key], &mut self.scratch, next, single)?;
            self.meter.grouped(1);
            self.meter.spend(groups.rows.len() + (1 << size))?;
            self.visit(&finer, larger, size + 1, key)?;
        }
        Ok(())
    }
}

/// Lists of rows that are alike, one after the other.
#[derive(Default)]
struct AlikeRows {
    rows: Vec<u32>,
    ends: Vec<u32>,
}

impl AlikeRows {
    /// All rows are alike on no key.
    fn all(rows: usize) -> Result<Self> {
        let mut all = reserved(rows)?;
        all.extend(0..rows as u32);
        let ends = vec![rows as u32];
        Ok(AlikeRows { rows: all, ends })
    }

    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let rows = &self.rows[start..end as usize];
            start = end as usize;
            rows
        })
    }

    /// Splits every list by a key: rows that are alone go to `single`, the others to `finer`.
    fn split(
        &self,
        codes: &[u32],
        scratch: &mut Vec<u64>,
        mut finer: Option<&mut AlikeRows>,
        mut single: impl FnMut(u32),
    ) -> Result<()> {
        if let Some(finer) = &mut finer {
            make_room(&mut finer.rows, self.rows.len())?;
        }
        for rows in self.iter() {
            scratch.clear();
            make_room(scratch, rows.len())?;
            let sorted_by = |&row: &u32| u64::from(codes[row as usize]) << 32 | u64::from(row);
            scratch.extend(rows.iter().map(sorted_by));
            scratch.sort_unstable();
            for alike in scratch.chunk_by(|a, b| a >> 32 == b >> 32) {
                match (alike, &mut finer) {
                    ([row], _) => single(*row as u32),
                    (_, None) => {}
                    (rows, Some(finer)) => {
                        finer.rows.extend(rows.iter().map(|&row| row as u32));
                        make_room(&mut finer.ends, 1)?;
                        finer.ends.push(finer.rows.len() as u32);
                    }
                }
            }
        }
        Ok(())
    }
}

/// On which sets of keys each row was found to be unique: a bit for each set.
struct Marks {
    numbers: HashMap<u64, usize>,
    words: usize,
    bits: Vec<u64>,
}

impl Marks {
    fn new(rows: usize, sets: usize) -> Result<Self> {
        let words = words(sets);
        let bits = words.saturating_mul(rows);
        Ok(Marks {
            numbers: HashMap::new(),
            words,
            bits: filled(bits, 0)?,
        })
    }

    /// The number of a set, a new one when it is first met.
    fn number(&mut self, set: u64) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(set).or_insert(next)
    }

    /// The sets that hold `key` and some of `set` but not all of it. A row that is not alone on
    /// `set` can be unique on no others below.
    fn subsets(&self, set: u64, key: usize) -> Vec<u64> {
        let mut bits = vec![0; self.words];
        let mut subset = set;
        while subset != 0 {
            subset = (subset - 1) & set;
            if let Some(&number) = self.numbers.get(&(subset | 1 << key)) {
                bits[number / 64] |= 1 << (number % 64);
            }
        }
        bits
    }

    fn any(&self, row: u32, sets: &[u64]) -> bool {
        let first = row as usize * self.words;
        let marks = &self.bits[first..first + self.words];
        marks.iter().zip(sets).any(|(mark, set)| mark & set != 0)
    }

    fn set(&mut self, row: u32, number: usize) {
        self.bits[row as usize * self.words + number / 64] |= 1 << (number % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unwatched;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn columns(table: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let keys = table.first().map_or(1, Vec::len);
        (0..keys)
            .map(|key| table.iter().map(|row| row[key]).collect())
            .collect()
    }

    fn searched(table: &[Vec<u32>], max_size: usize) -> BTreeSet<(usize, u64)> {
        let columns = columns(table);
        let keys = KeyCodes::new(columns.iter().map(Vec::as_slice).collect()).unwrap();
        let mut found = BTreeSet::new();
        minimal_uniques(&keys, max_size, &mut Unwatched, &mut |row, set| {
            assert!(found.insert((row, set)), "found twice");
        })
        .unwrap();
        found
    }

    /// The definition: every set of keys, every row against every other.
    fn by_definition(table: &[Vec<u32>], max_size: usize) -> BTreeSet<(usize, u64)> {
        let keys = table.first().map_or(0, Vec::len);
        let unique = |row: usize, set: u64| {
            let alike = |other: &Vec<u32>| {
                (0..keys).all(|key| set >> key & 1 == 0 || other[key] == table[row][key])
            };
            table.iter().filter(|other| alike(other)).count() == 1
        };
        let mut found = BTreeSet::new();
        for row in 0..table.len() {
            for set in 1u64..1 << keys {
                let smaller = |other: &u64| other & set == *other && *other != set;
                if set.count_ones() as usize <= max_size
                    && unique(row, set)
                    && !(1..set).filter(smaller).any(|other| unique(row, other))
                {
                    found.insert((row, set));
                }
            }
        }
        found
    }

    #[test]
    fn one_row_is_unique_on_every_key() {
        assert_eq!(searched(&[vec![7, 7]], 2), BTreeSet::from([(0, 1), (0, 2)]));
        assert_eq!(searched(&[], 2), BTreeSet::new());
    }

    #[test]
    fn sets_are_counted() {
        assert_eq!(marked_sets(8, 3), 8 + 28);
        assert_eq!(marked_sets(8, 4), 8 + 28 + 56);
        assert_eq!(marked_sets(3, 9), 7);
        assert_eq!(marked_sets(64, 65), usize::MAX);
    }

    #[test]
    fn too_many_keys_are_refused() {
        let column: &[u32] = &[0];
        let refused = KeyCodes::new(vec![column; 65]).unwrap_err();
        assert_eq!(refused, Error::TooManyKeys { keys: 65, most: 64 });
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn agrees_with_the_definition(
            (table, max_size) in (1usize..6).prop_flat_map(|keys| {
                let row = proptest::collection::vec(0u32..4, keys);
                (proptest::collection::vec(row, 0..24), 1usize..6)
            })
        ) {
            prop_assert_eq!(searched(&table, max_size), by_definition(&table, max_size));
            let columns = columns(&table);
            let keys = KeyCodes::new(columns.iter().map(Vec::as_slice).collect()).unwrap();
            let size = |row: &Vec<u32>| table.iter().filter(|other| *other == row).count();
            let of_size = |wanted| table.iter().filter(|row| size(row) == wanted).count() as u64;
            prop_assert_eq!(keys.uniques_and_pairs().unwrap(), (of_size(1), of_size(2)));
        }
    }
}
