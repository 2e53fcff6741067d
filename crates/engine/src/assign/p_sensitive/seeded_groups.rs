//! One group after the other around a seed, each with k rows and p values from the start
//! (DFS07, Algorithm 2; SSD08, Algorithm 3).

use super::group_seeds::Seeds;
use super::value_quota::{Quota, Supply};
use super::{Input, Method};
use crate::assign::group_numbers::GroupNumbers;
use crate::neighbours::{GroupCentroids, Hit, Point, Remaining, TopK, Wanted};
use crate::run::Meter;
use crate::run::allocation::{collected, reserved};
use crate::{Error, Partition, Result, Space};
use rand::Rng;

/// Forms groups by any method that grows them from seeds.
pub(super) fn group(
    input: &Input<'_>,
    remaining: impl Remaining,
    method: Method,
    rng: &mut dyn Rng,
    meter: &mut Meter,
) -> Result<Partition> {
    let greedy = Greedy {
        space: input.space,
        remaining,
        supply: Supply::new(input.sensitive, &input.counts)?,
        quota: Quota::new(input.sensitive, input.p, method.is_lean())?,
        seeds: Seeds::new(input.space, method, rng)?,
        groups: GroupNumbers::new(input.space.rows())?,
        k: input.k,
        p: input.p,
        following: method.is_lean(),
    };
    greedy.run(meter)
}

/// What decides how groups form, and the groups so far.
struct Greedy<'a, R> {
    space: &'a Space,
    remaining: R,
    supply: Supply<'a>,
    quota: Quota<'a>,
    seeds: Seeds<'a>,
    groups: GroupNumbers,
    k: usize,
    p: usize,
    /// whether a group's centroid follows the left-over rows that join it
    following: bool,
}

impl<R: Remaining> Greedy<'_, R> {
    fn run(mut self, meter: &mut Meter) -> Result<Partition> {
        let mut found = TopK::new(self.k)?;
        self.seeds.locate(&self.remaining)?;
        while self.remaining.len() >= self.k && self.supply.suffices(self.p) {
            let group = self.form(&mut found, meter)?;
            self.groups.add(group.iter().map(|hit| hit.row));
            self.remaining.remove(&group);
            group.iter().for_each(|hit| self.supply.remove(hit.row));
            meter.grouped(group.len());
            if self.remaining.tidy(meter)? {
                self.seeds.locate(&self.remaining)?;
            }
        }
        self.place_rest(meter)?;
        meter.report()?;
        self.groups.finish()
    }

    /// A seed, then the rows nearest to it that bring what the group lacks, then the nearest.
    /// A row that brings nothing new never will, because the group only grows, so one walk over
    /// the k nearest in their order finds all that contribute, and only for what they lack
    /// need others be searched.
    fn form(&mut self, found: &mut TopK, meter: &mut Meter) -> Result<Vec<Hit>> {
        let (seed, point) = self.seeds.next(&mut self.remaining, &self.groups, meter)?;
        found.clear();
        self.remaining
            .nearest(&point, Some(seed.slot), found, meter)?;
        let mut group = reserved(self.k)?;
        group.push(seed);
        self.quota.start();
        self.quota.add(seed.row);
        for &hit in found.hits() {
            if self.quota.is_short() && self.quota.contributes(hit.row) {
                self.quota.add(hit.row);
                group.push(hit);
            }
        }
        while self.quota.is_short() {
            let hit = self.contributor(&point, seed, meter)?;
            self.quota.add(hit.row);
            group.push(hit);
        }
        fill(&mut group, found.hits(), self.k)?;
        Ok(group)
    }

    /// The nearest row that contributes.
    fn contributor(&mut self, point: &Point, seed: Hit, meter: &mut Meter) -> Result<Hit> {
        let wanted = Wanted {
            covered: self.quota.covered(),
            admits: &|row| self.quota.contributes(row),
        };
        let start = Some(seed.slot);
        let found = self
            .remaining
            .nearest_wanted(point, start, &wanted, meter)?;
        found.ok_or_else(|| Error::Broken("too few sensitive values remain".into()))
    }

    /// Rows that are left over, in their order, join the group with the nearest centroid.
    fn place_rest(&mut self, meter: &mut Meter) -> Result<()> {
        let mut rest = self.remaining.rest()?;
        if rest.is_empty() {
            return Ok(());
        }
        rest.sort_unstable_by_key(|hit| hit.row);
        let (group_of, groups) = (self.groups.group_of(), self.groups.len());
        let mut centroids = GroupCentroids::new(self.space, group_of, groups, meter)?;
        let mut point = Point::default();
        for hit in rest {
            self.remaining.read(hit.slot, &mut point);
            let group = centroids.nearest(&point, meter)?;
            if self.following {
                centroids.join(group, &point)?;
            }
            self.groups.join(hit.row, group.row);
            meter.grouped(1);
        }
        Ok(())
    }
}

/// Fills a group up to k rows with the nearest that are not yet in it.
fn fill(group: &mut Vec<Hit>, nearest: &[Hit], k: usize) -> Result<()> {
    let mut inside = collected(group.iter().map(|hit| hit.row))?;
    inside.sort_unstable();
    let others = nearest
        .iter()
        .filter(|hit| inside.binary_search(&hit.row).is_err());
    let lacking = k.saturating_sub(inside.len());
    group.extend(others.take(lacking));
    Ok(())
}
