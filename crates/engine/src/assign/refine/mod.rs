//! Refinement: a local search that takes any partition and lowers its sum of squares while
//! every group keeps its k rows and p sensitive values.
//!
//! MDAV and its kin never look back at a group once it is formed, and the last groups get
//! what the first ones left. The search moves rows to other groups, lets two change places,
//! dissolves groups and founds new ones. It does so first at random, the more boldly the
//! earlier (annealing), and then for as long as anything helps (descent). On the Census file
//! the first lowers MDAV's loss by a tenth to a sixth, and the more so the longer it lasts.
//!
//! Everything happens between near groups, so that the time grows with the rows, not with
//! their square.

mod anneal;
mod change;
mod descent;
mod exchange;
mod limits;
mod near_rows;
mod regroup;
mod row_boxes;

use super::p_sensitive;
use crate::local_search::changing_groups::Groups;
use crate::local_search::ordered_rows::OrderedRows;
use crate::measure::within;
use crate::run::Meter;
use crate::{Categories, Error, Monitor, Partition, Phase, Result, Space, feasibility};
use near_rows::Near;
use rand::Rng;

/// How often each row is offered an exchange per unit of effort.
const SWEEPS: u32 = 25;

/// What every group of a partition keeps: k rows, and p values of each sensitive column.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    pub k: usize,
    pub p: usize,
    pub sensitive: &'a [Categories],
}

impl Limits<'_> {
    fn check(&self, partition: &Partition) -> Result<()> {
        let rows = partition.rows();
        let enough = if rows == 0 { self.k } else { rows };
        feasibility::require(self.k, self.p, enough as u64, &[])?;
        let mut columns = self.sensitive.iter();
        columns.try_for_each(|column| partition.require_rows(column.codes().len()))?;
        p_sensitive::check(partition, self.sensitive, self.k, self.p)
    }
}

/// The greatest effort, five times that of the longest search in the documentation.
pub const MOST_EFFORT: u32 = 10_000;

/// The effort that a table of this size affords in about a second: 1 for large tables, where
/// it takes a few times as long as MDAV, and more for smaller ones.
pub fn default_effort(rows: usize) -> u32 {
    (150_000 / rows.max(1)).clamp(1, 150) as u32
}

/// Lowers the sum of squares of a partition that keeps the limits; the result keeps them too.
///
/// Effort 0 is the descent alone, which draws no random numbers. Each unit beyond offers every
/// row 25 exchanges before it, up to [`MOST_EFFORT`]. With the same generator the result is the same.
pub fn refine(
    space: &Space,
    limits: Limits,
    partition: Partition,
    effort: u32,
    rng: &mut impl Rng,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    if partition.rows() != space.rows() {
        return Err(Error::UnequalColumns {
            first: space.rows(),
            other: partition.rows(),
        });
    }
    limits.check(&partition)?;
    let before = within(space, &partition)?;
    if before == 0.0 || partition.rows() < 2 {
        return Ok(partition);
    }
    let refined = search(space, limits, &partition, effort, rng, monitor)?;
    limits.check(&refined)?;
    // The annealing may end higher than it began where there is nothing to gain.
    Ok(if within(space, &refined)? < before {
        refined
    } else {
        partition
    })
}

fn search(
    space: &Space,
    limits: Limits,
    partition: &Partition,
    effort: u32,
    rng: &mut impl Rng,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    let sweeps = effort.min(MOST_EFFORT) * SWEEPS;
    let total = space.rows().saturating_mul(sweeps as usize + 1);
    let meter = &mut Meter::start(monitor, Phase::Refining, total);
    // With p = 1 every group has what it needs.
    let sensitive = if limits.p > 1 { limits.sensitive } else { &[] };
    let rows = OrderedRows::new(space, sensitive, meter)?;
    let near = Near::new(&rows, meter)?;
    let mut groups = Groups::new(&rows, limits.k, limits.p, partition, meter)?;
    anneal::anneal(&mut groups, &near, sweeps, rng, meter)?;
    descent::descend(&mut groups, &near, meter)?;
    groups.partition()
}
