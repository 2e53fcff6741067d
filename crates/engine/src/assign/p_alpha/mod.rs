//! (p⁺,α)-sensitive k-anonymity (SWTLL08): groups of at least k rows with at least p distinct
//! sensitivity categories and a total weight of at least α.
//!
//! The paper begins with a p-sensitive k-anonymous grouping and switches rows between groups
//! until none fails; how it chooses them it leaves open. Here the grouping to begin with has p
//! categories in every group already, so that only weight is lacking, and rows are chosen by
//! what the switch costs in squares.

mod group_tree;
#[cfg(test)]
mod naive_p_alpha;
mod switch_price;
mod switching;
mod weight_requirement;

use super::null_groups::{Parts, by_pattern};
use super::{Method, p_sensitive};
use crate::local_search::changing_groups::Groups;
use crate::local_search::ordered_rows::OrderedRows;
use crate::measure::within;
use crate::model::SensitivityCategories;
use crate::run::Meter;
use crate::{Categories, Error, Monitor, Partition, Phase, Result, Space, random};
use switching::Switching;
use weight_requirement::WeightRequirement;

/// A start with groups half as large again is looked at once switching has added this share
/// to the sum of squares: less than such groups lose more to begin with.
const NOTABLE: f64 = 0.1;

/// Where switching would add more than this share, groups half as large again will do no
/// better, and those larger still by as much are what to look at next.
const HOPELESS: f64 = 0.5;

/// A difference between two sums of squares that may be rounding.
const ROUNDING: f64 = 1e-9;

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
    let requirement = WeightRequirement::new(sensitive, categories, k, p, alpha)?;
    let Some(patterns) = space.patterns() else {
        return group(space, &requirement, monitor);
    };
    let mut parts = WeightParts {
        space,
        whole: &requirement,
    };
    let partition = by_pattern(patterns, &mut parts, monitor)?;
    requirement.check(&partition)?;
    Ok(partition)
}

fn group(
    space: &Space,
    requirement: &WeightRequirement,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    let start = Start::new(space, requirement, requirement.least_size(), monitor)?;
    let partition = match requirement.required {
        0 => start.partition,
        _ => switch_rows(space, requirement, start, monitor)?,
    };
    requirement.check(&partition)?;
    Ok(partition)
}

/// The method tried on the rows of single patterns of missing values.
struct WeightParts<'a> {
    space: &'a Space,
    whole: &'a WeightRequirement<'a>,
}

impl Parts for WeightParts<'_> {
    fn can_group(&mut self, rows: &[u32]) -> Result<bool> {
        match self.whole.of(&self.whole.sensitive.pick(rows)?) {
            Ok(_) => Ok(true),
            Err(Error::OutOfMemory { bytes }) => Err(Error::OutOfMemory { bytes }),
            Err(_) => Ok(false),
        }
    }

    fn group(&mut self, rows: &[u32], monitor: &mut dyn Monitor) -> Result<Partition> {
        let sensitive = self.whole.sensitive.pick(rows)?;
        let requirement = self.whole.of(&sensitive)?;
        group(&self.space.select(rows)?, &requirement, monitor)
    }

    fn space(&self) -> Option<&Space> {
        Some(self.space)
    }
}

/// A grouping to begin with: p categories in every group.
struct Start {
    size: usize,
    partition: Partition,
    within: f64,
}

impl Start {
    /// Groups of at least `size` rows.
    fn new(
        space: &Space,
        requirement: &WeightRequirement,
        size: usize,
        monitor: &mut dyn Monitor,
    ) -> Result<Self> {
        // this method draws no random numbers
        let mut rng = random::generator(Some(0))?;
        let (columns, p, method) = (&requirement.category_of, requirement.p, Method::PFirstLean);
        let partition = p_sensitive(space, columns, size, p, method, &mut rng, monitor)?;
        Ok(Start {
            size,
            within: within(space, &partition)?,
            partition,
        })
    }

    /// The same with groups half as large again, or larger if switching would add very much.
    fn larger(
        &self,
        outlook: f64,
        space: &Space,
        requirement: &WeightRequirement,
        monitor: &mut dyn Monitor,
    ) -> Result<Self> {
        let mut size = self.size + self.size.div_ceil(2);
        if outlook > HOPELESS * self.within {
            size += size.div_ceil(2);
        }
        Start::new(space, requirement, size.min(space.rows()), monitor)
    }
}

/// Switches rows until no group fails. Where weight is scarce, or far from where it is lacking,
/// that adds more to the sum of squares than larger groups would have had to begin with: then
/// they are what to begin with. In the end they are one group of all rows, which does not fail.
fn switch_rows(
    space: &Space,
    requirement: &WeightRequirement,
    mut start: Start,
    monitor: &mut dyn Monitor,
) -> Result<Partition> {
    let rows = {
        let meter = &mut Meter::start(monitor, Phase::Refining, 0);
        OrderedRows::new(space, &requirement.category_of, meter)?
    };
    while start.partition.groups() > 1 {
        let meter = &mut Meter::start(monitor, Phase::Refining, 0);
        let groups = Groups::new(&rows, requirement.k, requirement.p, &start.partition, meter)?;
        let mut switching = Switching::new(groups, requirement)?;
        if switching.run(NOTABLE * start.within + ROUNDING, meter)? {
            return switching.groups.partition();
        }
        let larger = start.larger(switching.outlook(), space, requirement, monitor)?;
        let meter = &mut Meter::start(monitor, Phase::Refining, 0);
        let most = larger.within * (1.0 + ROUNDING) + ROUNDING - start.within;
        if switching.run(most, meter)? {
            return switching.groups.partition();
        }
        start = larger;
    }
    Ok(start.partition)
}
