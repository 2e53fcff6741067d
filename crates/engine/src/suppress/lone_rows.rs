//! Each row by itself, where a blanked cell may stand for anything: a row matches all that
//! agree with it in the cells that it still shows, whatever those blank themselves.

use super::alike_groups::numbered;
use super::blank_masks::BlankMasks;
use super::blank_matches;
use super::head_count::HeadCount;
use crate::random::{Generator, generator};
use crate::run::Meter;
use crate::run::allocation;
use crate::{Categories, Result};
use rand::seq::SliceRandom;

/// Up to so many rows, times sets of known columns, blanked cells are given back that others have
/// made needless.
const GIVE_BACK: usize = 2_000;
/// Fewer rows allow for more orders to try.
const ORDERS: usize = 20_000;
const MOST_ORDERS: usize = 128;

/// The cells to blank so that, by any `known` columns, k rows or persons agree with each row.
pub(super) fn blank(
    columns: &[Categories],
    heads: &HeadCount<'_>,
    (k, known): (usize, usize),
    masks: &BlankMasks<'_>,
    meter: &mut Meter<'_>,
) -> Result<Vec<u16>> {
    let rows = columns[0].codes().len();
    let words = masks.len().div_ceil(64);
    // for each row the sets of columns by which fewer than k rows agree with it
    let mut alone: Vec<u64> = allocation::filled(rows * words, 0)?;
    for blank in masks.iter() {
        let shown = masks.all() & !blank;
        if shown.count_ones() as usize > known {
            continue;
        }
        meter.spend(rows * columns.len())?;
        let agreeing = agreeing(columns, heads, masks, blank, meter)?;
        let few = |row: &usize| agreeing[*row] < k;
        for row in (0..rows).filter(few) {
            alone[row * words + shown as usize / 64] |= 1 << (shown % 64);
        }
    }
    let mut blanked = allocation::reserved(rows)?;
    for row in 0..rows {
        meter.spend(words)?;
        let alone = &alone[row * words..][..words];
        let empty = masks.empty(row as u32);
        let hidden = |&blank: &u16| is_hidden(alone, masks.all() & !(blank | empty), known);
        blanked.push(masks.iter().find(hidden).unwrap_or(masks.all()) | empty);
    }
    match known_sets(columns.len(), known, rows)? {
        Some(sets) if !heads.tells_persons() => {
            let needed = NeededMatches { columns, k, sets };
            best_given_back(&needed, masks, blanked, meter)
        }
        _ => Ok(blanked),
    }
}

/// Beyond so many patterns of empty cells it would take long to count pattern against pattern.
const MOST_PATTERNS: usize = 64;

/// How many rows or persons agree with each row in what is left of it. Empty cells agree with
/// anything; those of other rows are left out where persons are counted or patterns are many.
fn agreeing(
    columns: &[Categories],
    heads: &HeadCount<'_>,
    masks: &BlankMasks<'_>,
    blank: u16,
    meter: &mut Meter<'_>,
) -> Result<Vec<usize>> {
    let rows = columns[0].codes().len() as u32;
    let hidden: Vec<u16> = allocation::collected((0..rows).map(|row| blank | masks.empty(row)))?;
    let mut patterns = allocation::collected(hidden.iter().copied())?;
    patterns.sort_unstable();
    patterns.dedup();
    if !heads.tells_persons() && (2..=MOST_PATTERNS).contains(&patterns.len()) {
        let matches = blank_matches::matches(columns, &hidden, meter)?;
        return allocation::collected(matches.into_iter().map(|count| count as usize));
    }
    let all: Vec<u32> = allocation::collected(0..rows)?;
    let mut agreeing = allocation::filled(rows as usize, 0)?;
    for pattern in patterns {
        let alike = numbered(columns, &all, |_| pattern)?;
        let sizes = heads.of_numbers(&alike)?;
        let counted = hidden.iter().zip(&alike.number_of).zip(&mut agreeing);
        for ((_, &number), agreeing) in counted.filter(|((hidden, _), _)| **hidden == pattern) {
            *agreeing = sizes[number as usize];
        }
    }
    Ok(agreeing)
}

/// The sets of so many columns, unless these and the rows are too many to give cells back.
pub(super) fn known_sets(columns: usize, known: usize, rows: usize) -> Result<Option<Vec<u16>>> {
    let known = known.clamp(1, columns) as u32;
    let mut sets = Vec::new();
    for set in (0..1u32 << columns).filter(|set| set.count_ones() == known) {
        allocation::make_room(&mut sets, 1)?;
        sets.push(set as u16);
    }
    Ok((rows * sets.len() <= GIVE_BACK).then_some(sets))
}

