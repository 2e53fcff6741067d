//! What every group must have, in whole numbers.
//!
//! The weight of a row in category i of m is (i−1)/(m−1) (SWTLL08). All sums are taken of the
//! numerators, the *units*: a group needs Σ(i−1) ≥ α(m−1).

use crate::model::{AlphaWeight, KAnonymity, PPlus, SensitivityCategories, verify};
use crate::run::allocation;
use crate::{Categories, Error, Partition, Result, Tally, feasibility};

/// k rows, p categories and a weight of at least alpha for every group: checked once against
/// the rows, one single group of which meets it.
pub(super) struct WeightRequirement<'a> {
    pub sensitive: &'a Categories,
    categories: &'a SensitivityCategories,
    alpha: f64,
    pub k: usize,
    pub p: usize,
    /// the category of each row, numbered without the categories that do not occur
    pub category_of: [Categories; 1],
    /// the units of each category so numbered
    units: Vec<i128>,
    /// the units that a group needs
    pub required: i128,
    total: i128,
}

impl<'a> WeightRequirement<'a> {
    /// Refuses what not even one single group of all rows meets.
    pub fn new(
        sensitive: &'a Categories,
        categories: &'a SensitivityCategories,
        k: usize,
        p: usize,
        alpha: f64,
    ) -> Result<Self> {
        let steps = i128::from(categories.steps()?);
        if alpha.is_nan() || alpha < 0.0 {
            return Err(Error::Negative { name: "alpha" });
        }
        if !categories.covers(sensitive) {
            return Err(Error::Broken("a value without a category".into()));
        }
        let (category_of, units, counts) = renumber(sensitive, categories)?;
        let rows = sensitive.codes().len() as u64;
        // no rows at all have no groups, whatever is required of them
        let (rows, counts) = match rows {
            0 => (k as u64, Vec::new()),
            rows => (rows, vec![counts]),
        };
        feasibility::require(k, p, rows, &counts)?;
        let mut requirement = WeightRequirement {
            sensitive,
            categories,
            alpha,
            k,
            p,
            category_of: [category_of],
            units,
            required: 0,
            total: 0,
        };
        if let [counts] = &counts[..] {
            requirement.set_units(counts, steps)?;
        }
        Ok(requirement)
    }

    /// The same required of other rows, whose values have the same categories.
    pub fn of<'b>(&self, sensitive: &'b Categories) -> Result<WeightRequirement<'b>>
    where
        'a: 'b,
    {
        WeightRequirement::new(sensitive, self.categories, self.k, self.p, self.alpha)
    }

    fn set_units(&mut self, counts: &[u64], steps: i128) -> Result<()> {
        let units = self.units.iter().zip(counts);
        self.total = units
            .map(|(&units, &count)| units * i128::from(count))
            .sum();
        let divisor = self.units.iter().fold(0, |a, &b| greatest_divisor(a, b));
        let weight = |units: i128| units as f64 / steps as f64;
        if weight(self.total) < self.alpha {
            let most = (self.category_of[0].codes().len() / self.k) as i128;
            let share = self.total / most;
            return Err(Error::WeightTooLarge {
                alpha: self.alpha,
                largest: weight(self.total),
                k: self.k,
                largest_for_k: weight(share - share % divisor.max(1)),
            });
        }
        self.required = least_units(self.alpha, steps);
        if divisor > 1 {
            // sums are multiples of the divisor, and so may be what is required of them
            self.required += (divisor - self.required % divisor) % divisor;
        }
        Ok(())
    }

    /// The units of a row with this code of [`category_of`](Self::category_of).
    pub fn units(&self, code: u32) -> i128 {
        self.units[code as usize]
    }

    /// The least size of groups at which they are not too many to reach alpha all: what the
    /// rows weigh together suffices for ⌊total/required⌋ groups.
    pub fn least_size(&self) -> usize {
        if self.required == 0 {
            return self.k;
        }
        let groups = self.total / self.required;
        let rows = self.category_of[0].codes().len();
        let size = match usize::try_from(groups) {
            Ok(groups) if groups < rows => rows / (groups + 1) + 1,
            _ => 1,
        };
        size.max(self.k)
    }

    /// Checks a result by the models that checks use: nothing leaves that breaks its promise.
    pub fn check(&self, partition: &Partition) -> Result<()> {
        let tally = Tally::new(partition, &[self.sensitive])?;
        let weight = AlphaWeight::new(self.categories)?;
        verify(&KAnonymity, &tally, None, self.k as f64)?;
        verify(&PPlus::new(self.categories), &tally, Some(0), self.p as f64)?;
        verify(&weight, &tally, Some(0), self.alpha)
    }
}

