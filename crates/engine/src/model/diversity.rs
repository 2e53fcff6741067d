//! The l-diversities (Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007; by frequency
//! as in LHCC15).

use super::{Group, Merging, ModelKind, PrivacyModel, Property};
use crate::{Error, Result};

/// l-diversity by frequency (LHCC15): |G| over the rows of the most frequent value, the
/// largest l with which no value has more than |G|/l rows.
pub struct LDiversity;

impl PrivacyModel for LDiversity {
    fn kind(&self) -> ModelKind {
        Property::LDiversity.kind(Merging::BothMeet)
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        group.rows as f64 / group.largest() as f64
    }
}

/// Entropy l-diversity: exp(−Σ q ln q) over the shares q of the group's values, the number of
/// equally frequent values with the same entropy.
pub struct EntropyDiversity;

impl EntropyDiversity {
    /// How far logarithms may carry a whole number away from itself, relatively. Requirements
    /// are whole numbers: shares 1/2, 1/8, 1/8, 1/8, 1/8 must count as 4, not as 3.9999999999999996.
    const ROUNDING: f64 = 1e-12;
}

impl PrivacyModel for EntropyDiversity {
    fn kind(&self) -> ModelKind {
        ModelKind::at_least("entropy l-diversity", Merging::BothMeet)
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        let distinct = group.values.len() as u64;
        if distinct * group.largest() == group.rows {
            return distinct as f64; // all equally frequent
        }
        let rows = group.rows as f64;
        let term = |&(_, count): &(u32, u64)| {
            let share = count as f64 / rows;
            share * share.ln()
        };
        let l = (-group.values.iter().map(term).sum::<f64>()).exp();
        let whole = l.round();
        if (l - whole).abs() <= Self::ROUNDING * whole {
            whole
        } else {
            l
        }
    }
}

/// Recursive (c,l)-diversity: with the counts r₁ ≥ r₂ ≥ … ≥ r_m of a group's values, the
/// largest l for which r₁ < c · (r_l + … + r_m). The authors let l = 1 always hold; beyond m
/// the sum is empty and nothing holds, so that the figure lies in 1 … m.
pub struct RecursiveDiversity {
    c: f64,
}

impl RecursiveDiversity {
    /// `c` must be positive and finite.
    pub fn new(c: f64) -> Result<Self> {
        if c > 0.0 && c.is_finite() {
            Ok(RecursiveDiversity { c })
        } else {
            Err(Error::NotPositive { name: "c" })
        }
    }

    /// r₁ < c · tail, as a quotient: it rounds to the same double as a decimal c that it equals.
    fn dominates(&self, tail: u64, largest: u64) -> bool {
        (largest as f64 / tail as f64) < self.c
    }
}

