//! The rows nearest to a point.

use super::rough_rows::{EVERY, FEW};
use super::search_bits::{children_where, ones, only};
use super::tree_level::{WIDTH, close_below};
use super::tree_values::TreeValues;
use super::{OpenNode, Tree};
use crate::neighbours::row_blocks::{Blocks, VACANT, place};
use crate::neighbours::{Found, Point, Wanted};

/// Which rows a search is for.
pub(super) trait Filter {
    /// Whether a leaf (level 0) or node may hold such a row.
    fn may_hold(&self, values: &TreeValues, level: usize, entry: usize) -> bool;

    /// Whether the row in a lane of a block is one.
    fn admits(&self, values: &TreeValues, blocks: &Blocks, block: usize, lane: usize) -> bool;
}

/// Every row.
pub(super) struct Any;

impl Filter for Any {
    #[inline]
    fn may_hold(&self, _: &TreeValues, _: usize, _: usize) -> bool {
        true
    }

    #[inline]
    fn admits(&self, _: &TreeValues, _: &Blocks, _: usize, _: usize) -> bool {
        true
    }
}

impl Filter for Wanted<'_> {
    #[inline]
    fn may_hold(&self, values: &TreeValues, level: usize, entry: usize) -> bool {
        values.may_hold(level, entry, self)
    }

    #[inline]
    fn admits(&self, values: &TreeValues, blocks: &Blocks, block: usize, lane: usize) -> bool {
        values.may_be(block, lane, self) && (self.admits)(blocks.rows(block)[lane])
    }
}

impl Tree {
    /// Searches from the leaf of the slot `start` upwards: most answers are found in the
    /// first leaf, and the higher nodes are then skipped. Returns the leaves and nodes visited.
    #[inline]
    pub(super) fn find_nearest(
        &mut self,
        point: &Point,
        start: Option<u32>,
        filter: &impl Filter,
        found: &mut impl Found,
    ) -> (usize, usize) {
        self.pending.clear();
        self.rough
            .set(point.numbers.iter().copied(), point.codes.len());
        let Some(slot) = start else {
            self.descend(self.levels.len() - 1, 0, None, point, filter, found);
            return self.visit_near(point, filter, found);
        };
        let mut entry = place(slot).0;
        self.offer(entry, point, filter, found);
        let (mut leaves, mut nodes) = (1, self.levels.len());
        for level in 0..self.levels.len() {
            let visited = Some(entry % WIDTH);
            self.descend(level, entry / WIDTH, visited, point, filter, found);
            let visited = self.visit_near(point, filter, found);
            leaves += visited.0;
            nodes += visited.1;
            entry /= WIDTH;
        }
        (leaves, nodes)
    }

    /// Visits what is pending, nearest first.
    #[inline]
    fn visit_near(
        &mut self,
        point: &Point,
        filter: &impl Filter,
        found: &mut impl Found,
    ) -> (usize, usize) {
        let (mut leaves, mut nodes) = (0, 0);
        while let Some(next) = self.pending.pop() {
            let limit = found.limit();
            if next.bound > self.rough.raised(limit)
                || next.bound >= close_below(limit) && !self.may_come_in(&next, point, found)
            {
                continue;
            }
            let index = next.index as usize;
            if next.level == 0 {
                self.offer(index, point, filter, found);
                leaves += 1;
            } else {
                self.descend(next.level as usize - 1, index, None, point, filter, found);
                nodes += 1;
            }
        }
        (leaves, nodes)
    }

    #[inline]
    fn offer(&self, leaf: usize, point: &Point, filter: &impl Filter, found: &mut impl Found) {
        let blocks = &self.rows.blocks;
        let admits = |lane| filter.admits(&self.values, blocks, leaf, lane);
        let lanes = match found.limit() {
            f64::INFINITY => EVERY,
            limit => self
                .rough_rows
                .near(blocks, leaf, point, &self.rough, limit),
        };
        match lanes.count_ones() {
            0 => (),
            1..=FEW => ones(lanes)
                .filter(|&lane| admits(lane))
                .for_each(|lane| found.offer(blocks.hit_from(leaf, lane, point))),
            _ => blocks.offer(leaf, point, admits, found),
        }
    }

    /// Puts the children of a node that may hold a hit on the pile, the nearest on top.
    #[inline]
    fn descend(
        &mut self,
        level: usize,
        node: usize,
        visited: Option<usize>,
        point: &Point,
        filter: &impl Filter,
        found: &impl Found,
    ) {
        let boxes = self.levels[level].node(node);
        let limit = self.rough.raised(found.limit());
        let bottom = self.pending.len();
        let bounds = boxes.rough_least(&self.rough, &point.codes);
        for child in ones(children_where(|child| bounds[child] <= limit) & !only(visited)) {
            let (first, entry) = (boxes.first[child], node * WIDTH + child);
            if first != VACANT && filter.may_hold(&self.values, level, entry) {
                let bound = bounds[child];
                let next = OpenNode::new(bound, first, level, entry);
                let nearer = |other: &OpenNode| {
                    other.bound < bound || (other.bound == bound && other.first < first)
                };
                next.insert(&mut self.pending, bottom, nearer);
            }
        }
    }

    /// Whether a row of a leaf or node can be among the nearest, by an exact bound.
    #[cold]
    fn may_come_in(&self, next: &OpenNode, point: &Point, found: &impl Found) -> bool {
        let (boxes, child) = self.boxes_of(next);
        found.admits(boxes.least_distance(child, point), next.first)
    }
}
