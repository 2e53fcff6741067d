//! How many rows match each row where NULL matches everything: two rows match if in each key they
//! are equal or one of them is NULL. That is not transitive, so there are no groups.
//!
//! Rows with NULLs in the same keys have one pattern. Rows of two patterns match if they are equal
//! in the keys that neither pattern leaves out. So each pair of patterns is joined by hash on those
//! keys: the work is rows × patterns, never rows × rows.

use crate::run::Meter;
use crate::run::allocation::{collected, filled, make_room, make_table_room, reserved};
use crate::{Error, Monitor, Phase, Result};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hasher};

/// Stands for NULL among the codes of a key.
pub const NULL_CODE: u32 = u32::MAX;

/// The bits of a pattern are one word.
const MOST_KEYS: usize = 64;

/// The distinct combinations of key values, with the rows that have them here and in the population.
#[derive(Debug, Clone)]
pub struct KeyTuples {
    keys: usize,
    codes: Vec<u32>,
    sample: Vec<f64>,
    population: Vec<f64>,
}

/// For each combination the rows that match it.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchCounts {
    pub sample: Vec<f64>,
    pub population: Vec<f64>,
}

/// What combinations have that is put together for those that match.
pub(crate) trait Gathered: Copy + Default {
    fn gather(&mut self, other: Self);
}

/// Rows here and in the population.
#[derive(Debug, Clone, Copy, Default)]
struct JoinedRows {
    sample: f64,
    population: f64,
}

impl Gathered for JoinedRows {
    fn gather(&mut self, other: Self) {
        self.sample += other.sample;
        self.population += other.population;
    }
}

impl KeyTuples {
    pub fn new(keys: usize) -> Result<Self> {
        match keys {
            0 => Err(Error::NoColumns),
            1..=MOST_KEYS => Ok(KeyTuples {
                keys,
                codes: Vec::new(),
                sample: Vec::new(),
                population: Vec::new(),
            }),
            _ => Err(Error::TooManyKeys {
                keys,
                most: MOST_KEYS,
            }),
        }
    }

    /// Adds a combination with a code, or [`NULL_CODE`], for each key.
    pub fn push(&mut self, codes: &[u32], sample: f64, population: f64) -> Result<()> {
        if codes.len() != self.keys {
            let (first, other) = (self.keys, codes.len());
            return Err(Error::UnequalColumns { first, other });
        }
        make_room(&mut self.codes, codes.len())?;
        make_room(&mut self.sample, 1)?;
        make_room(&mut self.population, 1)?;
        self.codes.extend_from_slice(codes);
        self.sample.push(sample);
        self.population.push(population);
        Ok(())
    }

    /// The number of combinations.
    pub fn len(&self) -> usize {
        self.sample.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sample.is_empty()
    }

    /// The rows here that have a combination.
    pub fn sample(&self) -> &[f64] {
        &self.sample
    }

    /// The rows of the population that have a combination.
    pub fn population(&self) -> &[f64] {
        &self.population
    }

    /// The same combinations as those see them who know only the keys of these bits.
    pub fn known_by(&self, keys: u64) -> Result<Self> {
        let known = |(place, &code): (usize, &u32)| match keys >> (place % self.keys) & 1 {
            1 => code,
            _ => NULL_CODE,
        };
        Ok(KeyTuples {
            keys: self.keys,
            codes: collected(self.codes.iter().enumerate().map(known))?,
            sample: collected(self.sample.iter().copied())?,
            population: collected(self.population.iter().copied())?,
        })
    }

    /// In how many ways keys are missing.
    pub fn patterns(&self) -> Result<usize> {
        Ok(self.by_pattern()?.chunk_by(|a, b| a.0 == b.0).count())
    }

    /// Counts the rows that match each combination, here and in the population.
    pub fn matches(&self, monitor: &mut dyn Monitor) -> Result<MatchCounts> {
        let order = self.by_pattern()?;
        let patterns = order.chunk_by(|a, b| a.0 == b.0).count();
        let work = self.len().saturating_mul(patterns);
        let mut meter = Meter::start(monitor, Phase::Checking, work);
        let rows = self.sample.iter().zip(&self.population);
        let rows: Vec<JoinedRows> =
            collected(rows.map(|(&sample, &population)| JoinedRows { sample, population }))?;
        let found = self.join(&order, &rows, &mut meter, true)?;
        Ok(MatchCounts {
            sample: collected(found.iter().map(|rows| rows.sample))?,
            population: collected(found.iter().map(|rows| rows.population))?,
        })
    }

