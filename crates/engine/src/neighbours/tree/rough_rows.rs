//! The rows of each leaf in few bytes: which of them can be near enough, or far enough, is seen
//! there first. Searches wait for memory, and most leaves that they visit hold no hit.
//!
//! A row's codes say where it is up to an error e that is known for the leaf. If the place they
//! say is at the distance a from a point, the row is between a − e and a + e. Rows that this leaves
//! open are measured exactly, so what is found does not depend on codes.

use super::search_bits::lanes_where;
use super::tree_level::{RoughPlace, rounded_down, rounded_up};
use crate::Result;
use crate::neighbours::Point;
use crate::neighbours::row_blocks::{Blocks, LANES, Lanes, VACANT};
use crate::run::allocation;

/// The greatest code: a leaf is cut into so many steps in each column.
const STEPS: f64 = 255.0;

/// How far a value may be from where its code says, in steps: half of one, and room for
/// rounding.
const MISS: f64 = 0.501;

/// Up to so many lanes are looked at one by one, more of them all at once.
pub(super) const FEW: u32 = 5;

/// What is said of a leaf's lanes where nothing is known.
pub(super) const EVERY: u16 = u16::MAX;

/// Tables of fewer columns do without. Their leaves take few bytes as they are, and where rows tie,
/// looking twice costs more than it saves.
const LEAST_COLUMNS: usize = 8;

/// A column of a leaf: each value as a whole number of steps above the lowest.
#[derive(Debug, Clone, Copy)]
struct RoughColumn {
    low: f32,
    step: f32,
    codes: Lanes<u8>,
}

/// What goes for a leaf as a whole.
#[derive(Debug, Clone, Copy)]
struct RoughLeaf {
    /// how far a row may be from where its codes say
    error: f32,
    /// one bit for each lane that holds a row
    occupied: u16,
}

/// The numeric columns of all leaves.
#[derive(Debug)]
pub(super) struct RoughRows {
    numeric: usize,
    columns: Vec<RoughColumn>,
    leaves: Vec<RoughLeaf>,
}

impl RoughRows {
    /// Room for the leaves of the blocks; none of them holds a row before it is
    /// [encoded](RoughRows::encode).
    pub(super) fn new(blocks: &Blocks) -> Result<Self> {
        let column = RoughColumn {
            low: 0.0,
            step: 0.0,
            codes: [0; LANES],
        };
        let leaf = RoughLeaf {
            error: 0.0,
            occupied: 0,
        };
        let leaves = if blocks.numeric() < LEAST_COLUMNS {
            0
        } else {
            blocks.len()
        };
        Ok(RoughRows {
            numeric: blocks.numeric(),
            columns: allocation::filled(leaves * blocks.numeric(), column)?,
            leaves: allocation::filled(leaves, leaf)?,
        })
    }

    /// The bytes that a leaf of so many columns takes.
    pub(super) fn leaf_memory(numeric: usize) -> usize {
        if numeric < LEAST_COLUMNS {
            0
        } else {
            numeric * size_of::<RoughColumn>() + size_of::<RoughLeaf>()
        }
    }

    /// Writes down a leaf as it is now. A leaf from which rows were removed need not be written
    /// down again.
    pub(super) fn encode(&mut self, blocks: &Blocks, leaf: usize) {
        if self.leaves.is_empty() {
            return;
        }
        let columns = &mut self.columns[leaf * self.numeric..][..self.numeric];
        let mut error = 0.0;
        for (column, values) in columns.iter_mut().zip(blocks.numbers(leaf)) {
            *column = RoughColumn::new(values);
            let miss = MISS * f64::from(column.step) + f64::from(f32::MIN_POSITIVE);
            error += miss * miss;
        }
        self.leaves[leaf].error = rounded_up(error.sqrt());
        self.occupy(blocks, leaf);
    }

    /// Sees which lanes of a leaf still hold a row.
    #[inline]
    pub(super) fn occupy(&mut self, blocks: &Blocks, leaf: usize) {
        let rows = blocks.rows(leaf);
        if let Some(leaf) = self.leaves.get_mut(leaf) {
            leaf.occupied = lanes_where(|lane| rows[lane] != VACANT);
        }
    }

    /// The lanes of a leaf, one bit each, whose rows may be at most at the distance `limit`.
    #[inline]
    pub(super) fn near(
        &self,
        blocks: &Blocks,
        leaf: usize,
        point: &Point,
        place: &RoughPlace,
        limit: f64,
    ) -> u16 {
        let Some(&RoughLeaf { error, occupied }) = self.leaves.get(leaf) else {
            return EVERY;
        };
        let reach = limit.sqrt() + f64::from(error);
        let limit = place.raised(reach * reach);
        let sums = self.distances(blocks, leaf, point);
        // what is not a number says nothing, and passes
        occupied & !lanes_where(|lane| sums[lane] > limit)
    }

    /// The lanes of a leaf, one bit each, whose rows may be at least at the distance `limit`.
    #[inline]
    pub(super) fn far(
        &self,
        blocks: &Blocks,
        leaf: usize,
        point: &Point,
        place: &RoughPlace,
        limit: f64,
    ) -> u16 {
        let Some(&RoughLeaf { error, occupied }) = self.leaves.get(leaf) else {
            return EVERY;
        };
        let reach = (limit.sqrt() - f64::from(error)).max(0.0);
        let limit = place.lowered(reach * reach) - f32::MIN_POSITIVE;
        let sums = self.distances(blocks, leaf, point);
        occupied & !lanes_where(|lane| sums[lane] < limit)
    }

