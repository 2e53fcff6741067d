//! Cell suppression: as few cells as possible are blanked so that every row is like k - 1 others.
//!
//! ```text
//! columns ──► suppress_cells ──► a mask of blanked cells for each row ──► blank_matches
//!             ├ alike_groups     rows that must look the same (both readings of NULL)
//!             │   parted_anew    neighbouring groups parted anew, where that saves blanks
//!             ├ exact_groups     the same for a handful of rows, by looking at all ways
//!             └ lone_rows        each row by itself (NULL matches anything)
//!               head_count       rows, or the persons that they are about
//! ```

mod alike_groups;
mod blank_masks;
mod blank_matches;
mod exact_groups;
mod head_count;
mod lone_rows;
mod parted_anew;

pub use blank_matches::{agreeing_persons, wildcard_matches};

use crate::run::{Meter, allocation};
use crate::{Categories, Error, Monitor, Partition, Phase, Result};
use blank_masks::BlankMasks;
use head_count::HeadCount;

/// How a blanked cell is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlankReading {
    /// it is a value of its own, and rows must look the same; then they also match as below
    Both,
    /// it may be anything: rows match that differ in blanked cells only
    Wildcard,
}

/// What is asked of cell suppression.
#[derive(Debug, Clone)]
pub struct CellRules {
    /// rows, or persons, that each row must be like, itself counted
    pub k: usize,
    /// what a blanked cell of each column costs
    pub importance: Vec<f64>,
    pub reading: BlankReading,
    /// how many keys an attacker knows at most; only for wildcards, else all keys
    pub known_keys: usize,
}

/// What is known of rows besides their columns.
#[derive(Debug, Clone, Copy, Default)]
pub struct KnownOfRows<'a> {
    /// whom each row is about, where k counts persons: every row is like rows of k persons, its
    /// own counted
    pub persons: Option<&'a [u32]>,
    /// for each row the cells that have no value, and so look like blanked ones, one bit for each
    /// column; nothing where all have
    pub empty: Option<&'a [u16]>,
}

/// Keys beyond this would make more sets of columns than can be looked at.
pub const MOST_KEYS: usize = 12;
/// Up to so many rows all ways are looked at.
const FEW_ROWS: usize = 12;

/// For each row the cells to blank, one bit for each column.
pub fn suppress_cells(
    columns: &[Categories],
    rules: &CellRules,
    monitor: &mut dyn Monitor,
) -> Result<Vec<u16>> {
    suppress_cells_of(columns, KnownOfRows::default(), rules, monitor)
}

/// The same for rows of which more is known.
pub fn suppress_cells_of(
    columns: &[Categories],
    known: KnownOfRows<'_>,
    rules: &CellRules,
    monitor: &mut dyn Monitor,
) -> Result<Vec<u16>> {
    let rows = columns.first().ok_or(Error::NoColumns)?.codes().len();
    if columns.len() > MOST_KEYS {
        return Err(Error::TooManyKeys {
            keys: columns.len(),
            most: MOST_KEYS,
        });
    }
    let persons = known.persons;
    let mut heads = HeadCount::new(persons)?;
    let all = heads.of(&allocation::collected(0..rows as u32)?);
    if all < rules.k {
        return Err(Error::TooFewRows {
            rows: all,
            k: rules.k,
        });
    }
    let masks = BlankMasks::new(&rules.importance, known.empty)?;
    let mut meter = Meter::start(monitor, Phase::Searching, masks.len());
    let mut blanked = match rules.reading {
        BlankReading::Wildcard => {
            let known = rules.known_keys.clamp(1, columns.len());
            lone_rows::blank(columns, &heads, (rules.k, known), &masks, &mut meter)?
        }
        BlankReading::Both if rows <= FEW_ROWS && persons.is_none() => {
            exact_groups::blank(columns, rules.k, &masks)?
        }
        BlankReading::Both => alike_groups::blank(columns, persons, rules.k, &masks, &mut meter)?,
    };
    meter.report()?;
    let with_empty = (0..rows as u32).zip(&blanked);
    let mut shown = allocation::reserved(rows)?;
    shown.extend(with_empty.map(|(row, mask)| mask | masks.empty(row)));
    check(columns, persons, &shown, rules, &mut meter)?;
    for (row, mask) in (0..).zip(&mut blanked) {
        *mask &= !masks.empty(row);
    }
    Ok(blanked)
}

/// Every result is checked before it leaves, given all cells that are blank then.
fn check(
    columns: &[Categories],
    persons: Option<&[u32]>,
    blanked: &[u16],
    rules: &CellRules,
    meter: &mut Meter<'_>,
) -> Result<()> {
    let fewest = match (rules.reading, persons) {
        (BlankReading::Both, _) => {
            let mut heads = HeadCount::new(persons)?;
            let groups = alike(columns, blanked)?.members()?;
            groups.iter().map(|rows| heads.of(rows)).min()
        }
        (BlankReading::Wildcard, None) if rules.known_keys < columns.len() => {
            fewest_for_known_keys(columns, blanked, rules.known_keys, meter)?
        }
        // each set of known keys was counted when it was allowed
        (BlankReading::Wildcard, Some(_)) if rules.known_keys < columns.len() => None,
        (BlankReading::Wildcard, None) => {
            let matches = blank_matches::matches(columns, blanked, meter)?;
            matches.into_iter().min().map(|count| count as usize)
        }
        (BlankReading::Wildcard, Some(persons)) => agreeing_persons(columns, blanked, persons)?,
    };
    match fewest.is_none_or(|fewest| fewest >= rules.k) {
        true => Ok(()),
        false => Err(Error::Broken("suppressed cells leave a row alone".into())),
    }
}

/// The fewest matches of a row by a set of known keys; `None` where no cells were given back, as
/// each set was counted when it was allowed.
fn fewest_for_known_keys(
    columns: &[Categories],
    blanked: &[u16],
    known: usize,
    meter: &mut Meter<'_>,
) -> Result<Option<usize>> {
    let Some(sets) = lone_rows::known_sets(columns.len(), known, blanked.len())? else {
        return Ok(None);
    };
    let mut fewest = None;
    for set in sets {
        let matches = lone_rows::matches_by(columns, blanked, set, meter)?;
        let least = matches.into_iter().min().map(|count| count as usize);
        fewest = fewest.min(least).or(least);
    }
    Ok(fewest)
}

/// What blanking costs.
pub fn blank_cost(blanked: &[u16], importance: &[f64]) -> f64 {
    let cost = |&mask: &u16| {
        let columns = importance.iter().enumerate();
        let blanked = columns.filter(|(column, _)| mask & (1 << column) != 0);
        blanked.map(|(_, cost)| cost).sum::<f64>()
    };
    blanked.iter().map(cost).sum()
}

/// Rows that look the same as a partition.
pub fn alike(columns: &[Categories], blanked: &[u16]) -> Result<Partition> {
    alike_groups::partition(columns, blanked)
}
