//! Rows in blocks of sixteen, each block stored by column, so that the distances of a whole
//! block are a few passes over short arrays that the compiler turns into vector instructions.

use super::column_draft::Draft;
use super::{Found, Hit, Point};
use crate::Result;
use crate::run::Meter;
use crate::run::allocation;

/// Rows per block.
pub(super) const LANES: usize = 16;

/// The row number of a slot without a row.
pub(super) const VACANT: u32 = u32::MAX;

/// In tables of this many columns a search looks at the first few before the others.
const WIDE: usize = 8;
const FIRST_COLUMNS: usize = 5;

/// One value for each row of a block.
pub(super) type Lanes<T> = [T; LANES];

/// Rows by slot: slot s is lane s mod 16 of block s div 16. A vacant slot holds NaN in every
/// numeric column: its distance is NaN and fails every comparison by itself.
#[derive(Debug)]
pub(super) struct Blocks {
    numeric: usize,
    categorical: usize,
    numbers: Vec<Lanes<f64>>,
    codes: Vec<Lanes<u32>>,
    rows: Vec<Lanes<u32>>,
}

impl Blocks {
    /// Rows in the draft's order, column by column so that the draft's memory is soon free.
    pub(super) fn new(draft: Draft, meter: &mut Meter) -> Result<Self> {
        let (numeric, categorical) = (draft.numbers.len(), draft.codes.len());
        let count = draft.rows.len().div_ceil(LANES);
        let mut numbers = allocation::filled(count * numeric, [f64::NAN; LANES])?;
        for (column, values) in draft.numbers.into_iter().enumerate() {
            let lanes = numbers.iter_mut().skip(column).step_by(numeric);
            spread(&values, lanes, meter)?;
        }
        let mut codes = allocation::filled(count * categorical, [0; LANES])?;
        for (column, values) in draft.codes.into_iter().enumerate() {
            let lanes = codes.iter_mut().skip(column).step_by(categorical);
            spread(&values, lanes, meter)?;
        }
        let mut rows = allocation::filled(count, [VACANT; LANES])?;
        spread(&draft.rows, rows.iter_mut(), meter)?;
        Ok(Blocks {
            numeric,
            categorical,
            numbers,
            codes,
            rows,
        })
    }

    /// The rows that are there, in the order of their slots.
    pub(super) fn draft(&self, rows: usize, meter: &mut Meter) -> Result<Draft> {
        let mut draft = Draft::empty(self.numeric, self.categorical, rows)?;
        for block in 0..self.len() {
            for lane in self.occupied(block) {
                draft.rows.push(self.rows[block][lane]);
                for (column, lanes) in draft.numbers.iter_mut().zip(self.numbers(block)) {
                    column.push(lanes[lane]);
                }
                for (column, lanes) in draft.codes.iter_mut().zip(self.codes(block)) {
                    column.push(lanes[lane]);
                }
            }
            meter.spend(LANES)?;
        }
        Ok(draft)
    }