    /// The combinations in the order of their patterns, with these.
    pub(crate) fn by_pattern(&self) -> Result<Vec<(u64, u32)>> {
        let mut order = reserved(self.len())?;
        order.extend((0..self.len()).map(|tuple| (self.pattern(tuple), tuple as u32)));
        order.sort_unstable();
        Ok(order)
    }

    /// For each combination what all that match it have, one with another.
    pub(crate) fn gathered<T: Gathered>(
        &self,
        order: &[(u64, u32)],
        own: &[T],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<T>> {
        self.join(order, own, meter, false)
    }

    fn join<T: Gathered>(
        &self,
        order: &[(u64, u32)],
        own: &[T],
        meter: &mut Meter<'_>,
        shows_progress: bool,
    ) -> Result<Vec<T>> {
        let patterns: Vec<&[(u64, u32)]> = order.chunk_by(|a, b| a.0 == b.0).collect();
        let mut join = Join {
            tuples: self,
            own,
            hasher: RandomState::default(),
            meter,
            shows_progress,
            found: filled(self.len(), T::default())?,
        };
        for others in &patterns {
            join.with_all(&patterns, others)?;
        }
        Ok(join.found)
    }

    fn codes(&self, tuple: u32) -> &[u32] {
        let first = tuple as usize * self.keys;
        &self.codes[first..first + self.keys]
    }

    /// The keys that are not NULL, as bits.
    fn pattern(&self, tuple: usize) -> u64 {
        let codes = self.codes(tuple as u32).iter().enumerate();
        let known = codes.filter(|(_, code)| **code != NULL_CODE);
        known.fold(0, |pattern, (key, _)| pattern | 1 << key)
    }
}

struct Join<'a, 'm, T> {
    tuples: &'a KeyTuples,
    /// what each combination has
    own: &'a [T],
    hasher: RandomState,
    meter: &'a mut Meter<'m>,
    shows_progress: bool,
    found: Vec<T>,
}

/// Combinations that are equal in some keys.
struct Alike<T> {
    hash: u64,
    /// one of them
    tuple: u32,
    all: T,
}

impl<T: Gathered> Join<'_, '_, T> {
    /// Adds what one pattern has to all that match it.
    fn with_all(&mut self, patterns: &[&[(u64, u32)]], others: &[(u64, u32)]) -> Result<()> {
        let mut by_keys: Vec<(u64, usize)> = (0..patterns.len())
            .map(|place| (patterns[place][0].0 & others[0].0, place))
            .collect();
        by_keys.sort_unstable();
        for joined in by_keys.chunk_by(|a, b| a.0 == b.0) {
            let keys = joined[0].0;
            let table = self.table(others, keys)?;
            for &(_, place) in joined {
                self.probe(&table, patterns[place], keys)?;
            }
        }
        Ok(())
    }

    /// The combinations of one pattern by some of their keys.
    fn table(&mut self, tuples: &[(u64, u32)], keys: u64) -> Result<HashTable<Alike<T>>> {
        let mut table = HashTable::new();
        for &(_, tuple) in tuples {
            self.meter.spend(4)?;
            let hash = self.hash(tuple, keys);
            let own = self.own[tuple as usize];
            let same =
                |alike: &Alike<T>| alike.hash == hash && self.equal(alike.tuple, tuple, keys);
            if let Some(alike) = table.find_mut(hash, same) {
                alike.all.gather(own);
                continue;
            }
            make_table_room(&mut table, 1, |alike: &Alike<T>| alike.hash)?;
            let alike = Alike {
                hash,
                tuple,
                all: own,
            };
            table.insert_unique(hash, alike, |alike| alike.hash);
        }
        Ok(table)
    }

    fn probe(
        &mut self,
        table: &HashTable<Alike<T>>,
        tuples: &[(u64, u32)],
        keys: u64,
    ) -> Result<()> {
        for &(_, tuple) in tuples {
            if self.shows_progress {
                self.meter.grouped(1);
            }
            self.meter.spend(4)?;
            let hash = self.hash(tuple, keys);
            let same =
                |alike: &Alike<T>| alike.hash == hash && self.equal(alike.tuple, tuple, keys);
            if let Some(alike) = table.find(hash, same) {
                self.found[tuple as usize].gather(alike.all);
            }
        }
        Ok(())
    }

