//! The rows nearest to a point.

use super::level::WIDTH;
use super::{Pending, Tree};
use crate::neighbours::blocks::place;
use crate::neighbours::{Point, TopK};

impl Tree {
    /// Searches from the leaf of the slot `start` upwards: most answers are found in the
    /// first leaf, and the higher nodes are then skipped. Returns the leaves and nodes visited.
    pub(super) fn find_nearest(
        &mut self,
        point: &Point,
        start: Option<u32>,
        found: &mut TopK,
    ) -> (usize, usize) {
        self.pending.clear();
        let Some(slot) = start else {
            self.descend(self.levels.len() - 1, 0, None, point, found);
            return self.visit_near(point, found);
        };
        let mut entry = place(slot).0;
        self.blocks.offer(entry, point, found);
        let (mut leaves, mut nodes) = (1, self.levels.len());
        for level in 0..self.levels.len() {
            self.descend(level, entry / WIDTH, Some(entry % WIDTH), point, found);
            let visited = self.visit_near(point, found);
            leaves += visited.0;
            nodes += visited.1;
            entry /= WIDTH;
        }
        (leaves, nodes)
    }

    /// Visits what is pending, nearest first.
    fn visit_near(&mut self, point: &Point, found: &mut TopK) -> (usize, usize) {
        let (mut leaves, mut nodes) = (0, 0);
        while let Some(next) = self.pending.pop() {
            if !found.admits(next.bound, next.first) {
                continue;
            }
            if next.level == 0 {
                self.blocks.offer(next.index as usize, point, found);
                leaves += 1;
            } else {
                self.descend(
                    next.level as usize - 1,
                    next.index as usize,
                    None,
                    point,
                    found,
                );
                nodes += 1;
            }
        }
        (leaves, nodes)
    }

    /// Puts the children of a node that may hold a hit on the pile, the nearest on top.
    #[inline]
    fn descend(
        &mut self,
        level: usize,
        node: usize,
        visited: Option<usize>,
        point: &Point,
        found: &TopK,
    ) {
        let children = self.levels[level].node(node);
        let bounds = children.least_distances(point);
        let bottom = self.pending.len();
        for (child, &bound) in bounds.iter().enumerate() {
            let first = children.first[child];
            if bound < f64::INFINITY && found.admits(bound, first) && visited != Some(child) {
                let next = Pending {
                    bound,
                    first,
                    level: level as u32,
                    index: (node * WIDTH + child) as u32,
                };
                let nearer = |other: &Pending| {
                    other.bound < bound || (other.bound == bound && other.first < first)
                };
                insert(&mut self.pending, bottom, next, nearer);
            }
        }
    }
}

/// Inserts an entry below those, from `bottom` up, that must come before it.
#[inline]
pub(super) fn insert(
    pending: &mut Vec<Pending>,
    bottom: usize,
    next: Pending,
    comes_before: impl Fn(&Pending) -> bool,
) {
    let mut place = pending.len();
    pending.push(next);
    while place > bottom && comes_before(&pending[place - 1]) {
        pending[place] = pending[place - 1];
        place -= 1;
    }
    pending[place] = next;
}
