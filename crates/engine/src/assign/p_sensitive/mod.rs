//! Microaggregation for p-sensitive k-anonymity: groups of at least k rows with at least p
//! distinct values of every sensitive column (DFS07, SSD08).

mod greedy;
mod k_first;
#[cfg(test)]
mod naive;
mod quota;
mod seeds;

use crate::assign::grouping::Grouping;
use crate::model::{KAnonymity, PSensitivity, verify};
use crate::neighbours::{Adaptive, Remaining, Watch};
use crate::{
    Categories, Error, Monitor, Partition, Phase, Result, Space, Tally, feasibility, memory,
};
use greedy::Greedy;
use quota::{Quota, Supply};
use rand::Rng;
use seeds::{Frame, Seeds};

/// How groups are formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// MDAV with growing groups until all have p values (DFS07, Algorithm 1)
    KFirst,
    /// around the row farthest from the centroid (DFS07, Algorithm 2, to the letter): a row
    /// contributes if any of its values is new, and left-over rows do not move centroids
    PFirst,
    /// the same with less loss: a row contributes only to columns that still lack values, and
    /// a centroid follows the left-over rows that join its group
    PFirstLean,
    /// like `PFirst` around the row nearest to a random vector (SSD08, Algorithm 3)
    RandomSeeds,
    /// like `PFirst` around a random row
    RandomRows,
}

/// Cuts rows into groups of at least k rows and p values of every sensitive column, numbered
/// in the order they are formed. Ties go to the lower row. No rows give no groups.
pub fn p_sensitive(
    space: &Space,
    sensitive: &[Categories],
    k: usize,
    p: usize,
    method: Method,
    rng: &mut impl Rng,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    if method == Method::KFirst {
        return Ok(k_first(space, sensitive, k, p, monitor)?.0);
    }
    let counts = require(space.rows(), sensitive, k, p)?;
    if space.rows() == 0 {
        return Partition::new(Vec::new(), 0);
    }
    let watch = &mut Watch::start(monitor, Phase::Grouping, space.rows());
    let remaining = Adaptive::new(space, sensitive, watch)?;
    let input = Input {
        space,
        sensitive,
        counts,
        k,
        p,
    };
    let partition = group(input, remaining, method, rng, watch)?;
    check(&partition, sensitive, k, p)?;
    Ok(partition)
}

/// [`Method::KFirst`], and the size of groups that it took: k or more.
pub fn k_first(
    space: &Space,
    sensitive: &[Categories],
    k: usize,
    p: usize,
    monitor: &mut dyn Monitor,
) -> Result<(Partition, usize)> {
    let counts = require(space.rows(), sensitive, k, p)?;
    if space.rows() == 0 {
        return Ok((Partition::new(Vec::new(), 0)?, k));
    }
    let least = k_first::least_size(space.rows(), &counts, p)?.max(k);
    let found = k_first::grow(space, sensitive, least, p, monitor)?;
    check(&found.0, sensitive, k, p)?;
    Ok(found)
}

/// What is to be grouped, and the counts of its sensitive values.
struct Input<'a> {
    space: &'a Space,
    sensitive: &'a [Categories],
    counts: Vec<Vec<u64>>,
    k: usize,
    p: usize,
}

/// Forms groups by any method but `KFirst`.
fn group(
    input: Input<'_>,
    remaining: impl Remaining,
    method: Method,
    rng: &mut dyn Rng,
    watch: &mut Watch,
) -> Result<Partition> {
    let rows = input.space.rows();
    let lean = method == Method::PFirstLean;
    let seeds = match method {
        Method::RandomSeeds => Seeds::Vectors {
            frame: Frame::new(input.space),
            rng,
        },
        Method::RandomRows => Seeds::rows(rows, rng)?,
        _ => Seeds::Farthest,
    };
    let greedy = Greedy {
        space: input.space,
        remaining,
        supply: Supply::new(input.sensitive, input.counts),
        quota: Quota::new(input.sensitive, input.p, lean)?,
        seeds,
        groups: Grouping::new(rows)?,
        k: input.k,
        p: input.p,
        following: lean,
    };
    greedy.run(watch)
}

/// Refuses at once what cannot be had; otherwise how often each sensitive value occurs.
pub(super) fn require(
    rows: usize,
    sensitive: &[Categories],
    k: usize,
    p: usize,
) -> Result<Vec<Vec<u64>>> {
    let counts = counts(rows, sensitive)?;
    if rows == 0 {
        feasibility::require(k, p, k as u64, &[])?;
    } else {
        feasibility::require(k, p, rows as u64, &counts)?;
    }
    Ok(counts)
}

/// How often each value of each sensitive column occurs.
fn counts(rows: usize, sensitive: &[Categories]) -> Result<Vec<Vec<u64>>> {
    let mut all = Vec::new();
    for column in sensitive {
        let (first, other) = (rows, column.codes().len());
        if first != other {
            return Err(Error::UnequalColumns { first, other });
        }
        let mut counts = memory::filled(column.cardinality(), 0)?;
        column
            .codes()
            .iter()
            .for_each(|&code| counts[code as usize] += 1);
        all.push(counts);
    }
    Ok(all)
}

/// Nothing leaves that breaks its promise.
pub(super) fn check(
    partition: &Partition,
    sensitive: &[Categories],
    k: usize,
    p: usize,
) -> Result<()> {
    let columns: Vec<&Categories> = sensitive.iter().collect();
    let tally = Tally::new(partition, &columns)?;
    verify(&KAnonymity, &tally, None, k as f64)?;
    for column in 0..columns.len() {
        verify(&PSensitivity, &tally, Some(column), p as f64)?;
    }
    Ok(())
}
