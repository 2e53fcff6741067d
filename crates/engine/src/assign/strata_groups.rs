//! Strata: rows of each are grouped on their own. A stratum that cannot keep the promise has no
//! groups, and the caller decides what becomes of its rows.

use super::group_numbers::GroupNumbers;
use super::null_groups::Portion;
use crate::run::allocation::collected;
use crate::{Categories, Error, Monitor, Partition, Phase, Result};

/// Groups that cross no strata.
#[derive(Debug)]
pub struct Stratified {
    /// the group of each row; [`u32::MAX`] for rows of strata that failed
    pub group_of: Vec<u32>,
    pub groups: usize,
    pub failed: Vec<FailedStratum>,
}

/// A stratum that cannot keep the promise.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedStratum {
    pub stratum: u32,
    /// how many rows, or persons, it has
    pub size: usize,
    /// what it lacks
    pub reason: Error,
}

/// Groups the rows of each stratum by a function of their numbers.
pub fn by_stratum(
    strata: &Categories,
    mut group: impl FnMut(&[u32], &mut dyn Monitor) -> Result<Partition>,
    monitor: &mut dyn Monitor,
) -> Result<Stratified> {
    let rows = strata.codes().len();
    let codes = collected(strata.codes().iter().copied())?;
    let members = Partition::new(codes, strata.cardinality().min(rows))?.members()?;
    monitor.start(Phase::Grouping, rows as u64);
    let mut groups = GroupNumbers::new(rows)?;
    let (mut failed, mut done) = (Vec::new(), 0);
    for (stratum, rows) in (0..).zip(members.iter()) {
        let portion = &mut Portion {
            monitor: &mut *monitor,
            done,
        };
        portion.advance(0)?;
        match group(rows, portion) {
            Ok(partition) => groups.add_part(&partition, rows)?,
            Err(reason) if reason.is_infeasible() => failed.push(FailedStratum {
                stratum,
                size: rows.len(),
                reason,
            }),
            Err(error) => return Err(error),
        }
        done += rows.len() as u64;
    }
    Ok(Stratified {
        groups: groups.len(),
        group_of: groups.into_numbers(),
        failed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assign::mdav;
    use crate::{Column, Space, Table, Unwatched};

    #[test]
    fn groups_do_not_cross_strata_and_small_strata_fail() {
        let numbers: Vec<f64> = (0..11).map(f64::from).collect();
        let table = Table::new(vec![Column::Numeric(numbers)]).unwrap();
        let space = Space::new(&table, true).unwrap();
        let strata = Categories::new(
            (0..11)
                .map(|row| if row == 10 { 2 } else { row % 2 })
                .collect(),
        );
        let group =
            |rows: &[u32], monitor: &mut dyn Monitor| mdav(&space.select(rows)?, 2, monitor);
        let found = by_stratum(&strata, group, &mut Unwatched).unwrap();
        let reason = Error::TooFewRows { rows: 1, k: 2 };
        let failed = FailedStratum {
            stratum: 2,
            size: 1,
            reason,
        };
        assert_eq!(found.failed, [failed]);
        assert_eq!(found.group_of[10], u32::MAX);
        for (a, &group) in found.group_of[..10].iter().enumerate() {
            for (b, &other) in found.group_of[..10].iter().enumerate() {
                assert!(group != other || strata.codes()[a] == strata.codes()[b]);
            }
        }
        assert_eq!(found.groups, 4);
    }
}
