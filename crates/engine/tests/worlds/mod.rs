//! Every possible world: all ways to give persons values that fit all releases.

// not every test that shares this uses all of it
#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};

/// The groups of a release as an attacker sees them who knows who is in which.
#[derive(Debug, Clone, Default)]
pub struct Release {
    groups: BTreeMap<u32, SeenGroup>,
}

#[derive(Debug, Clone, Default)]
struct SeenGroup {
    persons: Vec<usize>,
    values: Vec<u32>,
}

/// More often than this nobody changes.
const EPOCHS: usize = 100;

/// The number of a person while the value is the same.
pub fn epoch_of(person: usize, epoch: usize) -> usize {
    person * EPOCHS + epoch
}

impl Release {
    pub fn add(&mut self, group: u32, person: usize, value: u32) {
        let group = self.groups.entry(group).or_default();
        group.persons.push(person);
        group.values.push(value);
    }

    /// The same where the attacker believes that nobody's value changes.
    pub fn of_persons(&self) -> Release {
        let mut release = self.clone();
        let persons = release
            .groups
            .values_mut()
            .flat_map(|group| &mut group.persons);
        persons.for_each(|person| *person -= *person % EPOCHS);
        release
    }

    /// A counterfeit.
    pub fn add_nobody(&mut self, group: u32, value: u32) {
        self.groups.entry(group).or_default().values.push(value);
    }

    pub fn retain(&mut self, keep: impl Fn(&[u32]) -> bool) {
        self.groups.retain(|_, group| keep(&group.values));
    }

    /// Each group has at least k persons, and a value for each.
    pub fn assert_whole(&self, k: usize) {
        for group in self.groups.values() {
            assert!(group.persons.len() >= k);
            assert_eq!(group.persons.len(), group.values.len());
        }
    }

    /// Each group holds each of its values once.
    pub fn assert_different(&self) {
        for group in self.groups.values() {
            let different: BTreeSet<&u32> = group.values.iter().collect();
            assert_eq!(different.len(), group.values.len());
            assert!(!group.persons.is_empty());
        }
    }
}

/// What is left to a person: values in some world, and rows with such a value in the smallest
/// of the person's groups.
#[derive(Debug, Clone, Copy)]
pub struct Left {
    pub values: usize,
    pub rows: usize,
}

pub struct Worlds {
    /// the groups of all releases: their persons, and how often each value may be used
    groups: Vec<(Vec<usize>, BTreeMap<u32, usize>)>,
    of_person: BTreeMap<usize, Vec<usize>>,
    possible: BTreeMap<usize, BTreeSet<u32>>,
    /// whose value is known to be the same as whose, or another one
    equal: BTreeMap<usize, Vec<usize>>,
    unequal: BTreeMap<usize, Vec<usize>>,
}

impl Worlds {
    pub fn of(releases: &[Release]) -> Self {
        Worlds::where_known(releases, &[], &[])
    }

    /// The worlds in which some pairs have the same value, and others do not.
    pub fn where_known(
        releases: &[Release],
        equal: &[(usize, usize)],
        unequal: &[(usize, usize)],
    ) -> Self {
        let mut worlds = Worlds {
            equal: both_ways(equal),
            unequal: both_ways(unequal),
            groups: Vec::new(),
            of_person: BTreeMap::new(),
            possible: BTreeMap::new(),
        };
        for group in releases.iter().flat_map(|release| release.groups.values()) {
            let mut counts = BTreeMap::new();
            group
                .values
                .iter()
                .for_each(|&v| *counts.entry(v).or_insert(0) += 1);
            for &person in &group.persons {
                worlds
                    .of_person
                    .entry(person)
                    .or_default()
                    .push(worlds.groups.len());
            }
            worlds.groups.push((group.persons.clone(), counts));
        }
        for component in worlds.components() {
            worlds.search(&component);
        }
        worlds
    }

    pub fn persons(&self) -> impl Iterator<Item = (usize, Left)> {
        self.possible.iter().map(|(&person, values)| {
            let rows = |&group: &usize| {
                let counts = self.groups[group].1.iter();
                counts
                    .filter(|(value, _)| values.contains(value))
                    .map(|(_, count)| count)
                    .sum()
            };
            let rows = self.of_person[&person].iter().map(rows).min().unwrap_or(0);
            (
                person,
                Left {
                    values: values.len(),
                    rows,
                },
            )
        })
    }

