//! t-closeness (Li, Li, Venkatasubramanian 2007): the earth mover's distance between the
//! group's and the table's distribution of a sensitive column.
//!
//! On the common denominator |G| · n every share is a whole number, and so is what is moved.

use super::value_distribution::ratio;
use super::value_places::ValuePlaces;
use super::{Distribution, Group, Merging, ModelKind, PrivacyModel, Property};
use crate::run::allocation::reserved;
use crate::run::sorting;
use crate::{Error, Result};

/// t-closeness with equal distance: all values are 1 apart, so that what moves is the sum of
/// q − p over the values of which the group has too many.
pub struct EqualCloseness<'a> {
    table: &'a Distribution,
}

impl<'a> EqualCloseness<'a> {
    /// Closeness to the table's distribution.
    pub fn new(table: &'a Distribution) -> Self {
        EqualCloseness { table }
    }
}

impl PrivacyModel for EqualCloseness<'_> {
    fn kind(&self) -> ModelKind {
        Property::TCloseness.kind(Merging::BothMeet)
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        let (rows, table_rows) = (u128::from(group.rows), u128::from(self.table.rows()));
        let surplus = |&(value, count): &(u32, u64)| {
            let expected = u128::from(self.table.count(value)) * rows;
            (u128::from(count) * table_rows).saturating_sub(expected)
        };
        ratio(group.values.iter().map(surplus).sum(), rows * table_rows)
    }
}

/// t-closeness with ordered distance: values i and j of the table's m distinct ones are
/// |i − j|/(m − 1) apart, so that between two neighbours moves the difference of the
/// cumulative distributions. With one distinct value nothing moves.
///
/// Between two values of the group its cumulative share does not change, while the table's
/// grows: prefix sums give such a stretch at once, and a group costs no more than its own
/// distinct values, each with a binary search.
pub struct OrderedCloseness {
    places: ValuePlaces,
    /// rows of the table up to and including each place
    cumulative: Vec<u64>,
    /// sums of `cumulative` before each place, and of all
    prefix: Vec<u128>,
    rows: u64,
}

impl OrderedCloseness {
    /// `ranks` orders the values: a number for each, lower for lower values, no two alike.
    pub fn new(table: &Distribution, ranks: &[u32]) -> Result<Self> {
        let order = ordered(table, ranks)?;
        let mut cumulative = reserved(order.len())?;
        let mut prefix = reserved(order.len() + 1)?;
        let (mut rows, mut sum) = (0, 0);
        for &value in &order {
            rows += table.count(value);
            cumulative.push(rows);
            prefix.push(sum);
            sum += u128::from(rows);
        }
        prefix.push(sum);
        Ok(OrderedCloseness {
            places: ValuePlaces::new(table.counts().len(), &order)?,
            cumulative,
            prefix,
            rows,
        })
    }

    /// What moves across the places `from..to`, where the group has `reached` rows.
    fn moved(&self, from: usize, to: usize, reached: u64, group_rows: u64) -> u128 {
        let level = u128::from(reached) * u128::from(self.rows);
        let group_rows = u128::from(group_rows);
        let below = |&rows: &u64| u128::from(rows) * group_rows <= level;
        let turn = from + self.cumulative[from..to].partition_point(below);
        let table = |from: usize, to: usize| group_rows * (self.prefix[to] - self.prefix[from]);
        let group = |from: usize, to: usize| level * (to - from) as u128;
        group(from, turn) - table(from, turn) + table(turn, to) - group(turn, to)
    }
}

/// The values that occur in the table, by rank.
fn ordered(table: &Distribution, ranks: &[u32]) -> Result<Vec<u32>> {
    let counts = table.counts();
    if ranks.len() < counts.len() {
        return Err(Error::Broken("values without a rank".into()));
    }
    let mut order: Vec<u32> = reserved(counts.len())?;
    order.extend((0..counts.len() as u32).filter(|&value| table.count(value) > 0));
    let rank = |&value: &u32| ranks[value as usize];
    sorting::sort_by_key(&mut order, rank)?;
    if order
        .windows(2)
        .any(|pair| rank(&pair[0]) == rank(&pair[1]))
    {
        return Err(Error::Broken("two values of one rank".into()));
    }
    Ok(order)
}

impl PrivacyModel for OrderedCloseness {
    fn kind(&self) -> ModelKind {
        Property::TCloseness.kind(Merging::BothMeet)
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        if group.rows == self.rows {
            return 0.0; // the whole table
        }
        let moved = |from, to, reached| self.moved(from, to, reached, group.rows);
        let sum = self.places.moved(group, self.cumulative.len(), moved);
        let gaps = self.cumulative.len().saturating_sub(1) as u128;
        ratio(sum, u128::from(group.rows) * u128::from(self.rows) * gaps)
    }
}

