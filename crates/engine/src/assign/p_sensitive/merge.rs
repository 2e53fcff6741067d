//! MDAV first; then groups that lack values are merged with neighbours that have them. Small
//! groups ask for more variety than a neighbourhood may hold; merged ones grow only where,
//! and only as far as, their neighbourhood makes them.

use super::Input;
use super::quota::Quota;
use crate::assign::mdav;
use crate::neighbours::{Point, Remaining, Tree, Wanted, Watch, centroid_of};
use crate::{Error, Monitor, Partition, Phase, Result, Space, memory};
use std::collections::VecDeque;

/// Merges MDAV's groups until all have p values: in turn, each that lacks some joins the
/// group of the row nearest to its centroid that brings one.
pub(super) fn merge(input: &Input<'_>, monitor: &mut dyn Monitor) -> Result<Partition> {
    let partition = mdav(input.space, input.k, monitor)?;
    let watch = &mut Watch::start(monitor, Phase::Grouping, 0);
    let mut merging = Merging {
        space: input.space,
        tree: Tree::new(input.space, input.sensitive, watch)?,
        quota: Quota::new(input.sensitive, input.p, true)?,
        members: members(&partition)?,
        group_of: memory::collected(partition.group_of().iter().copied())?,
        complete: memory::filled(partition.groups(), false)?,
    };
    let mut queue: VecDeque<usize> = VecDeque::new();
    queue.extend((0..partition.groups()).filter(|&group| merging.is_short(group)));
    while let Some(group) = queue.pop_front() {
        // it may have grown, or gone, since it was put in the queue
        if !merging.members[group].is_empty() && merging.is_short(group) {
            let other = merging.join(group, watch)?;
            if merging.is_short(other) {
                queue.push_back(other);
            }
        }
    }
    merging.finish()
}

fn members(partition: &Partition) -> Result<Vec<Vec<u32>>> {
    let mut members = memory::filled(partition.groups(), Vec::new())?;
    for (row, &group) in (0..).zip(partition.group_of()) {
        members[group as usize].push(row);
    }
    Ok(members)
}

struct Merging<'a> {
    space: &'a Space,
    tree: Tree,
    quota: Quota<'a>,
    /// the rows of each group; none once it has joined another
    members: Vec<Vec<u32>>,
    group_of: Vec<u32>,
    /// groups known to have all values: however much they grow, they still do
    complete: Vec<bool>,
}

impl Merging<'_> {
    fn is_short(&mut self, group: usize) -> bool {
        if self.complete[group] {
            return false;
        }
        self.quota.start();
        let quota = &mut self.quota;
        self.members[group].iter().for_each(|&row| quota.add(row));
        self.complete[group] = !quota.is_short();
        !self.complete[group]
    }

    /// Moves the rows of the group that was last found short to the group of the nearest row
    /// that contributes; which one that is.
    fn join(&mut self, group: usize, watch: &mut Watch) -> Result<usize> {
        let centroid = centroid_of(self.space, &self.members[group])?;
        let row = self.contributor(&centroid, watch)?;
        let other = self.group_of[row as usize];
        let rows = std::mem::take(&mut self.members[group]);
        rows.iter()
            .for_each(|&row| self.group_of[row as usize] = other);
        self.members[other as usize].extend(rows);
        Ok(other as usize)
    }

    fn contributor(&mut self, point: &Point, watch: &mut Watch) -> Result<u32> {
        let covered = self.quota.covered();
        let wanted = Wanted {
            covered: &covered,
            admits: &|row| self.quota.contributes(row),
        };
        let found = self.tree.nearest_wanted(point, None, &wanted, watch)?;
        let found = found.ok_or_else(|| Error::Broken("too few sensitive values".into()));
        Ok(found?.row)
    }

    /// The groups that are left, in their order.
    fn finish(mut self) -> Result<Partition> {
        let mut number = memory::reserved(self.members.len())?;
        let mut groups = 0;
        for rows in &self.members {
            number.push(groups);
            groups += u32::from(!rows.is_empty());
        }
        for group in &mut self.group_of {
            *group = number[*group as usize];
        }
        Partition::new(self.group_of, groups as usize)
    }
}
