//! A release as an attacker reads it.

use crate::run::allocation::{collected, filled, reserved};
use crate::run::limits::Pulse;
use crate::run::sorting;
use crate::{Error, Interner, Result};
use std::ops::ControlFlow;

/// What looking up a combination costs, in items merely looked at.
const LOOK_UP: usize = 16;

/// The groups of a release: which key values and which sensitive values each of them shows.
pub struct Shown {
    /// for each key column of the release its place among the known columns
    places: Vec<usize>,
    rows: ShownRows,
    values: Lists,
}

/// How the key columns of a release hang together.
enum ShownRows {
    /// anatomy: the groups of each combination of key values
    Whole {
        combinations: Interner,
        groups: Lists,
    },
    /// permutation: the values of each group and the groups of each value, by column
    Torn(Vec<TornColumn>),
}

struct TornColumn {
    /// the values of each group
    codes: Lists,
    /// the groups of each value
    groups: Lists,
    /// the groups of values that many groups have, a bit for each group
    frequent: Vec<Option<Box<[u64]>>>,
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
        let mut pulse = Pulse::default();
        for (row, combination) in of_row.iter_mut().enumerate() {
            pulse.spend(LOOK_UP)?;
            bytes.clear();
            keys.iter()
                .for_each(|(_, codes)| bytes.extend_from_slice(&codes[row].to_le_bytes()));
            *combination = combinations.intern(&bytes)?;
        }
        let groups = Lists::new(&of_row, group_of, combinations.len())?;
        let rows = ShownRows::Whole {
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
        let torn = |&(_, codes): &KeyColumn<'_>| TornColumn::new(codes, group_of, groups);
        let rows = ShownRows::Torn(keys.iter().map(torn).collect::<Result<_>>()?);
        Self::new(keys, rows, group_of, values)
    }

    fn new(
        keys: &[KeyColumn<'_>],
        rows: ShownRows,
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

    /// For each key column of the release its place among the known columns.
    pub(super) fn places(&self) -> &[usize] {
        &self.places
    }

    /// Hands over the groups that a person with these key values can be in, until told to stop.
    pub(super) fn groups_of(
        &self,
        key: impl Fn(usize) -> u32,
        mut take: impl FnMut(u32) -> ControlFlow<()>,
    ) -> Effort {
        match &self.rows {
            ShownRows::Whole {
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
                walk(found.iter(), 1, |&group| take(group))
            }
            ShownRows::Torn(columns) => {
                let mut keys: Vec<(&TornColumn, u32)> = self
                    .places
                    .iter()
                    .zip(columns)
                    .map(|(&place, column)| (column, key(place)))
                    .collect();
                torn_groups(&mut keys, &mut take)
            }
        }
    }
}

/// How much was looked at before enough was found, and how much there would have been.
pub(super) struct Effort {
    pub spent: usize,
    pub whole: usize,
}

/// Goes through places to look at, each of the same price, until told to stop.
fn walk<T>(
    places: impl ExactSizeIterator<Item = T>,
    price: usize,
    mut look: impl FnMut(T) -> ControlFlow<()>,
) -> Effort {
    // a person has its price even if there is nothing to look at
    let whole = 16 + price * places.len();
    let mut spent = 16;
    for place in places {
        spent += price;
        if look(place).is_break() {
            break;
        }
    }
    Effort { spent, whole }
}

/// The groups that hold all of these values. A rare value has few groups to look at; values
/// that are frequent in all columns are intersected 64 groups at a time, the rarest first.
fn torn_groups(
    keys: &mut [(&TornColumn, u32)],
    take: &mut impl FnMut(u32) -> ControlFlow<()>,
) -> Effort {
    keys.sort_by_key(|&(column, key)| column.groups.of(key).len());
    let sets: Option<Vec<&[u64]>> = keys
        .iter()
        .map(|&(column, key)| column.frequent.get(key as usize)?.as_deref())
        .collect();
    if let Some(sets) = sets {
        let words = sets.first().map_or(0, |set| set.len());
        return walk(0..words, 2, |word| {
            bits(common(&sets, word)).try_for_each(|bit| take(64 * word as u32 + bit))
        });
    }
    let rarest = keys
        .first()
        .map_or(&[][..], |&(column, key)| column.groups.of(key));
    let holds = |group: u32| {
        let mut keys = keys.iter();
        keys.all(|&(column, key)| column.codes.of(group).binary_search(&key).is_ok())
    };
    walk(rarest.iter(), 8, |&group| match holds(group) {
        true => take(group),
        false => ControlFlow::Continue(()),
    })
}

/// The bits of one word that all sets have.
fn common(sets: &[&[u64]], word: usize) -> u64 {
    let mut bits = u64::MAX;
    for set in sets {
        bits &= set[word];
        if bits == 0 {
            break;
        }
    }
    bits
}

/// The places of the bits that are set.
fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let place = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(place)
    })
}

impl TornColumn {
    fn new(codes: &[u32], group_of: &[u32], groups: usize) -> Result<Self> {
        let lists = Lists::new(codes, group_of, count(codes))?;
        let words = groups.div_ceil(64);
        let set = |list: &[u32]| {
            // a shorter list is quicker gone through than the words of all groups
            if list.len() < words {
                return Ok(None);
            }
            let mut set = filled(words, 0u64)?;
            list.iter()
                .for_each(|&group| set[group as usize / 64] |= 1 << (group % 64));
            Ok(Some(set.into_boxed_slice()))
        };
        let mut frequent = reserved(count(codes))?;
        let mut pulse = Pulse::default();
        for code in 0..count(codes) as u32 {
            pulse.spend(1 + lists.of(code).len())?;
            frequent.push(set(lists.of(code))?);
        }
        Ok(TornColumn {
            frequent,
            codes: Lists::new(group_of, codes, groups)?,
            groups: lists,
        })
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
        sorting::sort_by(&mut pairs, Ord::cmp)?;
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
