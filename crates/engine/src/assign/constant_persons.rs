//! Anatomy of persons who have several rows, all with the same value.
//!
//! Exact keys say in which groups a person's rows stand. A person whose value never changes has
//! one of the values that all these groups share, so the groups must have at least l values in
//! common. As in m-invariance (Xiao and Tao 2007), groups with the same set of values are made
//! together. A block is T groups with the same values. Of each value it has T rows, one in each
//! group, and all rows of each person in it. Exchanging two values within a block changes
//! nothing that a release shows, so nothing in a block says whose value is whose.
//!
//! Blocks take the most frequent values, and only as long as the rows outside remain eligible.

use super::eligibility::is_eligible;
use super::value_stock::ValueStock;
use crate::run::Meter;
use crate::run::allocation::{collected, filled, make_room};
use crate::run::sorting;
use crate::{Categories, Result};
use rand::{Rng, seq::SliceRandom};
use std::cmp::Reverse;

/// No group yet.
pub(super) const NOWHERE: u32 = u32::MAX;
/// A block may have so many times the groups that its largest person needs.
const STRETCH: usize = 4;
/// So many blocks are asked whether they take up one more value.
const TRIES: usize = 64;

/// Rows in blocks; the others have no group.
pub(super) struct InBlocks {
    pub group_of: Vec<u32>,
    pub groups: usize,
    /// how many rows are in blocks
    pub rows: usize,
}

/// Groups with the same values.
struct ValueBlock {
    first: u32,
    groups: usize,
    values: Vec<u32>,
}

/// Puts persons with several rows of one value into blocks; `None` if there are none.
pub(super) fn in_blocks(
    sensitive: &Categories,
    persons: &[u32],
    l: usize,
    rng: &mut (impl Rng + ?Sized),
    meter: &mut Meter,
) -> Result<Option<InBlocks>> {
    let Some(mut maker) = BlockMaker::new(sensitive, persons, l, rng)? else {
        return Ok(None);
    };
    let mut late = Vec::new();
    while let Some((value, size)) = maker.largest()? {
        meter.spend(maker.stocks.len() * size)?;
        let person = maker.stocks[value].take(size);
        let placed = maker.make_block(value, person, size)? || maker.join(value, person, size)?;
        if !placed {
            make_room(&mut late, 1)?;
            late.push((value, person, size));
        }
    }
    for (value, person, size) in late {
        maker.join(value, person, size)?;
        meter.spend(TRIES)?;
    }
    Ok(Some(InBlocks {
        rows: maker.group_of.len() - maker.rows_left,
        group_of: maker.group_of,
        groups: maker.groups as usize,
    }))
}

struct BlockMaker {
    l: usize,
    stocks: Vec<ValueStock>,
    /// rows of each value outside of blocks, and of all
    left: Vec<usize>,
    rows_left: usize,
    /// rows of a person whose values differ, which no block takes
    most_varying: usize,
    /// values, most rows left first
    order: Vec<u32>,
    /// rows of the last person that a block was made for: no other has more
    most: usize,
    rows_of: Vec<Vec<u32>>,
    blocks: Vec<ValueBlock>,
    group_of: Vec<u32>,
    groups: u32,
}

