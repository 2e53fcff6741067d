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

mod block_values;
mod falling_order;
mod largest_persons;
mod persons_in_order;
mod row_sums;
mod rows_outside;
mod value_stock;
mod values_in_order;

use crate::run::Meter;
use crate::run::allocation::{collected, filled, make_room, reserved};
use crate::run::sorting;
use crate::{Categories, Result};
use block_values::Columns;
use largest_persons::LargestPersons;
use persons_in_order::rows_of_persons;
use rand::{Rng, seq::SliceRandom};
use rows_outside::RowsOutside;
use value_stock::ValueStock;

/// No group yet.
const NOWHERE: u32 = u32::MAX;
/// The position of persons who have none.
const ANYWHERE: u64 = u64::MAX;
/// So many values more than l are tried, and the square of it of blocks that may take up one more.
const TRIES: usize = 64;
/// What finding a value or a person in an order costs, in rows merely looked at.
const SEARCH: usize = 16;

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
    let Some(mut maker) = BlockMaker::new(sensitive, persons, positions, l, rng, meter)? else {
        return Ok(None);
    };
    let mut late = Vec::new();
    while let Some(seed) = maker.largest()? {
        if !maker.make_block(&seed)? && !maker.join(&seed)? {
            make_room(&mut late, 1)?;
            late.push(seed);
        }
    }
    for seed in late {
        maker.join(&seed)?;
    }
    Ok(Some(InBlocks {
        rows: maker.group_of.len() - maker.left.all(),
        group_of: maker.group_of,
        groups: maker.groups as usize,
    }))
}

struct BlockMaker<'a, 'm> {
    l: usize,
    positions: Option<&'a [u64]>,
    meter: &'a mut Meter<'m>,
    /// persons by value; values have drawn numbers
    stocks: Vec<ValueStock>,
    left: RowsOutside,
    largest: LargestPersons<'a>,
    rows_of: Vec<Vec<u32>>,
    blocks: Vec<ValueBlock>,
    group_of: Vec<u32>,
    groups: u32,
}

impl<'a, 'm> BlockMaker<'a, 'm> {
    fn new(
        sensitive: &Categories,
        persons: &[u32],
        positions: Option<&'a [u64]>,
        l: usize,
        rng: &mut (impl Rng + ?Sized),
        meter: &'a mut Meter<'m>,
    ) -> Result<Option<Self>> {
        let codes = sensitive.codes();
        let rows_of = rows_of_persons(persons)?;
        let constant = |rows: &Vec<u32>| {
            let code = |row: u32| codes[row as usize];
            rows.iter().all(|&row| code(row) == code(rows[0]))
        };
        if !rows_of.iter().any(|rows| rows.len() > 1 && constant(rows)) {
            return Ok(None);
        }
        // who is taken first, and which of values that tie, must not depend on the source's order
        let mut drawn = collected(0..rows_of.len() as u32)?;
        drawn.shuffle(rng);
        let mut number_of = collected(0..sensitive.cardinality() as u32)?;
        number_of.shuffle(rng);
        let value = |row: u32| number_of[codes[row as usize] as usize] as usize;
        if let Some(positions) = positions {
            sorting::sort_by_key(&mut drawn, |&person| positions[person as usize])?;
        }
        let mut stocks: Vec<ValueStock> = reserved(number_of.len())?;
        stocks.resize_with(number_of.len(), ValueStock::default);
        let mut largest = LargestPersons::new(stocks.len(), positions)?;
        let mut most_varying = 0;
        for (place, person) in (0..).zip(drawn) {
            let position = positions.map_or(place, |positions| positions[person as usize]);
            let rows = &rows_of[person as usize];
            match rows.first() {
                Some(&row) if constant(rows) => {
                    stocks[value(row)].put(person, rows.len(), position)?;
                    largest.put(person, value(row), rows.len())?;
                }
                _ => most_varying = most_varying.max(rows.len()),
            }
        }
        largest.sort()?;
        let mut left = filled(stocks.len(), 0)?;
        (0..codes.len() as u32).for_each(|row| left[value(row)] += 1);
        Ok(Some(BlockMaker {
            l,
            positions,
            meter,
            stocks,
            left: RowsOutside::new(left, most_varying, l)?,
            largest,
            rows_of,
            blocks: Vec::new(),
            group_of: filled(codes.len(), NOWHERE)?,
            groups: 0,
        }))
    }

    /// Takes a person with the most rows.
    fn largest(&mut self) -> Result<Option<Seed>> {
        self.meter.spend(SEARCH)?;
        let (rows_of, group_of) = (&self.rows_of, &self.group_of);
        let is_free = |person: u32| group_of[rows_of[person as usize][0] as usize] == NOWHERE;
        let found = self.largest.next(|value| self.left.of(value), is_free)?;
        Ok(found.map(|(value, rows)| self.seed(value, rows)))
    }

    /// Positions are gone through from the least, so that no near person is left behind.
    fn seed(&mut self, value: usize, rows: usize) -> Seed {
        let person = self.take(value, rows, self.positions.map_or(ANYWHERE, |_| 0));
        let position = |positions: &[u64]| positions[person as usize];
        Seed {
            value,
            rows,
            person,
            position: self.positions.map_or(ANYWHERE, position),
        }
    }

    fn take(&mut self, value: usize, rows: usize, position: u64) -> u32 {
        let person = self.stocks[value].take(rows, position);
        self.largest.leave(person, value, rows);
        person
    }

    /// Makes a block of a person of several rows, and others.
    fn make_block(&mut self, seed: &Seed) -> Result<bool> {
        if let Some(columns) = self.like_columns(seed)? {
            self.enter(columns, seed, seed.rows)?;
            return Ok(true);
        }
        match self.mixed_columns(seed)? {
            Some((columns, groups)) => self.enter(columns, seed, groups).map(|()| true),
            None => Ok(false),
        }
    }

    fn enter(&mut self, columns: Columns, seed: &Seed, groups: usize) -> Result<()> {
        let (first, mut values) = (self.groups, Vec::new());
        let mut start = seed.rows;
        self.place(seed.person, first);
        for (value, sizes) in columns {
            self.meter.spend(SEARCH * sizes.len() + groups)?;
            for size in sizes {
                let person = self.take(value, size, seed.position);
                self.place(person, first + start as u32);
                start += size;
            }
            start = 0;
            self.left.take(value, groups);
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
        let first = self.left.first(2)?;
        let own = |value: usize| value == seed.value;
        if !self.left.stays_eligible(&first, (1, own), seed.rows) {
            return Ok(false);
        }
        let mut looked = 0;
        let fits = |block: &&mut ValueBlock| {
            looked += 1;
            block.groups == seed.rows && !block.values.contains(&(seed.value as u32))
        };
        let mut latest = self.blocks.iter_mut().rev().take(TRIES * TRIES);
        let block = match self.positions {
            None => latest.find(fits),
            Some(_) => latest
                .filter(fits)
                .min_by_key(|block| block.position.abs_diff(seed.position)),
        };
        self.meter.spend(SEARCH + looked)?;
        let Some(block) = block else {
            return Ok(false);
        };
        make_room(&mut block.values, 1)?;
        block.values.push(seed.value as u32);
        let first = block.first;
        self.place(seed.person, first);
        self.left.take(seed.value, seed.rows);
        Ok(true)
    }
}
