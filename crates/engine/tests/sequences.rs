//! Sequences of releases against every possible world: random histories of a small table, with
//! persons who come, go, come back and change their value. The attacker keeps all releases,
//! and knows who was in which group of which. A world gives every person a value such that all
//! releases look as they do. Whatever value a person has in some world stays possible.

mod slot_memory;
mod worlds;

use rand::RngExt;
use sdc_engine::assign::Method;
use sdc_engine::assign::refine::Limits;
use sdc_engine::random::{Generator, generator};
use sdc_engine::sequence::{Balanced, NEW, SignedRows, Standing, WAITS, balance};
use sdc_engine::{Categories, Column, Error, Partition, Result, Space, Table, Unwatched};
use slot_memory::SlotMemory;
use worlds::{Release, Worlds, epoch_of};

const HISTORIES: u64 = 3000;
const RELEASES: usize = 5;

/// A person of the source: a key, and a value.
#[derive(Clone)]
struct Person {
    id: usize,
    key: f64,
    value: u32,
    /// the values so far, this one last
    history: Vec<u32>,
}

impl Person {
    /// The person while the value is the same.
    fn epoch(&self) -> usize {
        epoch_of(self.id, self.history.len() - 1)
    }

    fn change(&mut self, value: u32) {
        if value != self.value {
            self.history.push(value);
            self.value = value;
        }
    }
}

/// A table that changes between releases.
struct Source {
    persons: Vec<Person>,
    gone: Vec<Person>,
    next: usize,
    values: u32,
}

impl Source {
    fn new(persons: usize, values: u32, rng: &mut Generator) -> Self {
        let mut source = Source {
            persons: Vec::new(),
            gone: Vec::new(),
            next: 0,
            values,
        };
        (0..persons).for_each(|_| source.add(rng));
        source
    }

