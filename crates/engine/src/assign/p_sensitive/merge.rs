//! MDAV first; then groups that lack values are merged with neighbours that have them. Small
//! groups ask for more variety than a neighbourhood may hold; merged ones grow only where,
//! and only as far as, their neighbourhood makes them.

use super::Input;
use super::value_quota::Quota;
use crate::assign::group_numbers::without_empty;
use crate::assign::mdav;
use crate::neighbours::{Remaining, Tree, Wanted, centroid_of};
use crate::run::Meter;
use crate::run::allocation;
use crate::{Error, Monitor, Partition, Phase, Result, Space};
use std::collections::VecDeque;

/// Merges MDAV's groups until all have p values: in turn, each that lacks some joins the
/// group of the row nearest to its centroid that brings one.
pub(super) fn merge(input: &Input<'_>, monitor: &mut dyn Monitor) -> Result<Partition> {
    let partition = mdav(input.space, input.k, monitor)?;
    let meter = &mut Meter::start(monitor, Phase::Grouping, 0);
    let mut merging = Merger::new(input, &partition, meter)?;
    let mut queue = merging.short_groups()?;
    while let Some(group) = queue.pop_front() {
        // it may have grown, or gone, since it was put in the queue
        if !merging.members[group].is_empty() && merging.is_short(group) {
            let other = merging.join(group, meter)?;
            if merging.is_short(other) {
                queue.push_back(other);
            }
        }
    }
    without_empty(merging.group_of, &merging.members)
}

fn members(partition: &Partition) -> Result<Vec<Vec<u32>>> {
    let mut members = allocation::reserved(partition.groups())?;
    for &size in partition.sizes() {
        members.push(allocation::reserved(size as usize)?);
    }
    for (row, &group) in (0..).zip(partition.group_of()) {
        members[group as usize].push(row);
    }
    Ok(members)
}

struct Merger<'a> {
    space: &'a Space,
    tree: Tree,
    quota: Quota<'a>,
    /// the rows of each group; none once it has joined another
    members: Vec<Vec<u32>>,
    group_of: Vec<u32>,
    /// for each group that lacks values the rows that brought it those it has: however much
    /// it grows, these few tell what it lacks. Empty for a group that lacks nothing
    witnesses: Vec<Vec<u32>>,
}

impl<'a> Merger<'a> {
    fn new(input: &Input<'a>, partition: &Partition, meter: &mut Meter) -> Result<Self> {
        let mut merging = Merger {
            space: input.space,
            tree: Tree::new(input.space, input.sensitive, meter)?,
            quota: Quota::new(input.sensitive, input.p, true)?,
            members: members(partition)?,
            group_of: allocation::collected(partition.group_of().iter().copied())?,
            witnesses: allocation::filled(partition.groups(), Vec::new())?,
        };
        for group in 0..partition.groups() {
            let rows = &merging.members[group];
            merging.witnesses[group] = witnesses(&mut merging.quota, rows, &[])?;
            meter.spend(rows.len())?;
        }
        Ok(merging)
    }

    fn is_short(&self, group: usize) -> bool {
        !self.witnesses[group].is_empty()
    }

    /// The groups that lack values, in their order.
    fn short_groups(&self) -> Result<VecDeque<usize>> {
        let mut short = allocation::reserved(self.members.len())?;
        short.extend((0..self.members.len()).filter(|&group| self.is_short(group)));
        Ok(short.into())
    }

    /// Moves the rows of a group to the group of the nearest row that contributes; which one
    /// that is. A row moves no more often than its group gains values.
    fn join(&mut self, group: usize, meter: &mut Meter) -> Result<usize> {
        let other = self.nearest_helper(group, meter)?;
        let rows = std::mem::take(&mut self.members[group]);
        rows.iter()
            .for_each(|&row| self.group_of[row as usize] = other as u32);
        meter.spend(rows.len())?;
        allocation::make_room(&mut self.members[other], rows.len())?;
        self.members[other].extend_from_slice(&rows);
        let brought = std::mem::take(&mut self.witnesses[group]);
        if self.is_short(other) {
            let held = &self.witnesses[other];
            meter.spend(held.len() + brought.len())?;
            self.witnesses[other] = witnesses(&mut self.quota, held, &brought)?;
        }
        Ok(other)
    }

    /// The group of the nearest row that brings a value which a group lacks.
    fn nearest_helper(&mut self, group: usize, meter: &mut Meter) -> Result<usize> {
        let centroid = centroid_of(self.space, &self.members[group])?;
        let quota = &mut self.quota;
        quota.start();
        self.witnesses[group].iter().for_each(|&row| quota.add(row));
        meter.spend(self.members[group].len())?;
        let wanted = Wanted {
            covered: self.quota.covered(),
            admits: &|row| self.quota.contributes(row),
        };
        let found = self.tree.nearest_wanted(&centroid, None, &wanted, meter)?;
        let found = found.ok_or_else(|| Error::Broken("too few sensitive values".into()))?;
        Ok(self.group_of[found.row as usize] as usize)
    }
}

/// Those of a group's rows, given in two parts, that bring it a value that it lacks; none if
/// in the end it lacks nothing. What the others have, it has of these or has enough of.
fn witnesses(quota: &mut Quota, rows: &[u32], more: &[u32]) -> Result<Vec<u32>> {
    let mut found = Vec::new();
    quota.start();
    for &row in rows.iter().chain(more) {
        if quota.contributes(row) {
            quota.add(row);
            allocation::make_room(&mut found, 1)?;
            found.push(row);
        }
    }
    Ok(if quota.is_short() { found } else { Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Categories, Column, Table, Unwatched};

    /// Whatever a group grows to, what it has is told by a row for each of fewer than p values.
    #[test]
    fn witnesses_stay_few_while_groups_grow() {
        let keys: Vec<f64> = (0..600).map(f64::from).collect();
        let space = Space::new(&Table::new(vec![Column::Numeric(keys)]).unwrap(), true).unwrap();
        let rare = |row: u32| u32::from(row == 250) + 2 * u32::from(row == 350);
        let sensitive = [Categories::new((0..600).map(rare).collect())];
        let input = Input::new(&space, &sensitive, 3, 3).unwrap();
        let partition = mdav(&space, 3, &mut Unwatched).unwrap();
        let mut monitor = Unwatched;
        let meter = &mut Meter::start(&mut monitor, Phase::Grouping, 0);
        let mut merging = Merger::new(&input, &partition, meter).unwrap();
        for group in 0..partition.groups() {
            if merging.is_short(group) && !merging.members[group].is_empty() {
                let other = merging.join(group, meter).unwrap();
                assert!(merging.witnesses[other].len() < 3);
            }
        }
        let partition = merge(&input, &mut Unwatched).unwrap();
        assert_eq!(partition.groups(), 1);
    }
}