    #[inline]
    fn distances(&self, blocks: &Blocks, leaf: usize, point: &Point) -> Lanes<f32> {
        let columns = &self.columns[leaf * self.numeric..][..self.numeric];
        let mut sums = squares(columns, &point.numbers);
        for (codes, &code) in blocks.codes(leaf).iter().zip(&point.codes) {
            for (sum, &other) in sums.iter_mut().zip(codes) {
                *sum += if other == code { 0.0 } else { 1.0 };
            }
        }
        sums
    }
}

impl RoughColumn {
    /// Values, NaN where there is none. Ends are rounded outwards, so every code fits.
    fn new(values: &Lanes<f64>) -> Self {
        let there = || values.iter().filter(|value| !value.is_nan());
        let low = rounded_down(there().copied().fold(f64::INFINITY, f64::min));
        let high = rounded_up(there().copied().fold(f64::NEG_INFINITY, f64::max));
        let step = rounded_up((f64::from(high) - f64::from(low)).max(0.0) / STEPS);
        let steps = |value: f64| match step > 0.0 {
            // the cast saturates, and makes 0 of NaN
            true => ((value - f64::from(low)) / f64::from(step)).round() as u8,
            false => 0,
        };
        RoughColumn {
            low,
            step,
            codes: values.map(steps),
        }
    }
}

/// Roughly the squared distances of a leaf's rows from a place. Not inlined: on its own the
/// compiler makes vector instructions of it.
#[inline(never)]
fn squares(columns: &[RoughColumn], place: &[f64]) -> Lanes<f32> {
    let mut sums = [0.0; LANES];
    for (column, &number) in columns.iter().zip(place) {
        let offset = (number - f64::from(column.low)) as f32;
        for (sum, &code) in sums.iter_mut().zip(&column.codes) {
            let difference = offset - column.step * f32::from(code);
            *sum += difference * difference;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbours::column_draft::Draft;
    use crate::{Phase, Unwatched, run::Meter};
    use proptest::prelude::*;

    fn leaf(rows: &[Vec<f64>]) -> Blocks {
        let columns = (0..LEAST_COLUMNS).map(|column| rows.iter().map(|row| row[column]).collect());
        let draft = Draft {
            numbers: columns.collect(),
            codes: Vec::new(),
            rows: (0..rows.len() as u32).collect(),
        };
        let mut monitor = Unwatched;
        let mut meter = Meter::start(&mut monitor, Phase::Grouping, rows.len());
        Blocks::new(draft, &mut meter).unwrap()
    }

    fn row(scale: f64) -> impl Strategy<Value = Vec<f64>> {
        let number = prop_oneof![-1.0..1.0f64, (-2..3i8).prop_map(f64::from)];
        prop::collection::vec(number.prop_map(move |x| x * scale), LEAST_COLUMNS)
    }

    /// A leaf's rows, and a place to look from.
    fn leaves() -> impl Strategy<Value = (Vec<Vec<f64>>, Vec<f64>)> {
        let scales = [1.0, 1e-30, 1e-50, 1e30, 1e160];
        let scale = prop::sample::select(scales.to_vec());
        scale.prop_flat_map(|scale| (prop::collection::vec(row(scale), 1..=LANES), row(scale)))
    }

    proptest! {
        #[test]
        fn no_row_within_the_limit_is_passed_over((rows, from) in leaves(), gone in 0..LANES) {
            let mut blocks = leaf(&rows);
            let mut rough = RoughRows::new(&blocks).unwrap();
            rough.encode(&blocks, 0);
            blocks.vacate(gone as u32);
            rough.occupy(&blocks, 0);
            let mut place = RoughPlace::default();
            place.set(from.iter().copied(), 0);
            let point = Point::new(from, Vec::new());
            let distances = blocks.distances(0, &point);
            for &limit in distances.iter().filter(|distance| !distance.is_nan()) {
                let near = lanes_where(|lane| distances[lane] <= limit);
                let far = lanes_where(|lane| distances[lane] >= limit);
                prop_assert_eq!(near & !rough.near(&blocks, 0, &point, &place, limit), 0);
                prop_assert_eq!(far & !rough.far(&blocks, 0, &point, &place, limit), 0);
            }
        }
    }

    #[test]
    fn most_rows_beyond_the_limit_are_passed_over() {
        let rows: Vec<Vec<f64>> = (0..LANES).map(|i| vec![i as f64; LEAST_COLUMNS]).collect();
        let blocks = leaf(&rows);
        let mut rough = RoughRows::new(&blocks).unwrap();
        rough.encode(&blocks, 0);
        let mut place = RoughPlace::default();
        place.set([0.0; LEAST_COLUMNS].into_iter(), 0);
        let point = Point::new(vec![0.0; LEAST_COLUMNS], Vec::new());
        let limit = blocks.distances(0, &point)[3];
        assert_eq!(rough.near(&blocks, 0, &point, &place, limit), 0b1111);
        assert_eq!(rough.far(&blocks, 0, &point, &place, limit), !0b111);
    }
}
