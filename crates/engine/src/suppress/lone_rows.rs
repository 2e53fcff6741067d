//! Each row by itself, where a blanked cell may stand for anything: a row matches all that
//! agree with it in the cells that it still shows, whatever those blank themselves.

use super::alike_groups::numbered;
use super::blank_masks::BlankMasks;
use super::blank_matches::wildcard_matches;
use super::head_count::HeadCount;
use crate::random::{Generator, generator};
use crate::run::Meter;
use crate::run::allocation;
use crate::{Categories, Result};
use rand::seq::SliceRandom;

/// Up to so many rows, blanked cells are given back that others have made needless.
const GIVE_BACK: usize = 2_000;
/// Fewer rows allow for more orders to try.
const ORDERS: usize = 20_000;
const MOST_ORDERS: usize = 128;

/// The cells to blank so that, by any `known` columns, k rows or persons agree with each row.
pub(super) fn blank(
    columns: &[Categories],
    heads: &HeadCount<'_>,
    (k, known): (usize, usize),
    masks: &BlankMasks,
    meter: &mut Meter<'_>,
) -> Result<Vec<u16>> {
    let rows = columns[0].codes().len();
    let all: Vec<u32> = allocation::collected(0..rows as u32)?;
    let words = masks.len().div_ceil(64);
    // for each row the sets of columns by which fewer than k rows agree with it
    let mut alone: Vec<u64> = allocation::filled(rows * words, 0)?;
    for blank in masks.iter() {
        let shown = masks.all() & !blank;
        if shown.count_ones() as usize > known {
            continue;
        }
        meter.spend(rows * columns.len())?;
        let alike = numbered(columns, &all, |_| blank)?;
        let sizes = heads.of_numbers(&alike)?;
        for (row, &number) in alike.number_of.iter().enumerate() {
            if sizes[number as usize] < k {
                alone[row * words + shown as usize / 64] |= 1 << (shown % 64);
            }
        }
    }
    let mut blanked = allocation::reserved(rows)?;
    for row in 0..rows {
        meter.spend(words)?;
        let alone = &alone[row * words..][..words];
        let hidden = |&blank: &u16| is_hidden(alone, masks.all() & !blank, known);
        blanked.push(masks.iter().find(hidden).unwrap_or(masks.all()));
    }
    if rows <= GIVE_BACK && known >= columns.len() && !heads.tells_persons() {
        return best_given_back(columns, k, masks, blanked, meter);
    }
    Ok(blanked)
}

/// Gives cells back in several orders and takes what is cheapest in the end. Few rows are also
/// blanked altogether first: their best cells may be others than those that each would choose.
fn best_given_back(
    columns: &[Categories],
    k: usize,
    masks: &BlankMasks,
    blanked: Vec<u16>,
    meter: &mut Meter<'_>,
) -> Result<Vec<u16>> {
    let cost = |blanked: &[u16]| blanked.iter().map(|&mask| masks.cost(mask)).sum::<f64>();
    // any numbers will do, the same each time
    let mut order = generator(Some(1))?;
    let mut best = allocation::collected(blanked.iter().copied())?;
    give_back(columns, k, masks, &mut best, None, meter)?;
    for attempt in 0..(ORDERS / blanked.len().max(1)).min(MOST_ORDERS) {
        let mut tried = match attempt % 2 {
            0 => allocation::collected(blanked.iter().copied())?,
            _ => allocation::filled(blanked.len(), masks.all())?,
        };
        give_back(columns, k, masks, &mut tried, Some(&mut order), meter)?;
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

/// Shows blanked cells again, dearest first and in some order among these, where every row still has its k matches: cells that
/// others blank make matches, too.
fn give_back(
    columns: &[Categories],
    k: usize,
    masks: &BlankMasks,
    blanked: &mut [u16],
    order: Option<&mut Generator>,
    meter: &mut Meter<'_>,
) -> Result<()> {
    let mut cells: Vec<(f64, usize, u16)> = Vec::new();
    for (row, &mask) in blanked.iter().enumerate() {
        let bits = (0..columns.len()).map(|column| 1u16 << column);
        let bits = bits.filter(|bit| mask & bit != 0);
        cells.extend(bits.map(|bit| (masks.cost(bit), row, bit)));
    }
    if let Some(order) = order {
        cells.shuffle(order);
    }
    cells.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut counts = wildcard_matches(columns, blanked)?;
    for (_, row, bit) in cells {
        meter.spend(blanked.len() * columns.len())?;
        let shown = blanked[row] & !bit;
        let matches = |mask: u16, other: usize| {
            let mut kept = (0..columns.len()).filter(|c| (mask | blanked[other]) & (1 << c) == 0);
            kept.all(|c| columns[c].codes()[row] == columns[c].codes()[other])
        };
        let others = (0..blanked.len()).filter(|&other| other != row);
        let lost: Vec<usize> = others
            .filter(|&other| matches(blanked[row], other) && !matches(shown, other))
            .collect();
        let kept = counts[row] as usize - lost.len();
        if kept >= k && lost.iter().all(|&other| counts[other] as usize > k) {
            counts[row] = kept as u32;
            lost.iter().for_each(|&other| counts[other] -= 1);
            blanked[row] = shown;
        }
    }
    Ok(())
}
