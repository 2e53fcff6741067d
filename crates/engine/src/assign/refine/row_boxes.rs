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

/// Rows in a box of the lowest level, and boxes in a box of any other. What is in a box stands
/// side by side by column, so that the compiler can use vector instructions.
const LEAF: usize = 16;
const FANOUT: usize = 8;

/// How many leaves a search looks into.
const MOST_LEAVES: usize = 16;

/// Boxes around runs of rows, and around runs of boxes, up to one box around all.
pub(super) struct Boxes<'a> {
    rows: &'a OrderedRows,
    /// for each leaf and numeric column the numbers of its rows
    numbers: Vec<[f64; LEAF]>,
    /// for each leaf and categorical column the codes of its rows
    codes: Vec<[u32; LEAF]>,
    levels: Vec<BoxLevel>,
    /// boxes that may hold one of the nearest rows: level and place, nearest first
    pending: BinaryHeap<Cheapest<(usize, usize)>>,
}

impl<'a> Boxes<'a> {
    pub fn new(rows: &'a OrderedRows) -> Result<Self> {
        let leaves = rows.len().div_ceil(LEAF);
        let [numeric, categorical, _] = rows.widths();
        let mut numbers = filled(leaves * numeric, [0.0; LEAF])?;
        let mut codes = filled(leaves * categorical, [0; LEAF])?;
        for row in 0..rows.len() {
            let (leaf, lane) = (row / LEAF, row % LEAF);
            let lanes = numbers[leaf * numeric..].iter_mut();
            for (lanes, &number) in lanes.zip(rows.numbers(row as u32)) {
                lanes[lane] = number;
            }
            let lanes = codes[leaf * categorical..].iter_mut();
            for (lanes, &code) in lanes.zip(rows.keys(row as u32)) {
                lanes[lane] = code;
            }
        }
        let mut levels = vec![BoxLevel::of_rows(rows)?];
        while let Some(top) = levels.last()
            && top.len > 1
        {
            let next = BoxLevel::above(top, rows)?;
            levels.push(next);
        }
        Ok(Boxes {
            rows,
            numbers,
            codes,
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
        self.push_children(self.levels.len() - 1, 0, row, near);
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

    /// Puts the boxes of a level that are within one above them on the list of those to visit,
    /// if they may hold one of the nearest.
    fn push_children(&mut self, level: usize, parent: usize, row: u32, near: &[(f64, u32)]) {
        let bounds = self.levels[level].distances(parent, self.rows, row);
        for (child, &bound) in bounds.iter().enumerate() {
            if bound < limit(near) {
                self.pending.push(Cheapest {
                    cost: bound,
                    tie: (level, parent * FANOUT + child),
                    item: (),
                });
            }
        }
    }

    fn offer_leaf(&self, leaf: usize, row: u32, near: &mut [(f64, u32)]) {
        let distances = self.distances(leaf, row);
        let present = (self.rows.len() - leaf * LEAF).min(LEAF);
        for (other, distance) in ((leaf * LEAF) as u32..).zip(&distances[..present]) {
            // Any row, however far, is nearer than none.
            let distance = distance.min(f64::MAX);
            if distance < limit(near) && other != row {
                offer(near, distance, other);
            }
        }
    }

    /// The squared distances of a leaf's rows, as [`OrderedRows::distance`] computes them.
    #[inline]
    fn distances(&self, leaf: usize, row: u32) -> [f64; LEAF] {
        let (numbers, keys) = (self.rows.numbers(row), self.rows.keys(row));
        let mut sums = [0.0; LEAF];
        for (lanes, &number) in self.numbers[leaf * numbers.len()..].iter().zip(numbers) {
            for (sum, &other) in sums.iter_mut().zip(lanes) {
                let difference = number - other;
                *sum += difference * difference;
            }
        }
        if !keys.is_empty() {
            let mut differing = [0.0; LEAF];
            for (lanes, &code) in self.codes[leaf * keys.len()..].iter().zip(keys) {
                for (count, &other) in differing.iter_mut().zip(lanes) {
                    *count += f64::from(u8::from(other != code));
                }
            }
            sums.iter_mut()
                .zip(differing)
                .for_each(|(sum, count)| *sum += count);
        }
        sums
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

/// The boxes of one level, those within one box above them side by side.
struct BoxLevel {
    len: usize,
    /// for each box above and numeric column the least and the greatest numbers
    numbers: Vec<[[f64; FANOUT]; 2]>,
    /// for each box above and categorical column the least and the greatest codes
    codes: Vec<[[u32; FANOUT]; 2]>,
}

impl BoxLevel {
    fn of_rows(rows: &OrderedRows) -> Result<Self> {
        let mut level = BoxLevel::empty(rows.len().div_ceil(LEAF), rows)?;
        for row in 0..rows.len() as u32 {
            let leaf = row as usize / LEAF;
            for (column, &number) in rows.numbers(row).iter().enumerate() {
                level.stretch_numbers(leaf, column, rows, [number; 2]);
            }
            for (column, &code) in rows.keys(row).iter().enumerate() {
                level.stretch_codes(leaf, column, rows, [code; 2]);
            }
        }
        Ok(level)
    }

    fn above(below: &BoxLevel, rows: &OrderedRows) -> Result<Self> {
        let [numeric, categorical, _] = rows.widths();
        let mut level = BoxLevel::empty(below.len.div_ceil(FANOUT), rows)?;
        for entry in 0..below.len {
            let (parent, child) = (entry / FANOUT, entry % FANOUT);
            for column in 0..numeric {
                let ends = below.numbers[parent * numeric + column].map(|ends| ends[child]);
                level.stretch_numbers(parent, column, rows, ends);
            }
            for column in 0..categorical {
                let ends = below.codes[parent * categorical + column].map(|ends| ends[child]);
                level.stretch_codes(parent, column, rows, ends);
            }
        }
        Ok(level)
    }

    fn empty(len: usize, rows: &OrderedRows) -> Result<Self> {
        let [numeric, categorical, _] = rows.widths();
        let parents = len.div_ceil(FANOUT);
        let no_numbers = [[f64::INFINITY; FANOUT], [f64::NEG_INFINITY; FANOUT]];
        let no_codes = [[u32::MAX; FANOUT], [0; FANOUT]];
        Ok(BoxLevel {
            len,
            numbers: filled(parents * numeric, no_numbers)?,
            codes: filled(parents * categorical, no_codes)?,
        })
    }

    fn stretch_numbers(&mut self, entry: usize, column: usize, rows: &OrderedRows, ends: [f64; 2]) {
        let place = entry / FANOUT * rows.widths()[0] + column;
        let [lows, highs] = &mut self.numbers[place];
        let child = entry % FANOUT;
        lows[child] = lows[child].min(ends[0]);
        highs[child] = highs[child].max(ends[1]);
    }

    fn stretch_codes(&mut self, entry: usize, column: usize, rows: &OrderedRows, ends: [u32; 2]) {
        let place = entry / FANOUT * rows.widths()[1] + column;
        let [lows, highs] = &mut self.codes[place];
        let child = entry % FANOUT;
        lows[child] = lows[child].min(ends[0]);
        highs[child] = highs[child].max(ends[1]);
    }

    /// The least squared distances of any place in the boxes within one above from a row;
    /// infinite where there is no box.
    #[inline]
    fn distances(&self, parent: usize, rows: &OrderedRows, row: u32) -> [f64; FANOUT] {
        let (numbers, keys) = (rows.numbers(row), rows.keys(row));
        let mut sums = [0.0; FANOUT];
        let boxes = self.numbers[parent * numbers.len()..].iter();
        for ([lows, highs], &number) in boxes.zip(numbers) {
            for child in 0..FANOUT {
                let (below, above) = (lows[child] - number, number - highs[child]);
                let outside = if below > above { below } else { above };
                let outside = if outside > 0.0 { outside } else { 0.0 };
                sums[child] += outside * outside;
            }
        }
        for ([lows, highs], &code) in self.codes[parent * keys.len()..].iter().zip(keys) {
            for child in 0..FANOUT {
                let outside = code < lows[child] || code > highs[child];
                sums[child] += f64::from(u8::from(outside));
            }
        }
        let present = (self.len - parent * FANOUT).min(FANOUT);
        sums[present..].fill(f64::INFINITY);
        sums
    }
}
