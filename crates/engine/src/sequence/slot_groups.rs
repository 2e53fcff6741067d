//! Groups with one person in each slot of a signature, near each other.
//!
//! Who is taken depends on keys and on who was together before. All slots of a signature are treated
//! alike, so that it says nothing about what they show.

use super::person_tree::{PersonTree, Spot, numbers_apart};
use super::place_swaps::{self, HeldPlaces};
use super::slot_plan::{FreeSlots, Loose, SlotPlan};
use crate::data::Members;
use crate::local_search::ordered_rows::OrderedRows;
use crate::run::Meter;
use crate::run::allocation::{collected, make_room, reserved};
use crate::run::sorting::{sort_by, sort_by_key};
use crate::{Error, Result, Space};
use std::cmp::Reverse;

/// A person who has got a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedRow {
    pub row: u32,
    pub group: u32,
    pub slot: u32,
}

#[derive(Debug)]
pub(super) struct FormedGroups {
    pub rows: Vec<PlacedRow>,
    pub groups: usize,
}

/// Who may take a slot of the groups that are formed of one signature, and how many of each kind
/// do.
pub(super) struct SlotSupply {
    pub slot: u32,
    pub code: u32,
    pub loose: Option<PersonTree>,
    pub of_loose: usize,
    pub of_new: usize,
}

pub(super) struct SlotGroups<'a> {
    rows: &'a OrderedRows,
    loose: Vec<Vec<Loose>>,
    /// the new persons by code
    new: Vec<NewPersons>,
    shown: &'a [u32],
    formed: Vec<PlacedRow>,
    /// whose places each of these can change with: those of the same number
    kinds: Vec<u32>,
    groups: u32,
}

/// The new persons of a code.
struct NewPersons {
    tree: PersonTree,
    /// those farthest from the centre last; made when it is first asked for
    outermost: Option<Vec<u32>>,
}

impl<'a> SlotGroups<'a> {
    pub fn new(rows: &'a OrderedRows, free: FreeSlots<'a>, meter: &mut Meter) -> Result<Self> {
        let mut new = reserved(free.new.len())?;
        for persons in free.new {
            meter.spend(persons.len())?;
            new.push(NewPersons {
                tree: PersonTree::new(rows, persons)?,
                outermost: None,
            });
        }
        Ok(SlotGroups {
            rows,
            loose: free.loose,
            shown: free.shown,
            new,
            formed: Vec::new(),
            kinds: Vec::new(),
            groups: 0,
        })
    }

    /// Forms the groups of each signature.
    pub fn form_planned(
        &mut self,
        plan: &SlotPlan,
        slots: &Members,
        meter: &mut Meter,
    ) -> Result<()> {
        for (slots, &groups) in slots.iter().zip(&plan.groups) {
            if groups > 0 {
                self.form_signature(slots, groups as usize, meter)?;
            }
        }
        Ok(())
    }

    /// The groups that have kept most of their members take in others; those of the rest are
    /// dissolved.
    fn form_signature(&mut self, slots: &[u32], groups: usize, meter: &mut Meter) -> Result<()> {
        let mut supplies = reserved(slots.len())?;
        let mut members = Vec::new();
        for &slot in slots {
            let loose = std::mem::take(&mut self.loose[slot as usize]);
            make_room(&mut members, loose.len())?;
            members.extend(loose.iter().map(|of| (of.group, supplies.len(), of.row)));
            let rows = collected(loose.iter().map(|of| of.row))?;
            supplies.push(SlotSupply {
                slot,
                code: self.shown[slot as usize],
                of_loose: rows.len().min(groups),
                of_new: groups - rows.len().min(groups),
                loose: Some(PersonTree::new(self.rows, rows)?),
            });
        }
        sort_by_key(&mut members, |&member| member)?;
        // of two in one slot, the second belongs to no group
        members.dedup_by_key(|member| (member.0, member.1));
        let mut cores = Vec::new();
        for core in members.chunk_by(|a, b| a.0 == b.0) {
            make_room(&mut cores, 1)?;
            cores.push(core);
        }
        sort_by_key(&mut cores, |core| (Reverse(core.len()), core[0].0))?;
        cores.truncate(groups);
        for core in &cores {
            for &(_, place, row) in *core {
                if let Some(loose) = &mut supplies[place].loose {
                    loose.take(row);
                }
                supplies[place].of_loose -= 1;
            }
        }
        for number in 0..groups {
            match cores.get(number) {
                Some(core) => self.complete(&mut supplies, core, meter)?,
                None => {
                    let seed = self.seed(&supplies, meter)?;
                    self.form(&mut supplies, seed, meter)?;
                }
            }
        }
        Ok(())
    }

    /// Fills the slots that a group lacks with those nearest to the members it has.
    fn complete(
        &mut self,
        supplies: &mut [SlotSupply],
        core: &[(u32, usize, u32)],
        meter: &mut Meter,
    ) -> Result<()> {
        let numbers = centre_of(self.rows, core.iter().map(|member| member.2))?;
        let spot = Spot {
            numbers: &numbers,
            keys: self.rows.keys(core[0].2),
        };
        for (place, supply) in supplies.iter_mut().enumerate() {
            match core.iter().find(|member| member.1 == place) {
                Some(member) => self.enter(member.2, supply.slot, supply.slot)?,
                None => self.fill(supply, spot, meter)?,
            }
        }
        self.groups += 1;
        meter.grouped(supplies.len());
        Ok(())
    }

