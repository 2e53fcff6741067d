//! t-closeness by value: how far apart two numbers are is their difference, in units of the
//! column's range, where the ordered distance of Li, Li and Venkatasubramanian counts the values
//! between them.

use super::value_places::ValuePlaces;
use super::{Distribution, Group, Merging, ModelKind, PrivacyModel, Property};
use crate::run::allocation::reserved;
use crate::{Error, Result};

/// Figures are rounded to so many parts: a decimal t is met by what is equal to it.
const PARTS: f64 = 1e12;

/// Across the gap between two neighbouring values moves the difference of the cumulative
/// distributions, as far as the gap is wide. Prefix sums give all gaps between two values of a group
/// at once.
pub struct ValueCloseness {
    places: ValuePlaces,
    /// rows of the table up to and including each place
    cumulative: Vec<u64>,
    /// sums over the gaps before each place, and over all: of their widths, and of the widths
    /// times the table's cumulative share
    widths: Vec<f64>,
    weighted: Vec<f64>,
    rows: u64,
}

impl ValueCloseness {
    /// `values` has the number that each value is.
    pub fn new(table: &Distribution, values: &[f64]) -> Result<Self> {
        let order = ordered(table, values)?;
        // halves, so that no difference overflows
        let half = |place: usize| order.get(place).map_or(0.0, |&v| values[v as usize] / 2.0);
        let range = half(order.len().saturating_sub(1)) - half(0);
        let mut cumulative = reserved(order.len())?;
        let (mut widths, mut weighted) = (reserved(order.len() + 1)?, reserved(order.len() + 1)?);
        let (mut rows, mut width, mut weight) = (0, 0.0, 0.0);
        for (place, &value) in order.iter().enumerate() {
            rows += table.count(value);
            cumulative.push(rows);
            widths.push(width);
            weighted.push(weight);
            if range > 0.0 && place + 1 < order.len() {
                let gap = (half(place + 1) - half(place)) / range;
                width += gap;
                weight += gap * (rows as f64 / table.rows() as f64);
            }
        }
        widths.push(width);
        weighted.push(weight);
        Ok(ValueCloseness {
            places: ValuePlaces::new(table.counts().len(), &order)?,
            cumulative,
            widths,
            weighted,
            rows,
        })
    }

    /// What moves across the gaps after the places `from..to`, where the group has `reached` rows.
    fn moved(&self, from: usize, to: usize, reached: u64, group_rows: u64) -> f64 {
        let level = u128::from(reached) * u128::from(self.rows);
        let below = |&rows: &u64| u128::from(rows) * u128::from(group_rows) <= level;
        let turn = from + self.cumulative[from..to].partition_point(below);
        let share = reached as f64 / group_rows as f64;
        let group = |from: usize, to: usize| share * (self.widths[to] - self.widths[from]);
        let table = |from: usize, to: usize| self.weighted[to] - self.weighted[from];
        group(from, turn) - table(from, turn) + table(turn, to) - group(turn, to)
    }
}

/// The values that occur in the table, smallest first.
fn ordered(table: &Distribution, values: &[f64]) -> Result<Vec<u32>> {
    let counts = table.counts();
    if values.len() < counts.len() || !values.iter().all(|value| value.is_finite()) {
        return Err(Error::Broken("values that are not numbers".into()));
    }
    let mut order: Vec<u32> = reserved(counts.len())?;
    order.extend((0..counts.len() as u32).filter(|&value| table.count(value) > 0));
    order.sort_unstable_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize]));
    Ok(order)
}

