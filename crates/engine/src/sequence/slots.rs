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

use super::present_slots::PresentSlots;
use super::slot_groups::{PlacedRow, SlotGroups};
use super::slot_plan::{FreeSlots, Loose, SlotPlan};
use super::{NEW, refuse_unequal};
use crate::local_search::ordered_rows::OrderedRows;
use crate::run::Meter;
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
    let present = PresentSlots::new(kept, persons, &slots)?;
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