    /// The new person farthest from the centre, of the code of which fewest are left; somebody who
    /// has a slot if all new persons have theirs.
    fn seed(&mut self, supplies: &[SlotSupply], meter: &mut Meter) -> Result<(usize, u32)> {
        let places = 0..supplies.len();
        let open = places.clone().filter(|&place| supplies[place].of_new > 0);
        let rarest = open.min_by_key(|&place| self.new[supplies[place].code as usize].tree.len());
        if let Some(place) = rarest {
            let row = self.outermost(supplies[place].code, meter)?;
            return row.map(|row| (place, row)).ok_or_else(broken);
        }
        let mut loose = places.filter(|&place| supplies[place].of_loose > 0);
        let first = loose.find_map(|place| {
            let row = supplies[place].loose.as_ref()?.rest().next()?;
            Some((place, row))
        });
        first.ok_or_else(broken)
    }

    /// The new person of a code who is farthest from the centre of all rows.
    pub fn outermost(&mut self, code: u32, meter: &mut Meter) -> Result<Option<u32>> {
        let rows = self.rows;
        let new = &mut self.new[code as usize];
        let list = match &mut new.outermost {
            Some(list) => list,
            none => {
                // scaled columns have their mean at 0
                let centre = vec![0.0; rows.widths()[0]];
                let apart = |row| (numbers_apart(rows, &centre, row), row);
                let mut list = reserved(new.tree.len())?;
                list.extend(new.tree.rest().map(apart));
                meter.spend(list.len())?;
                sort_by(&mut list, |a: &(f64, u32), b| {
                    a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1))
                })?;
                none.insert(collected(list.iter().map(|of| of.1))?)
            }
        };
        while let Some(row) = list.pop() {
            if !new.tree.is_taken(row) {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// Forms a group around a person.
    fn form(
        &mut self,
        supplies: &mut [SlotSupply],
        (first, seed): (usize, u32),
        meter: &mut Meter,
    ) -> Result<()> {
        let rows = self.rows;
        match supplies[first].of_new {
            0 => self.take_loose(&mut supplies[first], seed)?,
            _ => self.take_new(&mut supplies[first], seed)?,
        }
        for place in (0..supplies.len()).filter(|&place| place != first) {
            self.fill(&mut supplies[place], Spot::of(rows, seed), meter)?;
        }
        self.groups += 1;
        meter.grouped(supplies.len());
        Ok(())
    }

    /// Gives a slot to the nearest who may take it.
    fn fill(&mut self, supply: &mut SlotSupply, spot: Spot<'_>, meter: &mut Meter) -> Result<()> {
        let loose = match &supply.loose {
            Some(loose) if supply.of_loose > 0 => loose.nearest(self.rows, spot, meter)?,
            _ => None,
        };
        let new = match supply.of_new {
            0 => None,
            _ => {
                let tree = &self.new[supply.code as usize].tree;
                tree.nearest(self.rows, spot, meter)?
            }
        };
        match (loose, new) {
            (Some(loose), Some(new)) if new.0 < loose.0 => self.take_new(supply, new.1),
            (None, Some(new)) => self.take_new(supply, new.1),
            (Some(loose), _) => self.take_loose(supply, loose.1),
            (None, None) => Err(broken()),
        }
    }

    fn take_loose(&mut self, supply: &mut SlotSupply, row: u32) -> Result<()> {
        if let Some(tree) = &mut supply.loose {
            tree.take(row);
        }
        supply.of_loose -= 1;
        self.enter(row, supply.slot, supply.slot)
    }

    fn take_new(&mut self, supply: &mut SlotSupply, row: u32) -> Result<()> {
        self.new[supply.code as usize].tree.take(row);
        supply.of_new -= 1;
        self.enter(row, supply.slot, self.shown.len() as u32 + supply.code)
    }

    fn enter(&mut self, row: u32, slot: u32, kind: u32) -> Result<()> {
        make_room(&mut self.formed, 1)?;
        make_room(&mut self.kinds, 1)?;
        self.kinds.push(kind);
        self.formed.push(PlacedRow {
            row,
            group: self.groups,
            slot,
        });
        Ok(())
    }

    /// The groups, after persons of one kind have changed places where that brings groups nearer
    /// together.
    pub fn improved(self, space: &Space, meter: &mut Meter) -> Result<FormedGroups> {
        let mut formed = self.formed;
        let order = self.rows.order();
        let places = HeldPlaces {
            points: &collected(formed.iter().map(|of| order[of.row as usize]))?,
            group_of: collected(formed.iter().map(|of| of.group))?,
            groups: self.groups as usize,
            kinds: &self.kinds,
        };
        let holders = place_swaps::improved(space, places, meter)?;
        let rows = collected(formed.iter().map(|of| of.row))?;
        for (formed, &holder) in formed.iter_mut().zip(&holders) {
            formed.row = rows[holder as usize];
        }
        Ok(FormedGroups {
            rows: formed,
            groups: self.groups as usize,
        })
    }
}

/// The mean of the numbers of some rows.
fn centre_of(rows: &OrderedRows, some: impl ExactSizeIterator<Item = u32>) -> Result<Vec<f64>> {
    let count = some.len().max(1) as f64;
    let mut centre = vec![0.0; rows.widths()[0]];
    for row in some {
        for (sum, number) in centre.iter_mut().zip(rows.numbers(row)) {
            *sum += number / count;
        }
    }
    Ok(centre)
}

fn broken() -> Error {
    Error::Broken("a slot that nobody can take".into())
}
