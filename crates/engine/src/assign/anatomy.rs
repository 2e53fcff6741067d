//! Anatomy (Xiao and Tao 2006): groups of l rows with l different sensitive values.
//!
//! Rows are put into buckets by their value. While at least l buckets hold rows, one random
//! row of each of the l largest makes a group. Why fewer than l rows are left then, each in a
//! bucket of its own: suppose a bucket ends with f ≥ 2 rows, f the most of any. Had it been
//! passed over, then for the last time in favour of l buckets no smaller; it has given a row
//! to every group since and kept two, so each of those l still holds one, and there would be
//! another group. So it gave a row to each of the T groups, and T ≤ n/l − f, which leaves
//! n − lT ≥ lf rows in fewer than l buckets of at most f. Hence T = ⌊n/l⌋, and the value of a
//! left-over row, at most ⌊n/l⌋ times there, is missing from at least one group.

use super::constant_persons::{InBlocks, in_blocks};
use super::eligibility;
use super::persons_apart::{self, PersonsApart};
use crate::run::Meter;
use crate::run::allocation::{collected, filled};
use crate::run::sorting;
use crate::{Categories, Error, Monitor, Partition, Phase, Result};
use rand::{Rng, RngExt, seq::SliceRandom};
use std::cmp::Reverse;

/// What drawing a row costs, in rows merely looked at.
const DRAW: usize = 16;

/// Groups rows so that the values within each group all differ and each group has at least
/// `l` rows; the left-over rows join random groups without their value. Group numbers are
/// shuffled. With `l` = 1 every row is a group of its own.
pub fn anatomy(
    sensitive: &Categories,
    l: usize,
    rng: &mut (impl Rng + ?Sized),
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    anatomy_of_persons(sensitive, None, l, rng, monitor)
}

/// The same; of several rows of one person no group has two.
pub fn anatomy_of_persons(
    sensitive: &Categories,
    persons: Option<&[u32]>,
    l: usize,
    rng: &mut (impl Rng + ?Sized),
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    let counts = eligibility::eligible_counts(sensitive, l)?;
    let rows = sensitive.codes().len();
    let mut meter = Meter::start(monitor, Phase::Grouping, rows);
    let Some(persons) = persons else {
        let (group_of, groups) = deal(sensitive, counts, l, rng, &mut meter)?;
        return eligibility::finished(group_of, groups, sensitive, l, rng);
    };
    let apart = PersonsApart::new(sensitive, persons, l);
    let blocks = match apart.fit(rows / l)? {
        true => in_blocks(sensitive, persons, None, l, rng, &mut meter)?,
        false => None,
    };
    let (group_of, groups) = match blocks {
        None => {
            let (mut group_of, groups) = deal(sensitive, counts, l, rng, &mut meter)?;
            apart.separate(&mut group_of, groups, &mut meter)?;
            (group_of, groups)
        }
        Some(blocks) => with_rest(blocks, (sensitive, persons), l, rng, &mut meter)?,
    };
    persons_apart::verify(&group_of, groups, persons)?;
    eligibility::finished(group_of, groups, sensitive, l, rng)
}

/// Groups the rows that are in no block.
fn with_rest(
    blocks: InBlocks,
    (sensitive, persons): (&Categories, &[u32]),
    l: usize,
    rng: &mut (impl Rng + ?Sized),
    meter: &mut Meter,
) -> Result<(Vec<u32>, usize)> {
    blocks.with_rest(|rest| {
        let values = sensitive.select(rest)?;
        let own = collected(rest.iter().map(|&row| persons[row as usize]))?;
        let counts = eligibility::eligible_counts(&values, l)?;
        let (mut rest_of, groups) = deal(&values, counts, l, rng, meter)?;
        let apart = PersonsApart::new(&values, &own, l);
        apart.separate(&mut rest_of, groups, meter)?;
        Ok((rest_of, groups))
    })
}

/// The groups of eligible rows, whose values occur so often.
fn deal(
    sensitive: &Categories,
    counts: Vec<u32>,
    l: usize,
    rng: &mut (impl Rng + ?Sized),
    meter: &mut Meter,
) -> Result<(Vec<u32>, usize)> {
    let mut buckets = Buckets::new(sensitive, counts)?;
    let mut group_of = filled(sensitive.codes().len(), 0)?;
    let mut groups = 0;
    while buckets.hold_group(l) {
        let group = groups as u32;
        buckets.take_group(l, rng, |row| group_of[row as usize] = group);
        groups += 1;
        meter.grouped(l);
        meter.spend(DRAW * l)?;
    }
    while let Some(residue) = buckets.take_residue(rng) {
        let group = group_without(residue.holders, &group_of, groups, rng)?;
        group_of[residue.row as usize] = group;
        meter.grouped(1);
        meter.spend(groups)?;
    }
    Ok((group_of, groups))
}

