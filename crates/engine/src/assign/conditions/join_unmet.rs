//! Groups that miss a condition are joined with neighbours until none does (Soria-Comas,
//! Domingo-Ferrer, Sánchez, Martínez 2015, Algorithm 1, for any condition that groups keep when
//! they are joined).

use super::{ConditionCheck, GroupConditions};
use crate::assign::group_numbers::without_empty;
use crate::neighbours::{Remaining, Tree, Wanted, centroid_of};
use crate::run::Meter;
use crate::run::allocation;
use crate::{Categories, Error, Monitor, Partition, Phase, Result, Space};
use std::collections::VecDeque;

/// In turn, each group that misses a condition joins the group of the row nearest to its centroid.
/// The paper takes the worst group first; taking all in turn makes groups grow evenly, so that no
/// row moves more often than groups double.
pub(in crate::assign) fn join_unmet(
    space: &Space,
    partition: Partition,
    conditions: &GroupConditions<'_>,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    if conditions.is_empty() || partition.groups() < 2 {
        return Ok(partition);
    }
    let meter = &mut Meter::start(monitor, Phase::Grouping, 0);
    let mut joining = Joiner::new(space, &partition, conditions, meter)?;
    let mut queue = VecDeque::from(allocation::collected(0..partition.groups())?);
    while let Some(group) = queue.pop_front() {
        // it may have joined another one since it was put in the queue
        if !joining.members[group].is_empty() && !joining.holds(group, meter)? {
            let other = joining.join(group, meter)?;
            queue.push_back(other);
        }
    }
    without_empty(joining.group_of, &joining.members)
}

struct Joiner<'a> {
    space: &'a Space,
    check: ConditionCheck<'a>,
    tree: Tree,
    /// the rows of each group; none once it has joined another
    members: Vec<Vec<u32>>,
    group_of: Vec<u32>,
}

impl<'a> Joiner<'a> {
    fn new(
        space: &'a Space,
        partition: &Partition,
        conditions: &GroupConditions<'a>,
        meter: &mut Meter,
    ) -> Result<Self> {
        let mut members = allocation::reserved(partition.groups())?;
        for rows in partition.members()?.iter() {
            members.push(allocation::collected(rows.iter().copied())?);
        }
        // the tree wants a column of values, though any row outside the group will do
        let alike = Categories::new(allocation::filled(space.rows(), 0)?);
        Ok(Joiner {
            space,
            check: ConditionCheck::new(conditions)?,
            tree: Tree::new(space, &[alike], meter)?,
            members,
            group_of: allocation::collected(partition.group_of().iter().copied())?,
        })
    }

    fn holds(&mut self, group: usize, meter: &mut Meter) -> Result<bool> {
        let rows = &self.members[group];
        meter.spend(rows.len())?;
        self.check.holds(rows.iter().copied())
    }

    /// Moves the rows of a group to the nearest other one, or those of that one here if they are
    /// fewer; which group has them all.
    fn join(&mut self, group: usize, meter: &mut Meter) -> Result<usize> {
        let other = self.nearest_other(group, meter)?;
        let (from, to) = match self.members[group].len() > self.members[other].len() {
            true => (other, group),
            false => (group, other),
        };
        let rows = std::mem::take(&mut self.members[from]);
        meter.spend(rows.len())?;
        for &row in &rows {
            self.group_of[row as usize] = to as u32;
        }
        allocation::make_room(&mut self.members[to], rows.len())?;
        self.members[to].extend_from_slice(&rows);
        Ok(to)
    }

    fn nearest_other(&mut self, group: usize, meter: &mut Meter) -> Result<usize> {
        let centroid = centroid_of(self.space, &self.members[group])?;
        meter.spend(self.members[group].len())?;
        let group_of = &self.group_of;
        let wanted = Wanted {
            covered: &[0],
            admits: &|row| group_of[row as usize] != group as u32,
        };
        let found = self.tree.nearest_wanted(&centroid, None, &wanted, meter)?;
        let found =
            found.ok_or_else(|| Error::Broken("one group that misses a condition".into()))?;
        Ok(self.group_of[found.row as usize] as usize)
    }
}
