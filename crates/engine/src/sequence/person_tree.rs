//! Persons who may take a place, searched by nearness.
//!
//! Rows stand in memory as they stand in space, so any list of them in ascending order is cut into
//! leaves that are near each other. Boxes around leaves, and around pairs of boxes, say which
//! leaves need not be looked at.

use crate::Result;
use crate::local_search::ordered_rows::{OrderedRows, squared};
use crate::run::Meter;
use crate::run::allocation::filled;
use std::ops::Range;

/// Rows of a leaf.
const LEAF: usize = 8;

/// A place in the space of the rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot<'a> {
    pub numbers: &'a [f64],
    pub keys: &'a [u32],
}

impl<'a> Spot<'a> {
    pub fn of(rows: &'a OrderedRows, row: u32) -> Self {
        Spot {
            numbers: rows.numbers(row),
            keys: rows.keys(row),
        }
    }

    pub fn distance(self, rows: &OrderedRows, row: u32) -> f64 {
        let keys = self.keys.iter().zip(rows.keys(row));
        let differing = keys.filter(|(a, b)| a != b).count();
        squared(self.numbers, rows.numbers(row)) + differing as f64
    }
}

/// Persons of whom some are taken.
pub(super) struct PersonTree {
    /// in ascending order
    persons: Vec<u32>,
    taken: Vec<bool>,
    width: usize,
    /// of each node, the least and the greatest number of each column
    boxes: Vec<(f64, f64)>,
    /// how many below each node are left
    left: Vec<u32>,
    /// the number of leaves, a power of two
    leaves: usize,
}

impl PersonTree {
    /// `persons` must ascend.
    pub fn new(rows: &OrderedRows, persons: Vec<u32>) -> Result<Self> {
        let width = rows.widths()[0];
        let leaves = persons.len().div_ceil(LEAF).next_power_of_two();
        let nothing = (f64::INFINITY, f64::NEG_INFINITY);
        let mut tree = PersonTree {
            taken: filled(persons.len(), false)?,
            width,
            boxes: filled((2 * leaves - 1) * width, nothing)?,
            left: filled(2 * leaves - 1, 0)?,
            leaves,
            persons,
        };
        for node in (0..2 * leaves - 1).rev() {
            tree.enclose(rows, node);
        }
        Ok(tree)
    }

    fn enclose(&mut self, rows: &OrderedRows, node: usize) {
        let (inner, own) = (node * self.width, self.leaves - 1);
        if node < own {
            let (a, b) = (2 * node + 1, 2 * node + 2);
            self.left[node] = self.left[a] + self.left[b];
            for column in 0..self.width {
                let (low, high) = self.boxes[a * self.width + column];
                let other = self.boxes[b * self.width + column];
                self.boxes[inner + column] = (low.min(other.0), high.max(other.1));
            }
            return;
        }
        let leaf = self.leaf(node);
        for &person in &self.persons[leaf.clone()] {
            let sides = &mut self.boxes[inner..inner + self.width];
            for ((low, high), &number) in sides.iter_mut().zip(rows.numbers(person)) {
                (*low, *high) = (low.min(number), high.max(number));
            }
        }
        self.left[node] = leaf.len() as u32;
    }

    /// Where the persons of a leaf are.
    fn leaf(&self, node: usize) -> Range<usize> {
        let first = ((node + 1 - self.leaves) * LEAF).min(self.persons.len());
        first..(first + LEAF).min(self.persons.len())
    }

    /// How many are left.
    pub fn len(&self) -> usize {
        self.left[0] as usize
    }

    /// Those who are left.
    pub fn rest(&self) -> impl Iterator<Item = u32> {
        let all = self.persons.iter().zip(&self.taken);
        all.filter(|of| !of.1).map(|(&person, _)| person)
    }

    pub fn take(&mut self, person: u32) {
        let Ok(place) = self.persons.binary_search(&person) else {
            return;
        };
        if std::mem::replace(&mut self.taken[place], true) {
            return;
        }
        let mut node = self.leaves - 1 + place / LEAF;
        self.left[node] -= 1;
        while node > 0 {
            node = (node - 1) / 2;
            self.left[node] -= 1;
        }
    }

    /// Whether a person is no longer left, or never was.
    pub fn is_taken(&self, person: u32) -> bool {
        let place = self.persons.binary_search(&person);
        place.map_or(true, |place| self.taken[place])
    }

