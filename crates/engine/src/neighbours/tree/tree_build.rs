//! Puts rows into the order of a kd-tree.

use super::tree_level::WIDTH;
use crate::Result;
use crate::neighbours::column_draft::Draft;
use crate::neighbours::row_blocks::LANES;
use crate::run::Meter;
use crate::run::allocation;
use crate::run::selection::bring_forward;

/// A categorical column counts like a numeric one of this width: what a difference in it
/// adds to a squared distance.
const CODE_WIDTH: f64 = 1.0;

/// A value of the column that is split, in half the bytes, and below it where it stands: whole
/// numbers are compared in one instruction. Values that differ by less than the bytes tell are
/// parted by where they stand.
type Keyed = u64;

/// Orders the rows so that leaves, and the nodes above them, hold rows close to each other:
/// each run of leaves is cut in two across its widest column. The order of rows decides how
/// fast searches are, never what they find.
pub(super) fn arrange(draft: &mut Draft, meter: &mut Meter) -> Result<()> {
    let rows = draft.rows.len();
    let mut arrangement = Arrangement {
        keys: allocation::filled(rows, 0)?,
        numbers: allocation::filled(rows, 0.0)?,
        codes: allocation::filled(rows, 0)?,
        draft,
    };
    arrangement.split(0, rows, meter)
}

struct Arrangement<'a> {
    draft: &'a mut Draft,
    keys: Vec<Keyed>,
    /// space for a column in its new order
    numbers: Vec<f64>,
    codes: Vec<u32>,
}

#[derive(Clone, Copy)]
enum Axis {
    Number(usize),
    Code(usize),
}

impl Arrangement<'_> {
    fn split(&mut self, start: usize, end: usize, meter: &mut Meter) -> Result<()> {
        let leaves = (end - start).div_ceil(LANES);
        if leaves < 2 {
            return Ok(());
        }
        let middle = start + left_leaves(leaves) * LANES;
        if let Some(axis) = self.widest(start, end) {
            self.key(axis, start, end);
            let keys = &mut self.keys[..end - start];
            bring_forward(keys, middle - start, u64::cmp, meter)?;
            self.reorder(start, end);
        }
        meter.spend((end - start) * self.draft.numbers.len())?;
        self.split(start, middle, meter)?;
        self.split(middle, end, meter)
    }

    /// The column in which the rows spread most; `None` if all are alike.
    fn widest(&self, start: usize, end: usize) -> Option<Axis> {
        let mut widest = (0.0, None);
        for (column, values) in self.draft.numbers.iter().enumerate() {
            let (low, high) = extent(&values[start..end]);
            if high - low > widest.0 {
                widest = (high - low, Some(Axis::Number(column)));
            }
        }
        if widest.0 >= CODE_WIDTH {
            return widest.1;
        }
        let mixed = |codes: &Vec<u32>| codes[start..end].iter().any(|&code| code != codes[start]);
        let column = self.draft.codes.iter().position(mixed);
        column.map(Axis::Code).or(widest.1)
    }

    fn key(&mut self, axis: Axis, start: usize, end: usize) {
        let keys = self.keys.iter_mut().zip(0..);
        match axis {
            Axis::Number(column) => keys
                .zip(&self.draft.numbers[column][start..end])
                .for_each(|((key, at), &value)| *key = keyed(ordered(value as f32), at)),
            Axis::Code(column) => keys
                .zip(&self.draft.codes[column][start..end])
                .for_each(|((key, at), &code)| *key = keyed(code, at)),
        }
    }

    /// Brings all columns into the order of the keys.
    fn reorder(&mut self, start: usize, end: usize) {
        let keys = &self.keys[..end - start];
        for column in &mut self.draft.numbers {
            permute(&mut column[start..end], keys, &mut self.numbers);
        }
        for column in &mut self.draft.codes {
            permute(&mut column[start..end], keys, &mut self.codes);
        }
        permute(&mut self.draft.rows[start..end], keys, &mut self.codes);
    }
}

/// How many of several leaves go to the left: about half, in whole nodes of whatever height
/// fits, so that the rows below one node lie together.
fn left_leaves(leaves: usize) -> usize {
    let mut unit = 1;
    while unit * WIDTH < leaves {
        unit *= WIDTH;
    }
    (leaves / 2).next_multiple_of(unit)
}

fn extent(values: &[f64]) -> (f64, f64) {
    let (parts, rest) = values.as_chunks::<LANES>();
    let mut ends = [[f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]];
    for part in parts {
        for lane in 0..LANES {
            let [low, high] = [ends[0][lane], ends[1][lane]];
            ends[0][lane] = if part[lane] < low { part[lane] } else { low };
            ends[1][lane] = if part[lane] > high { part[lane] } else { high };
        }
    }
    let wider = |(low, high): (f64, f64), &value: &f64| (low.min(value), high.max(value));
    let all = ends.as_flattened().iter().chain(rest);
    all.filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), wider)
}

fn permute<T: Copy>(values: &mut [T], keys: &[Keyed], ordered: &mut [T]) {
    let ordered = &mut ordered[..values.len()];
    for (place, &key) in ordered.iter_mut().zip(keys) {
        *place = values[key as u32 as usize];
    }
    values.copy_from_slice(ordered);
}

#[inline]
fn keyed(value: u32, at: u32) -> Keyed {
    u64::from(value) << 32 | u64::from(at)
}

/// A whole number that is the greater the greater the value is.
#[inline]
fn ordered(value: f32) -> u32 {
    let bits = value.to_bits();
    let flipped = if bits >> 31 == 1 { u32::MAX } else { 1 << 31 };
    bits ^ flipped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_values() {
        let values = [
            f32::NEG_INFINITY,
            -2.5,
            -1.0,
            -1e-40,
            0.0,
            1e-40,
            1.0,
            2.5,
            f32::INFINITY,
        ];
        assert!(values.map(ordered).is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn nodes_are_not_torn_apart() {
        assert_eq!(left_leaves(2), 1);
        assert_eq!(left_leaves(8), 4);
        assert_eq!(left_leaves(9), 8);
        assert_eq!(left_leaves(64), 32);
        assert_eq!(left_leaves(65), 64);
        for leaves in 2..5000 {
            let left = left_leaves(leaves);
            assert!(0 < left && left < leaves);
        }
    }
}
