//! Groups that stay, and groups that are formed again.
//!
//! What a group shows of its members as it is (sensitive values, kept columns, strata) is its
//! signature. A signature has a slot for each member, and a slot shows one code. A person has
//! one slot for the whole sequence, and every group of the signature has one person in each slot.
//! So the slots of a signature can be permuted for all of its persons, in all releases at once.
//! Every group still shows the same. Each person could have the row of each slot.
//!
//! Therefore persons of groups that lack somebody can form groups with others of their signature.
//! Groups that lack nobody stay, with the keys that they have always shown.
//!
//! A person who comes with another code waits, with one exception: a signature that shows each
//! of its codes equally often is *even*. Then codes, too, can be permuted, and so the person can
//! move to a slot with the new code. That leaves alike who has changed and who has not.

use super::slot_groups::{PlacedRow, SlotGroups};
use super::slot_plan::{FreeSlots, Loose, SlotPlan};
use super::{NEW, refuse_unequal};
use crate::data::Members;
use crate::local_search::ordered_rows::OrderedRows;
use crate::run::Meter;
use crate::run::allocation::{collected, filled};
use crate::{Error, Monitor, Partition, Phase, Result, Space};

/// The slots of a sequence so far.
#[derive(Debug, Clone, Copy)]
pub struct KeptSlots<'a> {
    /// the signature of each slot
    pub signatures: &'a Partition,
    /// what each slot shows as it is
    pub shown: &'a [u32],
}

/// The persons of a new release.
#[derive(Debug, Clone, Copy)]
pub struct Returning<'a> {
    /// what the rows of each person show as they are, numbered as for slots
    pub shown: &'a [u32],
    /// the slot of each person; [`NEW`] for those without
    pub slot_of: &'a [u32],
    /// the group in which each of these was last
    pub group_of: &'a [u32],
}

/// What becomes of a person in a new release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// in the group as before
    Stays { slot: u32 },
    /// in a group that is formed now
    Joins { group: u32, slot: u32 },
    /// has a slot, but there are too few for the others of the signature
    LeftOut,
    /// is new, and takes no slot
    New,
    /// comes with another code
    Waits,
}

/// Who is where in a new release.
#[derive(Debug)]
pub struct ContinuedSlots {
    pub standings: Vec<Standing>,
    /// how many groups are formed
    pub formed: usize,
}

/// Who stays in which group, and who forms which. `space` has a row for each person.
pub fn continue_groups(
    kept: KeptSlots<'_>,
    persons: Returning<'_>,
    space: &Space,
    monitor: &mut dyn Monitor,
) -> Result<ContinuedSlots> {
    refuse_unlike(kept, persons, space)?;
    let meter = &mut Meter::start(monitor, Phase::Grouping, persons.shown.len());
    let slots = kept.signatures.members()?;
    let present = Present::new(kept, persons, &slots)?;
    let mut standings = present.standings(persons)?;
    let rows = OrderedRows::new(space, &[], meter)?;
    let mut free = FreeSlots::new(kept, persons.shown)?;
    for (row, &person) in (0..).zip(rows.order()) {
        match (standings[person as usize], present.slot_of[person as usize]) {
            (Standing::LeftOut, slot) => {
                let group = persons.group_of[person as usize];
                free.add_loose(slot, Loose { row, group })?;
            }
            (Standing::New, _) => free.add_new(row, persons.shown[person as usize])?,
            _ => {}
        }
    }
    let plan = SlotPlan::new(&free, &slots, meter)?;
    let mut groups = SlotGroups::new(&rows, free, meter)?;
    groups.form_planned(&plan, &slots, meter)?;
    let formed = groups.improved(space, meter)?;
    for &PlacedRow { row, group, slot } in &formed.rows {
        standings[rows.order()[row as usize] as usize] = Standing::Joins { group, slot };
    }
    Ok(ContinuedSlots {
        standings,
        formed: formed.groups,
    })
}

fn refuse_unlike(kept: KeptSlots<'_>, persons: Returning<'_>, space: &Space) -> Result<()> {
    kept.signatures.require_rows(kept.shown.len())?;
    let others = [persons.slot_of.len(), persons.group_of.len(), space.rows()];
    refuse_unequal(persons.shown.len(), &others)?;
    let known = |&slot: &u32| slot == NEW || (slot as usize) < kept.shown.len();
    match persons.slot_of.iter().all(known) {
        true => Ok(()),
        false => Err(Error::Broken("a person of an unknown slot".into())),
    }
}