    fn add(&mut self, rng: &mut Generator) {
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

    fn change(&mut self, rng: &mut Generator) {
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

    fn ids(&self) -> Vec<usize> {
        self.persons.iter().map(|person| person.id).collect()
    }

    fn column(&self) -> Vec<u32> {
        self.persons.iter().map(|person| person.value).collect()
    }
}

fn space_of(persons: &[Person]) -> Space {
    let keys = persons.iter().map(|person| person.key).collect();
    Space::new(&Table::new(vec![Column::Numeric(keys)]).unwrap(), true).unwrap()
}

fn grouped(space: &Space, values: Categories, k: usize, p: usize) -> Result<Partition> {
    let mut rng = generator(Some(1)).unwrap();
    let limits = Limits {
        k,
        p,
        sensitive: &[values],
    };
    Method::usual(space, p).group_refined(space, limits, |_| None, &mut rng, &mut Unwatched)
}

/// What happened in the releases of a history: how many formed groups with persons of other groups,
/// took slots as new persons, changed their slot, were left out and wait.
#[derive(Default, Clone, Copy, Debug)]
struct Happened([usize; 5]);

impl SlotMemory {
    /// One release of microaggregation.
    fn release(&mut self, source: &Source, (k, p): (usize, usize), into: &mut Happened) -> Release {
        let (ids, shown) = (source.ids(), source.column());
        let space = space_of(&source.persons);
        let found = self.continued(&ids, &shown, &space);
        for (&id, &standing) in ids.iter().zip(&found.standings) {
            let slot = self.slot_of(id);
            let event = match standing {
                Standing::Joins { .. } if slot == NEW => 1,
                Standing::Joins { slot: other, .. } if slot != other => 2,
                Standing::Joins { .. } => 0,
                Standing::LeftOut => 3,
                Standing::Waits => 4,
                _ => continue,
            };
            into.0[event] += 1;
        }
        let mut group_of = self.note(&ids, &found);
        let all = (0..).zip(&found.standings);
        let new = all.filter(|of| *of.1 == Standing::New).map(|of| of.0);
        let new: Vec<u32> = new.collect();
        for (&row, group) in new.iter().zip(self.group_new(source, &new, (k, p))) {
            group_of[row as usize] = group;
        }
        let mut release = Release::default();
        for (person, &group) in source.persons.iter().zip(&group_of) {
            if group != NEW {
                release.add(group, person.epoch(), person.value);
            }
        }
        release
    }

    /// New persons form groups among themselves, if they can.
    fn group_new(&mut self, source: &Source, rows: &[u32], (k, p): (usize, usize)) -> Vec<u32> {
        let space = space_of(&source.persons).select(rows).unwrap();
        let pick =
            |all: Vec<u32>| -> Vec<u32> { rows.iter().map(|&row| all[row as usize]).collect() };
        let shown = pick(source.column());
        let found = grouped(&space, Categories::new(shown.clone()), k, p);
        let partition = match found {
            Ok(partition) => partition,
            Err(Error::TooFewRows { .. } | Error::TooFewValues { .. }) => {
                return vec![NEW; rows.len()];
            }
            Err(error) => panic!("{error}"),
        };
        let ids: Vec<usize> = rows
            .iter()
            .map(|&row| source.persons[row as usize].id)
            .collect();
        self.found(&ids, &shown, partition.group_of())
    }
}

/// What each attacker leaves possible: one believes that nobody's value changes, one knows whose
/// has changed, one knows also who has come back to an earlier value.
fn attackers(releases: &[Release], source: &Source) -> [Worlds; 3] {
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

#[test]
fn slots_leave_k_rows_with_p_values_in_every_world() {
    let mut happened = Happened::default();
    let (mut persons, mut impossible) = (0, 0);
    for seed in 0..HISTORIES {
        let rng = &mut generator(Some(seed)).unwrap();
        let (k, p) = [(2, 1), (2, 2), (3, 2), (3, 3), (4, 2)][seed as usize % 5];
        let mut source = Source::new(10, p as u32 + 1, rng);
        let (mut memory, mut releases) = (SlotMemory::default(), Vec::new());
        for _ in 0..RELEASES {
            releases.push(memory.release(&source, (k, p), &mut happened));
            source.change(rng);
        }
        for (attacker, worlds) in attackers(&releases, &source).iter().enumerate() {
            for (person, candidates) in worlds.persons() {
                assert!(
                    candidates.values >= p && candidates.rows >= k,
                    "{seed}: {person} keeps {candidates:?} against {attacker}"
                );
                persons += 1;
            }
            // who believes something wrong may find that nothing is possible
            impossible += worlds.impossible();
            assert!(attacker == 0 || worlds.impossible() == 0, "{seed}");
        }
    }
    // nothing was proved if nothing happened
    let all = [&happened.0[..], &[persons, impossible]].concat();
    assert!(all.iter().all(|&number| number > 30), "{all:?}");
}

/// A group that shows those who are still there, as long as they are k with p values, gives
/// those who left away.
#[test]
fn groups_that_shrink_do_not() {
    let mut found_out = 0;
    for seed in 0..200 {
        let rng = &mut generator(Some(seed)).unwrap();
        let mut source = Source::new(12, 3, rng);
        let space = space_of(&source.persons);
        let values = Categories::new(source.column());
        let partition = grouped(&space, values, 4, 2).unwrap();
        let first = source.persons.clone();
        let (mut before, mut after) = (Release::default(), Release::default());
        source.change(rng);
        for (person, &group) in first.iter().zip(partition.group_of()) {
            before.add(group, person.id, person.value);
            let there = |other: &&Person| other.id == person.id && other.value == person.value;
            if let Some(person) = source.persons.iter().find(there) {
                after.add(group, person.id, person.value);
            }
        }
        after.retain(|values| values.len() >= 3 && values.iter().any(|v| *v != values[0]));
        let worlds = Worlds::of(&[before, after]);
        found_out += worlds.persons().filter(|(_, left)| left.values < 2).count();
    }
    assert!(found_out > 50, "{found_out}");
}

/// What is remembered of signatures: (person, signature).
#[derive(Default)]
struct Signed {
    persons: Vec<(usize, u32)>,
    signatures: Vec<Vec<u32>>,
}

impl Signed {
    fn signature_of(&self, person: &Person) -> u32 {
        match self.persons.iter().find(|known| known.0 == person.id) {
            None => NEW,
            Some(&(_, signature)) => {
                let values = &self.signatures[signature as usize];
                match values.contains(&person.value) {
                    true => signature,
                    false => WAITS,
                }
            }
        }
    }

    fn remember(&mut self, source: &Source, found: &Balanced) {
        let sets = found.values(&source.column()).unwrap();
        for (person, &group) in source.persons.iter().zip(&found.group_of) {
            if group == u32::MAX {
                continue;
            }
            let set = &sets[group as usize];
            match self.persons.iter().find(|known| known.0 == person.id) {
                Some(&(_, signature)) => {
                    assert_eq!(self.signatures[signature as usize], *set);
                }
                None => {
                    let known = self.signatures.iter().position(|known| known == set);
                    let signature = known.unwrap_or_else(|| {
                        self.signatures.push(set.clone());
                        self.signatures.len() - 1
                    });
                    let entry = (person.id, signature as u32);
                    self.persons.push(entry);
                }
            }
        }
    }

    fn release(&mut self, source: &Source, l: usize, rng: &mut Generator) -> (Release, [usize; 2]) {
        let values = source.column();
        let signature_of: Vec<u32> = source
            .persons
            .iter()
            .map(|x| self.signature_of(x))
            .collect();
        let rows = SignedRows {
            values: &values,
            strata: &[],
            signature_of: &signature_of,
            signatures: &self.signatures,
        };
        let found = balance(rows, l, rng, &mut Unwatched).unwrap();
        let mut release = Release::default();
        for (person, &group) in source.persons.iter().zip(&found.group_of) {
            if group != u32::MAX {
                release.add(group, person.epoch(), person.value);
            }
        }
        for of in &found.counterfeits {
            release.add_nobody(of.group, of.value);
        }
        self.remember(source, &found);
        let waiting = found.group_of.iter().filter(|&&group| group == u32::MAX);
        (release, [found.counterfeits.len(), waiting.count()])
    }
}

#[test]
fn signatures_leave_l_values_in_every_world() {
    let (mut counterfeits, mut waiting) = (0, 0);
    let (mut persons, mut impossible) = (0, 0);
    for seed in 0..HISTORIES {
        let rng = &mut generator(Some(seed)).unwrap();
        let l = 2 + seed as usize % 2;
        let mut source = Source::new(12, 4, rng);
        let (mut signed, mut releases) = (Signed::default(), Vec::new());
        for _ in 0..RELEASES {
            let (release, figures) = signed.release(&source, l, rng);
            release.assert_different();
            counterfeits += figures[0];
            waiting += figures[1];
            releases.push(release);
            source.change(rng);
        }
        for (attacker, worlds) in attackers(&releases, &source).iter().enumerate() {
            for (person, candidates) in worlds.persons() {
                assert!(
                    candidates.values >= l,
                    "{seed}: {person} keeps {candidates:?} against {attacker}"
                );
                persons += 1;
            }
            impossible += worlds.impossible();
            assert!(attacker == 0 || worlds.impossible() == 0, "{seed}");
        }
    }
    let all = [counterfeits, waiting, persons, impossible];
    assert!(all.iter().all(|&number| number > 1000), "{all:?}");
}

/// What the promise leaves out: who was in the source and not in the release. With l = 2 new persons
/// who wait together have the same value, so only what their signatures have in common is left.
#[test]
fn who_waits_together_says_more_than_the_releases() {
    let (mut waited, mut found_out) = (0, 0);
    for seed in 0..HISTORIES {
        let rng = &mut generator(Some(seed)).unwrap();
        let mut source = Source::new(12, 4, rng);
        let (mut signed, mut cohorts) = (Signed::default(), Vec::new());
        for _ in 0..RELEASES {
            signed.release(&source, 2, rng);
            let mut waiting = source.persons.clone();
            waiting.retain(|person| signed.signature_of(person) == NEW);
            cohorts.push(waiting.iter().map(|person| person.id).collect());
            source.change(rng);
        }
        for &(id, signature) in &signed.persons {
            let everybody = || source.persons.iter().chain(&source.gone);
            let Some(person) = everybody().find(|person| person.id == id) else {
                continue;
            };
            if person.history.len() > 1 {
                continue;
            }
            let value = person.value;
            let mut left = signed.signatures[signature as usize].clone();
            let mut together = cohorts.clone();
            together.retain(|cohort: &Vec<usize>| cohort.contains(&id));
            waited += usize::from(!together.is_empty());
            let others = signed.persons.iter();
            for other in others.filter(|known| together.iter().flatten().any(|id| *id == known.0)) {
                left.retain(|value| signed.signatures[other.1 as usize].contains(value));
            }
            found_out += usize::from(left == [value]);
        }
    }
    // docs/sequences.md names the share: a quarter of those who had waited
    let share = found_out as f64 / waited as f64;
    assert!((0.2..0.3).contains(&share), "{found_out} of {waited}");
}

/// Anatomies of the same persons that know nothing of each other leave some with one value.
#[test]
fn independent_anatomies_do_not() {
    let mut found_out = 0;
    for seed in 0..200 {
        let rng = &mut generator(Some(seed)).unwrap();
        let source = Source::new(12, 5, rng);
        let release = |rng: &mut Generator| Signed::default().release(&source, 3, rng).0;
        let releases = [release(rng), release(rng)];
        let worlds = Worlds::of(&releases);
        found_out += worlds.persons().filter(|(_, left)| left.values < 3).count();
    }
    assert!(found_out > 100, "{found_out}");
}
