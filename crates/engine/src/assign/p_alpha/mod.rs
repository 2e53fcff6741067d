//! (p⁺,α)-sensitive k-anonymity (SWTLL08): groups of at least k rows with at least p distinct
//! sensitivity categories and a total weight of at least α.
//!
//! The paper begins with a p-sensitive k-anonymous grouping and switches rows between groups
//! until none fails; how it chooses them it leaves open. Here the grouping to begin with has p
//! categories in every group already, so that only weight is lacking, and rows are chosen by
//! what the switch costs in squares.

mod group_tree;
#[cfg(test)]
mod naive;
mod requirement;
mod switch;
mod switching;

use super::p_sensitive::{Method, p_sensitive};
use super::refine::groups::Groups;
use super::refine::rows::Rows;
use crate::model::SensitivityCategories;
use crate::neighbours::Watch;
use crate::{Categories, Error, Monitor, Partition, Phase, Result, Space, random};
use requirement::Requirement;
use switching::Switching;

/// Cuts rows into groups of at least k rows, p distinct categories of the sensitive column and
/// a weight of at least alpha, the weight of a row in category i of m being (i−1)/(m−1).
///
/// It is refused exactly when one single group of all rows would fail (or p exceeds k). Ties
/// go to the lower row; the same rows give the same groups. No rows give no groups.
pub fn p_alpha_sensitive(
    space: &Space,
    sensitive: &Categories,
    categories: &SensitivityCategories,
    k: usize,
    p: usize,
    alpha: f64,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    let (first, other) = (space.rows(), sensitive.codes().len());
    if first != other {
        return Err(Error::UnequalColumns { first, other });
    }
    let requirement = Requirement::new(sensitive, categories, k, p, alpha)?;
    let partition = begin(space, &requirement, monitor)?;
    let partition = switch_rows(space, &requirement, partition, monitor)?;
    requirement.check(&partition)?;
    Ok(partition)
}

/// Groups with p categories; no more of them than can reach alpha all.
fn begin(
    space: &Space,
    requirement: &Requirement,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    // this method draws no random numbers
    let mut rng = random::generator(Some(0))?;
    let (k, p, method) = (requirement.least_size(), requirement.p, Method::PFirstLean);
    p_sensitive(space, &requirement.category_of, k, p, method, &mut rng, monitor)
}

fn switch_rows(
    space: &Space,
    requirement: &Requirement,
    partition: Partition,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    if requirement.required == 0 || partition.groups() < 2 {
        return Ok(partition);
    }
    let watch = &mut Watch::start(monitor, Phase::Refining, 0);
    let rows = Rows::new(space, &requirement.category_of, watch)?;
    let groups = Groups::new(&rows, requirement.k, requirement.p, &partition)?;
    let mut switching = Switching::new(groups, requirement)?;
    switching.run(watch)?;
    switching.groups.partition()
}
