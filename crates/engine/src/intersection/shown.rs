//! A release as an attacker reads it.

use crate::memory::{collected, filled, reserved};
use crate::{Error, Interner, Result};
use std::ops::ControlFlow;

/// The groups of a release: which key values and which sensitive values each of them shows.
pub struct Shown {
    /// for each key column of the release its place among the known columns
    places: Vec<usize>,
    rows: Rows,
    values: Lists,
}

/// How the key columns of a release hang together.
enum Rows {
    /// anatomy: the groups of each combination of key values
    Whole {
        combinations: Interner,
        groups: Lists,
    },
    /// permutation: the values of each group and the groups of each value, by column
    Torn(Vec<TornColumn>),
}

struct TornColumn {
    codes: Lists,
    groups: Lists,
}

/// Lists of numbers, one after the other.
struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

/// One published key column: its place among the known columns, and its code in each row.
pub type KeyColumn<'a> = (usize, &'a [u32]);

impl Shown {
    /// An anatomy: `group_of` each row of its key columns, and (group, value) pairs. Codes
    /// that no known row has may be any number that they don't share.
    pub fn anatomy(
        keys: &[KeyColumn<'_>],
        group_of: &[u32],
        values: (&[u32], &[u32]),
    ) -> Result<Self> {
        check(keys, group_of)?;
        let mut combinations = Interner::new();
        let mut of_row = filled(group_of.len(), 0)?;
        let mut bytes = Vec::new();
        for (row, combination) in of_row.iter_mut().enumerate() {
            bytes.clear();
            keys.iter()
                .for_each(|(_, codes)| bytes.extend_from_slice(&codes[row].to_le_bytes()));
            *combination = combinations.intern(&bytes)?;
        }
        let groups = Lists::new(&of_row, group_of, combinations.len())?;
        let rows = Rows::Whole {
            combinations,
            groups,
        };
        Self::new(keys, rows, group_of, values)
    }

    /// A permutation, likewise.
    pub fn permutation(
        keys: &[KeyColumn<'_>],
        group_of: &[u32],
        values: (&[u32], &[u32]),
    ) -> Result<Self> {
        check(keys, group_of)?;
        let groups = count(group_of);
        let torn = |&(_, codes): &KeyColumn<'_>| {
            Ok(TornColumn {
                codes: Lists::new(group_of, codes, groups)?,
                groups: Lists::new(codes, group_of, count(codes))?,
            })
        };
        let rows = Rows::Torn(keys.iter().map(torn).collect::<Result<_>>()?);
        Self::new(keys, rows, group_of, values)
    }

    fn new(
        keys: &[KeyColumn<'_>],
        rows: Rows,
        group_of: &[u32],
        (groups, values): (&[u32], &[u32]),
    ) -> Result<Self> {
        let all = count(group_of).max(count(groups));
        Ok(Shown {
            places: keys.iter().map(|&(place, _)| place).collect(),
            rows,
            values: Lists::new(groups, values, all)?,
        })
    }

    /// One more than the largest sensitive value.
    pub(super) fn cardinality(&self) -> usize {
        count(&self.values.items)
    }

    /// The sensitive values of a group.
    pub(super) fn values_of(&self, group: u32) -> &[u32] {
        self.values.of(group)
    }

    /// Hands over the groups that a person with these key values can be in, until told to stop.
    pub(super) fn groups_of(
        &self,
        key: impl Fn(usize) -> u32,
        work: &mut usize,
        mut take: impl FnMut(u32) -> ControlFlow<()>,
    ) {
        match &self.rows {
            Rows::Whole {
                combinations,
                groups,
            } => {
                let codes = self
                    .places
                    .iter()
                    .flat_map(|&place| key(place).to_le_bytes());
                let bytes: Vec<u8> = codes.collect();
                let found = combinations
                    .find(&bytes)
                    .map_or(&[][..], |id| groups.of(id));
                *work += 16 + found.len();
                let _ = found.iter().try_for_each(|&group| take(group));
            }
            Rows::Torn(columns) => {
                let keys = columns
                    .iter()
                    .zip(self.places.iter().map(|&place| key(place)));
                let groups = keys.clone().map(|(column, key)| column.groups.of(key));
                let rarest = groups.min_by_key(|groups| groups.len()).unwrap_or(&[]);
                *work += 16 + rarest.len();
                let holds = |group: u32| {
                    let mut keys = keys.clone();
                    keys.all(|(column, key)| column.codes.of(group).contains(&key))
                };
                let mut held = rarest.iter().filter(|&&group| holds(group));
                let _ = held.try_for_each(|&group| take(group));
            }
        }
    }
}

impl Lists {
    /// For each list `0..count` the different items that `lists` puts into it.
    fn new(lists: &[u32], items: &[u32], count: usize) -> Result<Self> {
        let (first, other) = (lists.len(), items.len());
        if first != other {
            return Err(Error::UnequalColumns { first, other });
        }
        let mut pairs = collected(lists.iter().copied().zip(items.iter().copied()))?;
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = reserved(count + 1)?;
        let mut start = 0;
        for list in 0..=count as u32 {
            start += pairs[start..].partition_point(|pair| pair.0 < list);
            starts.push(start as u32);
        }
        let items = collected(pairs.iter().map(|pair| pair.1))?;
        Ok(Lists { starts, items })
    }

    /// A list; one that was never made is empty.
    fn of(&self, list: u32) -> &[u32] {
        let ends = self
            .starts
            .get(list as usize)
            .zip(self.starts.get(list as usize + 1));
        ends.map_or(&[], |(&start, &end)| {
            &self.items[start as usize..end as usize]
        })
    }
}

fn check(keys: &[KeyColumn<'_>], group_of: &[u32]) -> Result<()> {
    let first = group_of.len();
    let other = keys.iter().find(|(_, codes)| codes.len() != first);
    match other {
        Some((_, codes)) => Err(Error::UnequalColumns {
            first,
            other: codes.len(),
        }),
        None => Ok(()),
    }
}

/// One more than the largest number.
fn count(numbers: &[u32]) -> usize {
    numbers.iter().max().map_or(0, |&top| top as usize + 1)
}