impl PrivacyModel for ValueCloseness {
    fn kind(&self) -> ModelKind {
        Property::TCloseness.kind(Merging::BothMeet)
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        let moved = |from, to, reached| self.moved(from, to, reached, group.rows);
        let sum: f64 = self.places.moved(group, self.cumulative.len(), moved);
        (sum.max(0.0) * PARTS).round() / PARTS
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::group;
    use super::*;
    use crate::model::OrderedCloseness;
    use proptest::prelude::*;

    /// A group of only 50 and a group of only 900 are equally far by rank, whatever lies between.
    #[test]
    fn a_far_value_is_far_by_value_only() {
        let mut values: Vec<f64> = (50..=70).map(f64::from).collect();
        values.push(900.0);
        let table = Distribution::from_counts(vec![1; 22]).unwrap();
        let ranks: Vec<u32> = (0..22).collect();
        let (by_rank, by_value) = (
            OrderedCloseness::new(&table, &ranks).unwrap(),
            ValueCloseness::new(&table, &values).unwrap(),
        );
        // what moves between two groups of one value each is at least the distance of these
        let low = group(&[(0, 1)]);
        let (high, far) = (group(&[(20, 1)]), group(&[(21, 1)]));
        assert!(by_value.figure(low) < 0.06 && by_value.figure(high) < 0.06);
        assert!(by_value.figure(far) > 0.9);
        assert_eq!(by_rank.figure(low), by_rank.figure(far));
    }

    #[test]
    fn extremes() {
        let one = Distribution::from_counts(vec![0, 5]).unwrap();
        let model = ValueCloseness::new(&one, &[1.0, 7.0]).unwrap();
        assert_eq!(model.figure(group(&[(1, 2)])), 0.0);
        let huge = Distribution::from_counts(vec![1, 1]).unwrap();
        let model = ValueCloseness::new(&huge, &[-1.7e308, 1.7e308]).unwrap();
        assert_eq!(model.figure(group(&[(0, 1)])), 0.5);
        assert!(ValueCloseness::new(&huge, &[1.0]).is_err());
        assert!(ValueCloseness::new(&huge, &[1.0, f64::NAN]).is_err());
    }

    /// Counts in the table (some 0), in the group (never more), and the values.
    fn tables() -> impl Strategy<Value = (Vec<u64>, Vec<u64>, Vec<f64>)> {
        let cell = (0u64..20, -50.0..50.0)
            .prop_flat_map(|(count, value)| (Just(count), 0..=count, Just(value)));
        prop::collection::vec(cell, 1..15)
            .prop_map(|cells| {
                let table = cells.iter().map(|cell| cell.0).collect();
                let group = cells.iter().map(|cell| cell.1).collect();
                (table, group, cells.iter().map(|cell| cell.2).collect())
            })
            .prop_filter("an empty group", |(_, group, _): &(_, Vec<u64>, _)| {
                group.iter().sum::<u64>() > 0
            })
    }

    proptest! {
        #[test]
        fn closeness_follows_the_definition((table, counts, values) in tables()) {
            let (n, rows) = (table.iter().sum::<u64>() as f64, counts.iter().sum::<u64>() as f64);
            let mut order: Vec<usize> = (0..table.len()).filter(|&value| table[value] > 0).collect();
            order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
            let range = values[*order.last().unwrap()] - values[order[0]];
            let (mut carried, mut moved) = (0.0, 0.0);
            for pair in order.windows(2) {
                carried += counts[pair[0]] as f64 / rows - table[pair[0]] as f64 / n;
                moved += f64::abs(carried) * (values[pair[1]] - values[pair[0]]) / range;
            }
            let cells: Vec<(u32, u64)> = (0..).zip(counts).filter(|cell| cell.1 > 0).collect();
            let table = Distribution::from_counts(table).unwrap();
            let model = ValueCloseness::new(&table, &values).unwrap();
            prop_assert!((model.figure(group(&cells)) - moved).abs() < 1e-9);
        }

        /// Evenly spaced values are as far apart as their ranks say.
        #[test]
        fn both_distances_agree_on_even_spacing(counts in prop::collection::vec((1u64..9, 0u64..9), 2..12)) {
            let own: Vec<(u32, u64)> = (0..).zip(counts.iter().map(|c| c.1.min(c.0))).filter(|c| c.1 > 0).collect();
            prop_assume!(!own.is_empty());
            let table = Distribution::from_counts(counts.iter().map(|c| c.0).collect()).unwrap();
            let ranks: Vec<u32> = (0..counts.len() as u32).collect();
            let values: Vec<f64> = ranks.iter().map(|&rank| 3.0 * f64::from(rank)).collect();
            let by_rank = OrderedCloseness::new(&table, &ranks).unwrap().figure(group(&own));
            let by_value = ValueCloseness::new(&table, &values).unwrap().figure(group(&own));
            prop_assert!((by_rank - by_value).abs() < 1e-9);
        }
    }
}
