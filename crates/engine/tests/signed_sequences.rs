//! Anatomies that continue each other against every possible world, as in `sequences.rs`.

mod histories;
mod worlds;

use histories::{Person, Source, attackers};
use sdc_engine::Unwatched;
use sdc_engine::random::{Generator, generator};
use sdc_engine::sequence::{Balanced, NEW, SignedRows, WAITS, balance};
use worlds::{Release, Worlds};

const HISTORIES: u64 = 3000;
const RELEASES: usize = 5;

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
