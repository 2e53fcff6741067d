//! The slots of new groups: those of the signature that shows what the members show.

use crate::pg::errors::known;
use crate::pg::memory::{self, collected};
use crate::release::sequence_memory::Remembered;
use sdc_engine::{Interner, Partition};

/// The mark of a person without a group.
pub const NONE: u32 = u32::MAX;

/// The signatures of a sequence, and their slots.
pub struct SlotNumbers {
    /// what signatures show, in ascending order, by their numbers
    signatures: Interner,
    /// the slots of each signature, in the same order
    slots: Vec<Vec<u32>>,
    count: u32,
    /// (slot, signature, what it shows) of new ones
    pub added: Vec<(u32, u32, u32)>,
}

impl SlotNumbers {
    pub fn of(before: &Remembered) -> Self {
        let mut numbers = SlotNumbers {
            signatures: Interner::new(),
            slots: Vec::new(),
            count: before.signatures.len() as u32,
            added: Vec::new(),
        };
        let top = before.signatures.iter().max();
        let count = top.map_or(0, |&top| top as usize + 1);
        let signed = collected(before.signatures.iter().copied());
        let members = known(known(Partition::new(signed, count)).members());
        for slots in members.iter() {
            let shows = |&slot: &u32| (before.slots_show[slot as usize], slot);
            let mut slots: Vec<(u32, u32)> = slots.iter().map(shows).collect();
            slots.sort_unstable();
            known(numbers.signatures.intern(&bytes(&slots)));
            memory::push(&mut numbers.slots, slots.iter().map(|of| of.1).collect());
        }
        numbers
    }

    /// How many signatures there are.
    pub fn signatures(&self) -> usize {
        self.slots.len()
    }

    /// The slot of each person of new groups; `shown` says what is shown of each.
    pub fn assign(&mut self, group_of: &[u32], shown: &[u32]) -> Vec<u32> {
        let mut slot_of = collected(group_of.iter().map(|_| NONE));
        let with = (0u32..).zip(group_of).filter(|of| *of.1 != NONE);
        let mut grouped = memory::reserved(group_of.len());
        grouped.extend(with.map(|(person, &group)| (group, shown[person as usize], person)));
        grouped.sort_unstable();
        for members in grouped.chunk_by(|a, b| a.0 == b.0) {
            let shows: Vec<(u32, u32)> = members.iter().map(|of| (of.1, 0)).collect();
            let signature = known(self.signatures.intern(&bytes(&shows)));
            if signature as usize == self.slots.len() {
                let slots: Vec<u32> = (self.count..).take(members.len()).collect();
                for (&slot, member) in slots.iter().zip(members) {
                    memory::push(&mut self.added, (slot, signature, member.1));
                }
                self.count += members.len() as u32;
                memory::push(&mut self.slots, slots);
            }
            for (&slot, member) in self.slots[signature as usize].iter().zip(members) {
                slot_of[member.2 as usize] = slot;
            }
        }
        slot_of
    }
}

fn bytes(shows: &[(u32, u32)]) -> Vec<u8> {
    shows.iter().flat_map(|of| of.0.to_le_bytes()).collect()
}
