//! Answers to counting queries from what a release shows (LHCC15): how many rows meet a
//! condition on each of some columns.
//!
//! Conditions come as one flag for each row and column: whether the row's value meets it. An
//! estimate uses them only as the release would show them, that is counted within groups.

use crate::measure::Domain;
use crate::run::allocation::{collected, filled};
use crate::{Categories, Partition, Result};

/// From an anatomy: in each group the rows whose keys match, times the share of the group's
/// sensitive values that match. `keys` flags rows that meet all conditions on keys.
pub fn anatomy_count(partition: &Partition, keys: &[bool], sensitive: &[bool]) -> Result<f64> {
    // the keys of a row stay together, as if they were one column
    permutation_count(partition, &[keys, sensitive])
}

/// From a permutation: in each group its rows times the product of the columns' matching
/// shares.
pub fn permutation_count(partition: &Partition, columns: &[&[bool]]) -> Result<f64> {
    let shares = product_of_shares(partition, columns)?;
    let sizes = partition.sizes().iter();
    Ok(sizes
        .zip(shares)
        .map(|(&size, share)| f64::from(size) * share)
        .sum())
}

/// The probability that a release by permutation gives to a person's keys in the group where
/// it is largest: `columns` flag the rows that share the person's value.
pub fn presence(partition: &Partition, columns: &[&[bool]]) -> Result<f64> {
    let shares = product_of_shares(partition, columns)?;
    Ok(shares.into_iter().fold(0.0, f64::max))
}

/// From a generalization: in each group the rows whose sensitive value matches, times the
/// share of the group's generalized keys that the conditions cover. `covered` holds for each
/// key the shares of the groups.
pub fn generalized_count(
    partition: &Partition,
    covered: &[Vec<f64>],
    sensitive: &[bool],
) -> Result<f64> {
    let mut total = 0.0;
    for (group, count) in counts(partition, sensitive)?.into_iter().enumerate() {
        let share: f64 = covered.iter().map(|shares| shares[group]).product();
        total += f64::from(count) * share;
    }
    Ok(total)
}

/// The share of each group's range in a numeric key that lies within `low` and `high`.
pub fn covered_range(
    partition: &Partition,
    values: &[f64],
    low: f64,
    high: f64,
) -> Result<Vec<f64>> {
    partition.require_rows(values.len())?;
    let mut ranges = filled(partition.groups(), (f64::INFINITY, f64::NEG_INFINITY))?;
    for (&group, &value) in partition.group_of().iter().zip(values) {
        let (least, greatest) = &mut ranges[group as usize];
        *least = least.min(value);
        *greatest = greatest.max(value);
    }
    let share = |(least, greatest): (f64, f64)| {
        let Some(domain) = Domain::between(least, greatest) else {
            return f64::from(u8::from(low <= least && least <= high));
        };
        domain.share(least.max(low), greatest.min(high)).max(0.0)
    };
    collected(ranges.into_iter().map(share))
}

/// The share of each group's distinct values in a categorical key that are wanted; `wanted`
/// holds a flag for each code.
pub fn covered_values(
    partition: &Partition,
    categories: &Categories,
    wanted: &[bool],
) -> Result<Vec<f64>> {
    partition.require_rows(categories.codes().len())?;
    let mut last_group = filled(categories.cardinality(), u32::MAX)?;
    let share = |(group, rows): (usize, &[u32])| {
        let (mut distinct, mut matching) = (0, 0);
        for &row in rows {
            let code = categories.codes()[row as usize] as usize;
            if last_group[code] != group as u32 {
                last_group[code] = group as u32;
                distinct += 1;
                matching += u32::from(wanted.get(code) == Some(&true));
            }
        }
        f64::from(matching) / f64::from(distinct)
    };
    collected(partition.members()?.iter().enumerate().map(share))
}

/// For each group the product over the columns of the share of its rows that match.
fn product_of_shares(partition: &Partition, columns: &[&[bool]]) -> Result<Vec<f64>> {
    let mut shares = filled(partition.groups(), 1.0)?;
    for matches in columns {
        let counts = counts(partition, matches)?;
        for ((share, count), &size) in shares.iter_mut().zip(counts).zip(partition.sizes()) {
            *share *= f64::from(count) / f64::from(size);
        }
    }
    Ok(shares)
}

/// The matching rows of each group.
fn counts(partition: &Partition, matches: &[bool]) -> Result<Vec<u32>> {
    partition.require_rows(matches.len())?;
    let mut counts = filled(partition.groups(), 0)?;
    for (&group, &matches) in partition.group_of().iter().zip(matches) {
        counts[group as usize] += u32::from(matches);
    }
    Ok(counts)
}
