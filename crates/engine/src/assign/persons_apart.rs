//! Groups of different values in which some person has several rows: rows change places with
//! others until no group has two of one person.
//!
//! Rows of the same value change places first, which leaves the values of both groups as they
//! are; then any two that leave the values of both groups different. Near groups come first:
//! those of a permutation have near numbers. Rows that fit nowhere in this way are placed by
//! [`matchings`], which always succeeds where no person has more rows than there are groups.

use super::matchings;
use crate::run::Meter;
use crate::run::allocation::{collected, filled};
use crate::{Categories, Error, Partition, Result};

/// Rows with their values and persons.
pub(super) struct PersonsApart<'a> {
    values: &'a [u32],
    persons: &'a [u32],
    l: usize,
}

impl<'a> PersonsApart<'a> {
    pub(super) fn new(sensitive: &'a Categories, persons: &'a [u32], l: usize) -> Self {
        PersonsApart {
            values: sensitive.codes(),
            persons,
            l,
        }
    }

    /// Moves rows until no group has two of one person.
    pub(super) fn separate(
        &self,
        group_of: &mut [u32],
        groups: usize,
        meter: &mut Meter,
    ) -> Result<()> {
        self.refuse_too_many_rows(groups)?;
        let mut places = Places::new(group_of, groups)?;
        let by_value = self.order(&places, |row| self.values[row as usize])?;
        let by_group = self.order(&places, |_| 0)?;
        let mut stuck = false;
        for group in 0..groups as u32 {
            meter.spend(places.sizes_up_to(group))?;
            while let Some(row) = self.doubled(&places, group) {
                let found = self
                    .partner(row, &places, &by_value, true, meter)?
                    .map_or_else(
                        || self.partner(row, &places, &by_group, false, meter),
                        |row| Ok(Some(row)),
                    )?;
                let Some(other) = found else {
                    stuck = true;
                    break;
                };
                places.exchange(row, other);
            }
        }
        group_of.copy_from_slice(&places.group_of);
        match stuck {
            false => Ok(()),
            true => {
                let rows = (self.values, self.persons);
                matchings::separate(group_of, groups, rows, self.l, meter)
            }
        }
    }

    /// Whether no person has more rows than there are groups.
    pub(super) fn fit(&self, groups: usize) -> Result<bool> {
        Ok(self.most_rows()? <= groups)
    }

    fn refuse_too_many_rows(&self, groups: usize) -> Result<()> {
        match self.fit(groups)? {
            true => Ok(()),
            false => Err(self.impossible(groups)),
        }
    }

    fn most_rows(&self) -> Result<usize> {
        let persons = self.persons.iter().max().map_or(0, |&top| top as usize + 1);
        let mut counts = filled(persons, 0usize)?;
        self.persons
            .iter()
            .for_each(|&person| counts[person as usize] += 1);
        Ok(counts.into_iter().max().unwrap_or(0))
    }

    fn impossible(&self, groups: usize) -> Error {
        Error::PersonsNotApart {
            l: self.l,
            rows: self.most_rows().unwrap_or(0),
            groups,
        }
    }

    /// Rows sorted by a key, then by group.
    fn order(&self, places: &Places, key: impl Fn(u32) -> u32) -> Result<Vec<u32>> {
        let mut rows = collected(0..self.values.len() as u32)?;
        rows.sort_unstable_by_key(|&row| (key(row), places.group_of[row as usize], row));
        Ok(rows)
    }

    /// A row of a group whose person has another one in it.
    fn doubled(&self, places: &Places, group: u32) -> Option<u32> {
        let rows = places.of(group);
        let person = |row: u32| self.persons[row as usize];
        let again = |&place: &usize| {
            let row = rows[place];
            rows[..place]
                .iter()
                .any(|&other| person(other) == person(row))
        };
        (1..rows.len()).find(again).map(|place| rows[place])
    }

    /// The row nearest in an order that may change places with this one.
    fn partner(
        &self,
        row: u32,
        places: &Places,
        order: &[u32],
        same_value: bool,
        meter: &mut Meter,
    ) -> Result<Option<u32>> {
        let value = |row: u32| self.values[row as usize];
        let own = places.group_of[row as usize];
        let key = |other: u32| {
            (
                if same_value { value(other) } else { 0 },
                places.first_of(other),
            )
        };
        let start = order.partition_point(|&other| key(other) < key(row));
        let (mut below, mut above) = (start, start);
        let mut looked = 0;
        loop {
            let up = order
                .get(above)
                .copied()
                .filter(|&o| !same_value || value(o) == value(row));
            let down = below.checked_sub(1).map(|place| order[place]);
            let down = down.filter(|&o| !same_value || value(o) == value(row));
            if up.is_none() && down.is_none() {
                return Ok(None);
            }
            above += usize::from(up.is_some());
            below -= usize::from(down.is_some());
            looked += 1;
            if looked % 64 == 0 {
                meter.spend(64 * self.l)?;
            }
            for other in [up, down].into_iter().flatten() {
                let theirs = places.group_of[other as usize];
                if theirs != own
                    && self.fits(row, places.of(theirs), other, same_value)
                    && self.fits(other, places.of(own), row, same_value)
                {
                    return Ok(Some(other));
                }
            }
        }
    }

