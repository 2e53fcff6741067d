//! Microaggregation in blocks, for tables beyond what exact MDAV can hold or wait for.
//!
//! Median cuts put rows that are close into one block, and MDAV groups each block on its own.
//! Groups at the borders are the worse for it. So the table is cut a second time, elsewhere and
//! between groups, and a local search improves each of these windows. Blocks and windows are
//! independent of each other: each needs memory for its own rows only, and several can be worked
//! on at once.

mod border_search;
mod median_cuts;

use super::group_numbers::GroupNumbers;
use super::mdav;
use crate::random::Generator;
use crate::run::Meter;
use crate::run::allocation::collected;
use crate::run::computing_threads::in_order;
use crate::{Monitor, Partition, Phase, Result, Space, feasibility};
use median_cuts::MedianCuts;

/// Rows of a block, at most: few enough for a processor's cache.
const BLOCK: usize = 1 << 14;

/// Groups of a block, at least, where k is large.
const GROUPS: usize = 128;

/// Rows of a block, at most.
pub(super) fn block_rows(k: usize) -> usize {
    BLOCK.max(GROUPS.saturating_mul(k))
}

/// Cuts rows into groups of at least k: MDAV in blocks, then a local search across their
/// borders with the effort of [`refine`](super::refine). The result depends on the generator and
/// not on the number of threads; effort 0 draws nothing.
pub fn blocks(
    space: &Space,
    k: usize,
    effort: u32,
    rng: &mut Generator,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    let rows = space.rows();
    feasibility::require(k, 1, if rows == 0 { k as u64 } else { rows as u64 }, &[])?;
    let partition = form(space, k, monitor)?;
    border_search::search(space, k, partition, effort, rng, monitor)
}

/// Groups by MDAV within blocks.
fn form(space: &Space, k: usize, monitor: &mut dyn Monitor) -> Result<Partition> {
    let mut order = collected(0..space.rows() as u32)?;
    let cuts = MedianCuts {
        most: block_rows(k),
        // blocks of whole groups: a rest would make the last group of each larger than k
        multiple: k,
        share: (1, 2),
    };
    let mut meter = Meter::start(monitor, Phase::Grouping, 0);
    let blocks = cuts.parts(space, &mut order, &mut meter)?;
    monitor.start(Phase::Grouping, blocks.len() as u64);
    let mut groups = GroupNumbers::new(space.rows())?;
    let work = |block: usize, monitor: &mut dyn Monitor| {
        let mut rows = collected(order[blocks[block].clone()].iter().copied())?;
        // ties go to the lower row, as everywhere
        rows.sort_unstable();
        let partition = mdav(&space.select(&rows)?, k, monitor)?;
        Ok((rows, partition))
    };
    let take = |_, (rows, partition): (Vec<u32>, Partition)| groups.add_part(&partition, &rows);
    in_order(blocks.len(), work, take, monitor)?;
    groups.finish()
}
