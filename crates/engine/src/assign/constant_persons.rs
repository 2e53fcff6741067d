//! Anatomy and permutation of persons who have several rows, all with the same value.
//!
//! Keys say, or may say, in which groups a person's rows stand. A person whose value never changes has
//! one of the values that all these groups share, so the groups must have at least l values in
//! common. As in m-invariance (Xiao and Tao 2007), groups with the same set of values are made
//! together. A block is T groups with the same values. Of each value it has T rows, one in each
//! group, and all rows of each person in it. Exchanging two values within a block changes
//! nothing that a release shows, so nothing in a block says whose value is whose.
//!
//! Blocks take the most frequent values, and only as long as the rows outside remain eligible.
//! Where persons have positions, as in a permutation, blocks take near persons, and near values
//! as long as the persons left with as many rows can still be matched.

use super::eligibility::is_eligible;
use super::persons_in_order::rows_of_persons;
use super::value_stock::ValueStock;
use crate::run::Meter;
use crate::run::allocation::{collected, filled, make_room, reserved};
use crate::run::sorting;
use crate::{Categories, Result};
use rand::{Rng, seq::SliceRandom};
use std::cmp::Reverse;

/// No group yet.
const NOWHERE: u32 = u32::MAX;
/// The position of persons who have none.
const ANYWHERE: u64 = u64::MAX;
/// A block may have so many times the groups that its largest person needs.
const STRETCH: usize = 4;
/// So many blocks are asked whether they take up one more value.
const TRIES: usize = 64;

/// Rows in blocks; the others have no group.
pub(super) struct InBlocks {
    group_of: Vec<u32>,
    groups: usize,
    /// how many rows are in blocks
    rows: usize,
}

impl InBlocks {
    /// Groups the rows that are in no block; with all groups, how many there are.
    pub(super) fn with_rest(
        self,
        group: impl FnOnce(&[u32]) -> Result<(Vec<u32>, usize)>,
    ) -> Result<(Vec<u32>, usize)> {
        let mut group_of = self.group_of;
        let outside = |row: &u32| group_of[*row as usize] == NOWHERE;
        let mut rest = reserved(group_of.len() - self.rows)?;
        rest.extend((0..group_of.len() as u32).filter(outside));
        if rest.is_empty() {
            return Ok((group_of, self.groups));
        }
        let (rest_of, groups) = group(&rest)?;
        for (&row, &group) in rest.iter().zip(&rest_of) {
            group_of[row as usize] = self.groups as u32 + group;
        }
        Ok((group_of, self.groups + groups))
    }
}

/// Groups with the same values.
struct ValueBlock {
    first: u32,
    groups: usize,
    position: u64,
    values: Vec<u32>,
}

/// A person with several rows of one value.
#[derive(Clone, Copy)]
struct Seed {
    value: usize,
    rows: usize,
    person: u32,
    position: u64,
}

/// Puts persons with several rows of one value into blocks; `None` if there are none. Persons
/// who are near each other by `positions` share blocks; chance decides without any.
pub(super) fn in_blocks(
    sensitive: &Categories,
    persons: &[u32],
    positions: Option<&[u64]>,
    l: usize,
    rng: &mut (impl Rng + ?Sized),
    meter: &mut Meter,
) -> Result<Option<InBlocks>> {
    let Some(mut maker) = BlockMaker::new(sensitive, persons, positions, l, rng)? else {
        return Ok(None);
    };
    let mut late = Vec::new();
    while let Some(seed) = maker.largest()? {
        meter.spend(maker.stocks.len() * seed.rows)?;
        if !maker.make_block(&seed)? && !maker.join(&seed)? {
            make_room(&mut late, 1)?;
            late.push(seed);
        }
    }
    for seed in late {
        maker.join(&seed)?;
        meter.spend(TRIES)?;
    }
    Ok(Some(InBlocks {
        rows: maker.group_of.len() - maker.rows_left,
        group_of: maker.group_of,
        groups: maker.groups as usize,
    }))
}

struct BlockMaker<'a> {
    l: usize,
    positions: Option<&'a [u64]>,
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

