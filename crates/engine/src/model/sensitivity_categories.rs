//! (p⁺,α)-sensitivity (SWTLL08): sensitive values fall into ordered categories.

use super::{Group, Merging, ModelKind, PrivacyModel, Property};
use crate::{Categories, Error, Result};

/// The category `0..categories` of each sensitive value, 0 the most sensitive (the paper
/// counts from 1). One constructor, and it checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SensitivityCategories {
    category_of: Vec<u32>,
    categories: u32,
}

impl SensitivityCategories {
    /// Every value must have a category below `categories`.
    pub fn new(category_of: Vec<u32>, categories: u32) -> Result<Self> {
        if category_of.iter().any(|&category| category >= categories) {
            return Err(Error::Broken("a value without a category".into()));
        }
        Ok(SensitivityCategories {
            category_of,
            categories,
        })
    }

    /// The number of categories, m.
    pub fn categories(&self) -> u32 {
        self.categories
    }

    /// m − 1, what weights and distances are divided by.
    pub(crate) fn steps(&self) -> Result<u32> {
        steps(self.categories)
    }

    /// Whether every value of a column has a category.
    pub(crate) fn covers(&self, column: &Categories) -> bool {
        column.cardinality() <= self.category_of.len()
    }

    /// The category of a value.
    pub fn of(&self, value: u32) -> u32 {
        self.category_of[value as usize]
    }

    /// weight(S_i) = (i−1)/(m−1), which here is category/(m−1).
    pub fn weight(category: u32, categories: u32) -> Result<f64> {
        Ok(f64::from(category) / f64::from(steps(categories)?))
    }

    /// distance(S_i, S_j) = |i−j|/(m−1).
    pub fn distance(a: u32, b: u32, categories: u32) -> Result<f64> {
        Self::weight(a.abs_diff(b), categories)
    }
}

/// m − 1; with a single category there are no weights.
fn steps(categories: u32) -> Result<u32> {
    match categories {
        0 | 1 => Err(Error::TooSmall {
            name: "categories",
            least: 2,
            actual: categories.into(),
        }),
        _ => Ok(categories - 1),
    }
}

/// How many categories are counted at once.
const WINDOW: u32 = 1024;

/// p⁺-sensitivity: the number of distinct categories of a group.
pub struct PPlus<'a> {
    categories: &'a SensitivityCategories,
}

impl<'a> PPlus<'a> {
    /// With the categories of the sensitive values.
    pub fn new(categories: &'a SensitivityCategories) -> Self {
        PPlus { categories }
    }
}

impl PrivacyModel for PPlus<'_> {
    fn kind(&self) -> ModelKind {
        Property::PPlus.kind(Merging::Any)
    }

    /// Categories are marked in a window that begins at the least one not counted yet: mostly
    /// a single one, and no memory that follows the data.
    fn figure(&self, group: Group<'_>) -> f64 {
        let values = group.values.iter();
        let seen = values.map(|&(value, _)| self.categories.of(value));
        let (mut distinct, mut next) = (0, 0);
        while let Some(first) = seen.clone().filter(|&category| category >= next).min() {
            let mut window = [0u64; WINDOW as usize / 64];
            let ahead = seen
                .clone()
                .filter_map(|category| category.checked_sub(first));
            for place in ahead.filter(|&place| place < WINDOW) {
                window[place as usize / 64] |= 1 << (place % 64);
            }
            distinct += window.iter().map(|word| word.count_ones()).sum::<u32>();
            next = first.saturating_add(WINDOW);
        }
        f64::from(distinct)
    }
}

/// The weight of a group: the sum over its rows of (i−1)/(m−1). The numerators are added as
/// whole numbers and divided once: added as doubles, half of the orders of
/// 1/3 + 1/3 + 2/3 + 2/3 fall just below 2.
pub struct AlphaWeight<'a> {
    categories: &'a SensitivityCategories,
    steps: u32,
}

impl<'a> AlphaWeight<'a> {
    /// There must be two categories at least.
    pub fn new(categories: &'a SensitivityCategories) -> Result<Self> {
        let steps = categories.steps()?;
        Ok(AlphaWeight { categories, steps })
    }
}

impl PrivacyModel for AlphaWeight<'_> {
    fn kind(&self) -> ModelKind {
        Property::AlphaWeight.kind(Merging::Any)
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        let part = |&(value, count): &(u32, u64)| {
            u128::from(self.categories.of(value)) * u128::from(count)
        };
        let sum: u128 = group.values.iter().map(part).sum();
        sum as f64 / f64::from(self.steps)
    }
}

#[cfg(test)]
impl SensitivityCategories {
    /// Every value is a category of its own.
    pub(crate) fn identity(categories: u32) -> Self {
        SensitivityCategories::new((0..categories).collect(), categories).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_and_distances_of_the_paper() {
        let (cancer, phthisis, asthma, flu) = (0, 1, 2, 3);
        assert_eq!(SensitivityCategories::distance(cancer, flu, 4), Ok(1.0));
        assert_eq!(
            SensitivityCategories::distance(asthma, phthisis, 4),
            Ok(1.0 / 3.0)
        );
        let categories = SensitivityCategories::identity(4);
        let values: Vec<(u32, u64)> = [cancer, phthisis, asthma, flu].map(|v| (v, 1)).to_vec();
        let model = AlphaWeight::new(&categories).unwrap();
        let group = Group {
            rows: 4,
            values: &values,
        };
        assert_eq!(model.figure(group), 2.0);
    }

    #[test]
    fn one_category_has_no_weights() {
        let refused = Error::TooSmall {
            name: "categories",
            least: 2,
            actual: 1,
        };
        assert_eq!(SensitivityCategories::weight(0, 1), Err(refused.clone()));
        assert_eq!(
            AlphaWeight::new(&SensitivityCategories::identity(1)).err(),
            Some(refused)
        );
    }

    #[test]
    fn every_order_of_thirds_reaches_two() {
        let orders = [
            [1, 1, 2, 2],
            [1, 2, 1, 2],
            [1, 2, 2, 1],
            [2, 1, 1, 2],
            [2, 1, 2, 1],
            [2, 2, 1, 1],
        ];
        let mut short_in_doubles = 0;
        for order in orders {
            // four values whose categories come in this order
            let categories = SensitivityCategories::new(order.to_vec(), 4).unwrap();
            let model = AlphaWeight::new(&categories).unwrap();
            let values = [(0, 1), (1, 1), (2, 1), (3, 1)];
            let figure = model.figure(Group {
                rows: 4,
                values: &values,
            });
            assert!(model.holds(figure, 2.0));
            let doubles: f64 = order.iter().map(|&i| f64::from(i) / 3.0).sum();
            short_in_doubles += usize::from(doubles < 2.0);
        }
        assert_eq!(short_in_doubles, 3);
    }

    #[test]
    fn values_need_categories() {
        assert!(SensitivityCategories::new(vec![0, 2], 2).is_err());
        assert!(SensitivityCategories::new(vec![], 0).is_ok());
    }
}
