//! What the sum of squares gains or loses when a row joins, leaves or replaces another: a few
//! operations per column, whatever the size of the groups.

use crate::local_search::changing_groups::Groups;
use crate::local_search::ordered_rows::squared;

impl Groups<'_> {
    /// The change of the group's sum of squares if the row joined it.
    pub fn change_by_joining(&self, row: u32, group: u32) -> f64 {
        let size = self.size(group) as f64;
        let distance = squared(self.rows().numbers(row), self.centroid(group));
        let mut change = distance * size / (size + 1.0);
        for (&code, keys) in self.rows().keys(row).iter().zip(self.keys(group)) {
            change += 1.0 - f64::from(keys.top_with(code) - keys.top());
        }
        change
    }

    /// The change of its group's sum of squares if the row left.
    pub fn change_by_leaving(&self, row: u32) -> f64 {
        let group = self.group_of(row);
        if self.size(group) == 1 {
            return -self.within(group);
        }
        let size = self.size(group) as f64;
        let distance = squared(self.rows().numbers(row), self.centroid(group));
        let mut change = -distance * size / (size - 1.0);
        for (&code, keys) in self.rows().keys(row).iter().zip(self.keys(group)) {
            change += f64::from(keys.top() - keys.top_without(code)) - 1.0;
        }
        change
    }

    /// The change of the leaver's group if `joiner` took its place: the squares about the old
    /// centroid, less what the centroid gains by moving.
    pub fn change_by_replacing(&self, leaver: u32, joiner: u32) -> f64 {
        let group = self.group_of(leaver);
        let (old, new) = (self.rows().numbers(leaver), self.rows().numbers(joiner));
        let mut about = 0.0;
        let mut moved = 0.0;
        for ((old, new), centre) in old.iter().zip(new).zip(self.centroid(group)) {
            let difference = new - old;
            about += difference * ((new - centre) + (old - centre));
            moved += difference * difference;
        }
        let mut change = about - moved / self.size(group) as f64;
        let codes = self
            .rows()
            .keys(leaver)
            .iter()
            .zip(self.rows().keys(joiner));
        for ((&old, &new), keys) in codes.zip(self.keys(group)) {
            change += f64::from(keys.top()) - f64::from(keys.top_after(old, new));
        }
        change
    }

    /// The change of both sums of squares if two rows of different groups changed places.
    pub fn change_by_swapping(&self, a: u32, b: u32) -> f64 {
        self.change_by_replacing(a, b) + self.change_by_replacing(b, a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local_search::ordered_rows::OrderedRows;
    use crate::measure::within;
    use crate::run::Meter;
    use crate::{Categories, Column, Partition, Phase, Space, Table, Unwatched};
    use proptest::prelude::*;

    fn space(numbers: &[i8], codes: &[u8]) -> Space {
        let numeric = |scale: f64| numbers.iter().map(|&x| f64::from(x) * scale).collect();
        let squares = numbers.iter().map(|&x| f64::from(x).powi(2)).collect();
        let columns = vec![
            Column::Numeric(numeric(3.0)),
            Column::Categorical(Categories::new(codes.iter().map(|&x| x.into()).collect())),
            Column::Numeric(squares),
        ];
        Space::new(&Table::new(columns).unwrap(), true).unwrap()
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * (1.0 + a.abs())
    }

    proptest! {
        #[test]
        fn changes_are_what_the_measure_says(
            cells in prop::collection::vec((-3i8..4, 0u8..3, 0u32..3), 3..12),
            steps in prop::collection::vec((0usize..12, 0usize..12, any::<bool>()), 1..20),
        ) {
            let numbers: Vec<i8> = cells.iter().map(|cell| cell.0).collect();
            let codes: Vec<u8> = cells.iter().map(|cell| cell.1).collect();
            let mut group_of: Vec<u32> = cells.iter().map(|cell| cell.2).collect();
            group_of[..3].copy_from_slice(&[0, 1, 2]);
            let space = space(&numbers, &codes);
            let mut monitor = Unwatched;
            let mut meter = Meter::start(&mut monitor, Phase::Refining, 0);
            let rows = OrderedRows::new(&space, &[], &mut meter).unwrap();
            let partition = Partition::new(group_of, 3).unwrap();
            let mut groups = Groups::new(&rows, 1, 1, &partition, &mut meter).unwrap();
            for (a, b, swap) in steps {
                let (a, b) = ((a % cells.len()) as u32, (b % cells.len()) as u32);
                if groups.group_of(a) == groups.group_of(b) {
                    continue;
                }
                let before = groups.sse();
                let change = if swap {
                    let change = groups.change_by_swapping(a, b);
                    groups.swap(a, b).unwrap();
                    change
                } else {
                    let to = groups.group_of(b);
                    let change = groups.change_by_leaving(a) + groups.change_by_joining(a, to);
                    groups.shift(a, to).unwrap();
                    change
                };
                let measured = within(&space, &groups.partition().unwrap()).unwrap();
                prop_assert!(close(groups.sse(), measured));
                prop_assert!(close(before + change, measured));
                groups.recompute_all(&mut meter).unwrap();
                prop_assert!(close(groups.sse(), measured));
            }
        }
    }
}