impl<'a> BlockMaker<'a> {
    fn new(
        sensitive: &Categories,
        persons: &[u32],
        positions: Option<&'a [u64]>,
        l: usize,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Option<Self>> {
        let codes = sensitive.codes();
        let rows_of = rows_of_persons(persons)?;
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
        let mut drawn = collected(0..rows_of.len() as u32)?;
        drawn.shuffle(rng);
        if let Some(positions) = positions {
            sorting::sort_by_key(&mut drawn, |&person| positions[person as usize])?;
        }
        for (place, person) in (0..).zip(drawn) {
            let position = positions.map_or(place, |positions| positions[person as usize]);
            let rows = &rows_of[person as usize];
            match rows.first() {
                Some(&row) if constant(rows) => {
                    stocks[value(row) as usize].put(person, rows.len(), position)?;
                }
                _ => most_varying = most_varying.max(rows.len()),
            }
        }
        let mut order = collected(0..stocks.len() as u32)?;
        order.shuffle(rng);
        Ok(Some(BlockMaker {
            l,
            positions,
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

    /// Takes a person with the most rows; values are put in order.
    fn largest(&mut self) -> Result<Option<Seed>> {
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
        Ok(found.map(|(value, rows)| self.seed(value, rows)))
    }

    /// Positions are gone through from the least, so that no near person is left behind.
    fn seed(&mut self, value: usize, rows: usize) -> Seed {
        let person = self.stocks[value].take(rows, self.positions.map_or(ANYWHERE, |_| 0));
        let position = |positions: &[u64]| positions[person as usize];
        Seed {
            value,
            rows,
            person,
            position: self.positions.map_or(ANYWHERE, position),
        }
    }

    /// Makes a block of a person of several rows, and others.
    fn make_block(&mut self, seed: &Seed) -> Result<bool> {
        if let Some(columns) = self.like_columns(seed)? {
            self.enter(columns, seed, seed.rows)?;
            return Ok(true);
        }
        for groups in seed.rows..=seed.rows * STRETCH {
            // values are in order of their rows: the last that is needed has the fewest
            let least = self.order.get(self.l.saturating_sub(1));
            if least.is_none_or(|&value| self.left[value as usize] < groups) {
                return Ok(false);
            }
            let Some(own) = self.stocks[seed.value].fill(groups - seed.rows)? else {
                continue;
            };
            if self.rows_left < self.l * groups {
                return Ok(false);
            }
            let mut columns = vec![(seed.value, own)];
            let others = self.order.iter().map(|&other| other as usize);
            for other in others
                .filter(|&other| other != seed.value)
                .take(self.l + TRIES)
            {
                if columns.len() >= self.l && self.leaves_eligible(&columns, groups) {
                    break;
                }
                if let Some(sizes) = self.stocks[other].fill(groups)? {
                    make_room(&mut columns, 1)?;
                    columns.push((other, sizes));
                }
            }
            if columns.len() >= self.l && self.leaves_eligible(&columns, groups) {
                self.enter(columns, seed, groups)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The values of the nearest persons with as many rows, if the others remain eligible: the
    /// rows, and the persons with as many of them. If not, or if nobody is nearer than others,
    /// those that most such persons have.
    fn like_columns(&mut self, seed: &Seed) -> Result<Option<Vec<(usize, Vec<usize>)>>> {
        let mut like = Vec::new();
        for &value in self
            .order
            .iter()
            .filter(|&&value| value as usize != seed.value)
        {
            let stock = &mut self.stocks[value as usize];
            if let Some(distance) = stock.distance(seed.rows, seed.position) {
                make_room(&mut like, 1)?;
                like.push((distance, value as usize, stock.count(seed.rows)));
            }
        }
        if self.positions.is_some() {
            like.sort_unstable();
            let nearest = self.columns_of(seed, &like)?;
            if nearest.is_some() {
                return Ok(nearest);
            }
        }
        // values of as many persons stay in the order of rows, and that is drawn where they tie
        like.sort_by_key(|&(_, _, count)| Reverse(count));
        self.columns_of(seed, &like)
    }

    /// The person's value and the first of these others, if the rest remains eligible.
    fn columns_of(
        &self,
        seed: &Seed,
        others: &[(u64, usize, usize)],
    ) -> Result<Option<Vec<(usize, Vec<usize>)>>> {
        let Some(others) = others.get(..self.l - 1) else {
            return Ok(None);
        };
        let mut columns = vec![(seed.value, Vec::new())];
        make_room(&mut columns, self.l)?;
        columns.extend(others.iter().map(|&(_, value, _)| (value, vec![seed.rows])));
        let counts = self.stocks.iter().enumerate().map(|(value, stock)| {
            let taken = columns[1..].iter().any(|column| column.0 == value);
            stock.count(seed.rows) - usize::from(taken)
        });
        let (persons, most) = counts.fold((0, 0), |(all, most), count| {
            (all + count, usize::max(most, count))
        });
        let eligible = is_eligible(persons, most, self.l);
        Ok((eligible && self.leaves_eligible(&columns, seed.rows)).then_some(columns))
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

    fn enter(
        &mut self,
        columns: Vec<(usize, Vec<usize>)>,
        seed: &Seed,
        groups: usize,
    ) -> Result<()> {
        let (first, mut values) = (self.groups, Vec::new());
        let mut start = seed.rows;
        self.place(seed.person, first);
        for (value, sizes) in columns {
            for size in sizes {
                let person = self.stocks[value].take(size, seed.position);
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
            position: seed.position,
            values,
        });
        Ok(())
    }

    fn place(&mut self, person: u32, first: u32) {
        for (group, &row) in (first..).zip(&self.rows_of[person as usize]) {
            self.group_of[row as usize] = group;
        }
    }

    /// Adds a person's value to a near block of as many groups as the person has rows.
    fn join(&mut self, seed: &Seed) -> Result<bool> {
        let (value, size) = (seed.value, seed.rows);
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
        let block = match self.positions {
            None => latest.find(fits),
            Some(_) => latest
                .filter(fits)
                .min_by_key(|block| block.position.abs_diff(seed.position)),
        };
        let Some(block) = block else {
            return Ok(false);
        };
        make_room(&mut block.values, 1)?;
        block.values.push(value as u32);
        let first = block.first;
        self.place(seed.person, first);
        self.left[value] -= size;
        self.rows_left = rows;
        Ok(true)
    }
}
