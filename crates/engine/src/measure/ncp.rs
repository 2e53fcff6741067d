//! The normalized certainty penalty (LHCC15): how much of its domain a group spans.

use crate::data::mask::hides;
use crate::run::allocation::{filled, reserved};
use crate::run::limits::Pulse;
use crate::{Categories, Column, GroupMoments, Moments, Partition, Result, Table, Tally};

/// Normalized certainty penalty, summed over rows and columns. In a numeric column a row's
/// penalty is its group's range over the column's range; in a categorical one the distinct
/// values of its group over those of the column, 0 for a single value. A missing number that is
/// filled in, and a number that is hidden because others are missing, count 1.
pub fn ncp(table: &Table, partition: &Partition) -> Result<f64> {
    let mut total = 0.0;
    for column in table.columns() {
        if let Column::Numeric(values) = column
            && column.has_gaps()
        {
            total += with_gaps(values, partition)?;
            continue;
        }
        let penalties = match column {
            Column::Numeric(values) => ranges(values, partition)?,
            Column::Categorical(categories) => spreads(categories, partition)?,
        };
        let sizes = partition.sizes().iter();
        let weighted = sizes.zip(penalties).map(|(&size, p)| f64::from(size) * p);
        total += weighted.sum::<f64>();
    }
    Ok(total)
}

/// The same penalty from what was gathered group by group: the ranges of the numeric columns
/// and the counts of the categorical ones.
pub fn ncp_of_groups(moments: &GroupMoments, tally: &Tally) -> Result<f64> {
    let mut total = 0.0;
    for column in 0..moments.columns() {
        total += column_penalty(moments, column, tally.sizes().iter().copied());
    }
    for column in tally.columns() {
        let cardinality = column.totals()?.len();
        let penalty = |cells: &[(u32, u64)]| distinct_penalty(cells.len() as u32, cardinality);
        let groups = tally.sizes().iter().zip(column.iter());
        total += groups
            .map(|(&size, cells)| size as f64 * penalty(cells))
            .sum::<f64>();
    }
    Ok(total)
}

/// The penalty of a column with missing values.
fn with_gaps(values: &[f64], partition: &Partition) -> Result<f64> {
    let mut moments = GroupMoments::new(1);
    for (&group, &value) in partition.group_of().iter().zip(values) {
        let cell = moments.cell(group, 0)?;
        if !value.is_nan() {
            cell.add(value);
        }
    }
    let sizes = partition.sizes().iter().map(|&size| u64::from(size));
    Ok(column_penalty(&moments, 0, sizes))
}

/// The penalty of one column, from its moments in groups of these sizes.
fn column_penalty(moments: &GroupMoments, column: usize, sizes: impl Iterator<Item = u64>) -> f64 {
    let whole = moments.total(column);
    let domain = Domain::between(whole.least, whole.greatest);
    let penalty = |(cell, size): (&Moments, u64)| {
        let missing = size - cell.rows;
        let range = match &domain {
            Some(domain) if cell.rows > 0 => {
                domain.position(cell.greatest) - domain.position(cell.least)
            }
            _ => 0.0,
        };
        match hides(missing, size) {
            true => cell.rows as f64,
            false => cell.rows as f64 * range + missing as f64,
        }
    };
    moments.column(column).zip(sizes).map(penalty).sum()
}

/// The range of each group in units of the column's.
fn ranges(values: &[f64], partition: &Partition) -> Result<Vec<f64>> {
    let Some(domain) = Domain::of(values) else {
        return filled(partition.groups(), 0.0);
    };
    let mut lows = filled(partition.groups(), f64::INFINITY)?;
    let mut highs = filled(partition.groups(), f64::NEG_INFINITY)?;
    for (&group, &value) in partition.group_of().iter().zip(values) {
        let (group, position) = (group as usize, domain.position(value));
        lows[group] = position.min(lows[group]);
        highs[group] = position.max(highs[group]);
    }
    for (high, low) in highs.iter_mut().zip(lows) {
        *high -= low;
    }
    Ok(highs)
}

/// The distinct values of each group as a penalty.
fn spreads(categories: &Categories, partition: &Partition) -> Result<Vec<f64>> {
    let mut last_group = filled(categories.cardinality(), u32::MAX)?;
    let mut pulse = Pulse::default();
    let members = partition.members()?;
    let mut penalties = reserved(partition.groups())?;
    for (group, rows) in members.iter().enumerate() {
        // a row's value is somewhere in memory
        pulse.spend(16 * rows.len())?;
        let mut distinct = 0;
        for &row in rows {
            let last = &mut last_group[categories.codes()[row as usize] as usize];
            distinct += u32::from(*last != group as u32);
            *last = group as u32;
        }
        penalties.push(distinct_penalty(distinct, categories.cardinality()));
    }
    Ok(penalties)
}

/// The penalty of `distinct` values of a column with `cardinality`.
pub(crate) fn distinct_penalty(distinct: u32, cardinality: usize) -> f64 {
    if distinct > 1 {
        f64::from(distinct) / cardinality as f64
    } else {
        0.0
    }
}

