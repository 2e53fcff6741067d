//! Persons who could have each other's places change them where that brings groups nearer together.

use super::person_tree::{PersonTree, Spot};
use crate::local_search::changing_groups::Groups;
use crate::local_search::ordered_rows::OrderedRows;
use crate::run::Meter;
use crate::run::allocation::{collected, filled, make_room, reserved};
use crate::{Partition, Result, Space};

/// How often everybody is asked.
const ROUNDS: usize = 4;
/// So many are asked about, those nearest to the centre of a person's group.
const ASKED: usize = 6;
/// A round in which fewer than one in so many has changed place is the last.
const FEW: usize = 100;

/// Persons in their places.
pub(super) struct HeldPlaces<'a> {
    pub points: &'a [u32],
    pub group_of: Vec<u32>,
    pub groups: usize,
    /// persons of one kind can change places
    pub kinds: &'a [u32],
}

/// For each place the number of the place from which its person comes.
pub(super) fn improved(
    space: &Space,
    places: HeldPlaces<'_>,
    meter: &mut Meter,
) -> Result<Vec<u32>> {
    let mut holder = collected(0..places.points.len() as u32)?;
    if places.groups < 2 {
        return Ok(holder);
    }
    let partition = Partition::new(places.group_of, places.groups)?;
    let k = partition
        .sizes()
        .iter()
        .min()
        .map_or(1, |&size| size.max(1)) as usize;
    let some = space.select(places.points)?;
    let rows = OrderedRows::new(&some, &[], meter)?;
    let mut groups = Groups::new(&rows, k, 1, &partition, meter)?;
    let mut kinds = Kinds::new(&rows, places.kinds, &groups)?;
    // the place of each row
    let mut place_of = collected(rows.order().iter().copied())?;
    for _ in 0..ROUNDS {
        let mut swapped = 0;
        for row in 0..rows.len() as u32 {
            if let Some(other) = kinds.better(&groups, row, meter)? {
                kinds
                    .asked
                    .note_swap([row, other].map(|row| groups.group_of(row)));
                groups.swap(row, other)?;
                place_of.swap(row as usize, other as usize);
                swapped += 1;
            }
        }
        groups.recompute_all(meter)?;
        if swapped * FEW < rows.len() {
            break;
        }
    }
    for (&origin, &place) in rows.order().iter().zip(&place_of) {
        holder[place as usize] = origin;
    }
    Ok(holder)
}

/// The rows of each kind.
struct Kinds {
    of_row: Vec<u32>,
    trees: Vec<PersonTree>,
    asked: FoundOthers,
    centre: Vec<f64>,
    keys: Vec<u32>,
}

/// Who was found for each row. That stays so as long as the groups do.
struct FoundOthers {
    swaps: u32,
    /// of each group, the last swap that changed it
    changed: Vec<u32>,
    /// of each row, those nearest to the centre of its group
    others: Vec<[u32; ASKED]>,
    /// as of which swap they were found, and asked in vain; [`NEVER`] if they were not
    found: Vec<u32>,
    in_vain: Vec<u32>,
}

const NEVER: u32 = u32::MAX;

impl FoundOthers {
    fn new(rows: usize, groups: usize) -> Result<Self> {
        Ok(FoundOthers {
            swaps: 0,
            changed: filled(groups, 0)?,
            others: filled(rows, [u32::MAX; ASKED])?,
            found: filled(rows, NEVER)?,
            in_vain: filled(rows, NEVER)?,
        })
    }

    fn note_swap(&mut self, groups: [u32; 2]) {
        self.swaps += 1;
        for group in groups {
            self.changed[group as usize] = self.swaps;
        }
    }

    fn is_as_of(&self, group: u32, swap: u32) -> bool {
        swap != NEVER && self.changed[group as usize] <= swap
    }
}

impl Kinds {
    fn new(rows: &OrderedRows, kinds: &[u32], groups: &Groups) -> Result<Self> {
        let count = kinds.iter().max().map_or(0, |&top| top as usize + 1);
        let mut number = filled(count, u32::MAX)?;
        let mut members: Vec<Vec<u32>> = Vec::new();
        let mut of_row = reserved(rows.len())?;
        for (row, &origin) in (0..).zip(rows.order()) {
            let kind = &mut number[kinds[origin as usize] as usize];
            if *kind == u32::MAX {
                *kind = members.len() as u32;
                make_room(&mut members, 1)?;
                members.push(Vec::new());
            }
            let members = &mut members[*kind as usize];
            make_room(members, 1)?;
            members.push(row);
            of_row.push(*kind);
        }
        let mut trees = reserved(members.len())?;
        for members in members {
            trees.push(PersonTree::new(rows, members)?);
        }
        Ok(Kinds {
            of_row,
            trees,
            asked: FoundOthers::new(rows.len(), groups.count() as usize)?,
            centre: Vec::new(),
            keys: Vec::new(),
        })
    }

    /// The row with which to change places, if any of those who are asked brings something.
    fn better(&mut self, groups: &Groups, row: u32, meter: &mut Meter) -> Result<Option<u32>> {
        let home = groups.group_of(row);
        let own = row as usize;
        if self.trees[self.of_row[own] as usize].len() < 2 {
            return Ok(None);
        }
        if !self.asked.is_as_of(home, self.asked.found[own]) {
            self.asked.others[own] = self.nearest(groups, row, meter)?;
            self.asked.found[own] = self.asked.swaps;
            self.asked.in_vain[own] = NEVER;
        }
        let others = self.asked.others[own].iter().copied();
        let others = others.filter(|&other| other != u32::MAX && groups.group_of(other) != home);
        let as_before = |other: u32| {
            let (group, swap) = (groups.group_of(other), self.asked.in_vain[own]);
            self.asked.is_as_of(group, swap)
        };
        if self.asked.in_vain[own] != NEVER && others.clone().all(as_before) {
            return Ok(None);
        }
        let best = others
            .map(|other| (groups.change_by_swapping(row, other), other))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .filter(|best| best.0 < -1e-9);
        if best.is_none() {
            self.asked.in_vain[own] = self.asked.swaps;
        }
        Ok(best.map(|best| best.1))
    }

    /// Those of a row's kind nearest to the centre of its group.
    fn nearest(&mut self, groups: &Groups, row: u32, meter: &mut Meter) -> Result<[u32; ASKED]> {
        let home = groups.group_of(row);
        let tree = &self.trees[self.of_row[row as usize] as usize];
        self.centre.clear();
        self.centre.extend(groups.centroid(home));
        self.keys.clear();
        self.keys
            .extend(groups.keys(home).iter().map(|keys| keys.mode()));
        let spot = Spot {
            numbers: &self.centre,
            keys: &self.keys,
        };
        let mut found = [(f64::INFINITY, u32::MAX); ASKED];
        meter.spend(tree.search(groups.rows(), spot, &mut found))?;
        Ok(found.map(|hit| hit.1))
    }
}
