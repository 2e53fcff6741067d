//! Groups counted by persons: one who has several rows counts once, and once for each value.

use crate::run::allocation::{filled, reserved};
use crate::{Categories, ColumnTally, Error, Partition, PersonRows, Result, Tally};

/// The persons of each group, and how many of them have each value of the sensitive columns.
/// All rows of a person must be in one group.
pub fn person_tally(
    persons: &PersonRows,
    partition: &Partition,
    sensitive: &[Categories],
) -> Result<Tally> {
    let person_of = persons.person_of();
    partition.require_rows(person_of.len())?;
    let mut group_of = filled(persons.len(), u32::MAX)?;
    for (&person, &group) in person_of.iter().zip(partition.group_of()) {
        let own = &mut group_of[person as usize];
        if *own != u32::MAX && *own != group {
            return Err(Error::Broken("a person in two groups".into()));
        }
        *own = group;
    }
    let mut sizes = filled(partition.groups(), 0u64)?;
    group_of
        .iter()
        .for_each(|&group| sizes[group as usize] += 1);
    let column = |values: &Categories| {
        let mut pairs = reserved(person_of.len())?;
        pairs.extend(
            person_of
                .iter()
                .copied()
                .zip(values.codes().iter().copied()),
        );
        pairs.sort_unstable();
        pairs.dedup();
        let mut cells = reserved(pairs.len())?;
        cells.extend(
            pairs
                .iter()
                .map(|&(person, value)| (group_of[person as usize], value, 1)),
        );
        ColumnTally::new(partition.groups(), &cells)
    };
    Tally::from_counts(sizes, sensitive.iter().map(column).collect::<Result<_>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn persons_count_once_and_once_for_each_value() {
        let persons = PersonRows::new(&Categories::new(vec![0, 0, 0, 1, 2, 3])).unwrap();
        let partition = Partition::new(vec![0, 0, 0, 0, 1, 1], 2).unwrap();
        let values = [Categories::new(vec![0, 0, 1, 0, 1, 2])];
        let tally = person_tally(&persons, &partition, &values).unwrap();
        assert_eq!(tally.sizes(), [2, 2]);
        // both persons of the first group have value 0, one of them value 1 as well
        assert_eq!(tally.columns()[0].of(0), [(0, 2), (1, 1)]);
        assert_eq!(tally.columns()[0].of(1), [(1, 1), (2, 1)]);
        let torn = Partition::new(vec![0, 1, 0, 0, 1, 1], 2).unwrap();
        assert!(person_tally(&persons, &torn, &values).is_err());
    }
}
