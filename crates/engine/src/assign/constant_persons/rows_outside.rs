//! The rows that are in no block yet, by value, and whether they remain eligible.

use super::falling_order::FallingOrder;
use crate::Result;
use crate::assign::eligibility::is_eligible;
use crate::run::allocation::collected;

/// Rows outside of blocks.
pub(super) struct RowsOutside {
    l: usize,
    all: usize,
    of_value: Vec<usize>,
    /// rows of a person whose values differ, which no block takes
    most_varying: usize,
    order: FallingOrder<usize>,
}

impl RowsOutside {
    pub(super) fn new(of_value: Vec<usize>, most_varying: usize, l: usize) -> Result<Self> {
        let mut order = FallingOrder::new();
        let values = collected(0..of_value.len() as u32)?;
        order.refill(&values, |value| Some(of_value[value]))?;
        Ok(RowsOutside {
            l,
            all: of_value.iter().sum(),
            of_value,
            most_varying,
            order,
        })
    }

    pub(super) fn all(&self) -> usize {
        self.all
    }

    pub(super) fn of(&self, value: usize) -> usize {
        self.of_value[value]
    }

    /// The values with the most rows.
    pub(super) fn first(&mut self, wanted: usize) -> Result<Vec<usize>> {
        let rows = |value: usize| Some(self.of_value[value]);
        self.order.first(wanted, rows)
    }

    /// So many rows of a value go into a block.
    pub(super) fn take(&mut self, value: usize, rows: usize) {
        self.of_value[value] -= rows;
        self.all -= rows;
    }

    /// Whether the rest is eligible once a block has taken so many rows of each of `number`
    /// values. The first values must include one that is not taken, if there is any.
    pub(super) fn stays_eligible(
        &self,
        first: &[usize],
        (number, is_taken): (usize, impl Fn(usize) -> bool),
        each: usize,
    ) -> bool {
        let all = self.all - number * each;
        let mut most = 0;
        // in order of what is left before: nothing after the first untouched value is larger
        for &value in first {
            let taken = is_taken(value);
            most = most.max(self.of_value[value] - if taken { each } else { 0 });
            if !taken {
                break;
            }
        }
        is_eligible(all, most, self.l) && (all == 0 || self.most_varying <= all / self.l)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_eligible_as_long_as_no_value_is_too_frequent() {
        let mut left = RowsOutside::new(vec![5, 2, 2, 1], 0, 2).unwrap();
        let first = left.first(2).unwrap();
        assert_eq!(first[0], 0);
        assert!(left.stays_eligible(&first, (1, |value| value == 0), 1));
        assert!(!left.stays_eligible(&first, (1, |value| value == 1), 1));
        left.take(0, 4);
        assert_eq!((left.all(), left.of(0)), (6, 1));
        // 2 of the 5 that are left of 6, and 2 of 4
        let first = left.first(3).unwrap();
        assert!(left.stays_eligible(&first, (1, |value| value == 0), 1));
        assert!(!left.stays_eligible(&first, (3, |value| value != first[0]), 1));
    }

    #[test]
    fn a_person_of_different_values_needs_enough_groups() {
        let mut left = RowsOutside::new(vec![3, 3], 3, 2).unwrap();
        let first = left.first(2).unwrap();
        assert!(!left.stays_eligible(&first, (2, |_| true), 1));
        assert!(left.stays_eligible(&first, (2, |_| true), 3));
    }
}