/// t-closeness to the table's distribution: by ordered distance where the values have ranks,
/// by equal distance otherwise.
pub fn closeness_of<'a>(
    table: &'a Distribution,
    ranks: Option<&[u32]>,
) -> Result<Box<dyn PrivacyModel + 'a>> {
    Ok(match ranks {
        Some(ranks) => Box::new(OrderedCloseness::new(table, ranks)?),
        None => Box::new(EqualCloseness::new(table)),
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::group;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranks_decide_which_distance_counts() {
        let table = Distribution::from_counts(vec![1, 1, 1]).unwrap();
        let ranks: &[u32] = &[0, 1, 2];
        let figure = |ranks| {
            closeness_of(&table, ranks)
                .unwrap()
                .figure(group(&[(1, 1)]))
        };
        assert_eq!(figure(None), 2.0 / 3.0);
        assert_eq!(figure(Some(ranks)), 1.0 / 3.0);
        assert!(closeness_of(&table, Some(&[0])).is_err());
    }

    #[test]
    fn example_of_the_authors() {
        // salaries 3k … 11k, once each: {3k, 4k, 5k} is 0.375 away, {6k, 8k, 11k} 1/6
        let table = Distribution::from_counts(vec![1; 9]).unwrap();
        let ranks: Vec<u32> = (0..9).collect();
        let model = OrderedCloseness::new(&table, &ranks).unwrap();
        assert_eq!(model.figure(group(&[(0, 1), (1, 1), (2, 1)])), 0.375);
        assert_eq!(model.figure(group(&[(3, 1), (5, 1), (8, 1)])), 1.0 / 6.0);
    }

    #[test]
    fn a_decimal_t_is_met_exactly() {
        // shares 0.3 and 0.7 of the table, 0.4 and 0.6 of the group: 0.4 − 0.3 in doubles is
        // 0.10000000000000003
        let table = Distribution::from_counts(vec![30, 70]).unwrap();
        let cells = [(0, 4), (1, 6)];
        assert_eq!(EqualCloseness::new(&table).figure(group(&cells)), 0.1);
        let ordered = OrderedCloseness::new(&table, &[0, 1]).unwrap();
        assert_eq!(ordered.figure(group(&cells)), 0.1);
    }

    #[test]
    fn extremes() {
        let one = Distribution::from_counts(vec![0, 5]).unwrap();
        let model = OrderedCloseness::new(&one, &[0, 1]).unwrap();
        assert_eq!(model.figure(group(&[(1, 2)])), 0.0);
        let far = Distribution::from_counts(vec![1, 1 << 40]).unwrap();
        let model = OrderedCloseness::new(&far, &[1, 0]).unwrap();
        assert!(model.figure(group(&[(0, 1)])) > 0.999_999);
    }

    #[test]
    fn ranks_must_tell_all_values_apart() {
        let table = Distribution::from_counts(vec![1, 1]).unwrap();
        assert!(OrderedCloseness::new(&table, &[0]).is_err());
        assert!(OrderedCloseness::new(&table, &[3, 3]).is_err());
        assert!(OrderedCloseness::new(&table, &[9, 3]).is_ok());
    }

    /// Counts in the table (some 0), in the group (never more), and an order of the values.
    fn tables() -> impl Strategy<Value = (Vec<u64>, Vec<u64>, Vec<u32>)> {
        let cell = (0u64..20).prop_flat_map(|count| (Just(count), 0..=count));
        prop::collection::vec(cell, 1..15)
            .prop_map(|cells| cells.into_iter().unzip())
            .prop_filter("an empty group", |(_, group): &(Vec<u64>, Vec<u64>)| {
                group.iter().sum::<u64>() > 0
            })
            .prop_flat_map(|(table, group)| {
                let ranks: Vec<u32> = (0..table.len() as u32).collect();
                (Just(table), Just(group), Just(ranks).prop_shuffle())
            })
    }

    proptest! {
        #[test]
        fn closeness_follows_the_definitions((table, counts, ranks) in tables()) {
            let (n, rows) = (table.iter().sum::<u64>() as f64, counts.iter().sum::<u64>() as f64);
            let excess: Vec<f64> = table.iter().zip(&counts).map(|(&all, &own)| own as f64 / rows - all as f64 / n).collect();
            let equal = excess.iter().map(|difference| difference.abs()).sum::<f64>() / 2.0;
            let mut order: Vec<usize> = (0..table.len()).filter(|&value| table[value] > 0).collect();
            order.sort_by_key(|&value| ranks[value]);
            let (mut carried, mut moved) = (0.0, 0.0);
            for &value in &order {
                carried += excess[value];
                moved += f64::abs(carried);
            }
            let ordered = if order.len() > 1 { moved / (order.len() - 1) as f64 } else { 0.0 };

            let cells: Vec<(u32, u64)> = (0..).zip(counts).filter(|cell| cell.1 > 0).collect();
            let table = Distribution::from_counts(table).unwrap();
            prop_assert!((EqualCloseness::new(&table).figure(group(&cells)) - equal).abs() < 1e-12);
            let model = OrderedCloseness::new(&table, &ranks).unwrap();
            prop_assert!((model.figure(group(&cells)) - ordered).abs() < 1e-12);
        }
    }
}
