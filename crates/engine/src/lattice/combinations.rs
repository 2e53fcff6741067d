//! Rows become counts: how often each combination of key values occurs, and with which
//! sensitive values. All that a lattice search needs of a table.

use super::{Hierarchy, Lattice, PopulationLimits, Price};
use crate::run::allocation;
use crate::{Error, GroupCounts, Interner, Result, Tally};
use std::sync::Arc;

/// Takes rows one by one. Memory follows the distinct combinations, not the rows.
#[derive(Debug)]
pub struct Counter {
    hierarchies: Arc<[Hierarchy]>,
    lattice: Lattice,
    counts: GroupCounts,
    sensitive: usize,
    key: Vec<u8>,
    /// persons of the population by combination; empty where none was counted
    persons: Vec<u64>,
}

impl Counter {
    /// For key columns with these hierarchies and a number of sensitive columns.
    pub fn new(hierarchies: Vec<Hierarchy>, sensitive: usize) -> Result<Self> {
        if hierarchies.is_empty() {
            return Err(Error::NoColumns);
        }
        let levels = hierarchies.iter().map(Hierarchy::levels).collect();
        Ok(Counter {
            lattice: Lattice::new(levels)?,
            hierarchies: hierarchies.into(),
            counts: GroupCounts::new(sensitive),
            sensitive,
            key: Vec::new(),
            persons: Vec::new(),
        })
    }

    /// Counts a row by its key values, each the number of a base value of its hierarchy, and
    /// its sensitive values, bytes that are equal where the values are. Gives the number of
    /// its combination of key values.
    pub fn add(&mut self, keys: &[u32], sensitive: &[&[u8]]) -> Result<u32> {
        self.check(keys, sensitive.len())?;
        let combination = self.add_keys(keys, 1)?;
        for (column, value) in sensitive.iter().enumerate() {
            self.counts.add_value(column, combination, value, 1)?;
        }
        Ok(combination)
    }

    /// Counts a person of the population that the rows were taken from.
    pub fn add_person(&mut self, keys: &[u32]) -> Result<()> {
        self.check(keys, self.sensitive)?;
        let combination = self.add_keys(keys, 0)? as usize;
        if combination >= self.persons.len() {
            let more = self.counts.groups() - self.persons.len();
            allocation::make_room(&mut self.persons, more)?;
            self.persons.resize(self.counts.groups(), 0);
        }
        self.persons[combination] += 1;
        Ok(())
    }

    fn add_keys(&mut self, keys: &[u32], rows: u64) -> Result<u32> {
        self.key.clear();
        self.key
            .extend(keys.iter().flat_map(|code| code.to_le_bytes()));
        self.counts.add_group(&self.key, rows)
    }

    fn check(&self, keys: &[u32], sensitive: usize) -> Result<()> {
        let known = |(code, hierarchy): (&u32, &Hierarchy)| (*code as usize) < hierarchy.values();
        let fits = keys.len() == self.hierarchies.len()
            && sensitive == self.sensitive
            && keys.iter().zip(self.hierarchies.iter()).all(known);
        match fits {
            true => Ok(()),
            false => Err(Error::Broken("a row outside its hierarchies".into())),
        }
    }

    /// The distinct values of a sensitive column, in the order of their numbers.
    pub fn values(&self, column: usize) -> &Interner {
        self.counts.values(column)
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.counts.memory()
    }

    fn persons_of(&self, combinations: usize) -> Result<Vec<u64>> {
        let mut persons = allocation::collected(self.persons.iter().copied())?;
        if !persons.is_empty() {
            allocation::make_room(&mut persons, combinations - self.persons.len())?;
            persons.resize(combinations, 0);
        }
        Ok(persons)
    }

    /// The combinations of all rows so far.
    pub fn combinations(&self) -> Result<Combinations> {
        let keys = self.counts.keys();
        let mut codes = allocation::reserved(keys.len() * self.hierarchies.len())?;
        for key in keys.iter() {
            let (bytes, _) = key.as_chunks();
            codes.extend(bytes.iter().map(|&bytes| u32::from_le_bytes(bytes)));
        }
        let tally = self.counts.tally()?;
        Ok(Combinations {
            hierarchies: self.hierarchies.clone(),
            lattice: self.lattice.clone(),
            codes,
            rows: tally.rows(),
            price: Price::even(self.hierarchies.len()),
            persons: self.persons_of(tally.sizes().len())?,
            limits: PopulationLimits::default(),
            wildcards: Vec::new(),
            tally,
        })
    }
}

