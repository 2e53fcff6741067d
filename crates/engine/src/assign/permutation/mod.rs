//! The grouping of permutation anonymization (LHCC15): rows with similar keys and different
//! sensitive values share a group, whose columns are then permuted (`permute`).
//!
//! First the rows are cut into sets of similar keys, as far as each set stays eligible; then
//! each set is dealt into groups.

mod row_slots;
mod split_side;
mod splitter;

use super::eligibility;
use crate::run::Meter;
use crate::run::allocation::{collected, filled};
use crate::run::limits::Pulse;
use crate::run::sorting;
use crate::{Categories, Error, Monitor, Partition, Phase, Result, Table};
use rand::{Rng, seq::SliceRandom};
use row_slots::RowSlots;
use splitter::Splitter;

/// Groups rows of similar keys so that the values within each group all differ and each group
/// has at least `l` rows. A set of rows is tried `rounds` times before it is left unsplit (5 in
/// LHCC15); with 0 the keys play no part. Group numbers are shuffled.
pub fn permutation(
    keys: &Table,
    sensitive: &Categories,
    l: usize,
    rounds: usize,
    rng: &mut (impl Rng + ?Sized),
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    if keys.rows() != sensitive.codes().len() {
        return Err(Error::UnequalColumns {
            first: keys.rows(),
            other: sensitive.codes().len(),
        });
    }
    eligibility::eligible_counts(sensitive, l)?;
    let mut meter = Meter::start(monitor, Phase::Grouping, keys.rows());
    let mut slots = RowSlots::new(keys, sensitive, rng)?;
    let values = sensitive.cardinality();
    let splitter = Splitter::new(&mut slots, values, (l, rounds), rng, &mut meter)?;
    let ends = splitter.sets()?;
    meter.report()?;
    let (group_of, groups) = deal(slots.into_rows(), &ends, sensitive, l, rng)?;
    meter.report()?;
    eligibility::finished(group_of, groups, sensitive, l, rng)
}

/// What drawing and placing a row costs, in rows merely looked at.
const DRAW: usize = 16;

/// Deals the rows of each set, sorted by sensitive value, in turn to ⌊n/l⌋ groups. A value has
/// at most ⌊n/l⌋ of an eligible set's n rows, so no group gets it twice, and every group gets
/// at least l rows. Rows of one value come in random order, and so do the values: their codes
/// follow the source's order, which must not show.
fn deal(
    mut rows: Vec<u32>,
    ends: &[usize],
    sensitive: &Categories,
    l: usize,
    rng: &mut (impl Rng + ?Sized),
) -> Result<(Vec<u32>, usize)> {
    let mut ranks = collected(0..sensitive.cardinality() as u32)?;
    ranks.shuffle(rng);
    let rank = |row: u32| ranks[sensitive.codes()[row as usize] as usize];
    let mut group_of = filled(rows.len(), 0)?;
    let (mut start, mut groups) = (0, 0);
    let mut pulse = Pulse::default();
    for &end in ends {
        let set = &mut rows[start..end];
        set.shuffle(rng);
        pulse.spend(DRAW * set.len())?;
        sorting::sort_by_key(set, |&row| rank(row))?;
        let turns = set.len() / l;
        for (place, &row) in set.iter().enumerate() {
            group_of[row as usize] = (groups + place % turns) as u32;
        }
        groups += turns;
        start = end;
    }
    Ok((group_of, groups))
}
