//! The row farthest from a point.
//!
//! Boxes alone bound badly from above: from far away a box's farthest corner is much farther
//! than its rows. Each node therefore knows its reach F, the greatest |x − c|² of its rows
//! from the reference point c. With p = q − c for the point q, a rate ρ > 0 and the point
//! T = c − p/ρ,
//!
//! |x − q|² = (1 + ρ)|x − c|² + |p|² + |p|²/ρ − ρ|x − T|²
//!
//! so (1 + ρ)F + |p|² + |p|²/ρ − ρ·(least distance of the box from T)² is a bound as well. With
//! ρ = |p|/r, r the reach of the whole tree, T lies opposite to q on the sphere that holds all
//! rows, and the farthest row from q is sought near T. Rows close to that sphere, and in
//! microaggregation those are the ones in question, are bounded tightly.

use super::tree_level::{Node, WIDTH, Wide};
use super::{OpenNode, Tree};
use crate::neighbours::{Hit, Point};

/// Rounding errors of the bound by reach, relative to the squares in it and per column, stay
/// far below this.
const MARGIN: f64 = 1e-14;

/// A point, and what bounding by reach needs to know of it.
struct Query<'a> {
    point: &'a Point,
    rate: f64,
    opposite: Vec<f64>,
    constant: f64,
}

impl<'a> Query<'a> {
    fn new(point: &'a Point, reference: &[f64], reach: f64) -> Self {
        let radius = reach.sqrt();
        let offsets = || point.numbers.iter().zip(reference).map(|(q, c)| q - c);
        let square: f64 = offsets().map(|offset| offset * offset).sum();
        let length = square.sqrt();
        // too close to the reference a direction means nothing: then only the reach counts
        let (rate, back) = if length > 1e-9 * radius && radius > 0.0 {
            (length / radius, radius / length)
        } else {
            (0.0, 0.0)
        };
        let opposite: Vec<f64> = offsets()
            .zip(reference)
            .map(|(offset, c)| c - offset * back)
            .collect();
        let far = if rate > 0.0 {
            square / rate
        } else {
            2.0 * length * radius
        };
        let size = opposite
            .iter()
            .fold(radius + length, |size, t| size + t.abs());
        let margin = MARGIN * (16 + opposite.len()) as f64 * (radius + length) * size;
        Query {
            point,
            rate,
            opposite,
            constant: square + far + margin,
        }
    }

    /// The greatest distance that a row of each child can have; `None` if no child has a row
    /// farther than the best.
    #[inline]
    fn greatest_distances(&self, node: Node<'_>, best: &Hit) -> Option<Wide<f64>> {
        let mut bounds = self.by_reach(node);
        node.add_greatest_differences(&mut bounds, &self.point.codes);
        if !bounds.iter().any(|&bound| bound >= best.distance) {
            return None;
        }
        // corners seldom tell more, but where rows tie they tell exactly
        let mut corners = node.greatest_squares(&self.point.numbers);
        node.add_greatest_differences(&mut corners, &self.point.codes);
        for (bound, corner) in bounds.iter_mut().zip(corners) {
            *bound = bound.min(corner);
        }
        Some(bounds)
    }

    /// The bound by reach of the numeric columns; not to be used for a child without rows.
    #[inline]
    fn by_reach(&self, node: Node<'_>) -> Wide<f64> {
        let mut bounds = node.least_squares(&self.opposite);
        for (bound, reach) in bounds.iter_mut().zip(node.reach) {
            *bound = (1.0 + self.rate) * reach + self.constant - self.rate * *bound;
        }
        bounds
    }
}

impl Tree {
    /// The farthest row, and how many leaves and nodes were visited.
    pub(super) fn find_farthest(&mut self, point: &Point) -> (Hit, usize, usize) {
        let top = self.levels.len() - 1;
        let query = Query::new(point, &self.reference.numbers, self.reach());
        let mut best = Hit::NOTHING;
        let (mut leaves, mut nodes) = (0, 1);
        self.pending.clear();
        self.descend_far(top, 0, &query, &best);
        while let Some(next) = self.pending.pop() {
            if !may_win(next.bound, next.first, &best) {
                continue;
            }
            if next.level == 0 {
                best = self.rows.blocks.farther(next.index as usize, point, best);
                leaves += 1;
            } else {
                self.descend_far(next.level as usize - 1, next.index as usize, &query, &best);
                nodes += 1;
            }
        }
        (best, leaves, nodes)
    }

    /// Puts the children of a node that may hold the farthest row on the pile, the most
    /// promising on top.
    #[inline]
    fn descend_far(&mut self, level: usize, node: usize, query: &Query, best: &Hit) {
        let children = self.levels[level].node(node);
        let Some(bounds) = query.greatest_distances(children, best) else {
            return;
        };
        let bottom = self.pending.len();
        for (child, &bound) in bounds.iter().enumerate() {
            let first = children.first[child];
            if children.reach[child] >= 0.0 && may_win(bound, first, best) {
                let next = OpenNode::new(bound, first, level, node * WIDTH + child);
                let farther = |other: &OpenNode| {
                    other.bound > bound || (other.bound == bound && other.first < first)
                };
                next.insert(&mut self.pending, bottom, farther);
            }
        }
    }
}

/// Whether rows up to this distance, from this row number on, can be farther than the best.
#[inline]
fn may_win(bound: f64, first: u32, best: &Hit) -> bool {
    bound > best.distance || (bound == best.distance && first < best.row)
}
