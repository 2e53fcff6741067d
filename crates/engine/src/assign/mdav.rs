//! MDAV, maximum distance to average vector: microaggregation into groups of k, the last of
//! up to 2k − 1 rows (DFS07, section 3).

use super::grouping::Grouping;
use crate::neighbours::{Adaptive, Hit, Point, Remaining, Scan, TopK, Watch};
use crate::{Error, Monitor, Partition, Phase, Result, Space, feasibility, memory};

/// Cuts rows into groups of at least k, numbered in the order they are formed. Ties go to
/// the lower row. No rows give no groups.
pub fn mdav(space: &Space, k: usize, monitor: &mut dyn Monitor) -> Result<Partition> {
    check(space.rows(), k)?;
    if space.rows() / 2 < k {
        // too few for two groups: no distance is needed
        let group_of = memory::filled(space.rows(), 0)?;
        return Partition::new(group_of, usize::from(space.rows() > 0));
    }
    let mut watch = Watch::start(monitor, Phase::Grouping, space.rows());
    let remaining = Adaptive::new(space, &[], &mut watch)?;
    group(remaining, k, &mut watch)
}

/// The same by plain scans, in quadratic time: the reference for tests and benchmarks.
pub fn mdav_by_scan(space: &Space, k: usize, monitor: &mut dyn Monitor) -> Result<Partition> {
    check(space.rows(), k)?;
    let mut watch = Watch::start(monitor, Phase::Grouping, space.rows());
    let remaining = Scan::new(space, &mut watch)?;
    group(remaining, k, &mut watch)
}

fn check(rows: usize, k: usize) -> Result<()> {
    let enough = if rows == 0 { k } else { rows };
    feasibility::require(k, 1, enough as u64, &[])
}

fn group(remaining: impl Remaining, k: usize, watch: &mut Watch) -> Result<Partition> {
    let partition = mdav_while(remaining, k, |_| true, watch)?;
    partition.ok_or_else(|| Error::Broken("a group was refused".into()))
}

/// MDAV for as long as every group is accepted: `None` once one is not.
pub(super) fn mdav_while(
    remaining: impl Remaining,
    k: usize,
    accepts: impl FnMut(&[Hit]) -> bool,
    watch: &mut Watch,
) -> Result<Option<Partition>> {
    let mut mdav = Mdav {
        groups: Grouping::new(remaining.len())?,
        found: TopK::new(k)?,
        remaining,
        accepts,
    };
    let complete = mdav.run(k, watch)?;
    watch.report()?;
    complete.then(|| mdav.groups.finish()).transpose()
}

struct Mdav<R, A> {
    remaining: R,
    groups: Grouping,
    found: TopK,
    accepts: A,
}

/// The steps tell whether the groups they formed were accepted.
impl<R: Remaining, A: FnMut(&[Hit]) -> bool> Mdav<R, A> {
    fn run(&mut self, k: usize, watch: &mut Watch) -> Result<bool> {
        while self.remaining.len() / 3 >= k {
            if !self.take_two(watch)? {
                return Ok(false);
            }
        }
        if self.remaining.len() / 2 >= k {
            let farthest = self.remaining.farthest_from_centroid(watch)?;
            let point = self.read(farthest);
            if !self.take_around(&point, farthest, watch)? {
                return Ok(false);
            }
        }
        let rest = self.remaining.rest()?;
        Ok(rest.is_empty() || self.take(&rest, watch))
    }

    /// Groups around the row farthest from the centroid and around the row farthest from it.
    fn take_two(&mut self, watch: &mut Watch) -> Result<bool> {
        let r = self.remaining.farthest_from_centroid(watch)?;
        let point_r = self.read(r);
        let s = self.remaining.farthest_from(&point_r, watch)?;
        let point_s = self.read(s);
        // s itself may go with the first group, when more rows than fit in are equally far;
        // the second group then forms around the place where it was
        let accepted =
            self.take_around(&point_r, r, watch)? && self.take_around(&point_s, s, watch)?;
        self.remaining.tidy(watch)?;
        Ok(accepted)
    }

    /// Makes the k rows nearest to a point a group.
    fn take_around(&mut self, point: &Point, start: Hit, watch: &mut Watch) -> Result<bool> {
        self.found.clear();
        let found = &mut self.found;
        self.remaining
            .nearest(point, Some(start.slot), found, watch)?;
        let hits = memory::collected(self.found.hits().iter().copied())?;
        if hits.is_empty() {
            // without a row in it no group would bring the end any nearer
            return Err(Error::Broken("a group without rows".into()));
        }
        Ok(self.take(&hits, watch))
    }

    fn take(&mut self, hits: &[Hit], watch: &mut Watch) -> bool {
        self.groups.add(hits.iter().map(|hit| hit.row));
        self.remaining.remove(hits);
        watch.grouped(hits.len());
        (self.accepts)(hits)
    }

    fn read(&self, hit: Hit) -> Point {
        let mut point = Point::default();
        self.remaining.read(hit.slot, &mut point);
        point
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unwatched;
    use crate::assign::naive;
    use crate::neighbours::Tree;
    use proptest::prelude::*;

    fn by_tree_alone(space: &Space, k: usize) -> Result<Partition> {
        let mut monitor = Unwatched;
        let mut watch = Watch::start(&mut monitor, Phase::Grouping, space.rows());
        let remaining = Tree::new(space, &[], &mut watch)?;
        group(remaining, k, &mut watch)
    }

    fn assert_all_agree(space: &Space, k: usize) {
        let expected = naive::mdav(space, k);
        assert_eq!(mdav_by_scan(space, k, &mut Unwatched).unwrap(), expected);
        assert_eq!(by_tree_alone(space, k).unwrap(), expected);
        assert_eq!(mdav(space, k, &mut Unwatched).unwrap(), expected);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn tree_scan_and_definition_agree(space in naive::spaces(), k in 1..12usize) {
            assert_all_agree(&space, k.min(space.rows()));
        }

        #[test]
        fn sizes_around_multiples_of_k_agree(space in naive::spaces(), parts in 1..4usize) {
            for k in [space.rows() / parts, (space.rows() + 1) / parts] {
                assert_all_agree(&space, k.clamp(1, space.rows()));
            }
        }
    }
}
