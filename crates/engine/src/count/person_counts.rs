//! Groups counted by persons: one who has several rows counts once.

use super::{GroupPersons, PersonFigures};
use crate::run::allocation::{filled, reserved};
use crate::{Categories, ColumnTally, Error, Partition, PersonRows, Result, Tally};

/// How many persons each group has, and as values of its one column which ones: models of persons
/// look up what these have. All rows of a person must be in one group.
pub fn person_tally(persons: &PersonRows, partition: &Partition) -> Result<Tally> {
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
    let mut cells = reserved(persons.len())?;
    for (person, &group) in (0..).zip(&group_of) {
        sizes[group as usize] += 1;
        cells.push((group, person, 1));
    }
    let column = ColumnTally::new(partition.groups(), &cells)?;
    Tally::from_counts(sizes, vec![column])
}

/// What the persons of each group bring of a sensitive column. They may be in several groups.
pub fn group_figures(
    persons: &PersonRows,
    partition: &Partition,
    values: &Categories,
) -> Result<Vec<PersonFigures>> {
    partition.require_rows(persons.person_of().len())?;
    let mut group = GroupPersons::default();
    let mut figures = reserved(partition.groups())?;
    for rows in partition.members()?.iter() {
        for &row in rows {
            let row = row as usize;
            group.add(persons.person_of()[row], values.codes()[row])?;
        }
        figures.push(group.count()?);
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn persons_count_once() {
        let persons = PersonRows::new(&Categories::new(vec![0, 0, 0, 1, 2, 3])).unwrap();
        let partition = Partition::new(vec![0, 0, 0, 0, 1, 1], 2).unwrap();
        let tally = person_tally(&persons, &partition).unwrap();
        assert_eq!(tally.sizes(), [2, 2]);
        assert_eq!(tally.columns()[0].of(0), [(0, 1), (1, 1)]);
        assert_eq!(tally.columns()[0].of(1), [(2, 1), (3, 1)]);
        let torn = Partition::new(vec![0, 1, 0, 0, 1, 1], 2).unwrap();
        assert!(person_tally(&persons, &torn).is_err());
        // groups may share a person here
        let values = Categories::new(vec![0, 1, 2, 0, 1, 1]);
        let figures = group_figures(&persons, &torn, &values).unwrap();
        let counted = figures.iter().map(|group| (group.persons, group.brought));
        assert_eq!(counted.collect::<Vec<_>>(), [(2, 2), (3, 1)]);
    }
}