    /// Persons whom no world gives a value.
    pub fn impossible(&self) -> usize {
        self.of_person.len() - self.possible.len()
    }

    fn known_of(&self, person: usize) -> impl Iterator<Item = usize> {
        let known = [&self.equal, &self.unequal].map(|known| known.get(&person));
        let known = known.into_iter().flatten().flatten().copied();
        known.filter(|other| self.of_person.contains_key(other))
    }

    /// Whether what is known of the person allows the value beside those of a world.
    fn allows(&self, person: usize, value: u32, persons: &[usize], world: &[u32]) -> bool {
        let known = |known: &BTreeMap<usize, Vec<usize>>, wanted: bool| {
            known.get(&person).is_none_or(|others| {
                let given = persons.iter().zip(world);
                let mut given = given.filter(|of| others.contains(of.0));
                given.all(|of| (*of.1 == value) == wanted)
            })
        };
        known(&self.equal, true) && known(&self.unequal, false)
    }

    /// Persons whom groups link, each next to one before.
    fn components(&self) -> Vec<Vec<usize>> {
        let mut seen = BTreeSet::new();
        let mut components = Vec::new();
        for &first in self.of_person.keys() {
            if !seen.insert(first) {
                continue;
            }
            let mut component = vec![first];
            let mut next = 0;
            while next < component.len() {
                for &group in &self.of_person[&component[next]] {
                    for &person in &self.groups[group].0 {
                        if seen.insert(person) {
                            component.push(person);
                        }
                    }
                }
                for person in self.known_of(component[next]) {
                    if seen.insert(person) {
                        component.push(person);
                    }
                }
                next += 1;
            }
            components.push(component);
        }
        components
    }

    /// Looks for a world for each value of each person that no world so far has given.
    fn search(&mut self, persons: &[usize]) {
        for (place, &person) in persons.iter().enumerate() {
            let values: Vec<u32> = self.groups[self.of_person[&person][0]]
                .1
                .keys()
                .copied()
                .collect();
            for value in values {
                if self
                    .possible
                    .get(&person)
                    .is_some_and(|known| known.contains(&value))
                {
                    continue;
                }
                // the one asked about first, the others as they are linked
                let mut order = persons.to_vec();
                order[..=place].rotate_right(1);
                let mut world = Vec::new();
                if self.assign(&order, Some(value), &mut world) {
                    for (&person, &value) in order.iter().zip(&world) {
                        self.possible.entry(person).or_default().insert(value);
                    }
                }
            }
        }
    }

    fn assign(&mut self, persons: &[usize], only: Option<u32>, world: &mut Vec<u32>) -> bool {
        let Some(&person) = persons.get(world.len()) else {
            return true;
        };
        let groups = self.of_person[&person].clone();
        let values: Vec<u32> = match only {
            Some(value) => vec![value],
            None => self.groups[groups[0]].1.keys().copied().collect(),
        };
        for value in values {
            let free = |group: &usize| {
                self.groups[*group]
                    .1
                    .get(&value)
                    .is_some_and(|&left| left > 0)
            };
            if !groups.iter().all(free) || !self.allows(person, value, persons, world) {
                continue;
            }
            self.use_up(&groups, value, -1);
            world.push(value);
            let found = self.assign(persons, None, world);
            self.use_up(&groups, value, 1);
            if found {
                return true;
            }
            world.pop();
        }
        false
    }

    fn use_up(&mut self, groups: &[usize], value: u32, change: isize) {
        for &group in groups {
            if let Some(left) = self.groups[group].1.get_mut(&value) {
                *left = left.wrapping_add_signed(change);
            }
        }
    }
}

fn both_ways(pairs: &[(usize, usize)]) -> BTreeMap<usize, Vec<usize>> {
    let mut known: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &(a, b) in pairs {
        known.entry(a).or_default().push(b);
        known.entry(b).or_default().push(a);
    }
    known
}
