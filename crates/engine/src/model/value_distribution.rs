//! The table's distribution of a sensitive column, to which groups are compared.

use crate::{ColumnTally, Error, Result};

/// How often each value occurs in the whole table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distribution {
    counts: Vec<u64>,
    rows: u64,
}

impl Distribution {
    /// The most rows: beyond it, the sums of products of counts might not fit 128 bits.
    pub const MAX_ROWS: u64 = 1 << 47;

    /// The distribution over all groups of a tally.
    pub fn new(column: &ColumnTally) -> Result<Self> {
        Self::from_counts(column.totals()?)
    }

    /// From the count of each value `0..cardinality`; values that do not occur count 0.
    pub fn from_counts(counts: Vec<u64>) -> Result<Self> {
        let sum = |sum: u64, &count: &u64| sum.checked_add(count);
        match counts.iter().try_fold(0, sum) {
            Some(rows) if rows <= Self::MAX_ROWS => Ok(Distribution { counts, rows }),
            _ => Err(Error::TooManyRows {
                limit: Self::MAX_ROWS as usize,
            }),
        }
    }

    /// The rows of the table.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How often each value occurs.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// How often a value occurs.
    pub fn count(&self, value: u32) -> u64 {
        let count = self.counts.get(value as usize);
        count.copied().unwrap_or(0)
    }
}

/// The quotient of two whole numbers as the nearest double, provided that their lowest terms
/// fit 53 bits. 0/0 is 0: nothing differs from nothing.
pub(super) fn ratio(numerator: u128, denominator: u128) -> f64 {
    const EXACT: u128 = 1 << f64::MANTISSA_DIGITS;
    if numerator == 0 {
        return 0.0;
    }
    let common = if numerator.max(denominator) <= EXACT {
        1
    } else {
        greatest_common_divisor(numerator, denominator)
    };
    (numerator / common) as f64 / (denominator / common) as f64
}

/// The greatest number that divides both; the other one if one is 0.
pub(crate) fn greatest_common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_over_groups() {
        let column = ColumnTally::new(2, &[(0, 0, 3), (1, 0, 1), (1, 2, 4)]).unwrap();
        let distribution = Distribution::new(&column).unwrap();
        assert_eq!(distribution.counts(), [4, 0, 4]);
        assert_eq!(distribution.rows(), 8);
        assert_eq!(distribution.count(7), 0);
    }

    #[test]
    fn too_many_rows_are_refused() {
        for counts in [vec![1 << 47, 1], vec![u64::MAX, 1]] {
            assert!(Distribution::from_counts(counts).is_err());
        }
    }

    #[test]
    fn large_terms_still_give_the_nearest_double() {
        let large = 10u128.pow(30) + 57;
        assert_eq!(ratio(3 * large, 10 * large), 0.3);
        assert_eq!(ratio(0, 0), 0.0);
        assert_eq!(ratio(1, 0), f64::INFINITY);
    }
}
