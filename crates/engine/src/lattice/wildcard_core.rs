//! Nodes where NULL matches every value: two rows match if in each key their codes are equal or one
//! of them is NULL. Matching is not transitive, so there are no groups. A node keeps the largest set
//! of rows in which each row has k matches, itself included, with p values among them. It is found
//! by removing rows that fail until nothing changes.
//!
//! There is one such set: all rows that a set keeps have at least as many matches in a larger set,
//! so the union of two sets that keep the promise keeps it, and no row of it is ever removed.
//!
//! The search stays monotone. Rows that match at a node match at every node above it, because codes
//! that are equal stay equal and NULL stays NULL. So a set that keeps the promise keeps it above,
//! and is part of the largest one there: going up, no row is lost.
//!
//! Rows of one group have the same matches, so groups are kept or removed as one. They are counted
//! by NULL pattern against pattern ([`KeyTuples`]), never row against row.

use super::{Combinations, Requirement, frequency_set::FrequencySet, group_values::GroupValues};
use crate::risk::{Gathered, KeyTuples, NULL_CODE};
use crate::run::Meter;
use crate::run::allocation::{collected, filled, reserved};
use crate::{Monitor, Phase, Result};

/// What rows that are kept at a node have among each other.
#[derive(Debug, Clone, PartialEq)]
pub struct WildcardFigures {
    /// the fewest rows that match a row, itself included
    pub k: u64,
    /// for each sensitive column the fewest values among the matches of a row
    pub p: Vec<u64>,
}

/// Which groups of a node the largest set keeps.
pub(super) fn largest_core(
    combinations: &Combinations,
    requirement: &Requirement<'_>,
    node: usize,
    set: &FrequencySet,
    meter: &mut Meter<'_>,
) -> Result<Vec<bool>> {
    let matching = Matching::new(combinations, node, set.members())?;
    let columns: &[GroupValues] = match requirement.p {
        0 | 1 => &[],
        _ => set.values(),
    };
    let mut kept = filled(set.groups(), true)?;
    loop {
        let rows = matching.rows(set.rows(), &kept, meter)?;
        let mut meets: Vec<bool> = collected(rows.iter().map(|&k| k >= requirement.k as u64))?;
        for column in columns {
            let values = matching.values(column, &kept, meter)?;
            for (meets, p) in meets.iter_mut().zip(values) {
                *meets &= p >= requirement.p as u64;
            }
        }
        let mut removed = false;
        for (kept, meets) in kept.iter_mut().zip(meets) {
            removed |= *kept && !meets;
            *kept &= meets;
        }
        if !removed {
            return Ok(kept);
        }
    }
}

/// What the combinations that are kept at a node achieve; `None` where none is.
pub fn wildcard_figures(
    combinations: &Combinations,
    node: usize,
    kept: &[bool],
    monitor: &mut dyn Monitor,
) -> Result<Option<WildcardFigures>> {
    let mut meter = Meter::start(monitor, Phase::Checking, 1);
    let all: Vec<u32> = collected(0..combinations.len() as u32)?;
    let matching = Matching::new(combinations, node, &all)?;
    let fewest = |figures: Vec<u64>| {
        let kept = figures.into_iter().zip(kept).filter(|(_, kept)| **kept);
        kept.map(|(figure, _)| figure).min()
    };
    let tally = combinations.tally();
    let Some(k) = fewest(matching.rows(tally.sizes(), kept, &mut meter)?) else {
        return Ok(None);
    };
    let mut p = reserved(tally.columns().len())?;
    for column in tally.columns() {
        let values = GroupValues::new(column, false)?;
        p.extend(fewest(matching.values(&values, kept, &mut meter)?));
    }
    Ok(Some(WildcardFigures { k, p }))
}

/// The codes of groups at a node, ready to be matched.
struct Matching {
    tuples: KeyTuples,
    order: Vec<(u64, u32)>,
}

#[derive(Clone, Copy, Default)]
struct RowCount(u64);

impl Gathered for RowCount {
    fn gather(&mut self, other: Self) {
        self.0 += other.0;
    }
}

#[derive(Clone, Copy, Default)]
struct SeenValues(u64);

impl Gathered for SeenValues {
    fn gather(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl Matching {
    /// `members` are combinations, one of each group.
    fn new(combinations: &Combinations, node: usize, members: &[u32]) -> Result<Self> {
        let levels = combinations.lattice().levels(node);
        let mut tuples = KeyTuples::new(levels.len())?;
        let mut codes = filled(levels.len(), NULL_CODE)?;
        for &member in members {
            let values = combinations.codes(member).iter();
            let columns = combinations.hierarchies().iter().zip(&levels);
            let keys = values.zip(combinations.wildcards()).zip(columns);
            for (code, ((&value, &wildcard), (hierarchy, &level))) in codes.iter_mut().zip(keys) {
                *code = match wildcard == Some(value) {
                    true => NULL_CODE,
                    false => hierarchy.code_of(level)[value as usize],
                };
            }
            tuples.push(&codes, 1.0, 0.0)?;
        }
        let order = tuples.by_pattern()?;
        Ok(Matching { tuples, order })
    }

    /// For each group the rows of kept groups that match it.
    fn rows(&self, rows: &[u64], kept: &[bool], meter: &mut Meter<'_>) -> Result<Vec<u64>> {
        let own = rows.iter().zip(kept);
        let own: Vec<RowCount> =
            collected(own.map(|(&rows, &kept)| RowCount(if kept { rows } else { 0 })))?;
        let found = self.tuples.gathered(&self.order, &own, meter)?;
        collected(found.iter().map(|rows| rows.0))
    }

    /// For each group the distinct values of a column among kept groups that match it.
    fn values(
        &self,
        column: &GroupValues,
        kept: &[bool],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<u64>> {
        let mut distinct = filled(kept.len(), 0)?;
        for word in 0..column.words() {
            let own = kept.iter().enumerate();
            let own: Vec<SeenValues> = collected(own.map(|(group, &kept)| match kept {
                true => SeenValues(column.word(group, word)),
                false => SeenValues(0),
            }))?;
            let found = self.tuples.gathered(&self.order, &own, meter)?;
            for (distinct, bits) in distinct.iter_mut().zip(found) {
                *distinct += u64::from(bits.0.count_ones());
            }
        }
        Ok(distinct)
    }
}
