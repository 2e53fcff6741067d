//! Whose group is whose, where a release shows ranges, sets and blanks: a person is in a group
//! whose keys cover the person's.
//!
//! Groups of strict cuts do not overlap, so one group at most covers a person. Elsewhere several
//! may: of those that hold the person's value, the one with the fewest blanks is taken.

use super::NOWHERE;
use crate::run::Meter;
use crate::run::allocation::{collected, filled, make_room};
use crate::{ColumnTally, Error, Monitor, Phase, Result};

/// The place of a value that is missing: everything covers it.
pub const MISSING: u32 = u32::MAX;

/// The values that a label covers, by their places in the column's order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cover {
    /// a blank
    All,
    /// from a place to before another
    Span(u32, u32),
    /// in ascending order
    Places(Vec<u32>),
}

impl Cover {
    fn holds(&self, place: u32) -> bool {
        match self {
            Cover::All => true,
            _ if place == MISSING => true,
            Cover::Span(from, to) => (*from..*to).contains(&place),
            Cover::Places(places) => places.binary_search(&place).is_ok(),
        }
    }
}

/// A key of persons and of what is released.
#[derive(Debug)]
pub struct CoveringKey {
    /// the place of each person's value
    pub places: Vec<u32>,
    /// the label of each group
    pub label_of: Vec<u32>,
    /// what each label covers
    pub covers: Vec<Cover>,
}

/// The group of each person, [`NOWHERE`] for one whom none covers; and whether each is the only
/// one that there could be. `values` are the persons' sensitive values, `shown` those of groups.
pub fn covering_groups(
    keys: &[CoveringKey],
    values: &[u32],
    shown: &ColumnTally,
    monitor: &mut dyn Monitor,
) -> Result<(Vec<u32>, bool)> {
    let others = keys
        .iter()
        .map(|key| (key.places.len(), key.label_of.len()));
    for (persons, groups) in others {
        if persons != values.len() || groups != shown.groups() {
            return Err(Error::Broken("keys of other rows".into()));
        }
    }
    let mut meter = Meter::start(monitor, Phase::Checking, values.len());
    let mut found = filled(values.len(), NOWHERE)?;
    let mut only = true;
    let Some(first) = keys.iter().max_by_key(|key| key.covers.len()) else {
        return Ok((found, false));
    };
    let mut order = collected(0..values.len() as u32)?;
    crate::run::sorting::sort_by_key(&mut order, |&person| first.places[person as usize])?;
    let mut candidates: Vec<u32> = Vec::new();
    for alike in order.chunk_by(|a, b| first.places[*a as usize] == first.places[*b as usize]) {
        let place = first.places[alike[0] as usize];
        let holds = collected(first.covers.iter().map(|cover| cover.holds(place)))?;
        candidates.clear();
        make_room(&mut candidates, shown.groups())?;
        let here = (0u32..).zip(&first.label_of);
        candidates.extend(here.filter(|of| holds[*of.1 as usize]).map(|of| of.0));
        meter.spend(holds.len() + shown.groups())?;
        for &person in alike {
            let (group, alone) = best(keys, person as usize, values, shown, &candidates);
            found[person as usize] = group;
            only &= alone;
            meter.spend(candidates.len() + 1)?;
        }
        meter.grouped(alike.len());
    }
    Ok((found, only))
}

/// The group of those that cover a person, and whether there is no other. Groups are compared by
/// what they cover: the rows of a release, and so their numbers, are in random order.
fn best(
    keys: &[CoveringKey],
    person: usize,
    values: &[u32],
    shown: &ColumnTally,
    candidates: &[u32],
) -> (u32, bool) {
    let blanks = |group: u32| covers(keys, group).filter(|cover| **cover == Cover::All);
    let fits = |group: u32| {
        let mut pairs = covers(keys, group).zip(keys);
        pairs.all(|(cover, key)| cover.holds(key.places[person]))
    };
    let holds = |group: u32| {
        let mut held = shown.of(group as usize).iter();
        held.any(|&(value, _)| value == values[person])
    };
    let (mut chosen, mut least, mut number) = (NOWHERE, usize::MAX, 0);
    for &group in candidates {
        if !fits(group) || !holds(group) {
            continue;
        }
        number += 1;
        let own = blanks(group).count();
        let before = own == least && covers(keys, group).lt(covers(keys, chosen));
        if own < least || before {
            (chosen, least) = (group, own);
        }
    }
    (chosen, number <= 1)
}

fn covers(keys: &[CoveringKey], group: u32) -> impl Iterator<Item = &Cover> {
    let of_key = move |key: &CoveringKey| key.label_of[group as usize] as usize;
    keys.iter().map(move |key| &key.covers[of_key(key)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unwatched;

    #[test]
    fn persons_are_where_their_keys_and_their_value_are() {
        // two ranges that meet, and a set; the third group blanks the first key
        let keys = [
            CoveringKey {
                places: vec![0, 1, 2, 3, MISSING, 9],
                label_of: vec![0, 1, 2],
                covers: vec![Cover::Span(0, 2), Cover::Span(1, 4), Cover::All],
            },
            CoveringKey {
                places: vec![5, 5, 5, 7, 7, 8],
                label_of: vec![0, 0, 1],
                covers: vec![Cover::Places(vec![5, 7]), Cover::Places(vec![5])],
            },
        ];
        let shown = [(0, 1, 2), (1, 1, 1), (1, 2, 1), (2, 3, 1), (2, 2, 1)];
        let shown = ColumnTally::new(3, &shown).unwrap();
        let values = [1, 1, 2, 1, 2, 1];
        let (found, only) = covering_groups(&keys, &values, &shown, &mut Unwatched).unwrap();
        // the second is in either of the first two, the third not in the group with a blank
        assert_eq!(found, [0, 0, 1, 1, 1, NOWHERE]);
        assert!(!only);
        let first = |numbers: &[u32]| numbers[..1].to_vec();
        let key = CoveringKey {
            places: first(&keys[0].places),
            label_of: keys[0].label_of.clone(),
            covers: vec![Cover::Span(0, 2), Cover::Span(1, 4), Cover::Span(7, 8)],
        };
        let (found, only) = covering_groups(&[key], &[1], &shown, &mut Unwatched).unwrap();
        assert_eq!((&found[..], only), (&[0][..], true));
    }
}
