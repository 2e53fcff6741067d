//! How many rows match each row where blanked cells match anything.

use super::alike_groups::{is_blanked, numbered};
use super::head_count::HeadCount;
use crate::risk::{Gathered, KeyTuples, NULL_CODE};
use crate::run::{Meter, allocation};
use crate::{Categories, Error, Monitor, Phase, Result};

/// For each row how many rows match it, itself counted.
pub fn wildcard_matches(
    columns: &[Categories],
    blanked: &[u16],
    monitor: &mut dyn Monitor,
) -> Result<Vec<u32>> {
    let mut meter = Meter::start(monitor, Phase::Checking, blanked.len());
    matches(columns, blanked, &mut meter)
}

/// Matching is not transitive, so there are no groups: what rows show is counted as keys with NULLs
/// are, a blanked cell as NULL. Rows that show the same match the same.
pub(super) fn matches(
    columns: &[Categories],
    blanked: &[u16],
    meter: &mut Meter<'_>,
) -> Result<Vec<u32>> {
    if columns.is_empty() {
        return Err(Error::NoColumns);
    }
    let rows: Vec<u32> = allocation::collected(0..blanked.len() as u32)?;
    let alike = numbered(columns, &rows, |row| blanked[row as usize])?;
    let mut tuples = KeyTuples::new(columns.len())?;
    let mut codes = Vec::with_capacity(columns.len());
    for &row in &alike.firsts {
        let mask = blanked[row as usize];
        let shown = columns.iter().enumerate();
        codes.clear();
        codes.extend(shown.map(|(place, column)| match is_blanked(mask, place) {
            true => NULL_CODE,
            false => column.codes()[row as usize],
        }));
        tuples.push(&codes, 0.0, 0.0)?;
    }
    let mut counts = allocation::filled(alike.groups, MatchingRows(0))?;
    for &number in &alike.number_of {
        counts[number as usize].0 += 1;
    }
    let found = tuples.gathered(&tuples.by_pattern()?, &counts, meter)?;
    allocation::collected(alike.number_of.iter().map(|&of| found[of as usize].0))
}

#[derive(Clone, Copy, Default)]
struct MatchingRows(u32);

impl Gathered for MatchingRows {
    fn gather(&mut self, other: Self) {
        self.0 += other.0;
    }
}

/// For the row that has fewest: of how many persons rows agree with it in all cells that it
/// shows, whatever those blank themselves. Further rows may match by their own blanks.
pub fn agreeing_persons(
    columns: &[Categories],
    blanked: &[u16],
    persons: &[u32],
) -> Result<Option<usize>> {
    let heads = HeadCount::new(Some(persons))?;
    let all: Vec<u32> = allocation::collected(0..blanked.len() as u32)?;
    let mut masks = allocation::collected(blanked.iter().copied())?;
    masks.sort_unstable();
    masks.dedup();
    let mut fewest = None;
    for mask in masks {
        let alike = numbered(columns, &all, |_| mask)?;
        let agreeing = heads.of_numbers(&alike)?;
        let of_mask = blanked.iter().zip(&alike.number_of);
        let of_mask = of_mask.filter(|(other, _)| **other == mask);
        let least = of_mask.map(|(_, &number)| agreeing[number as usize]).min();
        fewest = [fewest, least].into_iter().flatten().min();
    }
    Ok(fewest)
}