    /// The nearest who is left, and how far away; ties go to the lower row.
    pub fn nearest(
        &self,
        rows: &OrderedRows,
        spot: Spot<'_>,
        meter: &mut Meter,
    ) -> Result<Option<(f64, u32)>> {
        let mut found = [(f64::INFINITY, u32::MAX)];
        meter.spend(self.search(rows, spot, &mut found))?;
        Ok(Some(found[0]).filter(|found| found.1 != u32::MAX))
    }

    /// The nearest who are left, as many as `found` has room for; says how many rows were looked at.
    pub fn search(&self, rows: &OrderedRows, spot: Spot<'_>, found: &mut [(f64, u32)]) -> usize {
        let mut work = 1;
        self.descend(0, rows, spot, found, &mut work);
        work
    }

    fn descend(
        &self,
        node: usize,
        rows: &OrderedRows,
        spot: Spot<'_>,
        found: &mut [(f64, u32)],
        work: &mut usize,
    ) {
        if node + 1 < self.leaves {
            let mut below = [2 * node + 1, 2 * node + 2].map(|node| (self.gap(node, spot), node));
            if below[1].0 < below[0].0 {
                below.swap(0, 1);
            }
            for (gap, node) in below {
                if self.left[node] > 0 && gap <= found[found.len() - 1].0 {
                    self.descend(node, rows, spot, found, work);
                }
            }
            return;
        }
        for place in self.leaf(node) {
            let person = self.persons[place];
            if !self.taken[place] {
                offer(found, (spot.distance(rows, person), person));
            }
        }
        *work += LEAF;
    }

    /// How far the box of a node is at least.
    fn gap(&self, node: usize, spot: Spot<'_>) -> f64 {
        let own = &self.boxes[node * self.width..][..self.width];
        let sides = own.iter().zip(spot.numbers);
        sides
            .map(|(&(low, high), &number)| (low - number).max(number - high).max(0.0).powi(2))
            .sum()
    }
}

/// How far the numbers of a row are from a point.
pub(super) fn numbers_apart(rows: &OrderedRows, point: &[f64], row: u32) -> f64 {
    squared(point, rows.numbers(row))
}

/// Keeps the nearest in ascending order.
fn offer(found: &mut [(f64, u32)], hit: (f64, u32)) {
    let at = found.partition_point(|kept| (kept.0, kept.1) < hit);
    if at < found.len() {
        found[at..].rotate_right(1);
        found[at] = hit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Categories, Column, Phase, Space, Table, Unwatched};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_a_scan_finds(
            cells in prop::collection::vec((0i8..20, 0i8..20, 0u32..3, any::<bool>()), 2..90),
            taken in prop::collection::vec(0usize..90, 0..60),
        ) {
            let numeric = |part: fn(&(i8, i8, u32, bool)) -> i8| {
                Column::Numeric(cells.iter().map(|cell| f64::from(part(cell))).collect())
            };
            let codes = Categories::new(cells.iter().map(|cell| cell.2).collect());
            let columns = vec![numeric(|cell| cell.0), numeric(|cell| cell.1), Column::Categorical(codes)];
            let space = Space::new(&Table::new(columns).unwrap(), true).unwrap();
            let mut monitor = Unwatched;
            let mut meter = Meter::start(&mut monitor, Phase::Grouping, 0);
            let rows = OrderedRows::new(&space, &[], &mut meter).unwrap();
            let mut some: Vec<u32> = (0..cells.len() as u32).filter(|&row| cells[row as usize].3).collect();
            let mut tree = PersonTree::new(&rows, some.clone()).unwrap();
            for taken in taken {
                tree.take(taken as u32);
                some.retain(|&row| row as usize != taken);
            }
            prop_assert_eq!(tree.len(), some.len());
            prop_assert_eq!(tree.rest().collect::<Vec<_>>(), some.clone());
            for row in 0..cells.len() as u32 {
                let spot = Spot::of(&rows, row);
                let mut scanned: Vec<(f64, u32)> = some.iter().map(|&other| (rows.distance(row, other), other)).collect();
                scanned.sort_by(|a, b| a.partial_cmp(b).unwrap());
                let mut found = [(f64::INFINITY, u32::MAX); 3];
                tree.search(&rows, spot, &mut found);
                let found: Vec<_> = found.into_iter().filter(|hit| hit.1 != u32::MAX).collect();
                prop_assert_eq!(&found[..], &scanned[..found.len()]);
                prop_assert_eq!(found.len(), scanned.len().min(3));
            }
        }
    }
}
