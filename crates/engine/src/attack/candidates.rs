//! Intersection (Ganta, Kasiviswanathan and Smith 2008): somebody who finds a person's group in
//! several releases keeps only the values, and the persons, that all these groups share.

use crate::run::Meter;
use crate::run::allocation::{filled, make_room, reserved};
use crate::{ColumnTally, Error, Interner, Monitor, Phase, Result};

/// The group of a person who is not in a release.
pub const NOWHERE: u32 = u32::MAX;

/// A release as its persons' groups and the groups' values; values are numbered alike in all
/// releases.
#[derive(Debug, Clone, Copy)]
pub struct SeenGroups<'a> {
    pub group_of: &'a [u32],
    pub values: &'a ColumnTally,
    /// how many rows of a group are promised to look alike; 0 without a promise
    pub rows: u64,
}

/// What several releases leave of the persons who are in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Intersected {
    /// in all of the releases
    pub persons: u64,
    /// with one value left
    pub one_left: u64,
    /// of those: with the person's own value left
    pub right: u64,
    /// with fewer values left than promised, one included
    pub fewer: u64,
    /// values left to all persons together
    pub candidates: u64,
    /// whose groups have nobody else in common
    pub alone: u64,
    /// with one row left in some release: values that all groups share stand in no other row
    pub one_row: u64,
    /// with fewer rows left in some release than it promises
    pub few_rows: u64,
}

/// Intersects the groups of each person who is in all releases. `least` is how many values are
/// promised to be left, `truth` each person's value.
pub fn intersect(
    releases: &[SeenGroups<'_>],
    least: usize,
    truth: &[u32],
    monitor: &mut dyn Monitor,
) -> Result<Intersected> {
    let persons = truth.len();
    if let Some(other) = releases
        .iter()
        .find(|release| release.group_of.len() != persons)
    {
        let other = other.group_of.len();
        return Err(Error::UnequalColumns {
            first: persons,
            other,
        });
    }
    let mut meter = Meter::start(monitor, Phase::Checking, persons);
    let paths = Paths::new(releases, persons, &mut meter)?;
    let mut sizes: Vec<u64> = filled(paths.known.len(), 0)?;
    let present = |path: &&u32| **path != NOWHERE;
    paths
        .of_person
        .iter()
        .filter(present)
        .for_each(|&path| sizes[path as usize] += 1);
    let mut lists = CommonValues::default();
    let mut found = Intersected::default();
    // the one value that is left on each path
    let mut last = filled(paths.known.len(), NOWHERE)?;
    for (path, &size) in sizes.iter().enumerate() {
        let groups = paths.known.get(path as u32);
        let left = lists.common(releases, groups, &mut meter)?;
        let rows = rows_left(releases, groups, left);
        found.one_row += if rows.least == 1 { size } else { 0 };
        found.few_rows += if rows.too_few { size } else { 0 };
        found.persons += size;
        found.candidates += size * left.len() as u64;
        found.fewer += if left.len() < least { size } else { 0 };
        found.alone += u64::from(size == 1);
        if let [only] = left {
            found.one_left += size;
            last[path] = *only;
        }
    }
    for (&path, &value) in paths.of_person.iter().zip(truth) {
        found.right +=
            u64::from(path != NOWHERE && last[path as usize] == value && value != NOWHERE);
    }
    Ok(found)
}

/// Persons who are in the same group in every release share a path.
struct Paths {
    of_person: Vec<u32>,
    known: Interner,
}

impl Paths {
    fn new(releases: &[SeenGroups<'_>], persons: usize, meter: &mut Meter) -> Result<Self> {
        let mut known = Interner::new();
        let mut of_person = reserved(persons)?;
        let mut bytes = reserved(4 * releases.len())?;
        for person in 0..persons {
            bytes.clear();
            for release in releases {
                let group = release.group_of[person];
                if group != NOWHERE {
                    bytes.extend_from_slice(&group.to_le_bytes());
                }
            }
            of_person.push(match bytes.len() == 4 * releases.len() {
                true => known.intern(&bytes)?,
                false => NOWHERE,
            });
            meter.grouped(1);
            meter.spend(4 * releases.len())?;
        }
        Ok(Paths { of_person, known })
    }
}

fn number_of(group: &[u8]) -> usize {
    let bytes = group.iter().rev();
    bytes.fold(0, |group, &byte| group << 8 | usize::from(byte))
}

/// The rows of a person's groups that hold a value that all of them share.
struct RowsLeft {
    /// in the release that leaves fewest
    least: u64,
    /// whether some release leaves fewer than it promises
    too_few: bool,
}

fn rows_left(releases: &[SeenGroups<'_>], path: &[u8], left: &[u32]) -> RowsLeft {
    let mut found = RowsLeft {
        least: u64::MAX,
        too_few: false,
    };
    for (release, group) in releases.iter().zip(path.chunks_exact(4)) {
        let values = release.values.of(number_of(group)).iter();
        let shared = values.filter(|cell| left.binary_search(&cell.0).is_ok());
        let rows = shared.map(|cell| cell.1).sum();
        found.least = found.least.min(rows);
        found.too_few |= rows < release.rows;
    }
    found
}

/// Room for the values that groups have in common.
#[derive(Default)]
struct CommonValues {
    left: Vec<u32>,
}

impl CommonValues {
    fn common(
        &mut self,
        releases: &[SeenGroups<'_>],
        path: &[u8],
        meter: &mut Meter,
    ) -> Result<&[u32]> {
        for (number, (release, group)) in releases.iter().zip(path.chunks_exact(4)).enumerate() {
            let group = number_of(group);
            if group >= release.values.groups() {
                return Err(Error::Broken("a person in a group without values".into()));
            }
            let values = release.values.of(group);
            meter.spend(values.len())?;
            if number == 0 {
                self.left.clear();
                make_room(&mut self.left, values.len())?;
                self.left.extend(values.iter().map(|cell| cell.0));
            } else {
                let holds = |value: &u32| values.binary_search_by_key(value, |cell| cell.0).is_ok();
                self.left.retain(holds);
            }
        }
        Ok(&self.left)
    }
}
