//! A tree of boxes over rows that already stand in a kd-tree's order: finds most of the
//! nearest rows of a row at a cost that has a limit.
//!
//! An exact search looks at ever more rows as the columns become more, until it looks at all.
//! The local search can do without a neighbour now and then; what it can't do without is an
//! end to the looking. So the boxes are visited nearest first, and only so many of them.

use crate::Result;
use crate::local_search::cheapest::Cheapest;
use crate::local_search::ordered_rows::OrderedRows;
use crate::run::allocation::filled;
use std::collections::BinaryHeap;

/// Rows in a box of the lowest level, and boxes in a box of any other.
const LEAF: usize = 16;
const FANOUT: usize = 8;

/// How many leaves a search looks into.
const MOST_LEAVES: usize = 16;

/// Boxes around runs of rows, and around runs of boxes, up to one box around all.
pub(super) struct Boxes<'a> {
    rows: &'a OrderedRows,
    levels: Vec<BoxLevel>,
    /// boxes that may hold one of the nearest rows: level and place, nearest first
    pending: BinaryHeap<Cheapest<(usize, usize)>>,
}

impl<'a> Boxes<'a> {
    pub fn new(rows: &'a OrderedRows) -> Result<Self> {
        let mut levels = vec![BoxLevel::of_rows(rows)?];
        while let Some(top) = levels.last()
            && top.len > 1
        {
            let next = BoxLevel::above(top, rows)?;
            levels.push(next);
        }
        Ok(Boxes {
            rows,
            levels,
            pending: BinaryHeap::new(),
        })
    }

    /// Fills `near` with rows near to a row, nearest first, and returns how many rows were
    /// looked at. Some of the nearest may be missed, but there are as many as there is room
    /// for, if there are so many other rows.
    pub fn nearest(&mut self, row: u32, near: &mut [(f64, u32)]) -> usize {
        near.fill((f64::INFINITY, u32::MAX));
        let own = row as usize / LEAF;
        self.offer_leaf(own, row, near);
        self.pending.clear();
        self.push(self.levels.len() - 1, 0, row, near);
        let mut leaves = 1;
        while leaves < MOST_LEAVES
            && let Some(next) = self.pending.pop()
            && next.cost < limit(near)
        {
            let (level, entry) = next.tie;
            if level > 0 {
                self.push_children(level - 1, entry, row, near);
            } else if entry != own {
                self.offer_leaf(entry, row, near);
                leaves += 1;
            }
        }
        leaves * LEAF
    }

    /// Puts the boxes of a level that are within one above them on the list.
    fn push_children(&mut self, level: usize, parent: usize, row: u32, near: &[(f64, u32)]) {
        let first = parent * FANOUT;
        for entry in first..(first + FANOUT).min(self.levels[level].len) {
            self.push(level, entry, row, near);
        }
    }

    /// Puts a box on the list of those to visit, if it may hold one of the nearest.
    fn push(&mut self, level: usize, entry: usize, row: u32, near: &[(f64, u32)]) {
        let bound = self.levels[level].distance(entry, self.rows, row);
        if bound < limit(near) {
            self.pending.push(Cheapest {
                cost: bound,
                tie: (level, entry),
                item: (),
            });
        }
    }

    fn offer_leaf(&self, leaf: usize, row: u32, near: &mut [(f64, u32)]) {
        let end = ((leaf + 1) * LEAF).min(self.rows.len());
        for other in (leaf * LEAF) as u32..end as u32 {
            // Any row, however far, is nearer than none.
            let distance = self.rows.distance(row, other).min(f64::MAX);
            if other != row && distance < limit(near) {
                offer(near, distance, other);
            }
        }
    }
}

/// The distance at which a row is too far to be among the nearest.
fn limit(near: &[(f64, u32)]) -> f64 {
    near.last().map_or(0.0, |last| last.0)
}

/// Inserts a row into a list that is sorted by distance, if it belongs there.
fn offer(near: &mut [(f64, u32)], distance: f64, row: u32) {
    let mut place = near.len();
    while place > 0 && distance < near[place - 1].0 {
        place -= 1;
    }
    if place < near.len() {
        near[place..].rotate_right(1);
        near[place] = (distance, row);
    }
}

/// The boxes of one level.
struct BoxLevel {
    len: usize,
    /// box after box the least and the greatest number of each numeric column
    numbers: Vec<(f64, f64)>,
    /// box after box the least and the greatest code of each categorical column
    codes: Vec<(u32, u32)>,
}

impl BoxLevel {
    fn of_rows(rows: &OrderedRows) -> Result<Self> {
        let len = rows.len().div_ceil(LEAF);
        let mut level = BoxLevel::empty(len, rows)?;
        let [numeric, categorical, _] = rows.widths();
        for row in 0..rows.len() as u32 {
            let leaf = row as usize / LEAF;
            let ranges = level.numbers[leaf * numeric..].iter_mut();
            for (range, &number) in ranges.zip(rows.numbers(row)) {
                *range = (range.0.min(number), range.1.max(number));
            }
            let ranges = level.codes[leaf * categorical..].iter_mut();
            for (range, &code) in ranges.zip(rows.keys(row)) {
                *range = (range.0.min(code), range.1.max(code));
            }
        }
        Ok(level)
    }

    fn above(below: &BoxLevel, rows: &OrderedRows) -> Result<Self> {
        let [numeric, categorical, _] = rows.widths();
        let mut level = BoxLevel::empty(below.len.div_ceil(FANOUT), rows)?;
        for entry in 0..below.len {
            let parent = entry / FANOUT;
            for column in 0..numeric {
                let child = below.numbers[entry * numeric + column];
                let range = &mut level.numbers[parent * numeric + column];
                *range = (range.0.min(child.0), range.1.max(child.1));
            }
            for column in 0..categorical {
                let child = below.codes[entry * categorical + column];
                let range = &mut level.codes[parent * categorical + column];
                *range = (range.0.min(child.0), range.1.max(child.1));
            }
        }
        Ok(level)
    }

    fn empty(len: usize, rows: &OrderedRows) -> Result<Self> {
        let [numeric, categorical, _] = rows.widths();
        Ok(BoxLevel {
            len,
            numbers: filled(len * numeric, (f64::INFINITY, f64::NEG_INFINITY))?,
            codes: filled(len * categorical, (u32::MAX, 0))?,
        })
    }

    /// The least squared distance of any place in a box from a row.
    fn distance(&self, entry: usize, rows: &OrderedRows, row: u32) -> f64 {
        let (numbers, keys) = (rows.numbers(row), rows.keys(row));
        let mut distance = 0.0;
        for (&(low, high), &number) in self.numbers[entry * numbers.len()..].iter().zip(numbers) {
            let outside = (low - number).max(number - high).max(0.0);
            distance += outside * outside;
        }
        for (&(low, high), &code) in self.codes[entry * keys.len()..].iter().zip(keys) {
            distance += f64::from(u8::from(code < low || code > high));
        }
        distance
    }
}