impl BlockMaker {
    fn new(
        sensitive: &Categories,
        persons: &[u32],
        l: usize,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Option<Self>> {
        let codes = sensitive.codes();
        let number = persons.iter().max().map_or(0, |&top| top as usize + 1);
        let mut rows_of: Vec<Vec<u32>> = filled(number, Vec::new())?;
        for (row, &person) in (0..).zip(persons) {
            make_room(&mut rows_of[person as usize], 1)?;
            rows_of[person as usize].push(row);
        }
        let value = |row: u32| codes[row as usize];
        let constant = |rows: &Vec<u32>| rows.iter().all(|&row| value(row) == value(rows[0]));
        if !rows_of.iter().any(|rows| rows.len() > 1 && constant(rows)) {
            return Ok(None);
        }
        let mut stocks: Vec<ValueStock> = Vec::new();
        stocks.resize_with(sensitive.cardinality(), ValueStock::default);
        let mut left = filled(stocks.len(), 0)?;
        codes.iter().for_each(|&code| left[code as usize] += 1);
        let mut most_varying = 0;
        // who is taken first must not depend on the source's order
        let mut drawn = collected(0..number as u32)?;
        drawn.shuffle(rng);
        for person in drawn {
            let rows = &rows_of[person as usize];
            match rows.first() {
                Some(&row) if constant(rows) => {
                    stocks[value(row) as usize].put(person, rows.len())?;
                }
                _ => most_varying = most_varying.max(rows.len()),
            }
        }
        let mut order = collected(0..stocks.len() as u32)?;
        order.shuffle(rng);
        Ok(Some(BlockMaker {
            l,
            order,
            most: 0,
            stocks,
            left,
            rows_left: codes.len(),
            most_varying,
            rows_of,
            blocks: Vec::new(),
            group_of: filled(codes.len(), NOWHERE)?,
            groups: 0,
        }))
    }

    /// The value and size of a person with the most rows; values are put in order.
    fn largest(&mut self) -> Result<Option<(usize, usize)>> {
        let left = &self.left;
        sorting::sort_by_key(&mut self.order, |&value| Reverse(left[value as usize]))?;
        let mut found = None;
        for &value in &self.order {
            let size = self.stocks[value as usize].largest();
            if size > 1 && found.is_none_or(|(_, most)| size > most) {
                found = Some((value as usize, size));
                if size == self.most {
                    break;
                }
            }
        }
        self.most = found.map_or(0, |of| of.1);
        Ok(found)
    }

    /// Makes a block of a person of several rows, and others.
    fn make_block(&mut self, value: usize, person: u32, size: usize) -> Result<bool> {
        for groups in size..=size * STRETCH {
            // values are in order of their rows: the last that is needed has the fewest
            let least = self.order.get(self.l.saturating_sub(1));
            if least.is_none_or(|&value| self.left[value as usize] < groups) {
                return Ok(false);
            }
            let Some(own) = self.stocks[value].fill(groups - size)? else {
                continue;
            };
            if self.rows_left < self.l * groups {
                return Ok(false);
            }
            let mut columns = vec![(value, own)];
            let others = self.order.iter().map(|&other| other as usize);
            for other in others.filter(|&other| other != value).take(self.l + TRIES) {
                if columns.len() >= self.l && self.leaves_eligible(&columns, groups) {
                    break;
                }
                if let Some(sizes) = self.stocks[other].fill(groups)? {
                    make_room(&mut columns, 1)?;
                    columns.push((other, sizes));
                }
            }
            if columns.len() >= self.l && self.leaves_eligible(&columns, groups) {
                self.enter(columns, (person, groups))?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the rest is eligible once a block has taken its rows.
    fn leaves_eligible(&self, columns: &[(usize, Vec<usize>)], groups: usize) -> bool {
        let rows = self.rows_left - columns.len() * groups;
        let taken = |value: usize| columns.iter().any(|column| column.0 == value);
        let left =
            |value: u32| self.left[value as usize] - if taken(value as usize) { groups } else { 0 };
        // in order of what is left before: nothing after the first untouched value is larger
        let mut most = 0;
        for &value in &self.order {
            most = most.max(left(value));
            if !taken(value as usize) {
                break;
            }
        }
        is_eligible(rows, most, self.l) && (rows == 0 || self.most_varying <= rows / self.l)
    }

    fn enter(&mut self, columns: Vec<(usize, Vec<usize>)>, of: (u32, usize)) -> Result<()> {
        let (person, groups) = of;
        let (first, mut values) = (self.groups, Vec::new());
        let mut start = self.rows_of[person as usize].len();
        self.place(person, first);
        for (value, sizes) in columns {
            for size in sizes {
                let person = self.stocks[value].take(size);
                self.place(person, first + start as u32);
                start += size;
            }
            start = 0;
            self.left[value] -= groups;
            self.rows_left -= groups;
            make_room(&mut values, 1)?;
            values.push(value as u32);
        }
        self.groups += groups as u32;
        make_room(&mut self.blocks, 1)?;
        self.blocks.push(ValueBlock {
            first,
            groups,
            values,
        });
        Ok(())
    }

    fn place(&mut self, person: u32, first: u32) {
        for (group, &row) in (first..).zip(&self.rows_of[person as usize]) {
            self.group_of[row as usize] = group;
        }
    }

    /// Adds a person's value to a block of as many groups as the person has rows.
    fn join(&mut self, value: usize, person: u32, size: usize) -> Result<bool> {
        let rows = self.rows_left - size;
        let most = self
            .order
            .iter()
            .map(|&other| match other as usize == value {
                true => self.left[value] - size,
                false => self.left[other as usize],
            });
        let eligible = is_eligible(rows, most.max().unwrap_or(0), self.l);
        if !eligible || (rows > 0 && self.most_varying > rows / self.l) {
            return Ok(false);
        }
        let fits = |block: &&mut ValueBlock| {
            block.groups == size && !block.values.contains(&(value as u32))
        };
        let mut latest = self.blocks.iter_mut().rev().take(TRIES * TRIES);
        let Some(block) = latest.find(fits) else {
            return Ok(false);
        };
        make_room(&mut block.values, 1)?;
        block.values.push(value as u32);
        let first = block.first;
        self.place(person, first);
        self.left[value] -= size;
        self.rows_left = rows;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use crate::assign::anatomy_of_persons;
    use crate::random::generator;
    use crate::{Categories, Unwatched};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// For each person with several rows of one value, how many values all the person's groups
    /// share.
    fn shared(values: &[u32], persons: &[u32], group_of: &[u32]) -> Vec<usize> {
        let of_group = |group: u32| -> BTreeSet<u32> {
            let rows = (0..values.len()).filter(|&row| group_of[row] == group);
            rows.map(|row| values[row]).collect()
        };
        let mut found = Vec::new();
        for person in BTreeSet::from_iter(persons) {
            let rows: Vec<usize> = (0..persons.len())
                .filter(|&row| persons[row] == *person)
                .collect();
            if rows.len() > 1 && rows.iter().all(|&row| values[row] == values[rows[0]]) {
                let sets = rows.iter().map(|&row| of_group(group_of[row]));
                let common = sets.reduce(|a, b| a.intersection(&b).copied().collect());
                found.push(common.unwrap().len());
            }
        }
        found
    }

    fn grouped(persons: &[(u32, usize)], l: usize, seed: u64) -> Option<Vec<usize>> {
        let (mut values, mut person_of) = (Vec::new(), Vec::new());
        for (person, &(value, rows)) in (0..).zip(persons) {
            values.extend(std::iter::repeat_n(value, rows));
            person_of.extend(std::iter::repeat_n(person, rows));
        }
        let sensitive = Categories::new(values.clone());
        let mut rng = generator(Some(seed)).unwrap();
        let found = anatomy_of_persons(&sensitive, Some(&person_of), l, &mut rng, &mut Unwatched);
        let found = found.ok()?;
        Some(shared(&values, &person_of, found.group_of()))
    }

    #[test]
    fn persons_with_equally_many_rows_share_l_values() {
        for seed in 0..20 {
            let persons: Vec<(u32, usize)> = (0..300u32)
                .map(|person| ((person * 7 + person * person % 5) % 6, 4))
                .collect();
            let shared = grouped(&persons, 3, seed).unwrap();
            assert_eq!(shared.len(), 300);
            assert!(shared.iter().all(|&values| values >= 3), "{shared:?}");
        }
    }

    /// Nobody has another value as often. Where each number of groups was tried in vain, this took
    /// hours.
    #[test]
    fn a_person_with_very_many_rows_is_given_up_at_once() {
        let others = (0..60_000).map(|person| (1 + person % 800, 1));
        let persons: Vec<(u32, usize)> = std::iter::once((0, 20_000)).chain(others).collect();
        assert!(grouped(&persons, 3, 1).is_some());
    }

    proptest! {
        #[test]
        fn nearly_all_persons_share_l_values(
            persons in prop::collection::vec((0..8u32, 1..6usize), 120..200),
            l in 2..4usize,
            seed: u64,
        ) {
            // random values are seldom too frequent
            let Some(shared) = grouped(&persons, l, seed) else {
                return Ok(());
            };
            let fewer = shared.iter().filter(|&&values| values < l).count();
            prop_assert!(fewer * 10 <= shared.len(), "{fewer} of {}", shared.len());
        }
    }
}