/// A random group that none of `holders`, rows of different groups, is in.
fn group_without(
    holders: &[u32],
    group_of: &[u32],
    groups: usize,
    rng: &mut (impl Rng + ?Sized),
) -> Result<u32> {
    let mut held = filled(groups, false)?;
    for &row in holders {
        held[group_of[row as usize] as usize] = true;
    }
    let free = groups.saturating_sub(holders.len());
    if free == 0 {
        return Err(Error::Broken("no group without a left-over value".into()));
    }
    let mut open = (0..groups as u32).filter(|&group| !held[group as usize]);
    let chosen = open.nth(rng.random_range(0..free));
    chosen.ok_or_else(|| Error::Broken("a value twice in a group".into()))
}

/// Rows by sensitive value, the values kept in order of the rows they have left.
struct Buckets {
    /// value after value; within a value first the rows left, then those taken
    rows: Vec<u32>,
    starts: Vec<u32>,
    left: Vec<u32>,
    /// values, most rows left first
    order: Vec<u32>,
}

/// A row that fits in no full group, and the rows of its value that are in groups.
struct Residue<'a> {
    row: u32,
    holders: &'a [u32],
}

impl Buckets {
    fn new(sensitive: &Categories, counts: Vec<u32>) -> Result<Self> {
        let mut starts = filled(counts.len() + 1, 0)?;
        for (value, &count) in counts.iter().enumerate() {
            starts[value + 1] = starts[value] + count;
        }
        let mut rows = filled(sensitive.codes().len(), 0)?;
        let mut placed = filled(counts.len(), 0)?;
        for (row, &value) in sensitive.codes().iter().enumerate() {
            let value = value as usize;
            rows[(starts[value] + placed[value]) as usize] = row as u32;
            placed[value] += 1;
        }
        let mut order = collected(0..counts.len() as u32)?;
        sorting::sort_by_key(&mut order, |&value| Reverse(counts[value as usize]))?;
        let left = counts;
        Ok(Buckets {
            rows,
            starts,
            left,
            order,
        })
    }

    /// Whether at least `l` buckets hold rows.
    fn hold_group(&self, l: usize) -> bool {
        let last = self.order.get(l - 1);
        last.is_some_and(|&value| self.left[value as usize] > 0)
    }

    /// Takes a random row out of each of the `l` largest buckets. Among buckets that tie for
    /// the last places chance decides: their order is that of the source's rows and must not
    /// show. Those taken move to the end of the tie, which keeps the order sorted.
    fn take_group(&mut self, l: usize, rng: &mut (impl Rng + ?Sized), mut take: impl FnMut(u32)) {
        let left = |value: &u32| self.left[*value as usize];
        let least = left(&self.order[l - 1]);
        let larger = self.order.partition_point(|value| left(value) > least);
        let end = self.order.partition_point(|value| left(value) >= least);
        let tied = l - larger;
        let _ = self.order[larger..end].partial_shuffle(rng, tied);
        for place in (0..larger).chain(end - tied..end) {
            take(self.draw(self.order[place], rng));
        }
    }

    /// Takes a left-over row.
    fn take_residue(&mut self, rng: &mut (impl Rng + ?Sized)) -> Option<Residue<'_>> {
        let left = |value: &u32| self.left[*value as usize] > 0;
        let place = self.order.partition_point(left).checked_sub(1)?;
        let value = self.order[place];
        let row = self.draw(value, rng);
        let taken = self.starts[value as usize] + self.left[value as usize] + 1;
        let holders = &self.rows[taken as usize..self.starts[value as usize + 1] as usize];
        Some(Residue { row, holders })
    }

    /// Takes a random row out of a bucket.
    fn draw(&mut self, value: u32, rng: &mut (impl Rng + ?Sized)) -> u32 {
        let start = self.starts[value as usize];
        let left = &mut self.left[value as usize];
        let chosen = start + rng.random_range(0..*left);
        *left -= 1;
        let last = (start + *left) as usize;
        self.rows.swap(chosen as usize, last);
        self.rows[last]
    }
}
