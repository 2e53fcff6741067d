//! Rows near each row. They never change, whatever groups their rows are in, so the groups
//! worth an exchange are found by a look at where a row's neighbours are now.

use super::row_boxes::Boxes;
use crate::Result;
use crate::local_search::changing_groups::Groups;
use crate::local_search::ordered_rows::OrderedRows;
use crate::run::Meter;
use crate::run::allocation::{make_room, reserved};

/// How many neighbours of a row are known.
pub(super) const NEIGHBOURS: usize = 8;

/// Rows near each row, nearest first.
pub(super) struct Near {
    count: usize,
    rows: Vec<u32>,
}

impl Near {
    pub fn new(rows: &OrderedRows, meter: &mut Meter) -> Result<Self> {
        let count = NEIGHBOURS.min(rows.len().saturating_sub(1));
        let mut near = reserved(rows.len() * count)?;
        let mut boxes = Boxes::new(rows)?;
        let mut found = [(0.0, 0); NEIGHBOURS];
        for row in 0..rows.len() as u32 {
            let work = boxes.nearest(row, &mut found[..count]);
            near.extend(found[..count].iter().map(|&(_, near)| near));
            meter.spend(work)?;
        }
        Ok(Near { count, rows: near })
    }

    pub fn of(&self, row: u32) -> &[u32] {
        &self.rows[row as usize * self.count..][..self.count]
    }

    /// The other groups in which neighbours of a group's rows are, each once, ascending.
    pub fn groups(&self, groups: &Groups, group: u32, found: &mut Vec<u32>) -> Result<()> {
        found.clear();
        make_room(found, self.count * groups.size(group))?;
        for &row in groups.members(group) {
            let homes = self.of(row).iter().map(|&near| groups.group_of(near));
            found.extend(homes.filter(|&home| home != group));
        }
        found.sort_unstable();
        found.dedup();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assign::naive_mdav;
    use crate::{Phase, Unwatched};
    use proptest::prelude::*;

    fn distances(rows: &OrderedRows, row: u32, near: &[u32]) -> Vec<f64> {
        near.iter().map(|&near| rows.distance(row, near)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn neighbours_are_others_and_mostly_the_nearest(space in naive_mdav::spaces()) {
            let mut monitor = Unwatched;
            let meter = &mut Meter::start(&mut monitor, Phase::Refining, 0);
            let rows = OrderedRows::new(&space, &[], meter).unwrap();
            let near = Near::new(&rows, meter).unwrap();
            let mut found = 0;
            for row in 0..rows.len() as u32 {
                let mut all: Vec<u32> = (0..rows.len() as u32).filter(|&other| other != row).collect();
                all.sort_by(|&a, &b| rows.distance(row, a).total_cmp(&rows.distance(row, b)));
                let mut own = near.of(row).to_vec();
                prop_assert_eq!(own.len(), all.len().min(NEIGHBOURS));
                let expected = distances(&rows, row, &all[..own.len()]);
                let actual = distances(&rows, row, &own);
                found += expected.iter().zip(&actual).filter(|(a, b)| a == b).count();
                own.sort();
                own.dedup();
                prop_assert_eq!(own.len(), actual.len());
                prop_assert!(!own.contains(&row));
            }
            prop_assert!(10 * found >= 8 * near.rows.len(), "{} of {}", found, near.rows.len());
        }
    }
}
