//! Random histories of a small table, and what attackers make of its releases.

// not every test that shares this uses all of it
#![allow(dead_code)]

use crate::worlds::{Release, Worlds, epoch_of};
use rand::RngExt;
use sdc_engine::random::Generator;
use sdc_engine::{Column, Space, Table};

/// A person of the source: a key, and a value.
#[derive(Clone)]
pub struct Person {
    pub id: usize,
    pub key: f64,
    pub value: u32,
    /// the values so far, this one last
    pub history: Vec<u32>,
}

impl Person {
    /// The person while the value is the same.
    pub fn epoch(&self) -> usize {
        epoch_of(self.id, self.history.len() - 1)
    }

    pub fn change(&mut self, value: u32) {
        if value != self.value {
            self.history.push(value);
            self.value = value;
        }
    }
}

/// A table that changes between releases.
pub struct Source {
    pub persons: Vec<Person>,
    pub gone: Vec<Person>,
    next: usize,
    values: u32,
}

impl Source {
    pub fn new(persons: usize, values: u32, rng: &mut Generator) -> Self {
        let mut source = Source {
            persons: Vec::new(),
            gone: Vec::new(),
            next: 0,
            values,
        };
        (0..persons).for_each(|_| source.add(rng));
        source
    }

    pub fn add(&mut self, rng: &mut Generator) {
        let (key, value) = (
            rng.random_range(0.0..10.0),
            rng.random_range(0..self.values),
        );
        self.persons.push(Person {
            id: self.next,
            key,
            value,
            history: vec![value],
        });
        self.next += 1;
    }

    pub fn change(&mut self, rng: &mut Generator) {
        for _ in 0..rng.random_range(0..4) {
            if self.persons.len() > 1 {
                let person = rng.random_range(0..self.persons.len());
                self.gone.push(self.persons.swap_remove(person));
            }
        }
        if rng.random_bool(0.4) && !self.gone.is_empty() {
            let person = rng.random_range(0..self.gone.len());
            let person = self.gone.swap_remove(person);
            self.persons.push(person);
        }
        if rng.random_bool(0.4) {
            let person = rng.random_range(0..self.persons.len());
            let value = rng.random_range(0..self.values);
            self.persons[person].change(value);
            self.persons[person].key += 0.5;
        }
        (0..rng.random_range(0..5)).for_each(|_| self.add(rng));
    }

    pub fn ids(&self) -> Vec<usize> {
        self.persons.iter().map(|person| person.id).collect()
    }

    pub fn column(&self) -> Vec<u32> {
        self.persons.iter().map(|person| person.value).collect()
    }
}

pub fn space_of(persons: &[Person]) -> Space {
    let keys = persons.iter().map(|person| person.key).collect();
    Space::new(&Table::new(vec![Column::Numeric(keys)]).unwrap(), true).unwrap()
}

/// What each attacker leaves possible: one believes that nobody's value changes, one knows whose
/// has changed, one knows also who has come back to an earlier value.
pub fn attackers(releases: &[Release], source: &Source) -> [Worlds; 3] {
    let all = || source.persons.iter().chain(&source.gone);
    let constant: Vec<Release> = releases.iter().map(Release::of_persons).collect();
    let mut changed = Vec::new();
    let (mut equal, mut unequal) = (Vec::new(), Vec::new());
    for person in all() {
        for (epoch, value) in person.history.iter().enumerate() {
            for (earlier, before) in person.history[..epoch].iter().enumerate() {
                let pair = (epoch_of(person.id, earlier), epoch_of(person.id, epoch));
                if earlier + 1 == epoch {
                    changed.push(pair);
                }
                match before == value {
                    true => equal.push(pair),
                    false => unequal.push(pair),
                }
            }
        }
    }
    [
        Worlds::of(&constant),
        Worlds::where_known(releases, &[], &changed),
        Worlds::where_known(releases, &equal, &unequal),
    ]
}