    /// Whether a row may stand in a group in another one's place.
    fn fits(&self, row: u32, group: &[u32], leaver: u32, same_value: bool) -> bool {
        let (row, leaver) = (row as usize, leaver as usize);
        group.iter().map(|&other| other as usize).all(|other| {
            other == leaver
                || (self.persons[other] != self.persons[row]
                    && (same_value || self.values[other] != self.values[row]))
        })
    }
}

/// No group may have two rows of one person.
pub(super) fn verify(group_of: &[u32], groups: usize, persons: &[u32]) -> Result<()> {
    let partition = Partition::new(collected(group_of.iter().copied())?, groups)?;
    let cardinality = persons.iter().max().map_or(0, |&top| top as usize + 1);
    let mut last = filled(cardinality, u32::MAX)?;
    for (group, rows) in (0..).zip(partition.members()?.iter()) {
        for &row in rows {
            let last = &mut last[persons[row as usize] as usize];
            if *last == group {
                return Err(Error::Broken("a person twice in a group".into()));
            }
            *last = group;
        }
    }
    Ok(())
}

/// The rows of each group side by side, in places that rows exchange.
struct Places {
    group_of: Vec<u32>,
    /// the groups as they were, by which rows were ordered
    first: Vec<u32>,
    starts: Vec<usize>,
    rows: Vec<u32>,
    place_of: Vec<u32>,
}

impl Places {
    fn new(group_of: &[u32], groups: usize) -> Result<Self> {
        let group_of = collected(group_of.iter().copied())?;
        let partition = Partition::new(collected(group_of.iter().copied())?, groups)?;
        let members = partition.members()?;
        let mut starts = filled(groups + 1, 0)?;
        for (group, rows) in members.iter().enumerate() {
            starts[group + 1] = starts[group] + rows.len();
        }
        let mut rows = filled(group_of.len(), 0)?;
        let mut place_of = filled(group_of.len(), 0)?;
        for (place, &row) in members.iter().flatten().enumerate() {
            rows[place] = row;
            place_of[row as usize] = place as u32;
        }
        Ok(Places {
            first: collected(group_of.iter().copied())?,
            group_of,
            starts,
            rows,
            place_of,
        })
    }

    fn of(&self, group: u32) -> &[u32] {
        &self.rows[self.starts[group as usize]..self.starts[group as usize + 1]]
    }

    fn first_of(&self, row: u32) -> u32 {
        self.first[row as usize]
    }

    fn sizes_up_to(&self, group: u32) -> usize {
        self.of(group).len()
    }

    fn exchange(&mut self, a: u32, b: u32) {
        let (a, b) = (a as usize, b as usize);
        self.group_of.swap(a, b);
        self.rows
            .swap(self.place_of[a] as usize, self.place_of[b] as usize);
        self.place_of.swap(a, b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assign::{anatomy_of_persons, permutation_of_persons};
    use crate::random::generator;
    use crate::{Column, Table, Unwatched};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn no_group_has_two_rows_of_one_person(
            rows in prop::collection::vec((0..6u32, 0..30u32, prop::option::of(0..9u8)), 12..120),
            others in 3..30u32,
            l in 2..4usize,
            seed in any::<u64>(),
        ) {
            let values = Categories::new(rows.iter().map(|row| row.0).collect());
            let persons: Vec<u32> = rows.iter().map(|row| row.1 % others).collect();
            let number = |row: &(u32, u32, Option<u8>)| row.2.map_or(f64::NAN, f64::from);
            let keys = Table::new(vec![Column::Numeric(rows.iter().map(number).collect())]);
            let keys = keys.unwrap();
            let mut rng = generator(Some(seed)).unwrap();
            let of = Some(&persons[..]);
            let anatomy = anatomy_of_persons(&values, of, l, &mut rng, &mut Unwatched);
            let permutation =
                permutation_of_persons(&keys, &values, of, l, 3, &mut rng, &mut Unwatched);
            for found in [anatomy, permutation] {
                match found {
                    Ok(partition) => {
                        verify(partition.group_of(), partition.groups(), &persons).unwrap();
                        prop_assert!(partition.sizes().iter().all(|&size| size as usize >= l));
                    }
                    Err(Error::NotEligible { .. }) => {}
                    Err(Error::PersonsNotApart { rows: most, groups, .. }) => {
                        prop_assert!(most > groups && groups == rows.len() / l);
                    }
                    Err(other) => prop_assert!(false, "{other}"),
                }
            }
        }
    }

    #[test]
    fn a_person_with_as_many_rows_as_there_are_groups_fits() {
        // 10 groups of 3 values; one person has a row in each
        let values = Categories::new((0..30).map(|row| row % 3).collect());
        let persons: Vec<u32> = (0..30).map(|row| if row < 10 { 0 } else { row }).collect();
        let mut rng = generator(Some(1)).unwrap();
        let found = anatomy_of_persons(&values, Some(&persons), 3, &mut rng, &mut Unwatched);
        verify(found.unwrap().group_of(), 10, &persons).unwrap();
        let too_many: Vec<u32> = (0..30).map(|row| if row < 11 { 0 } else { row }).collect();
        let refused = anatomy_of_persons(&values, Some(&too_many), 3, &mut rng, &mut Unwatched);
        assert_eq!(
            refused,
            Err(Error::PersonsNotApart {
                l: 3,
                rows: 11,
                groups: 10
            })
        );
    }
}