/// The least number of units whose weight, as the check computes it, is at least alpha. The
/// product of alpha and m−1 may be rounded past a whole number, to either side.
fn least_units(alpha: f64, steps: i128) -> i128 {
    let reaches = |units: i128| units as f64 / steps as f64 >= alpha;
    let mut units = (alpha * steps as f64).ceil() as i128;
    while units > 0 && reaches(units - 1) {
        units -= 1;
    }
    while !reaches(units) {
        units += 1;
    }
    units
}

pub(super) fn greatest_divisor(a: i128, b: i128) -> i128 {
    match b {
        0 => a,
        _ => greatest_divisor(b, a % b),
    }
}

/// The category of each row, the units of each category, and the rows of each: those that
/// occur, most sensitive first.
fn renumber(
    sensitive: &Categories,
    categories: &SensitivityCategories,
) -> Result<(Categories, Vec<i128>, Vec<u64>)> {
    let mut occurs = allocation::filled(sensitive.cardinality(), false)?;
    for &code in sensitive.codes() {
        occurs[code as usize] = true;
    }
    let values = (0..).zip(&occurs).filter(|(_, occurs)| **occurs);
    let mut found: Vec<u32> = allocation::reserved(sensitive.cardinality())?;
    found.extend(values.map(|(value, _)| categories.of(value)));
    found.sort_unstable();
    found.dedup();
    let mut number_of = allocation::filled(sensitive.cardinality(), 0)?;
    for (value, number) in (0..).zip(&mut number_of) {
        if occurs[value as usize] {
            let place = found.binary_search(&categories.of(value));
            *number = place.unwrap_or_default() as u32;
        }
    }
    let mut counts = allocation::filled(found.len(), 0)?;
    let mut category_of = allocation::reserved(sensitive.codes().len())?;
    for &code in sensitive.codes() {
        let category = number_of[code as usize];
        counts[category as usize] += 1;
        category_of.push(category);
    }
    let units = found.into_iter().map(i128::from).collect();
    Ok((Categories::new(category_of), units, counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_asks_for_no_unit_too_many() {
        assert_eq!(least_units(2.0, 3), 6);
        assert_eq!(least_units(0.0, 3), 0);
        assert_eq!(least_units(1e-9, 3), 1);
        // 29/7 · 7 is 29.000000000000004 in doubles
        assert_eq!(least_units(29.0 / 7.0, 7), 29);
        for steps in 1..60 {
            for units in 0..200 {
                assert_eq!(least_units(units as f64 / steps as f64, steps), units);
            }
        }
    }

    #[test]
    fn required_units_are_those_that_sums_can_have() {
        // categories 1 and 4 of 4: sums are multiples of 3
        let (rows, categories) = (
            Categories::new(vec![0, 3, 3, 3, 0, 3]),
            SensitivityCategories::identity(4),
        );
        let requirement = WeightRequirement::new(&rows, &categories, 2, 1, 4.0 / 3.0).unwrap();
        assert_eq!(requirement.required, 6);
        assert_eq!(requirement.category_of[0].codes(), [0, 1, 1, 1, 0, 1]);
        // 12 units suffice for two groups, of three rows then
        assert_eq!(requirement.least_size(), 3);
    }

    #[test]
    fn refusals_say_what_would_be_possible() {
        let (rows, categories) = (
            Categories::new(vec![0, 3, 1, 2, 0, 1, 1]),
            SensitivityCategories::identity(4),
        );
        let refused = |k, p, alpha| WeightRequirement::new(&rows, &categories, k, p, alpha).err();
        assert_eq!(refused(3, 2, 8.0 / 3.0), None);
        let weight = Error::WeightTooLarge {
            alpha: 3.0,
            largest: 8.0 / 3.0,
            k: 3,
            largest_for_k: 4.0 / 3.0,
        };
        assert_eq!(refused(3, 2, 3.0), Some(weight));
        let values = Error::TooFewValues {
            p: 5,
            column: 0,
            distinct: 4,
        };
        assert_eq!(refused(5, 5, 0.0), Some(values));
        assert_eq!(refused(3, 4, 0.0), Some(Error::PAboveK { p: 4, k: 3 }));
        assert_eq!(
            refused(8, 1, 0.0),
            Some(Error::TooFewRows { rows: 7, k: 8 })
        );
        for alpha in [-1.0, f64::NAN] {
            assert_eq!(
                refused(3, 2, alpha),
                Some(Error::Negative { name: "alpha" })
            );
        }
        assert!(refused(3, 2, f64::INFINITY).is_some());
        let one = SensitivityCategories::new(vec![0; 4], 1).unwrap();
        assert!(WeightRequirement::new(&rows, &one, 3, 1, 0.0).is_err());
    }

    #[test]
    fn no_rows_are_refused_nothing() {
        let (rows, categories) = (
            Categories::new(Vec::new()),
            SensitivityCategories::identity(4),
        );
        let requirement = WeightRequirement::new(&rows, &categories, 3, 2, 5.0).unwrap();
        assert_eq!(requirement.least_size(), 3);
    }
}
