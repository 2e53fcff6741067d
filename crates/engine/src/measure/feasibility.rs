//! What a table allows before anything is grouped: the two necessary conditions of TV06.

use crate::run::allocation::{collected, filled};
use crate::run::sorting;
use crate::{Error, Result};

/// The largest p that any grouping can reach: the fewest distinct values of any sensitive
/// column (TV06, condition 1). `counts` holds the value counts of each column; values that
/// occur 0 times do not count. `None` without a sensitive column.
pub fn max_p(counts: &[Vec<u64>]) -> Option<usize> {
    counts.iter().map(|counts| distinct(counts)).min()
}

/// The most groups that can all have p distinct values of each sensitive column (TV06,
/// condition 2): min over i = 1 … p−1 of ⌊(n − cf_{p−i}) / i⌋, where cf_j is the most rows
/// that the j most frequent values of any column have. For p = 1 it is n: a group has a row.
/// `None` without a sensitive column.
pub fn max_groups(counts: &[Vec<u64>], p: usize) -> Result<Option<u64>> {
    let Some(max_p) = max_p(counts) else {
        return Ok(None);
    };
    // Columns that were counted one after the other may differ by rows written meanwhile.
    let rows = counts.iter().map(|counts| counts.iter().sum::<u64>());
    let rows = rows.max().unwrap_or(0);
    if max_p < p {
        return Ok(Some(0));
    }
    let most = most_rows(counts, p.saturating_sub(1))?;
    let room = most.iter().rev().zip(1..);
    let room = room.map(|(most, i)| (rows - most) / i);
    Ok(Some(room.fold(rows, u64::min)))
}

/// cf_1 … cf_upto: the most rows that the 1, 2, … most frequent values of any column have.
fn most_rows(counts: &[Vec<u64>], upto: usize) -> Result<Vec<u64>> {
    let mut most = filled(upto, 0)?;
    for counts in counts {
        let mut falling = collected(counts.iter().copied())?;
        sorting::sort_by(&mut falling, |a, b| b.cmp(a))?;
        falling.truncate(upto);
        let mut sum = 0;
        for (most, count) in most.iter_mut().zip(falling) {
            sum += count;
            *most = sum.max(*most);
        }
    }
    Ok(most)
}

fn distinct(counts: &[u64]) -> usize {
    counts.iter().filter(|&&count| count > 0).count()
}

/// Refuses what no grouping of these rows can meet. `counts` as for [`max_p`].
pub(crate) fn require(k: usize, p: usize, rows: u64, counts: &[Vec<u64>]) -> Result<()> {
    at_least_one("k", k)?;
    at_least_one("p", p)?;
    if p > k {
        return Err(Error::PAboveK { p, k });
    }
    if rows < k as u64 {
        let rows = rows as usize;
        return Err(Error::TooFewRows { rows, k });
    }
    let distinct = counts.iter().map(|counts| distinct(counts)).enumerate();
    match distinct.min_by_key(|&(_, distinct)| distinct) {
        Some((column, distinct)) if distinct < p => Err(Error::TooFewValues {
            p,
            column,
            distinct,
        }),
        _ => Ok(()),
    }
}

fn at_least_one(name: &'static str, value: usize) -> Result<()> {
    match value {
        0 => Err(Error::TooSmall {
            name,
            least: 1,
            actual: 0,
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_columns_of_tv06() {
        let counts = [
            vec![300, 300, 200, 100, 100],
            vec![500, 300, 100, 40, 35, 25],
            vec![700, 200, 50, 10, 10, 10, 10, 5, 3, 2],
        ];
        assert_eq!(max_p(&counts), Some(5));
        assert_eq!(most_rows(&counts, 5).unwrap(), [700, 900, 950, 960, 1000]);
        let groups = [1, 2, 3, 4, 5, 6].map(|p| max_groups(&counts, p).unwrap());
        assert_eq!(groups, [1000, 300, 100, 50, 25, 0].map(Some));
    }

    #[test]
    fn one_skewed_column_of_tv06() {
        let counts = [vec![900, 90, 5, 3, 2]];
        assert_eq!(max_groups(&counts, 3), Ok(Some(10)));
    }

    #[test]
    fn columns_counted_at_different_times_still_have_an_answer() {
        let counts = [vec![2, 1], vec![9, 1]];
        assert_eq!(max_groups(&counts, 2), Ok(Some(1)));
    }

    #[test]
    fn values_that_do_not_occur_do_not_count() {
        assert_eq!(max_p(&[vec![0, 3, 0, 1], vec![1, 1, 2]]), Some(2));
        assert_eq!(max_p(&[]), None);
        assert_eq!(max_groups(&[], 2), Ok(None));
    }

    #[test]
    fn what_cannot_be_met_is_refused() {
        let counts = [vec![3, 3], vec![4, 1, 1]];
        assert_eq!(require(3, 2, 6, &counts), Ok(()));
        let (p, k) = (4, 3);
        assert_eq!(require(k, p, 6, &counts), Err(Error::PAboveK { p, k }));
        let few = Error::TooFewRows { rows: 6, k: 7 };
        assert_eq!(require(7, 2, 6, &counts), Err(few));
        let (p, column, distinct) = (3, 0, 2);
        let few = Error::TooFewValues {
            p,
            column,
            distinct,
        };
        assert_eq!(require(3, 3, 6, &counts), Err(few));
        assert!(require(0, 1, 6, &counts).is_err() && require(1, 0, 6, &counts).is_err());
    }
}