    /// How many blocks there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn numeric(&self) -> usize {
        self.numeric
    }

    pub(super) fn categorical(&self) -> usize {
        self.categorical
    }

    /// The numeric columns of a block.
    #[inline]
    pub(super) fn numbers(&self, block: usize) -> &[Lanes<f64>] {
        &self.numbers[block * self.numeric..][..self.numeric]
    }

    /// The categorical columns of a block.
    #[inline]
    pub(super) fn codes(&self, block: usize) -> &[Lanes<u32>] {
        &self.codes[block * self.categorical..][..self.categorical]
    }

    /// The row numbers of a block.
    #[inline]
    pub(super) fn rows(&self, block: usize) -> &Lanes<u32> {
        &self.rows[block]
    }

    /// The lanes of a block that hold a row.
    pub(super) fn occupied(&self, block: usize) -> impl Iterator<Item = usize> {
        let rows = &self.rows[block];
        (0..LANES).filter(|&lane| rows[lane] != VACANT)
    }

    /// All rows, at distance 0.
    pub(super) fn hits(&self, rows: usize) -> Result<Vec<Hit>> {
        let mut hits = allocation::reserved(rows)?;
        for block in 0..self.len() {
            hits.extend(self.occupied(block).map(|lane| self.hit(block, lane, 0.0)));
        }
        Ok(hits)
    }

    #[inline]
    pub(super) fn hit(&self, block: usize, lane: usize, distance: f64) -> Hit {
        Hit {
            distance,
            row: self.rows[block][lane],
            slot: (block * LANES + lane) as u32,
        }
    }

    /// A lane's row and how far it is from a point, computed in the order of operations of
    /// [`distances`](Blocks::distances).
    #[inline]
    pub(super) fn hit_from(&self, block: usize, lane: usize, point: &Point) -> Hit {
        let mut sum = 0.0;
        for (lanes, &number) in self.numbers(block).iter().zip(&point.numbers) {
            let difference = lanes[lane] - number;
            sum += difference * difference;
        }
        for (lanes, &code) in self.codes(block).iter().zip(&point.codes) {
            sum += if lanes[lane] == code { 0.0 } else { 1.0 };
        }
        self.hit(block, lane, sum)
    }

    /// Copies a slot's row.
    pub(super) fn read(&self, slot: u32, point: &mut Point) {
        let (block, lane) = place(slot);
        point.numbers.clear();
        let numbers = self.numbers(block).iter().map(|lanes| lanes[lane]);
        point.numbers.extend(numbers);
        point.codes.clear();
        let codes = self.codes(block).iter().map(|lanes| lanes[lane]);
        point.codes.extend(codes);
    }

    /// Puts other numbers and codes in a slot's place.
    pub(super) fn write(&mut self, slot: u32, point: &Point) {
        let (block, lane) = place(slot);
        let numbers = &mut self.numbers[block * self.numeric..][..self.numeric];
        for (lanes, &number) in numbers.iter_mut().zip(&point.numbers) {
            lanes[lane] = number;
        }
        let codes = &mut self.codes[block * self.categorical..][..self.categorical];
        for (lanes, &code) in codes.iter_mut().zip(&point.codes) {
            lanes[lane] = code;
        }
    }

    /// Marks a slot as vacant.
    pub(super) fn vacate(&mut self, slot: u32) {
        let (block, lane) = place(slot);
        let numbers = &mut self.numbers[block * self.numeric..][..self.numeric];
        numbers.iter_mut().for_each(|lanes| lanes[lane] = f64::NAN);
        self.rows[block][lane] = VACANT;
    }

    /// Squared distances of a block's rows from a point.
    #[inline]
    pub(super) fn distances(&self, block: usize, point: &Point) -> Lanes<f64> {
        let mut sums = squares(self.numbers(block), &point.numbers);
        self.add_differences(&mut sums, block, point);
        sums
    }

    /// Squared distances of a block's rows from a point; `None` if all surely exceed `limit`.
    #[inline]
    pub(super) fn distances_within(
        &self,
        block: usize,
        point: &Point,
        limit: f64,
    ) -> Option<Lanes<f64>> {
        if self.numeric < WIDE {
            return Some(self.distances(block, point));
        }
        let mut sums = [0.0; LANES];
        let (first, others) = self.numbers(block).split_at(FIRST_COLUMNS);
        let (to_first, to_others) = point.numbers.split_at(FIRST_COLUMNS);
        add_squares(&mut sums, first, to_first);
        if !any(&sums, |sum| sum <= limit) {
            return None;
        }
        add_squares(&mut sums, others, to_others);
        self.add_differences(&mut sums, block, point);
        Some(sums)
    }

    /// Offers a block's rows, those in the admitted lanes, to the nearest found so far.
    #[inline]
    pub(super) fn offer(
        &self,
        block: usize,
        point: &Point,
        admits: impl Fn(usize) -> bool,
        found: &mut impl Found,
    ) {
        let Some(distances) = self.distances_within(block, point, found.limit()) else {
            return;
        };
        if any(&distances, |distance| distance <= found.limit()) {
            for (lane, &distance) in distances.iter().enumerate() {
                // false for the NaN of a vacant slot
                if distance <= found.limit() && admits(lane) {
                    found.offer(self.hit(block, lane, distance));
                }
            }
        }
    }

    /// The farther of `best` and the block's farthest row.
    #[inline]
    pub(super) fn farther(&self, block: usize, point: &Point, mut best: Hit) -> Hit {
        let distances = self.distances(block, point);
        if any(&distances, |distance| distance >= best.distance) {
            for (lane, &distance) in distances.iter().enumerate() {
                let hit = self.hit(block, lane, distance);
                if hit.farther_than(&best) {
                    best = hit;
                }
            }
        }
        best
    }

    #[inline]
    fn add_differences(&self, sums: &mut Lanes<f64>, block: usize, point: &Point) {
        for (lanes, &code) in self.codes(block).iter().zip(&point.codes) {
            for (sum, &other) in sums.iter_mut().zip(lanes) {
                *sum += if other == code { 0.0 } else { 1.0 };
            }
        }
    }
}

/// Block and lane of a slot.
#[inline]
pub(super) fn place(slot: u32) -> (usize, usize) {
    (slot as usize / LANES, slot as usize % LANES)
}

/// Whether some lane passes the test; without a branch per lane.
#[inline]
pub(super) fn any(lanes: &Lanes<f64>, test: impl Fn(f64) -> bool) -> bool {
    lanes.iter().fold(false, |found, &lane| found | test(lane))
}

/// Squared distances of a block's rows from a point, of the numeric columns alone.
#[inline]
pub(super) fn squares(columns: &[Lanes<f64>], to: &[f64]) -> Lanes<f64> {
    let mut sums = [0.0; LANES];
    add_squares(&mut sums, columns, to);
    sums
}

#[inline]
fn add_squares(sums: &mut Lanes<f64>, columns: &[Lanes<f64>], to: &[f64]) {
    for (lanes, &number) in columns.iter().zip(to) {
        for (sum, &value) in sums.iter_mut().zip(lanes) {
            let difference = value - number;
            *sum += difference * difference;
        }
    }
}

/// Deals the values of one column out to its lanes of every block.
fn spread<'a, T: Copy + 'a>(
    values: &[T],
    lanes: impl Iterator<Item = &'a mut Lanes<T>>,
    meter: &mut Meter,
) -> Result<()> {
    for (part, lanes) in values.chunks(LANES).zip(lanes) {
        lanes[..part.len()].copy_from_slice(part);
        meter.spend(LANES)?;
    }
    Ok(())
}
