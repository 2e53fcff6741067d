//! How many groups each signature forms again.
//!
//! A further group of a signature needs new persons for the slots in which nobody is left. Whether
//! it is formed must not depend on which slots these are, or a group that is not formed would say
//! that nobody new has their codes. So a group that needs j new persons is formed only if the new
//! persons could fill any j of the signature's slots. Groups that need fewest come first; groups
//! of new persons only, in a signature that is there already, come last.

use super::slots::KeptSlots;
use crate::Result;
use crate::data::Members;
use crate::run::Meter;
use crate::run::allocation::{collected, filled, make_room};
use crate::run::sorting::sort_by_key;

/// A person with a slot, and the group in which she was last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loose {
    pub row: u32,
    pub group: u32,
}

/// Those who may take slots.
pub(super) struct FreeSlots<'a> {
    /// what each slot shows
    pub shown: &'a [u32],
    /// those who have a slot and no group, by slot
    pub loose: Vec<Vec<Loose>>,
    /// the new ones, by code
    pub new: Vec<Vec<u32>>,
}

impl<'a> FreeSlots<'a> {
    /// `shown` is of the persons.
    pub fn new(kept: KeptSlots<'a>, shown: &[u32]) -> Result<Self> {
        let codes = kept.shown.iter().chain(shown).max();
        let codes = codes.map_or(0, |&top| top as usize + 1);
        Ok(FreeSlots {
            shown: kept.shown,
            loose: filled(kept.shown.len(), Vec::new())?,
            new: filled(codes, Vec::new())?,
        })
    }

    pub fn add_loose(&mut self, slot: u32, loose: Loose) -> Result<()> {
        push(&mut self.loose[slot as usize], loose)
    }

    pub fn add_new(&mut self, row: u32, code: u32) -> Result<()> {
        push(&mut self.new[code as usize], row)
    }
}

fn push<T>(rows: &mut Vec<T>, row: T) -> Result<()> {
    make_room(rows, 1)?;
    rows.push(row);
    Ok(())
}

/// How many groups of which signatures are formed.
pub(super) struct SlotPlan {
    /// of each signature
    pub groups: Vec<u32>,
}

impl SlotPlan {
    pub fn new(free: &FreeSlots<'_>, slots: &Members, meter: &mut Meter) -> Result<Self> {
        let mut planning = Planning {
            free,
            slots,
            groups: filled(slots.len(), 0)?,
            left: collected(free.new.iter().map(Vec::len))?,
        };
        let most = slots.iter().map(<[u32]>::len).max().unwrap_or(0);
        for needed in 0..=most {
            planning.add_all(needed, meter)?;
        }
        Ok(SlotPlan {
            groups: planning.groups,
        })
    }
}

struct Planning<'a> {
    free: &'a FreeSlots<'a>,
    slots: &'a Members,
    groups: Vec<u32>,
    /// of each code, the new persons who are not yet needed
    left: Vec<usize>,
}

impl Planning<'_> {
    /// Plans groups that need so many new persons, one of each signature by turns, the signatures
    /// with the most loose persons first.
    fn add_all(&mut self, needed: usize, meter: &mut Meter) -> Result<()> {
        let loose = |slots: &[u32]| -> usize {
            slots
                .iter()
                .map(|&slot| self.free.loose[slot as usize].len())
                .sum()
        };
        let counts = collected(self.slots.iter().map(loose))?;
        let mut turn = collected(0..self.slots.len() as u32)?;
        sort_by_key(&mut turn, |&of| {
            (std::cmp::Reverse(counts[of as usize]), of)
        })?;
        while !turn.is_empty() {
            meter.spend(turn.len())?;
            turn.retain(|&signature| self.add(signature as usize, needed));
        }
        Ok(())
    }

    /// Plans one more group of a signature, if it needs so many new persons and can have them.
    fn add(&mut self, signature: usize, needed: usize) -> bool {
        let slots = self.slots.of(signature);
        let open =
            |slot: &&u32| self.free.loose[**slot as usize].len() <= self.groups[signature] as usize;
        if slots.iter().filter(open).count() != needed || !self.could_fill_any(slots, needed) {
            return false;
        }
        for slot in slots.iter().filter(open) {
            self.left[self.free.shown[*slot as usize] as usize] -= 1;
        }
        self.groups[signature] += 1;
        true
    }

    fn could_fill_any(&self, slots: &[u32], needed: usize) -> bool {
        let shown = |&slot: &u32| self.free.shown[slot as usize];
        let mut codes: Vec<u32> = slots.iter().map(shown).collect();
        codes.sort_unstable();
        let mut runs = codes.chunk_by(|a, b| a == b);
        runs.all(|run| self.left[run[0] as usize] >= run.len().min(needed))
    }
}
