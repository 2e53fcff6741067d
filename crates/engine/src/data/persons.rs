//! Rows of one person: one point while groups are formed, so that groups count persons and hold
//! all rows of each.

use super::Members;
use crate::run::allocation::{collected, filled, reserved};
use crate::{Categories, Column, Error, Partition, Result, Table};

/// Which person each row is about.
#[derive(Debug, Clone)]
pub struct PersonRows {
    rows: Partition,
    person_of: Vec<u32>,
}

impl PersonRows {
    /// Persons as the caller interned them, numbered without gaps.
    pub fn new(persons: &Categories) -> Result<Self> {
        let person_of = collected(persons.codes().iter().copied())?;
        let rows = collected(person_of.iter().copied())?;
        Ok(PersonRows {
            // a column without rows still counts one code
            rows: Partition::new(rows, persons.cardinality().min(person_of.len()))?,
            person_of,
        })
    }

    /// How many persons there are.
    pub fn len(&self) -> usize {
        self.rows.groups()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows of each person, as a partition of all rows.
    pub fn rows(&self) -> &Partition {
        &self.rows
    }

    /// The person of each row.
    pub fn person_of(&self) -> &[u32] {
        &self.person_of
    }

    /// How many rows each person has.
    pub fn row_counts(&self) -> &[u32] {
        self.rows.sizes()
    }

    /// A row for each person: the mean of the numbers that there are, the most frequent of
    /// other values (ties go to the lower code).
    pub fn points(&self, table: &Table) -> Result<Table> {
        let point = |column: &Column| {
            Ok(match column {
                Column::Numeric(values) => Column::Numeric(self.means(values)?),
                Column::Categorical(categories) => {
                    let modes = crate::data::mask::modes(categories, &self.rows)?;
                    Column::Categorical(Categories::new(modes))
                }
            })
        };
        Table::new(table.columns().iter().map(point).collect::<Result<_>>()?)
    }

    fn means(&self, values: &[f64]) -> Result<Vec<f64>> {
        let members = self.rows.members()?;
        let mean = |rows: &[u32]| {
            let numbers = rows.iter().map(|&row| values[row as usize]);
            let (mut mean, mut count) = (f64::NAN, 0.0);
            for number in numbers.filter(|number| !number.is_nan()) {
                // as a running mean, no sum of huge numbers overflows
                count += 1.0;
                mean = match count {
                    1.0 => number,
                    _ => mean + (number / count - mean / count),
                };
            }
            mean
        };
        collected(members.iter().map(mean))
    }

    /// The rows of each person.
    pub(crate) fn members(&self) -> Result<Members> {
        self.rows.members()
    }

    /// The value of each person that comes first by `rank`: the least, ties to the lower code.
    pub fn first_by(&self, values: &Categories, rank: impl Fn(u32) -> u32) -> Result<Categories> {
        let members = self.rows.members()?;
        let first = |rows: &[u32]| {
            let codes = rows.iter().map(|&row| values.codes()[row as usize]);
            codes.min_by_key(|&code| (rank(code), code)).unwrap_or(0)
        };
        Ok(Categories::new(collected(members.iter().map(first))?))
    }

    /// The one value that all rows of a person have; persons with several are refused.
    pub fn common(&self, values: &Categories) -> Result<Categories> {
        let members = self.rows.members()?;
        let code = |row: u32| values.codes()[row as usize];
        let several = |rows: &&[u32]| rows.iter().any(|&row| code(row) != code(rows[0]));
        let persons = members.iter().filter(several).count();
        if persons > 0 {
            return Err(Error::PersonsInSeveralStrata { persons });
        }
        let mut codes = reserved(self.len())?;
        codes.extend(members.iter().map(|rows| code(rows[0])));
        Ok(Categories::new(codes))
    }

    /// How many persons the group has that has fewest. They may be in several groups.
    pub fn fewest(&self, partition: &Partition) -> Result<usize> {
        partition.require_rows(self.person_of.len())?;
        let mut last = filled(self.len(), u32::MAX)?;
        let mut fewest = None;
        for (group, rows) in (0..).zip(partition.members()?.iter()) {
            let mut persons = 0;
            for &row in rows {
                let last = &mut last[self.person_of[row as usize] as usize];
                persons += usize::from(*last != group);
                *last = group;
            }
            fewest = Some(fewest.map_or(persons, |fewest: usize| fewest.min(persons)));
        }
        Ok(fewest.unwrap_or(0))
    }

    /// The persons of some rows.
    pub fn select(&self, rows: &[u32]) -> Result<Self> {
        let persons = collected(rows.iter().map(|&row| self.person_of[row as usize]))?;
        PersonRows::new(&renumbered(persons)?)
    }

    /// The groups of rows that groups of persons make.
    pub fn of_rows(&self, group_of: &[u32]) -> Result<Vec<u32>> {
        collected(
            self.person_of
                .iter()
                .map(|&person| group_of[person as usize]),
        )
    }
}

/// The same codes without those that do not occur, in their order.
pub(super) fn renumbered(codes: Vec<u32>) -> Result<Categories> {
    let rows = collected(0..codes.len() as u32)?;
    Categories::new(codes).select(&rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn persons(of: &[u32]) -> PersonRows {
        PersonRows::new(&Categories::new(of.to_vec())).unwrap()
    }

    #[test]
    fn no_rows_are_no_persons() {
        let nobody = persons(&[]);
        assert!(nobody.is_empty());
        let values = Categories::new(Vec::new());
        let none = nobody.representatives(&values, None, 2).unwrap();
        assert!(none.codes().is_empty());
        let none = nobody.representatives(&values, Some(&values), 2).unwrap();
        assert!(none.codes().is_empty());
    }

    #[test]
    fn a_point_is_the_mean_of_numbers_and_the_most_frequent_of_others() {
        let gap = f64::NAN;
        let table = Table::new(vec![
            Column::Numeric(vec![1.0, gap, 3.0, gap, 1.7e308, 1.7e308]),
            Column::Categorical(Categories::new(vec![2, 0, 2, 1, 1, 0])),
        ]);
        let points = persons(&[0, 1, 0, 1, 2, 2])
            .points(&table.unwrap())
            .unwrap();
        let [Column::Numeric(numbers), Column::Categorical(codes)] = points.columns() else {
            panic!("columns changed their kind");
        };
        assert_eq!((numbers[0], numbers[2]), (2.0, 1.7e308));
        assert!(numbers[1].is_nan());
        assert_eq!(codes.codes(), [2, 0, 0]);
    }

    #[test]
    fn a_person_in_two_strata_is_refused() {
        let persons = persons(&[0, 0, 1]);
        let strata = |codes: [u32; 3]| persons.common(&Categories::new(codes.to_vec()));
        assert_eq!(strata([4, 4, 2]).unwrap().codes(), [4, 2]);
        let refused = Error::PersonsInSeveralStrata { persons: 1 };
        assert_eq!(strata([4, 2, 2]), Err(refused));
        assert_eq!(persons.of_rows(&[7, 3]), Ok(vec![7, 7, 3]));
    }

    #[test]
    fn a_person_counts_in_every_group() {
        let groups = |of: [u32; 4]| Partition::new(of.to_vec(), 2).unwrap();
        let persons = persons(&[0, 0, 1, 2]);
        assert_eq!(persons.fewest(&groups([0, 0, 0, 1])), Ok(1));
        assert_eq!(persons.fewest(&groups([0, 1, 1, 0])), Ok(2));
    }
}