/// The range of a numeric column. Where it would overflow, values are halved first; others
/// are not, as halves of the least of all numbers are 0.
pub(crate) struct Domain {
    low: f64,
    scale: f64,
    /// scaled
    range: f64,
}

impl Domain {
    /// `None` for a column that does not vary.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        let low = values.iter().copied().reduce(f64::min)?;
        let high = values.iter().copied().reduce(f64::max)?;
        Self::between(low, high)
    }

    /// `None` unless there is something between the two.
    pub(crate) fn between(low: f64, high: f64) -> Option<Self> {
        let scale = if (high - low).is_finite() { 1.0 } else { 0.5 };
        (low < high).then_some(Domain {
            low,
            scale,
            range: high * scale - low * scale,
        })
    }

    /// Where a value lies in the range: 0 for the least, 1 for the greatest.
    pub(crate) fn position(&self, value: f64) -> f64 {
        self.share(self.low, value)
    }

    /// The part of the range that lies between two values; below 0 if the second is the lower.
    pub(crate) fn share(&self, from: f64, to: f64) -> f64 {
        (to * self.scale - from * self.scale) / self.range
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// From the definition, row by row.
    fn by_definition(numbers: &[i32], codes: &[u32], groups: &[u32]) -> f64 {
        let same =
            |row: usize| (0..groups.len()).filter(move |&other| groups[other] == groups[row]);
        let range = |rows: Vec<usize>| {
            let top = rows.iter().map(|&row| numbers[row]).max().unwrap();
            f64::from(top - rows.iter().map(|&row| numbers[row]).min().unwrap())
        };
        let distinct = |rows: Vec<usize>| {
            let values: BTreeSet<u32> = rows.iter().map(|&row| codes[row]).collect();
            values.len() as f64
        };
        let domain = range((0..groups.len()).collect());
        let cardinality = f64::from(codes.iter().max().unwrap() + 1);
        let penalty = |row: usize| {
            let numeric = if domain > 0.0 {
                range(same(row).collect()) / domain
            } else {
                0.0
            };
            let values = distinct(same(row).collect());
            numeric
                + if values > 1.0 {
                    values / cardinality
                } else {
                    0.0
                }
        };
        (0..groups.len()).map(penalty).sum()
    }

    proptest! {
        #[test]
        fn sums_follow_the_definition(rows in prop::collection::vec((-3i32..4, 0u32..4, 0u32..3), 1..40)) {
            let numbers: Vec<i32> = [0; 3].into_iter().chain(rows.iter().map(|row| row.0)).collect();
            let codes: Vec<u32> = [0; 3].into_iter().chain(rows.iter().map(|row| row.1)).collect();
            let groups: Vec<u32> = (0..3).chain(rows.iter().map(|row| row.2)).collect();
            let table = Table::new(vec![
                Column::Numeric(numbers.iter().copied().map(f64::from).collect()),
                Column::Categorical(Categories::new(codes.clone())),
            ]).unwrap();
            let partition = Partition::new(groups.clone(), 3).unwrap();
            let expected = by_definition(&numbers, &codes, &groups);
            prop_assert!((ncp(&table, &partition).unwrap() - expected).abs() < 1e-9);
            let mut moments = GroupMoments::new(1);
            for (&group, &number) in groups.iter().zip(&numbers) {
                moments.cell(group, 0).unwrap().add(f64::from(number));
            }
            let tally = Tally::new(&partition, &[&Categories::new(codes)]).unwrap();
            prop_assert!((ncp_of_groups(&moments, &tally).unwrap() - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn hidden_and_filled_in_cells_count_in_full() {
        let gap = f64::NAN;
        let numbers = vec![0.0, 2.0, gap, 4.0, gap, gap, gap, 1.0, gap];
        let partition = Partition::new(vec![0, 0, 0, 1, 1, 2, 2, 3, 3], 4).unwrap();
        let table = Table::new(vec![Column::Numeric(numbers)]).unwrap();
        // 2 · 2/4 + 1 filled in; 1 hidden; nothing; 1 hidden
        assert_eq!(ncp(&table, &partition), Ok(4.0));
    }

    #[test]
    fn ranges_near_the_largest_number_do_not_overflow() {
        let table = Table::new(vec![Column::Numeric(vec![-1.7e308, 1.7e308, 0.0])]).unwrap();
        let partition = Partition::new(vec![0, 1, 1], 2).unwrap();
        assert_eq!(ncp(&table, &partition), Ok(1.0));
    }

    #[test]
    fn the_least_of_all_ranges_is_one() {
        let table = Table::new(vec![Column::Numeric(vec![0.0, 5e-324, 0.0])]).unwrap();
        let partition = Partition::new(vec![0, 1, 1], 2).unwrap();
        assert_eq!(ncp(&table, &partition), Ok(2.0));
    }

    #[test]
    fn no_rows_cost_nothing() {
        let table = Table::new(vec![Column::Numeric(vec![])]).unwrap();
        let partition = Partition::new(vec![], 0).unwrap();
        assert_eq!(ncp(&table, &partition), Ok(0.0));
    }
}
