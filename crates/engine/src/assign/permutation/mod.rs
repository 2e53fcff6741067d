//! The grouping of permutation anonymization (LHCC15): rows with similar keys and different
//! sensitive values share a group, whose columns are then permuted (`permute`).
//!
//! First the rows are cut into sets of similar keys, as far as each set stays eligible; then
//! each set is dealt into groups.

mod person_positions;
mod row_slots;
mod split_side;
mod splitter;

use super::constant_persons::in_blocks;
use super::eligibility;
use super::null_groups::{Parts, by_pattern};
use super::persons_apart::{self, PersonsApart};
use crate::data::patterns;
use crate::run::Meter;
use crate::run::allocation::{collected, filled};
use crate::run::limits::Pulse;
use crate::run::sorting;
use crate::{Categories, Error, Monitor, Partition, Phase, Result, Table};
use person_positions::person_positions;
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
    permutation_of_persons(keys, sensitive, None, l, rounds, rng, monitor)
}

/// The same; of several rows of one person no group has two.
pub fn permutation_of_persons(
    keys: &Table,
    sensitive: &Categories,
    persons: Option<&[u32]>,
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
    let mut splits = Splits {
        keys,
        sensitive,
        persons,
        l,
        rounds,
        rng: &mut *rng,
    };
    let (group_of, groups) = match persons {
        None => splits.all(monitor)?,
        Some(persons) => splits.all_of_persons(persons, monitor)?,
    };
    if let Some(persons) = persons {
        persons_apart::verify(&group_of, groups, persons)?;
    }
    eligibility::finished(group_of, groups, sensitive, l, rng)
}

/// The rows to split, all at once or those of single patterns of missing values.
struct Splits<'a, R: ?Sized> {
    keys: &'a Table,
    sensitive: &'a Categories,
    persons: Option<&'a [u32]>,
    l: usize,
    rounds: usize,
    rng: &'a mut R,
}

impl<R: Rng + ?Sized> Splits<'_, R> {
    /// Groups all rows; persons who have several rows of one value come first.
    fn all_of_persons(
        &mut self,
        persons: &[u32],
        monitor: &mut dyn Monitor,
    ) -> Result<(Vec<u32>, usize)> {
        let (keys, sensitive, l) = (self.keys, self.sensitive, self.l);
        if !PersonsApart::new(sensitive, persons, l).fit(keys.rows() / l)? {
            return self.all(monitor);
        }
        let positions = match self.rounds {
            0 => None,
            _ => Some(person_positions(keys, persons, self.rng, monitor)?),
        };
        let mut meter = Meter::start(monitor, Phase::Grouping, keys.rows());
        let positions = positions.as_deref();
        let Some(blocks) = in_blocks(sensitive, persons, positions, l, self.rng, &mut meter)?
        else {
            return self.all(monitor);
        };
        blocks.with_rest(|rest| {
            let (keys, sensitive) = (keys.select(rest)?, sensitive.select(rest)?);
            let persons = self.persons_of(rest)?;
            let mut splits = Splits {
                keys: &keys,
                sensitive: &sensitive,
                persons: persons.as_deref(),
                l,
                rounds: self.rounds,
                rng: &mut *self.rng,
            };
            splits.all(monitor)
        })
    }

    /// Groups all rows, those that lack the same values together.
    fn all(&mut self, monitor: &mut dyn Monitor) -> Result<(Vec<u32>, usize)> {
        let (keys, sensitive, persons) = (self.keys, self.sensitive, self.persons);
        if self.rounds > 0
            && let Some(patterns) = patterns(keys.columns(), keys.rows())?
        {
            match by_pattern(&patterns, self, monitor) {
                // a person may have too many rows for the groups of one pattern
                Err(Error::PersonsNotApart { .. }) => {}
                partition => {
                    let partition = partition?;
                    let group_of = collected(partition.group_of().iter().copied())?;
                    return Ok((group_of, partition.groups()));
                }
            }
        }
        self.split(keys, sensitive, persons, monitor)
    }

    fn split(
        &mut self,
        keys: &Table,
        sensitive: &Categories,
        persons: Option<&[u32]>,
        monitor: &mut dyn Monitor,
    ) -> Result<(Vec<u32>, usize)> {
        let mut meter = Meter::start(monitor, Phase::Grouping, keys.rows());
        let mut slots = RowSlots::new(keys, sensitive, self.rng)?;
        let values = sensitive.cardinality();
        let tries = (self.l, self.rounds);
        let splitter = Splitter::new(&mut slots, values, tries, self.rng, &mut meter)?;
        let ends = splitter.sets()?;
        meter.report()?;
        let (mut group_of, mut groups) =
            deal(slots.into_rows(), &ends, sensitive, self.l, self.rng)?;
        if let Some(persons) = persons {
            let rows = PersonsApart::new(sensitive, persons, self.l);
            if !rows.fit(groups)? {
                // sets leave fewer groups than all rows together
                let all = collected(0..keys.rows() as u32)?;
                (group_of, groups) = deal(all, &[keys.rows()], sensitive, self.l, self.rng)?;
            }
            rows.separate(&mut group_of, groups, &mut meter)?;
        }
        meter.report()?;
        Ok((group_of, groups))
    }

    fn persons_of(&self, rows: &[u32]) -> Result<Option<Vec<u32>>> {
        let pick = |persons: &[u32]| collected(rows.iter().map(|&row| persons[row as usize]));
        self.persons.map(pick).transpose()
    }
}

impl<R: Rng + ?Sized> Parts for Splits<'_, R> {
    fn can_group(&mut self, rows: &[u32]) -> Result<bool> {
        let sensitive = self.sensitive.select(rows)?;
        if eligibility::eligible_counts(&sensitive, self.l).is_err() {
            return Ok(false);
        }
        let Some(mut persons) = self.persons_of(rows)? else {
            return Ok(true);
        };
        persons.sort_unstable();
        let most = persons.chunk_by(|a, b| a == b).map(<[u32]>::len).max();
        Ok(most.unwrap_or(0) <= rows.len() / self.l / 2)
    }

    fn group(&mut self, rows: &[u32], monitor: &mut dyn Monitor) -> Result<Partition> {
        let (keys, sensitive) = (self.keys.select(rows)?, self.sensitive.select(rows)?);
        let persons = self.persons_of(rows)?;
        let (group_of, groups) = self.split(&keys, &sensitive, persons.as_deref(), monitor)?;
        Partition::new(group_of, groups)
    }
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
