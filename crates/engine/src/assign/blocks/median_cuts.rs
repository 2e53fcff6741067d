//! Cuts rows across the column in which they vary most, again and again.

use crate::run::Meter;
use crate::run::allocation::{collected, make_room};
use crate::run::selection::bring_forward;
use crate::{Result, Space};
use std::ops::Range;

/// Rows that are looked at to choose a column.
const SAMPLE: usize = 1024;

/// How rows are cut.
pub(super) struct MedianCuts {
    /// rows of a part, at most
    pub most: usize,
    /// rows on the left of a cut are a multiple of this
    pub multiple: usize,
    /// the share of the rows on the left of a cut
    pub share: (usize, usize),
}

#[derive(Clone, Copy)]
enum CutColumn {
    Number(usize),
    Code(usize),
}

impl MedianCuts {
    /// Puts rows of one part next to each other and returns where each part stands.
    pub fn parts(
        &self,
        space: &Space,
        rows: &mut [u32],
        meter: &mut Meter,
    ) -> Result<Vec<Range<usize>>> {
        let mut parts = Vec::new();
        self.cut(space, rows, 0, &mut parts, meter)?;
        Ok(parts)
    }

    fn cut(
        &self,
        space: &Space,
        rows: &mut [u32],
        start: usize,
        parts: &mut Vec<Range<usize>>,
        meter: &mut Meter,
    ) -> Result<()> {
        let middle = self.middle(rows.len());
        if rows.len() <= self.most || middle == 0 {
            make_room(parts, 1)?;
            parts.push(start..start + rows.len());
            return Ok(());
        }
        if let Some(column) = widest(space, rows)? {
            order(space, rows, middle, column, meter)?;
        }
        meter.spend(rows.len())?;
        let (left, right) = rows.split_at_mut(middle);
        self.cut(space, left, start, parts, meter)?;
        self.cut(space, right, start + middle, parts, meter)
    }

    fn middle(&self, rows: usize) -> usize {
        let (share, of) = self.share;
        let middle = (rows as u128 * share as u128 / of as u128) as usize;
        middle / self.multiple * self.multiple
    }
}

/// Brings the rows with the lowest values of a column to the front; ties go to the lower row.
fn order(
    space: &Space,
    rows: &mut [u32],
    middle: usize,
    column: CutColumn,
    meter: &mut Meter,
) -> Result<()> {
    match column {
        CutColumn::Number(column) => {
            let values = &space.numeric()[column];
            let value = |row: u32| values[row as usize];
            let before = |a: &u32, b: &u32| value(*a).total_cmp(&value(*b)).then(a.cmp(b));
            bring_forward(rows, middle, before, meter)
        }
        CutColumn::Code(column) => {
            let codes = space.categorical()[column].codes();
            let before = |a: &u32, b: &u32| (codes[*a as usize], a).cmp(&(codes[*b as usize], b));
            bring_forward(rows, middle, before, meter)
        }
    }
}

/// The column in which two rows of a sample differ most on average; `None` if all are alike.
fn widest(space: &Space, rows: &[u32]) -> Result<Option<CutColumn>> {
    let sample = || rows.iter().step_by(rows.len().div_ceil(SAMPLE));
    let mut widest = (0.0, None);
    let mut compare = |spread: f64, column| {
        if spread > widest.0 {
            widest = (spread, Some(column));
        }
    };
    for (column, values) in space.numeric().iter().enumerate() {
        let spread = variance(sample().map(|&row| values[row as usize]));
        compare(spread, CutColumn::Number(column));
    }
    for (column, categories) in space.categorical().iter().enumerate() {
        let mut codes = collected(sample().map(|&row| categories.codes()[row as usize]))?;
        compare(mixture(&mut codes), CutColumn::Code(column));
    }
    Ok(widest.1)
}

/// Half of what two numbers differ by on average, squared.
fn variance(values: impl Iterator<Item = f64>) -> f64 {
    let (mut count, mut mean, mut squares) = (0.0, 0.0, 0.0);
    for value in values {
        count += 1.0;
        let difference = value - mean;
        mean += difference / count;
        squares += difference * (value - mean);
    }
    squares / f64::max(count, 1.0)
}

/// Half of the share of pairs of codes that differ.
fn mixture(codes: &mut [u32]) -> f64 {
    codes.sort_unstable();
    let count = codes.len() as f64;
    let runs = codes.chunk_by(|a, b| a == b);
    let alike: f64 = runs.map(|run| (run.len() as f64 / count).powi(2)).sum();
    (1.0 - alike) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Categories, Column, Phase, Table, Unwatched};

    fn parts(columns: Vec<Column>, cuts: &MedianCuts) -> (Vec<u32>, Vec<Range<usize>>) {
        let space = Space::new(&Table::new(columns).unwrap(), true).unwrap();
        let mut rows: Vec<u32> = (0..space.rows() as u32).collect();
        let mut monitor = Unwatched;
        let mut meter = Meter::start(&mut monitor, Phase::Grouping, 0);
        let parts = cuts.parts(&space, &mut rows, &mut meter).unwrap();
        (rows, parts)
    }

    #[test]
    fn parts_hold_every_row_once_and_are_of_whole_groups() {
        let cuts = MedianCuts {
            most: 100,
            multiple: 7,
            share: (1, 3),
        };
        let numbers = (0..1003u32).map(|row| f64::from(row * 37 % 1003)).collect();
        let (mut rows, parts) = parts(vec![Column::Numeric(numbers)], &cuts);
        assert!(parts.iter().all(|part| (1..=100).contains(&part.len())));
        let (last, others) = parts.split_last().unwrap();
        assert!(others.iter().all(|part| part.len() % 7 == 0));
        assert_eq!(last.end, 1003);
        assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
        rows.sort_unstable();
        assert_eq!(rows, (0..1003).collect::<Vec<_>>());
    }

    #[test]
    fn cuts_go_across_what_varies_most() {
        let cuts = MedianCuts {
            most: 50,
            multiple: 1,
            share: (1, 2),
        };
        let noise = Column::Numeric((0..100).map(|row| f64::from(row % 2)).collect());
        let rare = Column::Categorical(Categories::new((0..100).map(|row| row / 90).collect()));
        let (rows, parts) = parts(vec![rare, noise], &cuts);
        let even = |part: &Range<usize>| rows[part.clone()].iter().all(|row| row % 2 == 0);
        assert!(parts.len() == 2 && even(&parts[0]));
    }

    #[test]
    fn rows_that_are_all_alike_are_cut_all_the_same() {
        let cuts = MedianCuts {
            most: 10,
            multiple: 1,
            share: (1, 2),
        };
        let (_, parts) = parts(vec![Column::Numeric(vec![3.0; 64])], &cuts);
        assert_eq!(parts.len(), 8);
    }
}
