//! Sizes, distinct values and shares: k-anonymity, p-sensitivity, (α,k)-anonymity.

use super::{Group, Merging, ModelKind, PrivacyModel, Property};
use crate::Tally;

/// k-anonymity: the number of rows of a group.
pub struct KAnonymity;

impl PrivacyModel for KAnonymity {
    fn kind(&self) -> ModelKind {
        Property::KAnonymity.kind(Merging::Any)
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        group.rows as f64
    }
}

/// p-sensitivity (TV06): the number of distinct sensitive values of a group. Elsewhere it is
/// called distinct l-diversity.
pub struct PSensitivity;

impl PrivacyModel for PSensitivity {
    fn kind(&self) -> ModelKind {
        Property::PSensitivity.kind(Merging::Any)
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        group.values.len() as f64
    }
}

/// The α of (α,k)-anonymity (Wong, Li, Fu, Wang 2006): the share of the most frequent
/// sensitive value of a group, which must not exceed α. k is [`KAnonymity`]'s affair.
pub struct AlphaK;

impl PrivacyModel for AlphaK {
    fn kind(&self) -> ModelKind {
        ModelKind::at_most("(alpha,k)-anonymity", Merging::BothMeet)
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        group.largest() as f64 / group.rows as f64
    }
}

/// Attribute disclosures (TV06): the (group, sensitive column) pairs with one single value,
/// which anyone who finds a person's group learns without finding the person's row.
pub fn disclosures(tally: &Tally) -> u64 {
    let single = |values: &&[(u32, u64)]| values.len() == 1;
    let columns = tally.columns().iter();
    columns
        .map(|column| column.iter().filter(single).count() as u64)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Categories, Partition};

    #[test]
    fn a_decimal_alpha_is_met_exactly() {
        for tenths in 1..=10 {
            let singles = (tenths..10).map(|value| (value, 1));
            let values: Vec<(u32, u64)> = [(0, tenths.into())].into_iter().chain(singles).collect();
            let figure = AlphaK.figure(Group {
                rows: 10,
                values: &values,
            });
            let alpha: f64 = format!("{}.{}", tenths / 10, tenths % 10).parse().unwrap();
            assert!(AlphaK.holds(figure, alpha), "{alpha}");
        }
    }

    #[test]
    fn disclosures_count_pairs_of_group_and_column() {
        let partition = Partition::new(vec![0, 0, 1, 1, 2], 3).unwrap();
        let illness = Categories::new(vec![0, 0, 0, 1, 1]);
        let income = Categories::new(vec![0, 1, 2, 2, 3]);
        let tally = Tally::new(&partition, &[&illness, &income]).unwrap();
        assert_eq!(disclosures(&tally), 4);
    }
}