/// The slots of those who are there, and which groups are whole.
struct Present {
    /// [`NEW`] for those without, and for those who wait
    slot_of: Vec<u32>,
    /// of each group
    whole: Vec<bool>,
}

impl Present {
    fn new(kept: KeptSlots<'_>, persons: Returning<'_>, slots: &Members) -> Result<Self> {
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
        Ok(Present { slot_of, whole })
    }

    fn standings(&self, persons: Returning<'_>) -> Result<Vec<Standing>> {
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
    let mut held: Vec<(u32, u32)> = crate::run::allocation::reserved(slot_of.len())?;
    held.extend(there.map(|(person, &slot): (usize, &u32)| (group_of[person], slot)));
    crate::run::sorting::sort_by_key(&mut held, |&pair| pair)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Column, Table, Unwatched};
    use Standing::{Joins, LeftOut, New, Stays, Waits};

    /// What becomes of persons with a code, a slot and a group each; all groups show `slots`.
    fn standings(slots: &[u32], persons: &[(u32, u32, u32)], keys: &[f64]) -> Vec<Standing> {
        let signatures = Partition::new(vec![0; slots.len()], 1).unwrap();
        let kept = KeptSlots {
            signatures: &signatures,
            shown: slots,
        };
        let column =
            |part: fn(&(u32, u32, u32)) -> u32| -> Vec<u32> { persons.iter().map(part).collect() };
        let table = Table::new(vec![Column::Numeric(keys.to_vec())]).unwrap();
        let space = Space::new(&table, true).unwrap();
        let returning = Returning {
            shown: &column(|of| of.0),
            slot_of: &column(|of| of.1),
            group_of: &column(|of| of.2),
        };
        let found = continue_groups(kept, returning, &space, &mut Unwatched);
        found.unwrap().standings
    }

    const NOBODY: (u32, u32) = (NEW, NEW);

    fn new(code: u32) -> (u32, u32, u32) {
        (code, NOBODY.0, NOBODY.1)
    }

    #[test]
    fn groups_stay_or_take_in_the_nearest() {
        let whole = [(0, 0, 0), (0, 1, 0), (1, 2, 0)];
        let found = standings(&[0, 0, 1], &whole, &[1.0, 2.0, 3.0]);
        assert_eq!(
            found,
            [Stays { slot: 0 }, Stays { slot: 1 }, Stays { slot: 2 }]
        );
        let joins = |slot| Joins { group: 0, slot };
        // the member in slot 2 is gone
        let persons = [(0, 0, 0), (0, 1, 0), new(1), new(1), new(0)];
        let found = standings(&[0, 0, 1], &persons, &[1.0, 2.0, 9.0, 3.0, 1.0]);
        assert_eq!(found, [joins(0), joins(1), New, joins(2), New]);
        // nobody new could take the slot of a 0, so that of the 1 stays free, too
        let found = standings(&[0, 0, 1], &persons[..4], &[1.0, 2.0, 9.0, 3.0]);
        assert_eq!(found, [LeftOut, LeftOut, New, New]);
    }

    #[test]
    fn what_is_left_of_two_groups_becomes_one() {
        let persons = [(0, 0, 0), (0, 1, 0), (0, 1, 1), (1, 2, 1)];
        let found = standings(&[0, 0, 1], &persons, &[1.0, 2.0, 8.0, 3.0]);
        let joins = |slot| Joins { group: 0, slot };
        assert_eq!(found, [joins(0), joins(1), LeftOut, joins(2)]);
    }

    #[test]
    fn who_changes_stays_only_in_an_even_signature() {
        // both members change, so that the group shows what it has shown
        let found = standings(&[0, 1], &[(1, 0, 0), (0, 1, 0)], &[1.0, 2.0]);
        assert_eq!(found, [Stays { slot: 1 }, Stays { slot: 0 }]);
        let persons = [(0, 0, 0), (1, 1, 0), (0, 2, 0)];
        let found = standings(&[0, 0, 1], &persons, &[1.0, 2.0, 3.0]);
        assert_eq!(found, [LeftOut, Waits, Waits]);
    }
}
