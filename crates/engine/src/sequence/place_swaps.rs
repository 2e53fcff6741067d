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
    let mut kinds = Kinds::new(&rows, places.kinds)?;
    // the place of each row
    let mut place_of = collected(rows.order().iter().copied())?;
    for _ in 0..ROUNDS {
        let mut swapped = 0;
        for row in 0..rows.len() as u32 {
            if let Some(other) = kinds.better(&groups, row, meter)? {
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
    centre: Vec<f64>,
    keys: Vec<u32>,
}

impl Kinds {
    fn new(rows: &OrderedRows, kinds: &[u32]) -> Result<Self> {
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
            centre: Vec::new(),
            keys: Vec::new(),
        })
    }

    /// The row with which to change places, if any of those who are asked brings something.
    fn better(&mut self, groups: &Groups, row: u32, meter: &mut Meter) -> Result<Option<u32>> {
        let tree = &self.trees[self.of_row[row as usize] as usize];
        if tree.len() < 2 {
            return Ok(None);
        }
        let home = groups.group_of(row);
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
        let others = found.iter().map(|hit| hit.1);
        let others = others.filter(|&other| other != u32::MAX && groups.group_of(other) != home);
        let best = others
            .map(|other| (groups.change_by_swapping(row, other), other))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        Ok(best.filter(|best| best.0 < -1e-9).map(|best| best.1))
    }
}
