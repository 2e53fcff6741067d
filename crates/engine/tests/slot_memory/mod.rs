//! What is remembered of slots from one release to the next.

use sdc_engine::sequence::{ContinuedSlots, KeptSlots, NEW, Returning, Standing, continue_groups};
use sdc_engine::{Partition, Space, Unwatched};
use std::collections::BTreeMap;

#[derive(Default)]
pub struct SlotMemory {
    signature_of: Vec<u32>,
    shown: Vec<u32>,
    /// the slots of each signature, by what they show
    signatures: BTreeMap<Vec<u32>, Vec<u32>>,
    /// (slot, group) of each person
    members: BTreeMap<usize, (u32, u32)>,
    groups: u32,
}

impl SlotMemory {
    pub fn slot_of(&self, person: usize) -> u32 {
        self.members.get(&person).map_or(NEW, |member| member.0)
    }

    pub fn group_of(&self, person: usize) -> u32 {
        self.members.get(&person).map_or(NEW, |member| member.1)
    }

    pub fn continued(&self, persons: &[usize], shown: &[u32], space: &Space) -> ContinuedSlots {
        let slot_of: Vec<u32> = persons.iter().map(|&x| self.slot_of(x)).collect();
        let group_of: Vec<u32> = persons.iter().map(|&x| self.group_of(x)).collect();
        let signatures = Partition::new(self.signature_of.clone(), self.signatures.len()).unwrap();
        let kept = KeptSlots {
            signatures: &signatures,
            shown: &self.shown,
        };
        let persons = Returning {
            shown,
            slot_of: &slot_of,
            group_of: &group_of,
        };
        continue_groups(kept, persons, space, &mut Unwatched).unwrap()
    }

    /// Notes who is where; gives the group of each person who is shown.
    pub fn note(&mut self, persons: &[usize], standings: &ContinuedSlots) -> Vec<u32> {
        let first = self.groups;
        self.groups += standings.formed as u32;
        let note = |(&person, &standing): (&usize, &Standing)| match standing {
            Standing::Stays { slot } => {
                let member = self.members.get_mut(&person).unwrap();
                member.0 = slot;
                member.1
            }
            Standing::Joins { group, slot } => {
                self.members.insert(person, (slot, first + group));
                first + group
            }
            _ => NEW,
        };
        persons.iter().zip(&standings.standings).map(note).collect()
    }

    /// Notes groups of new persons; `u32::MAX` for those without.
    pub fn found(&mut self, persons: &[usize], shown: &[u32], group_of: &[u32]) -> Vec<u32> {
        let mut groups: BTreeMap<u32, Vec<(u32, usize)>> = BTreeMap::new();
        for ((&person, &code), &group) in persons.iter().zip(shown).zip(group_of) {
            if group != NEW {
                groups.entry(group).or_default().push((code, person));
            }
        }
        let mut numbers = BTreeMap::new();
        for (group, mut members) in groups {
            members.sort_unstable();
            let codes: Vec<u32> = members.iter().map(|member| member.0).collect();
            let signature = self.signatures.len() as u32;
            let slots = self.signatures.entry(codes.clone()).or_insert_with(|| {
                let slots = self.shown.len() as u32..(self.shown.len() + codes.len()) as u32;
                self.shown.extend(&codes);
                self.signature_of.extend(codes.iter().map(|_| signature));
                slots.collect()
            });
            for ((_, person), &slot) in members.iter().zip(slots.iter()) {
                self.members.insert(*person, (slot, self.groups));
            }
            numbers.insert(group, self.groups);
            self.groups += 1;
        }
        let number = |group: &u32| numbers.get(group).copied().unwrap_or(NEW);
        group_of.iter().map(number).collect()
    }
}
