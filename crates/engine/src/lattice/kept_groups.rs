//! The groups of a node that are kept, counted as privacy models see them.

use super::Combinations;
use super::group_numbering::Numbering;
use crate::run::Meter;
use crate::run::allocation::{collected, filled, reserved};
use crate::{ColumnTally, Monitor, Phase, Result, Tally};

/// A group that none of the kept combinations has met yet.
const UNSEEN: u32 = u32::MAX;

/// Rows and sensitive values of the groups that the kept combinations make at a node.
pub fn kept_groups(
    combinations: &Combinations,
    node: usize,
    kept: &[bool],
    monitor: &mut dyn Monitor,
) -> Result<Tally> {
    let all = collected(0..combinations.len() as u32)?;
    let mut meter = Meter::start(monitor, Phase::Checking, combinations.len());
    let mut numbering = Numbering::default();
    let groups = numbering
        .number(combinations, node, &all, &mut meter)?
        .len();
    let mut number_of = filled(groups, UNSEEN)?;
    let mut sizes: Vec<u64> = reserved(groups)?;
    let rows = combinations.tally().sizes().iter();
    let mut group_of = reserved(combinations.len())?;
    for ((&group, &rows), &kept) in numbering.group_of().iter().zip(rows).zip(kept) {
        let number = &mut number_of[group as usize];
        if kept && *number == UNSEEN {
            *number = sizes.len() as u32;
            sizes.push(0);
        }
        group_of.push(if kept { *number } else { UNSEEN });
        if kept {
            sizes[*number as usize] += rows;
        }
    }
    let columns = combinations.tally().columns().iter();
    let columns = columns.map(|column| merged(column, &group_of, sizes.len()));
    let columns = columns.collect::<Result<_>>()?;
    Tally::from_counts(sizes, columns)
}

fn merged(column: &ColumnTally, group_of: &[u32], groups: usize) -> Result<ColumnTally> {
    let cells = column.iter().map(<[_]>::len).sum();
    let mut triples = reserved(cells)?;
    let kept = group_of.iter().zip(column.iter());
    for (&group, cells) in kept.filter(|(group, _)| **group != UNSEEN) {
        triples.extend(cells.iter().map(|&(value, count)| (group, value, count)));
    }
    ColumnTally::new(groups, &triples)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unwatched;
    use crate::lattice::{Counter, Hierarchy};

    #[test]
    fn kept_combinations_meet_in_groups() {
        let zip = Hierarchy::new(4, &[vec![0, 0, 1, 1]]).unwrap();
        let mut counter = Counter::new(vec![zip], 1).unwrap();
        for (zip, value) in [(3, "b"), (0, "a"), (1, "b"), (2, "a"), (0, "a"), (1, "a")] {
            counter.add(&[zip], &[value.as_bytes()]).unwrap();
        }
        let combinations = counter.combinations().unwrap();
        // the combinations are 3, 0, 1, 2
        let kept = [false, true, true, false];
        let tally = kept_groups(&combinations, 1, &kept, &mut Unwatched).unwrap();
        assert_eq!(tally.sizes(), [4]);
        assert_eq!(tally.columns()[0].of(0), [(0, 1), (1, 3)]);
        let tally = kept_groups(&combinations, 0, &kept, &mut Unwatched).unwrap();
        assert_eq!(tally.sizes(), [2, 2]);
    }
}
