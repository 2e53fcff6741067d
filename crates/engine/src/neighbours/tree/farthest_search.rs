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
//! microaggregation those are the ones in question, are bounded tightly. Where the farthest rows
//! lie elsewhere a lower ρ, and a T farther away, is better: see [`super::reach_rate`].

use super::rough_rows::FEW;
use super::search_bits::{children_where, ones, only};
use super::tree_level::{Node, RoughPlace, WIDTH, Wide, close_above};
use super::{OpenNode, Tree};
use crate::neighbours::row_blocks::VACANT;
use crate::neighbours::{Hit, Point};

/// Rounding errors of the bound by reach, relative to the squares in it and per column, stay
/// far below this.
const MARGIN: f64 = 1e-14;

/// A point, and what bounding by reach needs to know of it.
struct Query<'a> {
    point: &'a Point,
    rate: f64,
    constant: f64,
    place: &'a RoughPlace,
    opposite: &'a RoughPlace,
    /// the rate at which rough squares from the opposite point count
    nearness: f64,
}

impl<'a> Query<'a> {
    fn new(
        point: &'a Point,
        reference: &[f64],
        reach: f64,
        share: f64,
        [place, opposite]: [&'a mut RoughPlace; 2],
    ) -> Self {
        let radius = reach.sqrt();
        let offsets = || point.numbers.iter().zip(reference).map(|(q, c)| q - c);
        let square: f64 = offsets().map(|offset| offset * offset).sum();
        let length = square.sqrt();
        // too close to the reference a direction means nothing: then only the reach counts
        let (rate, back) = if length > 1e-9 * radius && radius > 0.0 {
            let rate = share * length / radius;
            (rate, rate.recip())
        } else {
            (0.0, 0.0)
        };
        let places = || {
            offsets()
                .zip(reference)
                .map(|(offset, c)| c - offset * back)
        };
        let far = if rate > 0.0 {
            square / rate
        } else {
            2.0 * length * radius
        };
        let size = places().fold(radius + length, |size, t| size + t.abs());
        let margin = MARGIN * (16 + reference.len()) as f64 * (radius + length) * size;
        place.set(point.numbers.iter().copied(), point.codes.len());
        opposite.set(places(), 0);
        Query {
            point,
            rate,
            constant: square + far + margin + rate * f64::from(f32::MIN_POSITIVE),
            nearness: rate * opposite.share(),
            place,
            opposite,
        }
    }

    /// How far a row of each child may be, by reach; below zero without rows.
    #[inline]
    fn by_reach(&self, node: Node<'_>) -> Wide<f32> {
        let squares = node.rough_squares(self.opposite);
        let mut bounds = [0.0; WIDTH];
        for child in 0..WIDTH {
            // a sum beyond all numbers says no more than the greatest number
            let square = f64::from(squares[child].min(f32::MAX));
            let reach = (1.0 + self.rate) * node.reach[child];
            let bound = reach + self.constant - self.nearness * square;
            bounds[child] = self.place.raised(bound);
        }
        node.add_greatest_differences(&mut bounds, &self.point.codes);
        bounds
    }

    /// What rough bounds of nodes that may hold a row farther than the best are not below.
    #[inline]
    fn limit(&self, best: &Hit) -> f32 {
        self.place.lowered(best.distance)
    }
}

impl Tree {
    /// The farthest row, sought at a share of the rate |p|/r, and how many leaves and nodes were visited.
    pub(super) fn find_farthest(&mut self, point: &Point, share: f64) -> (Hit, usize, usize) {
        let mut places = [&mut self.rough, &mut self.opposite].map(std::mem::take);
        let query = Query::new(
            point,
            &self.reference.numbers,
            self.reach(),
            share,
            places.each_mut(),
        );
        let (mut leaves, mut nodes) = (1, self.levels.len());
        let mut best = self.dive(&query);
        while let Some(next) = self.pending.pop() {
            if next.bound < query.limit(&best)
                || next.bound <= close_above(best.distance) && !self.may_win(&next, point, &best)
            {
                continue;
            }
            let index = next.index as usize;
            if next.level == 0 {
                best = self.farther(index, &query, best);
                leaves += 1;
            } else {
                let level = next.level as usize - 1;
                let bounds = query.by_reach(self.levels[level].node(index));
                self.put_off(level, index, None, &bounds, &query, &best);
                nodes += 1;
            }
        }
        [self.rough, self.opposite] = places;
        (best, leaves, nodes)
    }

