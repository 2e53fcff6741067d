//! Rows as edges between their persons and their values: a group in which all persons and all
//! values differ is a matching, and groups of all rows colour the edges.
//!
//! By König's theorem G groups do as soon as no person and no value has more than G rows. A row
//! that fits nowhere gets a place by an exchange along a path of two groups, in which rows of
//! the same value and of the same person take turns. Such paths also even out sizes (de Werra
//! 1971), so that no group stays smaller than n/G, rounded down.

use crate::run::Meter;
use crate::run::allocation::{filled, make_room};
use crate::{Error, Result};

/// Groups of rows, none of which holds a value twice.
pub(super) struct Matchings<'a> {
    values: &'a [u32],
    persons: &'a [u32],
    groups: Vec<Vec<u32>>,
}

/// Moves rows until no group has two of one person either, and each has at least `l`. No person
/// may have more rows than there are groups.
pub(super) fn separate(
    group_of: &mut [u32],
    groups: usize,
    (values, persons): (&[u32], &[u32]),
    l: usize,
    meter: &mut Meter,
) -> Result<()> {
    let mut matchings = Matchings {
        values,
        persons,
        groups: filled(groups, Vec::new())?,
    };
    let mut without = Vec::new();
    for (row, &group) in (0..).zip(&*group_of) {
        let rows = &mut matchings.groups[group as usize];
        let person = |row: u32| persons[row as usize];
        let list = match rows.iter().any(|&other| person(other) == person(row)) {
            true => &mut without,
            false => rows,
        };
        make_room(list, 1)?;
        list.push(row);
    }
    for row in without {
        matchings.insert(row)?;
        meter.spend(l * groups)?;
    }
    matchings.even_out(l, meter)?;
    for (group, rows) in (0..).zip(&matchings.groups) {
        rows.iter().for_each(|&row| group_of[row as usize] = group);
    }
    Ok(())
}

/// What two rows that follow each other on a path have in common.
#[derive(Clone, Copy, PartialEq)]
enum Link {
    Value,
    Person,
}

impl Link {
    fn other(self) -> Self {
        match self {
            Link::Value => Link::Person,
            Link::Person => Link::Value,
        }
    }
}

impl Matchings<'_> {
    fn key(&self, row: u32, link: Link) -> u32 {
        match link {
            Link::Value => self.values[row as usize],
            Link::Person => self.persons[row as usize],
        }
    }

    /// The row of a group that has something in common with this one.
    fn like(&self, row: u32, link: Link, group: usize) -> Option<u32> {
        let key = self.key(row, link);
        let mut rows = self.groups[group].iter().copied();
        rows.find(|&other| self.key(other, link) == key)
    }

    /// Puts a row into a group without its person.
    fn insert(&mut self, row: u32) -> Result<()> {
        let lacks = |link, group: &usize| self.like(row, link, *group).is_none();
        let mut without = (0..self.groups.len()).filter(|group| lacks(Link::Person, group));
        let Some(first) = without.next() else {
            return Err(no_group());
        };
        let chosen = match lacks(Link::Value, &first) {
            true => first,
            false => match without.find(|group| lacks(Link::Value, group)) {
                Some(both) => both,
                None => {
                    let mut others = 0..self.groups.len();
                    let other = others.find(|group| lacks(Link::Value, group));
                    let other = other.ok_or_else(no_group)?;
                    // the path cannot come back to the person, whom the group lacks
                    let start = self.like(row, Link::Value, first).ok_or_else(no_group)?;
                    let path = self.path(start, (first, other), Link::Person)?;
                    self.exchange(&path, (first, other))?;
                    first
                }
            },
        };
        make_room(&mut self.groups[chosen], 1)?;
        self.groups[chosen].push(row);
        Ok(())
    }

    /// The rows of two groups, in turns, that each have something in common with the one before.
    fn path(&self, start: u32, (first, second): (usize, usize), link: Link) -> Result<Vec<u32>> {
        let mut path = vec![start];
        let (mut here, mut there, mut link) = (first, second, link);
        let mut last = start;
        while let Some(next) = self.like(last, link, there) {
            make_room(&mut path, 1)?;
            path.push(next);
            (here, there, link, last) = (there, here, link.other(), next);
        }
        Ok(path)
    }

    /// The rows of a path that begins in the first group change sides.
    fn exchange(&mut self, path: &[u32], (first, second): (usize, usize)) -> Result<()> {
        for (place, &row) in path.iter().enumerate() {
            let from = if place % 2 == 0 { first } else { second };
            self.groups[from].retain(|&other| other != row);
        }
        for (place, &row) in path.iter().enumerate() {
            let to = if place % 2 == 0 { second } else { first };
            make_room(&mut self.groups[to], 1)?;
            self.groups[to].push(row);
        }
        Ok(())
    }

    /// Moves rows from groups of more than `l` into those of fewer.
    fn even_out(&mut self, l: usize, meter: &mut Meter) -> Result<()> {
        let mut donors = 0..self.groups.len();
        let mut donor = donors.next();
        for small in 0..self.groups.len() {
            while self.groups[small].len() < l {
                let large = loop {
                    match donor {
                        Some(group) if self.groups[group].len() > l => break group,
                        Some(_) => donor = donors.next(),
                        None => return Err(no_group()),
                    }
                };
                let path = self.surplus(large, small)?;
                self.exchange(&path, (large, small))?;
                meter.spend(l * l)?;
            }
        }
        Ok(())
    }

    /// A path that begins and ends in the larger of two groups.
    fn surplus(&self, large: usize, small: usize) -> Result<Vec<u32>> {
        for link in [Link::Value, Link::Person] {
            for &row in &self.groups[large] {
                if self.like(row, link.other(), small).is_some() {
                    continue; // not an end
                }
                let path = self.path(row, (large, small), link)?;
                if path.len() % 2 == 1 {
                    return Ok(path);
                }
            }
        }
        Err(no_group())
    }
}

fn no_group() -> Error {
    Error::Broken("a row without a group that could take it".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Phase, Unwatched};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_many_groups_as_the_most_rows_of_a_person_or_value_are_enough(
            rows in prop::collection::vec((0..8u32, 0..12u32), 1..60),
            spare in 0..3usize,
        ) {
            let values: Vec<u32> = rows.iter().map(|row| row.0).collect();
            let persons: Vec<u32> = rows.iter().map(|row| row.1).collect();
            let most = |codes: &[u32]| {
                (0..12).map(|code| codes.iter().filter(|&&other| other == code).count()).max().unwrap()
            };
            let groups = most(&values).max(most(&persons)) + spare;
            let l = rows.len() / groups;
            // values differ within each group to begin with
            let mut order: Vec<usize> = (0..rows.len()).collect();
            order.sort_by_key(|&row| values[row]);
            let mut group_of = vec![0; rows.len()];
            for (place, row) in order.into_iter().enumerate() {
                group_of[row] = (place % groups) as u32;
            }
            let mut unwatched = Unwatched;
            let mut meter = Meter::start(&mut unwatched, Phase::Grouping, rows.len());
            separate(&mut group_of, groups, (&values, &persons), l, &mut meter).unwrap();
            for group in 0..groups as u32 {
                let here: Vec<usize> = (0..rows.len()).filter(|&row| group_of[row] == group).collect();
                prop_assert!(here.len() >= l);
                for codes in [&values, &persons] {
                    let mut codes: Vec<u32> = here.iter().map(|&row| codes[row]).collect();
                    codes.sort_unstable();
                    codes.dedup();
                    prop_assert_eq!(codes.len(), here.len());
                }
            }
        }
    }
}
