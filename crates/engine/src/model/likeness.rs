//! How much more likely a value is in a group than in the table: β-likeness (Cao, Karras
//! 2012) and δ-disclosure privacy (Brickell, Shmatikov 2008).
//!
//! With q a value's share of the group and p its share of the table, q/p is computed from
//! counts as (count · rows of the table) / (count in the table · rows of the group).

use super::value_distribution::ratio;
use super::{Distribution, Group, Merging, ModelKind, PrivacyModel};

impl Distribution {
    /// q and p of a value on their common denominator.
    fn compared(&self, group: Group<'_>, value: u32, count: u64) -> (u128, u128) {
        let in_group = u128::from(count) * u128::from(self.rows());
        let in_table = u128::from(self.count(value)) * u128::from(group.rows);
        (in_group, in_table)
    }

    /// (q − p)/p where that is positive, otherwise 0.
    fn gain(&self, group: Group<'_>, value: u32, count: u64) -> f64 {
        let (in_group, in_table) = self.compared(group, value, count);
        ratio(in_group.saturating_sub(in_table), in_table)
    }
}

/// Basic β-likeness: the largest relative gain (q − p)/p of any value of the group.
pub struct BasicLikeness<'a> {
    table: &'a Distribution,
}

impl<'a> BasicLikeness<'a> {
    /// Compares groups with the table's distribution.
    pub fn new(table: &'a Distribution) -> Self {
        BasicLikeness { table }
    }
}

impl PrivacyModel for BasicLikeness<'_> {
    fn kind(&self) -> ModelKind {
        ModelKind::at_most("basic beta-likeness", Merging::BothMeet)
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        let gain = |&(value, count): &(u32, u64)| self.table.gain(group, value, count);
        group.values.iter().map(gain).fold(0.0, f64::max)
    }
}

/// Enhanced β-likeness: every value's gain must stay below both β and −ln p. The figure is the
/// least β that does, the largest gain; where some gain exceeds −ln p no β does, and the
/// figure is infinite.
pub struct EnhancedLikeness<'a> {
    table: &'a Distribution,
}

impl<'a> EnhancedLikeness<'a> {
    /// Compares groups with the table's distribution.
    pub fn new(table: &'a Distribution) -> Self {
        EnhancedLikeness { table }
    }

    fn least_beta(&self, group: Group<'_>, value: u32, count: u64) -> f64 {
        let gain = self.table.gain(group, value, count);
        let share = self.table.count(value) as f64 / self.table.rows() as f64;
        if gain > 0.0 && gain > -share.ln() {
            f64::INFINITY
        } else {
            gain
        }
    }
}

impl PrivacyModel for EnhancedLikeness<'_> {
    fn kind(&self) -> ModelKind {
        ModelKind::at_most("enhanced beta-likeness", Merging::BothMeet)
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        let least = |&(value, count): &(u32, u64)| self.least_beta(group, value, count);
        group.values.iter().map(least).fold(0.0, f64::max)
    }
}

/// δ-disclosure privacy: the largest |ln(q/p)| of any value of the group, which must stay
/// *below* δ. Values that the group lacks are left out, as the proof of the authors' bound on
/// the information gain allows (they add 0 · ln 0 = 0 to it); by the letter their |ln 0| would
/// make every such group fail. For their sake nothing is known of merged groups: a value that
/// only one of the two has may fall too far below its share of the table.
pub struct DeltaDisclosure<'a> {
    table: &'a Distribution,
}

impl<'a> DeltaDisclosure<'a> {
    /// Compares groups with the table's distribution.
    pub fn new(table: &'a Distribution) -> Self {
        DeltaDisclosure { table }
    }
}

