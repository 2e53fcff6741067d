//! MDAV with larger and larger groups until they happen to be p-sensitive (DFS07, Algorithm 1).

use super::Input;
use super::mdav_opening::Opening;
use super::value_quota::Quota;
use crate::assign::mdav::mdav_while;
use crate::neighbours::{Adaptive, Hit, Remaining, Scan};
use crate::run::Meter;
use crate::{Monitor, Partition, Phase, Result, feasibility};

/// So many groups are formed by scans before a tree is built for a size: where values follow
/// the keys most sizes are given up by then.
const TRIAL: usize = 16;

/// The partition into groups of the least size, from k on, at which all have p values;
/// and that size. A larger size is no safer than a smaller one, so they are tried one by one.
pub(super) fn grow(input: &Input<'_>, monitor: &mut dyn Monitor) -> Result<(Partition, usize)> {
    let space = input.space;
    let mut quota = Quota::new(input.sensitive, input.p, false)?;
    let mut size = input.k.max(least_size(input)?);
    let mut opening = None;
    loop {
        let meter = &mut Meter::start(monitor, Phase::Grouping, space.rows());
        if let Some(partition) = try_size(input, size, &mut quota, meter)? {
            return Ok((partition, size));
        }
        let opening = match &mut opening {
            Some(opening) => opening,
            none => none.insert(Opening::new(
                &mut Scan::new(space, meter)?,
                &mut quota,
                meter,
            )?),
        };
        size = opening.next_size(size + 1, &mut quota, meter)?;
    }
}

/// The partition into groups of one size, if all have p values.
fn try_size(
    input: &Input<'_>,
    size: usize,
    quota: &mut Quota,
    meter: &mut Meter,
) -> Result<Option<Partition>> {
    let scan = Scan::new(input.space, meter)?;
    let (partition, formed) = mdav_up_to(TRIAL, scan, size, quota, meter)?;
    if partition.is_some() || formed < TRIAL {
        return Ok(partition);
    }
    let tree = Adaptive::new(input.space, &[], meter)?;
    Ok(mdav_up_to(usize::MAX, tree, size, quota, meter)?.0)
}

/// MDAV until a group lacks values, which is enough to give a size up, or until `most` groups
/// have all; and the number of groups that have.
fn mdav_up_to(
    most: usize,
    remaining: impl Remaining,
    size: usize,
    quota: &mut Quota,
    meter: &mut Meter,
) -> Result<(Option<Partition>, usize)> {
    let mut formed = 0;
    let complete = |group: &[Hit]| {
        quota.start();
        group.iter().for_each(|hit| quota.add(hit.row));
        formed += usize::from(!quota.is_short());
        !quota.is_short() && formed < most
    };
    let partition = mdav_while(remaining, size, complete, meter)?;
    Ok((partition, formed))
}

/// The least size worth a try: MDAV forms ⌊n/k⌋ groups, and no more than
/// [`feasibility::max_groups`] can be p-sensitive (TV06, condition 2).
fn least_size(input: &Input<'_>) -> Result<usize> {
    Ok(match feasibility::max_groups(&input.counts, input.p)? {
        Some(groups) => input.space.rows() / (groups as usize + 1) + 1,
        None => 1,
    })
}