    /// The farther of the best row and those of a leaf.
    #[inline]
    fn farther(&self, leaf: usize, query: &Query, best: Hit) -> Hit {
        let blocks = &self.rows.blocks;
        let (point, limit) = (query.point, best.distance);
        let lanes = self.rough_rows.far(blocks, leaf, point, query.place, limit);
        match lanes.count_ones() {
            0 => best,
            1..=FEW => ones(lanes).fold(best, |best, lane| {
                let hit = blocks.hit_from(leaf, lane, point);
                if hit.farther_than(&best) { hit } else { best }
            }),
            _ => blocks.farther(leaf, point, best),
        }
    }

    /// Goes down to the most promising leaf, and only then looks which nodes beside the way may
    /// hold a row that is farther than the leaf's: few do.
    fn dive(&mut self, query: &Query) -> Hit {
        let mut way = std::mem::take(&mut self.way);
        way.clear();
        let mut entry = 0;
        for level in self.levels.iter().rev() {
            let bounds = query.by_reach(level.node(entry));
            let child = greatest(&bounds, level.node(entry).first);
            way.push((entry, child, bounds));
            entry = entry * WIDTH + child;
        }
        let best = self.rows.blocks.farther(entry, query.point, Hit::NOTHING);
        self.pending.clear();
        for (level, (node, taken, bounds)) in (0..way.len()).rev().zip(&way) {
            self.put_off(level, *node, Some(*taken), bounds, query, &best);
        }
        self.way = way;
        best
    }

    /// Puts the children of a node that may hold the farthest row on the pile, the most
    /// promising on top.
    #[inline]
    fn put_off(
        &mut self,
        level: usize,
        node: usize,
        taken: Option<usize>,
        bounds: &Wide<f32>,
        query: &Query,
        best: &Hit,
    ) {
        let boxes = self.levels[level].node(node);
        let limit = query.limit(best);
        let promising = children_where(|child| bounds[child] >= limit) & !only(taken);
        if promising == 0 {
            return;
        }
        // corners seldom tell more where rows are close to the sphere, but elsewhere they do
        let corners = boxes.rough_greatest(query.place, &query.point.codes);
        let corners = query.place.all_raised(corners);
        let bottom = self.pending.len();
        for child in ones(promising & !children_where(|child| corners[child] < limit)) {
            let bound = bounds[child].min(corners[child]);
            let first = boxes.first[child];
            if first != VACANT {
                let next = OpenNode::new(bound, first, level, node * WIDTH + child);
                let farther = |other: &OpenNode| {
                    other.bound > bound || (other.bound == bound && other.first < first)
                };
                next.insert(&mut self.pending, bottom, farther);
            }
        }
    }

    /// Whether a row of a leaf or node can be farther than the best, by an exact bound.
    #[cold]
    fn may_win(&self, next: &OpenNode, point: &Point, best: &Hit) -> bool {
        let (boxes, child) = self.boxes_of(next);
        let bound = boxes.greatest_distance(child, point);
        bound > best.distance || (bound == best.distance && next.first < best.row)
    }
}

/// The child with the greatest bound; of several the one with the lowest row, which wins a tie.
#[inline]
fn greatest(bounds: &Wide<f32>, first: &Wide<u32>) -> usize {
    let mut greatest = 0;
    for (child, &bound) in bounds.iter().enumerate() {
        let ties = bound == bounds[greatest] && first[child] < first[greatest];
        if bound > bounds[greatest] || ties {
            greatest = child;
        }
    }
    greatest
}
