//! How many rows match each row where blanked cells match anything.

use super::alike_groups::numbered;
use super::head_count::HeadCount;
use crate::run::allocation;
use crate::{Categories, Result};
use std::collections::BTreeMap;

/// For each row how many rows match it, itself counted. Matching is not transitive, so there are
/// no groups: rows are counted by pattern of blanks against pattern.
pub fn wildcard_matches(columns: &[Categories], blanked: &[u16]) -> Result<Vec<u32>> {
    let mut patterns: BTreeMap<u16, Vec<u32>> = BTreeMap::new();
    for (row, &mask) in (0u32..).zip(blanked) {
        let rows = patterns.entry(mask).or_default();
        allocation::make_room(rows, 1)?;
        rows.push(row);
    }
    let mut matches = allocation::filled(blanked.len(), 0u32)?;
    for (&mask, rows) in &patterns {
        for (&other_mask, others) in &patterns {
            let hidden = mask | other_mask;
            let mut both = allocation::reserved(rows.len() + others.len())?;
            both.extend_from_slice(rows);
            both.extend_from_slice(others);
            let alike = numbered(columns, &both, |_| hidden)?;
            let mut counts = allocation::filled(alike.groups, 0u32)?;
            for &number in &alike.number_of[rows.len()..] {
                counts[number as usize] += 1;
            }
            for (&row, &number) in rows.iter().zip(&alike.number_of) {
                matches[row as usize] += counts[number as usize];
            }
        }
    }
    Ok(matches)
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
