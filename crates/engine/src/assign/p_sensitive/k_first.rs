//! MDAV with larger and larger groups until they happen to be p-sensitive (DFS07, Algorithm 1).

use super::Input;
use super::quota::Quota;
use crate::assign::mdav::mdav_while;
use crate::neighbours::{Adaptive, Hit, Watch};
use crate::{Monitor, Partition, Phase, Result, feasibility};

/// The partition into groups of the least size, from k on, at which all have p values;
/// and that size. A larger size is no safer than a smaller one, so they are tried one by one.
pub(super) fn grow(input: &Input<'_>, monitor: &mut dyn Monitor) -> Result<(Partition, usize)> {
    let space = input.space;
    let mut quota = Quota::new(input.sensitive, input.p, false)?;
    let mut size = input.k.max(least_size(input)?);
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
fn least_size(input: &Input<'_>) -> Result<usize> {
    Ok(match feasibility::max_groups(&input.counts, input.p)? {
        Some(groups) => input.space.rows() / (groups as usize + 1) + 1,
        None => 1,
    })
}