impl PrivacyModel for DeltaDisclosure<'_> {
    fn kind(&self) -> ModelKind {
        ModelKind::at_most("delta-disclosure", Merging::Unknown)
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        let distance = |&(value, count): &(u32, u64)| {
            let (in_group, in_table) = self.table.compared(group, value, count);
            ratio(in_group, in_table).ln().abs()
        };
        group.values.iter().map(distance).fold(0.0, f64::max)
    }

    fn holds(&self, figure: f64, required: f64) -> bool {
        figure < required
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::group;
    use super::*;
    use crate::{Categories, Partition, Tally, model::worst};
    use proptest::prelude::*;

    /// Shares of all values in the group, straight from the definition.
    fn shares(counts: &[u64]) -> Vec<f64> {
        let rows = counts.iter().sum::<u64>() as f64;
        counts.iter().map(|&count| count as f64 / rows).collect()
    }

    fn close(a: f64, b: f64) -> bool {
        a == b || (a - b).abs() <= 1e-12 * (1.0 + b.abs())
    }

    #[test]
    fn a_group_like_the_table_gains_nothing() {
        let table = Distribution::from_counts(vec![30, 60, 90]).unwrap();
        let same = [(0, 1), (1, 2), (2, 3)];
        assert_eq!(BasicLikeness::new(&table).figure(group(&same)), 0.0);
        assert_eq!(EnhancedLikeness::new(&table).figure(group(&same)), 0.0);
        assert_eq!(DeltaDisclosure::new(&table).figure(group(&same)), 0.0);
    }

    #[test]
    fn one_single_value_gains_nothing() {
        let table = Distribution::from_counts(vec![7]).unwrap();
        assert_eq!(EnhancedLikeness::new(&table).figure(group(&[(0, 2)])), 0.0);
    }

    #[test]
    fn enhanced_likeness_is_out_of_reach_beyond_the_logarithm() {
        // p = 1/2, so that q may grow to p(1 + ln 2) ≈ 0.847
        let table = Distribution::from_counts(vec![500, 500]).unwrap();
        let model = EnhancedLikeness::new(&table);
        assert_eq!(model.figure(group(&[(0, 84), (1, 16)])), 0.68);
        assert_eq!(model.figure(group(&[(0, 85), (1, 15)])), f64::INFINITY);
        assert!(!model.holds(f64::INFINITY, 1e300));
    }

    #[test]
    fn delta_must_not_be_reached() {
        let table = Distribution::from_counts(vec![1, 1]).unwrap();
        let model = DeltaDisclosure::new(&table);
        let delta = model.figure(group(&[(0, 5)]));
        assert_eq!(delta, 2f64.ln());
        assert!(!model.holds(delta, 2f64.ln()) && model.holds(delta, 0.7));
    }

    #[test]
    fn a_decimal_beta_is_met_exactly() {
        let table = Distribution::from_counts(vec![10, 90]).unwrap();
        let model = BasicLikeness::new(&table);
        // (0.13 − 0.1)/0.1 is 0.30000000000000004 in doubles
        assert_eq!(model.figure(group(&[(0, 13), (1, 87)])), 0.3);
    }

    proptest! {
        #[test]
        fn likeness_follows_the_definitions(rows in prop::collection::vec((0u32..4, 0u32..5), 1..80)) {
            let mut codes: Vec<u32> = rows.iter().map(|row| row.0).collect();
            codes.sort_unstable();
            codes.dedup();
            let of = rows.iter().map(|row| codes.binary_search(&row.0).unwrap() as u32).collect();
            let partition = Partition::new(of, codes.len()).unwrap();
            let column = Categories::new(rows.iter().map(|row| row.1).collect());
            let tally = Tally::new(&partition, &[&column]).unwrap();
            let table = Distribution::new(&tally.columns()[0]).unwrap();
            let p = shares(table.counts());
            let (mut basic, mut enhanced, mut delta) = (0f64, 0f64, 0f64);
            for cells in tally.columns()[0].iter() {
                let mut counts = vec![0; p.len()];
                cells.iter().for_each(|&(value, count)| counts[value as usize] = count);
                for (q, &p) in shares(&counts).into_iter().zip(&p).filter(|(q, _)| *q > 0.0) {
                    let gain = (q - p) / p;
                    basic = basic.max(gain);
                    enhanced = enhanced.max(if gain > 1e-12 && gain > -p.ln() { f64::INFINITY } else { gain });
                    delta = delta.max((q / p).ln().abs());
                }
            }
            let actual = |model: &dyn PrivacyModel| worst(model, &tally, Some(0)).unwrap().unwrap();
            prop_assert!(close(actual(&BasicLikeness::new(&table)), basic));
            prop_assert!(close(actual(&EnhancedLikeness::new(&table)), enhanced));
            prop_assert!(close(actual(&DeltaDisclosure::new(&table)), delta));
        }
    }
}
