//! MDAV with larger and larger groups until they happen to be p-sensitive (DFS07, Algorithm 1).

use super::quota::Quota;
use crate::assign::mdav::mdav_while;
use crate::neighbours::{Adaptive, Hit, Watch};
use crate::{Categories, Monitor, Partition, Phase, Result, Space, feasibility};

/// The partition into groups of the least size, from `size` on, at which all have p values;
/// and that size. A larger size is no safer than a smaller one, so they are tried one by one.
pub(super) fn grow(
    space: &Space,
    sensitive: &[Categories],
    mut size: usize,
    p: usize,
    monitor: &mut dyn Monitor,
) -> Result<(Partition, usize)> {
    let mut quota = Quota::new(sensitive, p, false)?;
    loop {
        let mut watch = Watch::start(monitor, Phase::Grouping, space.rows());
        let remaining = Adaptive::new(space, &[], &mut watch)?;
        // one group that lacks values is enough to give a size up
        let complete = |group: &[Hit]| {
            quota.start();
            group.iter().for_each(|hit| quota.add(hit.row));
            !quota.is_short()
        };
        if let Some(partition) = mdav_while(remaining, size, complete, &mut watch)? {
            return Ok((partition, size));
        }
        size += 1;
    }
}

/// The least size worth a try: MDAV forms ⌊n/k⌋ groups, and no more than
/// [`feasibility::max_groups`] can be p-sensitive (TV06, condition 2).
pub(super) fn least_size(rows: usize, counts: &[Vec<u64>], p: usize) -> Result<usize> {
    Ok(match feasibility::max_groups(counts, p)? {
        Some(groups) => rows / (groups as usize + 1) + 1,
        None => 1,
    })
}
