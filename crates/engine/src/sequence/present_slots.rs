//! Who of a sequence's persons is there, in which slot, and which groups lack nobody.

use super::NEW;
use super::slots::{KeptSlots, Returning, Standing};
use crate::Result;
use crate::data::Members;
use crate::run::allocation::{collected, filled, reserved};
use crate::run::sorting::sort_by_key;

/// The slots of those who are there, and which groups are whole.
pub(super) struct PresentSlots {
    /// [`NEW`] for those without, and for those who wait
    pub slot_of: Vec<u32>,
    /// of each group
    whole: Vec<bool>,
}

impl PresentSlots {
    pub fn new(kept: KeptSlots<'_>, persons: Returning<'_>, slots: &Members) -> Result<Self> {
        let mut slot_of = filled(persons.shown.len(), NEW)?;
        // how many hold each slot of even signatures, which persons who changed share evenly
        let mut held = filled(kept.shown.len(), 0u32)?;
        for ((own, &slot), &shown) in slot_of.iter_mut().zip(persons.slot_of).zip(persons.shown) {
            if slot != NEW && kept.shown[slot as usize] == shown {
                *own = slot;
                held[slot as usize] += 1;
            }
        }
        let signature_of = kept.signatures.group_of();
        let even = collected(slots.iter().map(|slots| is_even(slots, kept.shown)))?;
        for (person, own) in slot_of.iter_mut().enumerate() {
            let before = persons.slot_of[person];
            if before == NEW || *own != NEW {
                continue;
            }
            let signature = signature_of[before as usize] as usize;
            let fits = |slot: &&u32| kept.shown[**slot as usize] == persons.shown[person];
            let fitting = slots.of(signature).iter().filter(fits);
            let free = fitting.min_by_key(|&&slot| held[slot as usize]);
            if let Some(&slot) = free.filter(|_| even[signature]) {
                *own = slot;
                held[slot as usize] += 1;
            }
        }
        let whole = whole_groups(&slot_of, persons.group_of, slots, signature_of)?;
        Ok(PresentSlots { slot_of, whole })
    }

    pub fn standings(&self, persons: Returning<'_>) -> Result<Vec<Standing>> {
        let mut standings = filled(self.slot_of.len(), Standing::Waits)?;
        for (person, standing) in standings.iter_mut().enumerate() {
            let (slot, group) = (self.slot_of[person], persons.group_of[person]);
            *standing = match persons.slot_of[person] {
                NEW => Standing::New,
                _ if slot == NEW => Standing::Waits,
                _ if self.whole[group as usize] => Standing::Stays { slot },
                _ => Standing::LeftOut,
            };
        }
        Ok(standings)
    }
}

/// Whether a signature shows each of its codes equally often.
fn is_even(slots: &[u32], shown: &[u32]) -> bool {
    let mut codes: Vec<u32> = slots.iter().map(|&slot| shown[slot as usize]).collect();
    codes.sort_unstable();
    let mut runs = codes.chunk_by(|a, b| a == b).map(<[u32]>::len);
    let first = runs.next();
    runs.all(|run| Some(run) == first)
}

/// Which groups have one member in each slot of their signature.
fn whole_groups(
    slot_of: &[u32],
    group_of: &[u32],
    slots: &Members,
    signature_of: &[u32],
) -> Result<Vec<bool>> {
    let top = |&group: &u32| (group != NEW).then_some(group as usize + 1);
    let groups = group_of.iter().filter_map(top).max().unwrap_or(0);
    let there = (0..).zip(slot_of).filter(|of| *of.1 != NEW);
    let mut held: Vec<(u32, u32)> = reserved(slot_of.len())?;
    held.extend(there.map(|(person, &slot): (usize, &u32)| (group_of[person], slot)));
    sort_by_key(&mut held, |&pair| pair)?;
    let mut whole = filled(groups, false)?;
    for members in held.chunk_by(|a, b| a.0 == b.0) {
        let signature = signature_of[members[0].1 as usize] as usize;
        let own = members.iter().map(|of| of.1);
        if let Some(whole) = whole.get_mut(members[0].0 as usize) {
            *whole = own.eq(slots.of(signature).iter().copied());
        }
    }
    Ok(whole)
}
