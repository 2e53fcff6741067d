//! Microaggregation for p-sensitive k-anonymity: groups of at least k rows with at least p
//! distinct values of every sensitive column (DFS07, SSD08).

mod cell_cubes;
mod cell_values;
mod group_seeds;
mod k_first;
mod mdav_opening;
mod merge;
#[cfg(test)]
mod naive_p_sensitive;
mod seeded_groups;
mod symmetric;
#[cfg(test)]
mod symmetric_secrecy;
mod value_quota;

use super::conditions::GroupConditions;
use super::{Method, mdav};
use crate::measure;
use crate::model::{KAnonymity, PSensitivity, verify};
use crate::neighbours::Adaptive;
use crate::run::Meter;
use crate::run::allocation;
use crate::{Categories, Error, Monitor, Partition, Phase, Result, Space, Tally, feasibility};
use rand::Rng;
use symmetric::Grouping;

/// Cuts rows into groups of at least k rows and p values of every sensitive column, numbered
/// in the order they are formed. Ties go to the lower row. No rows give no groups. A method
/// that ignores sensitive columns is refused.
pub fn p_sensitive(
    space: &Space,
    sensitive: &[Categories],
    k: usize,
    p: usize,
    method: Method,
    rng: &mut impl Rng,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    if !Method::P_SENSITIVE.contains(&method) {
        return Err(Error::IgnoresSensitive {
            method: method.name(),
        });
    }
    let input = Input::new(space, sensitive, k, p)?;
    if space.rows() == 0 {
        return Partition::new(Vec::new(), 0);
    }
    if method == Method::LeastLoss {
        return least_loss(&input, rng, monitor);
    }
    input.group(method, rng, monitor)
}

/// [`Method::KFirst`], and the size of groups that it took: k or more.
pub fn k_first(
    space: &Space,
    sensitive: &[Categories],
    k: usize,
    p: usize,
    monitor: &mut dyn Monitor,
) -> Result<(Partition, usize)> {
    let input = Input::new(space, sensitive, k, p)?;
    if space.rows() == 0 {
        return Ok((Partition::new(Vec::new(), 0)?, k));
    }
    let (partition, size) = k_first::grow(&input, monitor)?;
    check(&partition, sensitive, k, p)?;
    Ok((partition, size))
}

/// [`Method::Symmetric`] from groups that `base` forms by keys alone.
pub(super) fn symmetric_from(
    space: &Space,
    sensitive: &[Categories],
    (k, p, conditions): (usize, usize, GroupConditions<'_>),
    base: &mut Grouping<'_>,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    let input = Input {
        conditions,
        ..Input::new(space, sensitive, k, p)?
    };
    if space.rows() == 0 {
        return Partition::new(Vec::new(), 0);
    }
    let partition = symmetric::join(&input, base, monitor)?;
    check(&partition, sensitive, k, p)?;
    Ok(partition)
}

fn least_loss(
    input: &Input<'_>,
    rng: &mut dyn Rng,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    let mut best = input.group(Method::PFirstLean, rng, monitor)?;
    let mut least = measure::within(input.space, &best)?;
    for method in [Method::RandomRowsLean, Method::Merge] {
        let partition = input.group(method, rng, monitor)?;
        let within = measure::within(input.space, &partition)?;
        if within < least {
            (best, least) = (partition, within);
        }
    }
    Ok(best)
}

/// What is to be grouped: checked, and with the counts of its sensitive values.
struct Input<'a> {
    space: &'a Space,
    sensitive: &'a [Categories],
    counts: Vec<Vec<u64>>,
    k: usize,
    p: usize,
    /// heeded by [`Method::Symmetric`] only
    conditions: GroupConditions<'a>,
}

impl<'a> Input<'a> {
    fn new(space: &'a Space, sensitive: &'a [Categories], k: usize, p: usize) -> Result<Self> {
        let counts = require(space.rows(), sensitive, k, p)?;
        Ok(Input {
            space,
            sensitive,
            counts,
            k,
            p,
            conditions: GroupConditions::default(),
        })
    }

    /// Groups by one method, checked before they leave.
    fn group(
        &self,
        method: Method,
        rng: &mut dyn Rng,
        monitor: &mut dyn Monitor,
    ) -> Result<Partition> {
        let partition = match method {
            Method::KFirst => k_first::grow(self, monitor)?.0,
            Method::Merge => merge::merge(self, monitor)?,
            Method::Symmetric => {
                let mut base = |size, monitor: &mut dyn Monitor| mdav(self.space, size, monitor);
                symmetric::join(self, &mut base, monitor)?
            }
            _ => {
                let meter = &mut Meter::start(monitor, Phase::Grouping, self.space.rows());
                let remaining = Adaptive::new(self.space, self.sensitive, meter)?;
                seeded_groups::group(self, remaining, method, rng, meter)?
            }
        };
        check(&partition, self.sensitive, self.k, self.p)?;
        Ok(partition)
    }
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
        let mut counts = allocation::filled(column.cardinality(), 0)?;
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
