//! MDAV, maximum distance to average vector: microaggregation into groups of k, the last of
//! up to 2k − 1 rows (DFS07, section 3).

use super::grouping::Grouping;
use crate::neighbours::{Adaptive, Hit, Point, Remaining, Scan, TopK, Watch};
use crate::{Error, Monitor, Partition, Phase, Result, Space};

/// Cuts rows into groups of at least k, numbered in the order they are formed. Ties go to
/// the lower row. No rows give no groups.
pub fn mdav(space: &Space, k: usize, monitor: &mut dyn Monitor) -> Result<Partition> {
    check(space.rows(), k)?;
    let mut watch = Watch::start(monitor, Phase::Grouping, space.rows());
    let remaining = Adaptive::new(space, &mut watch)?;
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
    if k < 1 {
        return Err(Error::TooSmall {
            name: "k",
            least: 1,
            actual: k as i64,
        });
    }
    if 0 < rows && rows < k {
        return Err(Error::TooFewRows { rows, k });
    }
    Ok(())
}

fn group(remaining: impl Remaining, k: usize, watch: &mut Watch) -> Result<Partition> {
    let mut mdav = Mdav {
        groups: Grouping::new(remaining.len())?,
        found: TopK::new(k),
        remaining,
    };
    mdav.run(k, watch)?;
    watch.report()?;
    mdav.groups.finish()
}

struct Mdav<R> {
    remaining: R,
    groups: Grouping,
    found: TopK,
}

impl<R: Remaining> Mdav<R> {
    fn run(&mut self, k: usize, watch: &mut Watch) -> Result<()> {
        while self.remaining.len() / 3 >= k {
            self.take_two(watch)?;
        }
        if self.remaining.len() / 2 >= k {
            let farthest = self.remaining.farthest_from_centroid(watch)?;
            let point = self.read(farthest);
            self.take_around(&point, farthest, watch)?;
        }
        if !self.remaining.is_empty() {
            let rest = self.remaining.rest()?;
            self.take(&rest, watch);
        }
        Ok(())
    }

    /// Groups around the row farthest from the centroid and around the row farthest from it.
    fn take_two(&mut self, watch: &mut Watch) -> Result<()> {
        let r = self.remaining.farthest_from_centroid(watch)?;
        let point_r = self.read(r);
        let s = self.remaining.farthest_from(&point_r, watch)?;
        let point_s = self.read(s);
        self.take_around(&point_r, r, watch)?;
        // s itself may be in the first group, when more rows than fit in are equally far; the
        // second group then forms around the place where it was
        self.take_around(&point_s, s, watch)?;
        self.remaining.tidy(watch)
    }

    /// Makes the k rows nearest to a point a group.
    fn take_around(&mut self, point: &Point, start: Hit, watch: &mut Watch) -> Result<()> {
        self.found.clear();
        let found = &mut self.found;
        self.remaining
            .nearest(point, Some(start.slot), found, watch)?;
        let hits = self.found.hits().to_vec();
        self.take(&hits, watch);
        Ok(())
    }

    fn take(&mut self, hits: &[Hit], watch: &mut Watch) {
        self.groups.add(hits.iter().map(|hit| hit.row));
        self.remaining.remove(hits);
        watch.grouped(hits.len());
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
        let remaining = Tree::new(space, &mut watch)?;
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
