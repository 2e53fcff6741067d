//! One side of a split: what its rows cost, kept up to date row by row.

use super::row_slots::{RowSlots, SlotRow};
use crate::run::allocation::filled;
use crate::{Result, measure::distinct_penalty};

/// A growing set of rows: the penalty of its keys and how often its commonest value occurs.
pub(super) struct SplitSide {
    rows: usize,
    /// certainty penalty of one row, summed over the columns
    penalty: f64,
    /// least and greatest position in each numeric column
    ranges: Vec<(f64, f64)>,
    spreads: Vec<DistinctCodes>,
    /// round and count of each sensitive value
    counts: Vec<(u32, u32)>,
    most: u32,
    /// Counts of earlier rounds no longer hold: a small set need not clear what a large one
    /// left.
    round: u32,
}

/// The distinct values of a categorical column.
struct DistinctCodes {
    distinct: u32,
    /// the round in which each value was last seen
    seen: Vec<u32>,
}

impl SplitSide {
    pub(super) fn new(slots: &RowSlots, values: usize) -> Result<Self> {
        let spread = |&cardinality: &usize| {
            Ok(DistinctCodes {
                distinct: 0,
                seen: filled(cardinality, 0)?,
            })
        };
        Ok(SplitSide {
            rows: 0,
            penalty: 0.0,
            ranges: vec![(0.0, 0.0); slots.numeric()],
            spreads: slots
                .cardinalities()
                .iter()
                .map(spread)
                .collect::<Result<_>>()?,
            counts: filled(values, (0, 0))?,
            most: 0,
            round: 0,
        })
    }

    /// Starts over with one row.
    pub(super) fn seed(&mut self, point: SlotRow<'_>) {
        self.start_round();
        self.rows = 0;
        self.most = 0;
        for (range, &position) in self.ranges.iter_mut().zip(point.positions) {
            *range = (position, position);
        }
        self.spreads
            .iter_mut()
            .for_each(|spread| spread.distinct = 0);
        self.add(point, 0.0);
    }

    fn start_round(&mut self) {
        if self.round == u32::MAX {
            self.spreads
                .iter_mut()
                .for_each(|spread| spread.seen.fill(0));
            self.counts.fill((0, 0));
            self.round = 0;
        }
        self.round += 1;
    }

    /// The penalty of each row once this one is added.
    pub(super) fn penalty_with(&self, point: SlotRow<'_>) -> f64 {
        let mut penalty = 0.0;
        for (&(low, high), &position) in self.ranges.iter().zip(point.positions) {
            penalty += high.max(position) - low.min(position);
        }
        for (spread, &code) in self.spreads.iter().zip(point.codes) {
            let new = u32::from(spread.seen[code as usize] != self.round);
            penalty += distinct_penalty(spread.distinct + new, spread.seen.len());
        }
        penalty
    }

    /// By how much the certainty penalty of all rows together grows when one is added that
    /// raises the penalty of each to `penalty`.
    pub(super) fn growth(&self, penalty: f64) -> f64 {
        penalty + self.rows as f64 * (penalty - self.penalty)
    }

    /// Adds a row that raises the penalty of each to `penalty`.
    pub(super) fn add(&mut self, point: SlotRow<'_>, penalty: f64) {
        for ((low, high), &position) in self.ranges.iter_mut().zip(point.positions) {
            *low = low.min(position);
            *high = high.max(position);
        }
        for (spread, &code) in self.spreads.iter_mut().zip(point.codes) {
            let seen = &mut spread.seen[code as usize];
            spread.distinct += u32::from(*seen != self.round);
            *seen = self.round;
        }
        let (round, count) = &mut self.counts[point.value as usize];
        *count = if *round == self.round { *count + 1 } else { 1 };
        *round = self.round;
        self.most = self.most.max(*count);
        self.rows += 1;
        self.penalty = penalty;
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Rows of the most frequent sensitive value.
    pub(super) fn most(&self) -> usize {
        self.most as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::random::generator;
    use crate::{Categories, Column, Partition, Table, measure::ncp};
    use proptest::prelude::*;

    fn table(rows: &[(u8, i16, u32, u32)], extra: usize) -> Table {
        let ties = rows.iter().map(|row| f64::from(row.0));
        let numbers = rows.iter().map(|row| f64::from(row.1));
        let few = rows.iter().map(|row| row.2);
        let many = rows.iter().map(|row| row.3);
        let mut columns = vec![
            Column::Numeric(ties.collect()),
            Column::Categorical(Categories::new(few.collect())),
            Column::Numeric(numbers.collect()),
            Column::Categorical(Categories::new(many.collect())),
        ];
        columns.extend((0..extra).map(|_| Column::Numeric(vec![1.0; rows.len()])));
        Table::new(columns).unwrap()
    }

    /// The penalty of the first `count` slots as a group beside one-row groups.
    fn penalty(table: &Table, slots: &RowSlots, count: usize) -> f64 {
        let mut group_of = vec![0; table.rows()];
        for (slot, &row) in slots.rows().iter().enumerate() {
            group_of[row as usize] = slot.saturating_sub(count - 1) as u32;
        }
        let groups = table.rows() - count + 1;
        ncp(table, &Partition::new(group_of, groups).unwrap()).unwrap()
    }

    proptest! {
        #[test]
        fn growth_is_the_difference_of_penalties(
            rows in prop::collection::vec((0u8..3, any::<i16>(), 0u32..3, 0u32..20), 2..40),
            extra in 0usize..2,
            rounds in prop::sample::select(vec![0, u32::MAX - 1, u32::MAX]),
            seed: u64,
        ) {
            let table = table(&rows, extra);
            let sensitive = Categories::new(rows.iter().map(|row| row.2).collect());
            let slots = RowSlots::new(&table, &sensitive, &mut generator(Some(seed)).unwrap()).unwrap();
            let mut side = SplitSide::new(&slots, sensitive.cardinality()).unwrap();
            // a side that has been used before must have forgotten it
            side.round = rounds;
            side.seed(slots.of(rows.len() - 1));
            side.add(slots.of(0), 1.0);
            side.seed(slots.of(0));
            for slot in 1..rows.len() {
                let next = side.penalty_with(slots.of(slot));
                let expected = penalty(&table, &slots, slot + 1) - penalty(&table, &slots, slot);
                prop_assert!((side.growth(next) - expected).abs() < 1e-9);
                side.add(slots.of(slot), next);
                prop_assert_eq!(side.rows(), slot + 1);
            }
            let count = |value| sensitive.codes().iter().filter(|&&code| code == value).count();
            let most = (0..3).map(count).max();
            prop_assert_eq!(Some(side.most()), most);
        }
    }
}
