//! MDAV, maximum distance to average vector: microaggregation into groups of k, the last of
//! up to 2k − 1 rows (DFS07, section 3).

use super::Method;
use super::group_numbers::GroupNumbers;
use crate::neighbours::{Adaptive, Hit, Point, Remaining, Scan, TopK};
use crate::run::Meter;
use crate::run::allocation;
use crate::run::limits;
use crate::{Error, Monitor, Partition, Phase, Result, Space, feasibility};

/// Cuts rows into groups of at least k, numbered in the order they are formed. Ties go to
/// the lower row. No rows give no groups.
pub fn mdav(space: &Space, k: usize, monitor: &mut dyn Monitor) -> Result<Partition> {
    check(space.rows(), k)?;
    if space.rows() / 2 < k {
        // too few for two groups: no distance is needed
        let group_of = allocation::filled(space.rows(), 0)?;
        return Partition::new(group_of, usize::from(space.rows() > 0));
    }
    let mut meter = Meter::start(monitor, Phase::Grouping, space.rows());
    let remaining = Adaptive::new(space, &[], &mut meter)?;
    group(remaining, k, &mut meter)
}

/// An error unless MDAV's memory is within the limit. It is known before the work begins.
pub fn require_memory_of_mdav(space: &Space) -> Result<()> {
    let bytes = Adaptive::memory(space);
    match limits::fits(bytes) {
        true => Ok(()),
        false => Err(Error::MethodOverLimit {
            method: Method::Mdav.name(),
            bytes: limits::held().saturating_add(bytes),
            instead: Method::Blocks.name(),
        }),
    }
}

/// The same by plain scans, in quadratic time: the reference for tests and benchmarks.
pub fn mdav_by_scan(space: &Space, k: usize, monitor: &mut dyn Monitor) -> Result<Partition> {
    check(space.rows(), k)?;
    let mut meter = Meter::start(monitor, Phase::Grouping, space.rows());
    let remaining = Scan::new(space, &mut meter)?;
    group(remaining, k, &mut meter)
}

fn check(rows: usize, k: usize) -> Result<()> {
    let enough = if rows == 0 { k } else { rows };
    feasibility::require(k, 1, enough as u64, &[])
}

fn group(remaining: impl Remaining, k: usize, meter: &mut Meter) -> Result<Partition> {
    let partition = mdav_while(remaining, k, |_| true, meter)?;
    partition.ok_or_else(|| Error::Broken("a group was refused".into()))
}

/// MDAV for as long as every group is accepted: `None` once one is not.
pub(super) fn mdav_while(
    remaining: impl Remaining,
    k: usize,
    accepts: impl FnMut(&[Hit]) -> bool,
    meter: &mut Meter,
) -> Result<Option<Partition>> {
    let mut mdav = Mdav {
        groups: GroupNumbers::new(remaining.len())?,
        found: TopK::new(k)?,
        remaining,
        accepts,
    };
    let complete = mdav.run(k, meter)?;
    meter.report()?;
    complete.then(|| mdav.groups.finish()).transpose()
}

struct Mdav<R, A> {
    remaining: R,
    groups: GroupNumbers,
    found: TopK,
    accepts: A,
}

/// The steps tell whether the groups they formed were accepted.
impl<R: Remaining, A: FnMut(&[Hit]) -> bool> Mdav<R, A> {
    fn run(&mut self, k: usize, meter: &mut Meter) -> Result<bool> {
        while self.remaining.len() / 3 >= k {
            if !self.take_two(meter)? {
                return Ok(false);
            }
        }
        if self.remaining.len() / 2 >= k {
            let farthest = self.remaining.farthest_from_centroid(meter)?;
            let point = self.remaining.point_of(farthest);
            if !self.take_around(&point, farthest, meter)? {
                return Ok(false);
            }
        }
        let rest = self.remaining.rest()?;
        Ok(rest.is_empty() || self.take(&rest, meter))
    }

    /// Groups around the row farthest from the centroid and around the row farthest from it.
    fn take_two(&mut self, meter: &mut Meter) -> Result<bool> {
        let r = self.remaining.farthest_from_centroid(meter)?;
        let point_r = self.remaining.point_of(r);
        let s = self.remaining.farthest_from(&point_r, meter)?;
        let point_s = self.remaining.point_of(s);
        // s itself may go with the first group, when more rows than fit in are equally far;
        // the second group then forms around the place where it was
        let accepted =
            self.take_around(&point_r, r, meter)? && self.take_around(&point_s, s, meter)?;
        self.remaining.tidy(meter)?;
        Ok(accepted)
    }

    /// Makes the k rows nearest to a point a group.
    fn take_around(&mut self, point: &Point, start: Hit, meter: &mut Meter) -> Result<bool> {
        self.found.clear();
        let found = &mut self.found;
        self.remaining
            .nearest(point, Some(start.slot), found, meter)?;
        let hits = allocation::collected(self.found.hits().iter().copied())?;
        if hits.is_empty() {
            // without a row in it no group would bring the end any nearer
            return Err(Error::Broken("a group without rows".into()));
        }
        Ok(self.take(&hits, meter))
    }

    fn take(&mut self, hits: &[Hit], meter: &mut Meter) -> bool {
        self.groups.add(hits.iter().map(|hit| hit.row));
        self.remaining.remove(hits);
        meter.grouped(hits.len());
        (self.accepts)(hits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unwatched;
    use crate::assign::naive_mdav;
    use crate::neighbours::Tree;
    use proptest::prelude::*;

    fn by_tree_alone(space: &Space, k: usize) -> Result<Partition> {
        let mut monitor = Unwatched;
        let mut meter = Meter::start(&mut monitor, Phase::Grouping, space.rows());
        let remaining = Tree::new(space, &[], &mut meter)?;
        group(remaining, k, &mut meter)
    }

    fn assert_all_agree(space: &Space, k: usize) {
        let expected = naive_mdav::mdav(space, k);
        assert_eq!(mdav_by_scan(space, k, &mut Unwatched).unwrap(), expected);
        assert_eq!(by_tree_alone(space, k).unwrap(), expected);
        assert_eq!(mdav(space, k, &mut Unwatched).unwrap(), expected);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn tree_scan_and_definition_agree(space in naive_mdav::spaces(), k in 1..12usize) {
            assert_all_agree(&space, k.min(space.rows()));
        }

        #[test]
        fn sizes_around_multiples_of_k_agree(space in naive_mdav::spaces(), parts in 1..4usize) {
            for k in [space.rows() / parts, (space.rows() + 1) / parts] {
                assert_all_agree(&space, k.clamp(1, space.rows()));
            }
        }
    }
}