/// The distinct combinations of key values of a table, how many rows each has and which
/// sensitive values occur with it how often.
#[derive(Debug)]
pub struct Combinations {
    hierarchies: Arc<[Hierarchy]>,
    lattice: Lattice,
    /// the key codes, one combination after the other
    codes: Vec<u32>,
    rows: u64,
    price: Price,
    tally: Tally,
    /// persons of each in the population; empty where none was counted
    persons: Vec<u64>,
    limits: PopulationLimits,
    /// the base value of each key that matches all others; empty where none does
    wildcards: Vec<Option<u32>>,
}

impl Combinations {
    /// The same with other prices of losses: they decide what a node's loss is.
    pub fn priced(self, price: Price) -> Result<Self> {
        let (first, other) = (self.hierarchies.len(), price.weights().len());
        match first == other {
            true => Ok(Combinations { price, ..self }),
            false => Err(Error::UnequalColumns { first, other }),
        }
    }

    /// The same with limits on what groups are in the population, which must have been counted.
    pub fn in_population(self, limits: PopulationLimits) -> Result<Self> {
        match self.persons.is_empty() {
            true => Err(Error::Broken(
                "limits in a population without persons".into(),
            )),
            false => Ok(Combinations { limits, ..self }),
        }
    }

    /// The same where a base value of some keys, NULL, matches all values. It must share no code on
    /// any level: see [`Hierarchy::with_apart`].
    pub fn with_wildcards(self, wildcards: Vec<Option<u32>>) -> Result<Self> {
        let (first, other) = (self.hierarchies.len(), wildcards.len());
        if first != other {
            return Err(Error::UnequalColumns { first, other });
        }
        let shared = |(hierarchy, wildcard): (&Hierarchy, &Option<u32>)| {
            let shared = |value| (0..hierarchy.levels()).any(|l| hierarchy.others(l, value) > 0);
            wildcard.is_some_and(shared)
        };
        match self.hierarchies.iter().zip(&wildcards).any(shared) {
            true => Err(Error::Broken("a wildcard that is not alone".into())),
            false => Ok(Combinations { wildcards, ..self }),
        }
    }

    /// The base value of each key that matches all others; empty where none does.
    pub(super) fn wildcards(&self) -> &[Option<u32>] {
        &self.wildcards
    }

    /// The persons of each combination in the population, and what is required of groups there;
    /// `None` where no population was counted.
    pub fn population(&self) -> Option<(&[u64], PopulationLimits)> {
        (!self.persons.is_empty()).then_some((&self.persons[..], self.limits))
    }

    /// What losses cost.
    pub(super) fn price(&self) -> &Price {
        &self.price
    }

    /// The hierarchy of each key column.
    pub fn hierarchies(&self) -> &[Hierarchy] {
        &self.hierarchies
    }

    /// The lattice that the hierarchies span.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// The number of combinations.
    pub fn len(&self) -> usize {
        self.tally.sizes().len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The number of rows of all combinations together.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The base values of a combination, by their numbers in the hierarchies.
    pub fn codes(&self, combination: u32) -> &[u32] {
        let width = self.hierarchies.len();
        &self.codes[combination as usize * width..][..width]
    }

    /// The rows of each combination and its sensitive values.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter() -> Counter {
        let sex = Hierarchy::new(2, &[vec![0, 0]]).unwrap();
        let zip = Hierarchy::new(3, &[vec![0, 0, 1], vec![0; 3]]).unwrap();
        Counter::new(vec![sex, zip], 1).unwrap()
    }

    #[test]
    fn rows_are_counted_by_combination() {
        let mut counter = counter();
        let rows = [
            ([0, 2], "flu"),
            ([1, 0], "flu"),
            ([0, 2], "HIV"),
            ([0, 2], "flu"),
        ];
        let added = rows.map(|(keys, value)| counter.add(&keys, &[value.as_bytes()]).unwrap());
        assert_eq!(added, [0, 1, 0, 0]);
        assert_eq!(counter.values(0).get(1), b"HIV");
        let combinations = counter.combinations().unwrap();
        assert_eq!((combinations.len(), combinations.rows()), (2, 4));
        assert_eq!(
            (combinations.codes(0), combinations.codes(1)),
            (&[0, 2][..], &[1, 0][..])
        );
        assert_eq!(combinations.tally().sizes(), [3, 1]);
        assert_eq!(combinations.tally().columns()[0].of(0), [(0, 2), (1, 1)]);
        assert_eq!(combinations.lattice().nodes(), 6);
    }

    #[test]
    fn rows_that_do_not_fit_are_refused() {
        assert!(counter().add(&[2, 0], &[b""]).is_err());
        assert!(counter().add(&[0], &[b""]).is_err());
        assert!(counter().add(&[0, 0], &[]).is_err());
        assert!(Counter::new(vec![], 1).is_err());
    }
}
