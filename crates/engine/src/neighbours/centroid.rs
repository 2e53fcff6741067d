//! The centroid of the rows that remain, kept up to date as rows leave.

use super::Point;
use super::column_draft::Draft;
use crate::run::Meter;
use crate::run::allocation;
use crate::{Result, Space};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Scaled values are summed as multiples of 2⁻⁴⁰. Such sums are exact, so the centroid does
/// not depend on the order in which rows left, and every structure finds the same one.
const UNIT: f64 = (1u64 << 40) as f64;

/// A value as a whole number of units.
pub(super) fn fixed(value: f64) -> i128 {
    // the cast saturates far beyond any scaled value, and alike when the row leaves
    i128::from((value * UNIT) as i64)
}

/// The mean of `rows` values that add up to so many units.
pub(super) fn mean(sum: i128, rows: usize) -> f64 {
    sum as f64 / (UNIT * rows.max(1) as f64)
}

/// Sums of the numeric columns and modes of the categorical ones.
#[derive(Debug, Default)]
pub(super) struct Centroid {
    rows: usize,
    sums: Vec<i128>,
    modes: Vec<Mode>,
}

impl Centroid {
    pub(super) fn new(draft: &Draft, meter: &mut Meter) -> Result<Self> {
        let mut sums = Vec::new();
        for values in &draft.numbers {
            let mut sum = 0;
            for part in values.chunks(1 << 16) {
                sum += part.iter().map(|&value| fixed(value)).sum::<i128>();
                meter.spend(part.len())?;
            }
            sums.push(sum);
        }
        let mut modes = Vec::new();
        for codes in &draft.codes {
            modes.push(Mode::new(codes)?);
            meter.spend(codes.len())?;
        }
        Ok(Centroid {
            rows: draft.rows.len(),
            sums,
            modes,
        })
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// A row leaves.
    pub(super) fn remove(&mut self, point: &Point) {
        self.rows -= 1;
        for (sum, &value) in self.sums.iter_mut().zip(&point.numbers) {
            *sum -= fixed(value);
        }
        for (mode, &code) in self.modes.iter_mut().zip(&point.codes) {
            mode.remove(code);
        }
    }

    pub(super) fn point(&mut self) -> Point {
        let mean = |&sum: &i128| mean(sum, self.rows);
        Point {
            numbers: self.sums.iter().map(mean).collect(),
            codes: self.modes.iter_mut().map(Mode::code).collect(),
        }
    }
}

/// The centroid of a few rows of a space.
pub fn centroid_of(space: &Space, rows: &[u32]) -> Result<Point> {
    let mean_of = |values: &Vec<f64>| {
        let sum = rows.iter().map(|&row| fixed(values[row as usize])).sum();
        mean(sum, rows.len())
    };
    let numbers = space.numeric().iter().map(mean_of).collect();
    let codes = space.categorical().iter();
    let codes = codes.map(|column| mode_of(column.codes(), rows));
    Ok(Point::new(numbers, codes.collect::<Result<_>>()?))
}

fn mode_of(codes: &[u32], rows: &[u32]) -> Result<u32> {
    let mut sorted = allocation::collected(rows.iter().map(|&row| codes[row as usize]))?;
    sorted.sort_unstable();
    let runs = sorted.chunk_by(|a, b| a == b);
    let longest = runs.max_by_key(|run| (run.len(), Reverse(run[0])));
    Ok(longest.map_or(0, |run| run[0]))
}

/// The most frequent code among the rows that remain; ties go to the lower code.
#[derive(Debug)]
struct Mode {
    counts: Vec<u32>,
    /// (count, code) with the mode on top; counts only fall, so an entry is brought up to
    /// date when it comes to the top
    ranking: BinaryHeap<(u32, Reverse<u32>)>,
}

impl Mode {
    fn new(codes: &[u32]) -> Result<Self> {
        let cardinality = codes.iter().max().map_or(0, |&top| top as usize + 1);
        let mut counts = allocation::filled(cardinality, 0u32)?;
        codes.iter().for_each(|&code| counts[code as usize] += 1);
        let mut entries = allocation::reserved(cardinality)?;
        entries.extend(
            (0..)
                .zip(&counts)
                .map(|(code, &count)| (count, Reverse(code))),
        );
        Ok(Mode {
            counts,
            ranking: BinaryHeap::from(entries),
        })
    }

    fn remove(&mut self, code: u32) {
        self.counts[code as usize] -= 1;
    }

    fn code(&mut self) -> u32 {
        while let Some(mut top) = self.ranking.peek_mut() {
            let (count, Reverse(code)) = *top;
            let current = self.counts[code as usize];
            if current == count {
                return code;
            }
            top.0 = current;
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Categories, Column, Phase, Table, Unwatched};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn modes_follow_removals(codes in prop::collection::vec(0u32..5, 1..60)) {
            let mut mode = Mode::new(&codes).unwrap();
            for gone in 0..codes.len() {
                let count = |code: &u32| codes[gone..].iter().filter(|&c| c == code).count();
                let best = (0..5).max_by_key(|code| (count(code), Reverse(*code))).unwrap();
                prop_assert_eq!(mode.code(), best);
                mode.remove(codes[gone]);
            }
        }
    }

    #[test]
    fn the_order_of_removals_does_not_matter() {
        let values: Vec<f64> = (0..100).map(|i| f64::from(i * i) / 7.0).collect();
        let colours = Categories::new((0..100).map(|i| i % 3).collect());
        let columns = vec![Column::Numeric(values), Column::Categorical(colours)];
        let space = Space::new(&Table::new(columns).unwrap(), true).unwrap();
        let centroid = |order: &[usize]| {
            let mut monitor = Unwatched;
            let mut meter = Meter::start(&mut monitor, Phase::Grouping, 0);
            let draft = Draft::new(&space, &mut meter).unwrap();
            let mut centroid = Centroid::new(&draft, &mut meter).unwrap();
            for &row in order {
                centroid.remove(&Point {
                    numbers: vec![space.numeric()[0][row]],
                    codes: vec![space.categorical()[0].codes()[row]],
                });
            }
            centroid.point()
        };
        assert_eq!(centroid(&[3, 50, 99, 7]), centroid(&[7, 99, 50, 3]));
    }
}