    fn hash(&self, tuple: u32, keys: u64) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        let codes = self.tuples.codes(tuple).iter().enumerate();
        for (_, code) in codes.filter(|(key, _)| keys >> key & 1 == 1) {
            hasher.write_u32(*code);
        }
        hasher.finish()
    }

    fn equal(&self, a: u32, b: u32, keys: u64) -> bool {
        let (a, b) = (self.tuples.codes(a), self.tuples.codes(b));
        let mut pairs = a.iter().zip(b).enumerate();
        pairs.all(|(key, (a, b))| keys >> key & 1 == 0 || a == b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unwatched;
    use proptest::prelude::*;

    const N: u32 = NULL_CODE;

    fn counted(rows: &[(Vec<u32>, f64, f64)]) -> MatchCounts {
        let mut tuples = KeyTuples::new(rows.first().map_or(1, |row| row.0.len())).unwrap();
        for (codes, sample, population) in rows {
            tuples.push(codes, *sample, *population).unwrap();
        }
        tuples.matches(&mut Unwatched).unwrap()
    }

    fn single(rows: &[&[u32]]) -> Vec<f64> {
        let rows: Vec<_> = rows.iter().map(|row| (row.to_vec(), 1.0, 0.0)).collect();
        counted(&rows).sample
    }

    /// Sex and zip code; M = 0, F = 1, 4711 = 0, 4712 = 1.
    #[test]
    fn a_missing_value_matches_every_value() {
        let rows: [&[u32]; 8] = [
            &[0, 0],
            &[0, 0],
            &[0, 0],
            &[N, 0],
            &[N, 0],
            &[1, 1],
            &[1, N],
            &[0, N],
        ];
        assert_eq!(single(&rows), [6.0, 6.0, 6.0, 7.0, 7.0, 2.0, 4.0, 6.0]);
    }

    /// Age, sex and region; 68 = 0, F = 0, North = 0, South = 1.
    #[test]
    fn matching_is_not_transitive() {
        let rows: [&[u32]; 10] = [
            &[N, 0, 0],
            &[0, 0, 0],
            &[0, N, 0],
            &[N, N, 0],
            &[N, N, 0],
            &[N, N, 0],
            &[0, 0, N],
            &[0, N, 1],
            &[0, 0, 1],
            &[0, 0, 1],
        ];
        let expected = [7.0, 7.0, 7.0, 7.0, 7.0, 7.0, 10.0, 4.0, 4.0, 4.0];
        assert_eq!(single(&rows), expected);
    }

    /// The second key tells the first row from the others; the first key tells the third.
    #[test]
    fn whoever_knows_fewer_keys_finds_more_matches() {
        let mut tuples = KeyTuples::new(2).unwrap();
        for codes in [[0, 0], [0, 1], [1, 1]] {
            tuples.push(&codes, 1.0, 0.0).unwrap();
        }
        let by = |keys| {
            let known = tuples.known_by(keys).unwrap();
            known.matches(&mut Unwatched).unwrap().sample
        };
        assert_eq!(by(0b11), [1.0, 1.0, 1.0]);
        assert_eq!(by(0b01), [2.0, 2.0, 1.0]);
        assert_eq!(by(0b10), [1.0, 2.0, 2.0]);
        assert_eq!(by(0), [3.0, 3.0, 3.0]);
    }

    #[test]
    fn nothing_matches_nothing() {
        assert_eq!(counted(&[]).sample, [0.0; 0]);
        assert!(KeyTuples::new(0).is_err());
        assert!(KeyTuples::new(65).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn agrees_with_row_against_row(
            rows in (1usize..6).prop_flat_map(|keys| {
                let code = prop_oneof![3 => 0u32..3, 1 => Just(N)];
                let row = (proptest::collection::vec(code, keys), 0u32..3, 0u32..5);
                proptest::collection::vec(row, 0..30)
            })
        ) {
            let rows: Vec<_> = rows.into_iter().map(|(codes, f, more)| (codes, f64::from(f), f64::from(f + more))).collect();
            let matches = |a: &[u32], b: &[u32]| {
                a.iter().zip(b).all(|(a, b)| a == b || *a == N || *b == N)
            };
            let naive = |of: &dyn Fn(&(Vec<u32>, f64, f64)) -> f64| -> Vec<f64> {
                rows.iter()
                    .map(|row| rows.iter().filter(|other| matches(&row.0, &other.0)).map(of).sum())
                    .collect()
            };
            let expected = MatchCounts { sample: naive(&|row| row.1), population: naive(&|row| row.2) };
            prop_assert_eq!(counted(&rows), expected);
        }
    }
}