/// How many rows match each row by a set of columns.
pub(super) fn matches_by(
    columns: &[Categories],
    blanked: &[u16],
    set: u16,
    meter: &mut Meter<'_>,
) -> Result<Vec<u32>> {
    let hidden = allocation::collected(blanked.iter().map(|&mask| mask | !set))?;
    blank_matches::matches(columns, &hidden, meter)
}

/// What each row must have: k matches by each set of columns.
struct NeededMatches<'a> {
    columns: &'a [Categories],
    k: usize,
    sets: Vec<u16>,
}

/// Gives cells back in several orders and takes what is cheapest in the end. Few rows are also
/// blanked altogether first: their best cells may be others than those that each would choose.
fn best_given_back(
    needed: &NeededMatches<'_>,
    masks: &BlankMasks<'_>,
    blanked: Vec<u16>,
    meter: &mut Meter<'_>,
) -> Result<Vec<u16>> {
    let cost = |blanked: &[u16]| masks.of_all(blanked);
    // any numbers will do, the same each time
    let mut order = generator(Some(1))?;
    let mut best = allocation::collected(blanked.iter().copied())?;
    give_back(needed, masks, &mut best, None, meter)?;
    let effort = blanked.len().max(1) * needed.sets.len();
    for attempt in 0..(ORDERS / effort).min(MOST_ORDERS) {
        let mut tried = match attempt % 2 {
            0 => allocation::collected(blanked.iter().copied())?,
            _ => allocation::filled(blanked.len(), masks.all())?,
        };
        give_back(needed, masks, &mut tried, Some(&mut order), meter)?;
        if cost(&tried) < cost(&best) {
            best = tried;
        }
    }
    Ok(best)
}

/// Whether k rows agree by every set of known columns among those that are shown.
fn is_hidden(alone: &[u64], shown: u16, known: usize) -> bool {
    let size = known.min(shown.count_ones() as usize);
    let mut part = shown;
    loop {
        if part.count_ones() as usize == size && alone[part as usize / 64] >> (part % 64) & 1 != 0 {
            return false;
        }
        if part == 0 {
            return true;
        }
        part = (part - 1) & shown;
    }
}

/// Shows blanked cells again, dearest first and in some order among these, where every row still
/// has its k matches: cells that others blank make matches, too.
fn give_back(
    needed: &NeededMatches<'_>,
    masks: &BlankMasks<'_>,
    blanked: &mut [u16],
    order: Option<&mut Generator>,
    meter: &mut Meter<'_>,
) -> Result<()> {
    let (columns, sets) = (needed.columns, &needed.sets);
    let mut cells: Vec<(f64, usize, u16)> = Vec::new();
    for (row, &mask) in blanked.iter().enumerate() {
        let bits = (0..columns.len()).map(|column| 1u16 << column);
        let bits = bits.filter(|bit| mask & !masks.empty(row as u32) & bit != 0);
        cells.extend(bits.map(|bit| (masks.cost(bit), row, bit)));
    }
    if let Some(order) = order {
        cells.shuffle(order);
    }
    cells.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut counts = Vec::new();
    for &set in sets {
        counts.push(matches_by(columns, blanked, set, meter)?);
    }
    for (_, row, bit) in cells {
        meter.spend(blanked.len() * columns.len() * sets.len())?;
        let lost = |set: &u16| needed.lost(blanked, (row, bit), *set);
        let lost: Vec<Vec<usize>> = sets.iter().map(lost).collect();
        let spared = |(counts, lost): (&Vec<u32>, &Vec<usize>)| {
            counts[row] as usize - lost.len() >= needed.k
                && lost.iter().all(|&other| counts[other] as usize > needed.k)
        };
        if counts.iter().zip(&lost).all(spared) {
            for (counts, lost) in counts.iter_mut().zip(&lost) {
                counts[row] -= lost.len() as u32;
                lost.iter().for_each(|&other| counts[other] -= 1);
            }
            blanked[row] &= !bit;
        }
    }
    Ok(())
}

impl NeededMatches<'_> {
    /// The rows that match a row by a set of columns only as long as one of its cells is blanked.
    fn lost(&self, blanked: &[u16], (row, bit): (usize, u16), set: u16) -> Vec<usize> {
        if set & bit == 0 {
            return Vec::new();
        }
        let codes = |column: usize, row: usize| self.columns[column].codes()[row];
        let matches = |mask: u16, other: usize| {
            let kept = set & !(mask | blanked[other]);
            let mut kept = (0..self.columns.len()).filter(|column| kept & (1 << column) != 0);
            kept.all(|column| codes(column, row) == codes(column, other))
        };
        let others = (0..blanked.len()).filter(|&other| other != row);
        let lost =
            |&other: &usize| matches(blanked[row], other) && !matches(blanked[row] & !bit, other);
        others.filter(lost).collect()
    }
}