/// The least count with which the rows of all values that have no more are enough; `None` if
/// all rows are not. It is found by halving what it may be: sorting would take memory.
fn turn(group: Group<'_>, enough: impl Fn(u64) -> bool) -> Option<u64> {
    let up_to = |most: u64| {
        let counts = group.values.iter().map(|&(_, count)| count);
        counts.filter(|&count| count <= most).sum()
    };
    let (mut low, mut high) = (0, group.largest());
    if !enough(up_to(high)) {
        return None;
    }
    while low < high {
        let middle = low.midpoint(high);
        match enough(up_to(middle)) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    Some(low)
}

impl PrivacyModel for RecursiveDiversity {
    fn kind(&self) -> ModelKind {
        ModelKind::at_least("recursive (c,l)-diversity", Merging::BothMeet)
    }

    /// The tail grows as l falls from m to 1: the first l that holds is the largest.
    fn figure(&self, group: Group<'_>) -> f64 {
        let largest = group.largest();
        let dominates = |tail| self.dominates(tail, largest);
        let Some(turn) = turn(group, dominates) else {
            return 1.0;
        };
        let counts = group.values.iter().map(|&(_, count)| count);
        let less = counts.clone().filter(|&count| count < turn).sum::<u64>();
        let at_least = counts.filter(|&count| count >= turn).count();
        // Of the equal counts at the turn some may do.
        let needed = (1..).find(|&equal| dominates(less + equal as u64 * turn));
        (at_least + 1 - needed.unwrap_or(at_least)) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn figure(model: &impl PrivacyModel, counts: &[u64]) -> f64 {
        let values: Vec<(u32, u64)> = (0..).zip(counts.iter().copied()).collect();
        let rows = counts.iter().sum();
        model.figure(Group {
            rows,
            values: &values,
        })
    }

    fn recursive(c: f64, counts: &[u64]) -> f64 {
        figure(&RecursiveDiversity::new(c).unwrap(), counts)
    }

    #[test]
    fn frequency_of_the_commonest_value() {
        assert_eq!(figure(&LDiversity, &[1]), 1.0);
        assert_eq!(figure(&LDiversity, &[3, 1, 1]), 5.0 / 3.0);
        assert_eq!(figure(&LDiversity, &[7, 7, 7]), 3.0);
    }

    #[test]
    fn equally_frequent_values_have_whole_entropy_diversity() {
        for m in 1..200 {
            assert_eq!(figure(&EntropyDiversity, &vec![3; m]), m as f64);
        }
    }

    #[test]
    fn whole_entropy_diversity_of_unequal_values_is_whole() {
        assert_eq!(figure(&EntropyDiversity, &[4, 1, 1, 1, 1]), 4.0);
        assert_eq!(
            figure(
                &EntropyDiversity,
                &[1 << 40, 1 << 38, 1 << 38, 1 << 38, 1 << 38]
            ),
            4.0
        );
        let skewed = figure(&EntropyDiversity, &[1_000_000_000, 1]);
        assert!(skewed > 1.0 && skewed < 1.000_000_1);
    }

    #[test]
    fn recursive_diversity_by_hand() {
        // r = 4, 2, 1, 1: tails 8, 4, 2, 1
        assert_eq!(recursive(0.25, &[4, 2, 1, 1]), 1.0);
        assert_eq!(recursive(1.0, &[4, 2, 1, 1]), 1.0);
        assert_eq!(recursive(1.1, &[1, 4, 1, 2]), 2.0);
        assert_eq!(recursive(2.0, &[4, 2, 1, 1]), 2.0);
        assert_eq!(recursive(2.1, &[4, 2, 1, 1]), 3.0);
        assert_eq!(recursive(4.0, &[4, 2, 1, 1]), 3.0);
        assert_eq!(recursive(4.5, &[4, 2, 1, 1]), 4.0);
        assert_eq!(recursive(1e9, &[5]), 1.0);
    }

    #[test]
    fn a_decimal_c_is_missed_exactly() {
        // 7 < 0.07 · 100 is false, though 0.07 · 100 is 7.000000000000001 in doubles
        let counts: Vec<u64> = std::iter::repeat_n(5, 20).chain([7]).collect();
        assert_eq!(recursive(0.07, &counts), 1.0);
    }

    #[test]
    fn c_must_be_positive_and_finite() {
        for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(RecursiveDiversity::new(c).is_err());
        }
    }

    proptest! {
        #[test]
        fn recursive_is_the_largest_l_that_holds(counts in prop::collection::vec(1u64..30, 1..12), eighths in 1u32..80) {
            let c = f64::from(eighths) / 8.0; // exact, so that the definition is too
            let mut sorted = counts.clone();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            let holds = |&l: &usize| (sorted[0] as f64) < c * sorted[l - 1..].iter().sum::<u64>() as f64;
            let expected = (2..=counts.len()).filter(holds).max().unwrap_or(1);
            prop_assert_eq!(recursive(c, &counts), expected as f64);
        }

        #[test]
        fn entropy_diversity_follows_its_formula(counts in prop::collection::vec(1u64..1000, 1..30)) {
            let rows = counts.iter().sum::<u64>() as f64;
            let naive: f64 = counts.iter().map(|&count| (count as f64 / rows).powf(-(count as f64) / rows)).product();
            let l = figure(&EntropyDiversity, &counts);
            prop_assert!((l / naive - 1.0).abs() < 1e-11, "{} {}", l, naive);
        }

        #[test]
        fn diversities_are_ordered(counts in prop::collection::vec(1u64..50, 1..20)) {
            let (l, entropy) = (figure(&LDiversity, &counts), figure(&EntropyDiversity, &counts));
            prop_assert!(1.0 <= l && l <= entropy * (1.0 + 1e-12) && entropy <= counts.len() as f64);
        }
    }
}
