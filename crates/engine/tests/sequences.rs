//! Sequences of releases against every possible world: random histories of a small table, with
//! persons who come, go, come back and change their value. The attacker keeps all releases,
//! and knows who was in which group of which. A world gives every person a value such that all
//! releases look as they do. Whatever value a person has in some world stays possible.

mod histories;
mod slot_memory;
mod worlds;

use histories::{Person, Source, attackers, space_of};
use sdc_engine::assign::Method;
use sdc_engine::assign::refine::Limits;
use sdc_engine::random::generator;
use sdc_engine::sequence::{NEW, Standing};
use sdc_engine::{Categories, Error, Partition, Result, Space, Unwatched};
use slot_memory::SlotMemory;
use worlds::{Release, Worlds};

const HISTORIES: u64 = 3000;
const RELEASES: usize = 5;

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

/// Many persons who often change: every group that is formed has one person in each slot.
#[test]
fn larger_tables_have_one_person_in_each_slot() {
    let mut happened = Happened::default();
    for seed in 0..40 {
        let rng = &mut generator(Some(seed)).unwrap();
        let mut source = Source::new(150, 3, rng);
        let mut memory = SlotMemory::default();
        for _ in 0..20 {
            let release = memory.release(&source, (3, 2), &mut happened);
            release.assert_whole(3);
            (0..10).for_each(|_| source.change(rng));
        }
    }
    assert!(
        happened.0.iter().all(|&number| number > 200),
        "{happened:?}"
    );
}
