//! Models of groups whose rows are about persons: the values that a model is given stand for
//! persons, or for a person with a value, and what they have is looked up.

use super::{Group, Merging, ModelKind, PrivacyModel, Property, SensitivityCategories};
use crate::count::{GroupPersons, PersonFigures};
use crate::run::allocation::{collected, filled, reserved};
use crate::run::sorting;
use crate::{Categories, PersonRows, Result};
use std::cell::RefCell;

/// What each code stands for: persons with one of their values.
pub struct PersonValues {
    starts: Vec<usize>,
    pairs: Vec<(u32, u32)>,
    scratch: RefCell<Scratch>,
}

struct Scratch {
    persons: GroupPersons,
    counts: Vec<u64>,
    cells: Vec<(u32, u64)>,
    /// a pair of each person
    firsts: Vec<(u32, u32)>,
}

impl Scratch {
    /// The figure of a model for some values.
    fn figure(&mut self, values: impl Iterator<Item = u32>, model: &dyn PrivacyModel) -> f64 {
        let mut rows = 0;
        self.cells.clear();
        for value in values {
            let count = &mut self.counts[value as usize];
            if *count == 0 {
                self.cells.push((value, 0));
            }
            *count += 1;
            rows += 1;
        }
        self.cells.sort_unstable();
        for (value, count) in &mut self.cells {
            *count = std::mem::take(&mut self.counts[*value as usize]);
        }
        model.figure(Group {
            rows,
            values: &self.cells,
        })
    }
}

impl PersonValues {
    /// Codes are persons; a person has the values of all their rows.
    pub fn of_persons(persons: &PersonRows, values: &Categories) -> Result<Self> {
        let members = persons.members()?;
        let (mut starts, mut pairs) = (
            reserved(persons.len() + 1)?,
            reserved(values.codes().len())?,
        );
        starts.push(0);
        for (person, rows) in (0..).zip(members.iter()) {
            pairs.extend(
                rows.iter()
                    .map(|&row| (person, values.codes()[row as usize])),
            );
            starts.push(pairs.len());
        }
        PersonValues::new(starts, pairs, values.cardinality())
    }

    /// Each code is a person with one value.
    pub fn of_pairs(pairs: Vec<(u32, u32)>) -> Result<Self> {
        let values = pairs.iter().map(|pair| pair.1 as usize + 1).max();
        let starts = collected(0..pairs.len() + 1)?;
        PersonValues::new(starts, pairs, values.unwrap_or(0))
    }

    /// Room for all codes at once is made here, so that no figure needs more.
    fn new(starts: Vec<usize>, pairs: Vec<(u32, u32)>, values: usize) -> Result<Self> {
        let scratch = Scratch {
            persons: GroupPersons::new(pairs.len(), values)?,
            counts: filled(values, 0)?,
            cells: reserved(values)?,
            firsts: reserved(pairs.len())?,
        };
        Ok(PersonValues {
            starts,
            pairs,
            scratch: RefCell::new(scratch),
        })
    }

    fn of(&self, code: u32) -> &[(u32, u32)] {
        &self.pairs[self.starts[code as usize]..self.starts[code as usize + 1]]
    }

    fn figures(&self, group: Group<'_>) -> Result<PersonFigures> {
        let persons = &mut self.scratch.borrow_mut().persons;
        for &(code, _) in group.values {
            for &(person, value) in self.of(code) {
                persons.add(person, value)?;
            }
        }
        persons.count()
    }

    /// The figure of another model for all rows of a group.
    fn of_rows(&self, group: Group<'_>, model: &dyn PrivacyModel) -> f64 {
        let pairs = group.values.iter().flat_map(|&(code, _)| self.of(code));
        let mut scratch = self.scratch.borrow_mut();
        scratch.figure(pairs.map(|pair| pair.1), model)
    }

    /// The same for the persons of a group, each with the most sensitive of their values.
    fn of_first_values(
        &self,
        group: Group<'_>,
        categories: &SensitivityCategories,
        model: &dyn PrivacyModel,
    ) -> Result<f64> {
        let mut scratch = self.scratch.borrow_mut();
        let mut firsts = std::mem::take(&mut scratch.firsts);
        firsts.clear();
        let pairs = group.values.iter().flat_map(|&(code, _)| self.of(code));
        firsts.extend(pairs.copied());
        let rank = |&(person, value): &(u32, u32)| (person, categories.of(value));
        sorting::sort_by(&mut firsts, |a, b| rank(a).cmp(&rank(b)))?;
        firsts.dedup_by_key(|pair| pair.0);
        let figure = scratch.figure(firsts.iter().map(|pair| pair.1), model);
        scratch.firsts = firsts;
        Ok(figure)
    }
}

/// p-sensitivity by persons: the largest number of values that different persons bring.
pub struct PersonSensitivity<'a>(pub &'a PersonValues);

impl PrivacyModel for PersonSensitivity<'_> {
    fn kind(&self) -> ModelKind {
        Property::PSensitivity.kind(Merging::Any)
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        let figures = self.0.figures(group);
        figures.map_or(f64::NAN, |figures| figures.brought as f64)
    }
}

/// l-diversity by persons: the persons of a group over those who have its most frequent value.
/// Where persons may be in two groups at once, two that meet it may make one that does not.
pub struct PersonDiversity<'a>(pub &'a PersonValues);

impl PrivacyModel for PersonDiversity<'_> {
    fn kind(&self) -> ModelKind {
        Property::LDiversity.kind(Merging::Unknown)
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        let share = |figures: PersonFigures| figures.persons as f64 / figures.most_frequent as f64;
        self.0.figures(group).map_or(f64::NAN, share)
    }
}

/// p⁺ or the weight by persons, each counted by the most sensitive category that the person has in
/// the group. Where persons may be in two groups at once, two that meet it may make one that does
/// not.
pub struct OfFirstCategories<'a> {
    pub values: &'a PersonValues,
    pub categories: &'a SensitivityCategories,
    pub property: Property,
    pub model: Box<dyn PrivacyModel + 'a>,
}

impl PrivacyModel for OfFirstCategories<'_> {
    fn kind(&self) -> ModelKind {
        self.property.kind(Merging::Unknown)
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        let figure = self
            .values
            .of_first_values(group, self.categories, &*self.model);
        figure.unwrap_or(f64::NAN)
    }
}

/// A model of rows, of groups that are given by their persons.
pub struct OfPersonRows<'a> {
    pub values: &'a PersonValues,
    pub model: Box<dyn PrivacyModel + 'a>,
}

impl PrivacyModel for OfPersonRows<'_> {
    fn kind(&self) -> ModelKind {
        self.model.kind()
    }

    fn figure(&self, group: Group<'_>) -> f64 {
        self.values.of_rows(group, &*self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{AlphaWeight, LDiversity, PPlus, PSensitivity};

    fn persons() -> (PersonRows, Categories) {
        let persons = PersonRows::new(&Categories::new(vec![0, 0, 0, 1, 1, 2])).unwrap();
        (persons, Categories::new(vec![0, 1, 2, 0, 0, 1]))
    }

    #[test]
    fn persons_bring_their_values_into_groups() {
        let (persons, values) = persons();
        let values = PersonValues::of_persons(&persons, &values).unwrap();
        let figures = |cells: &[(u32, u64)]| {
            let group = Group {
                rows: cells.len() as u64,
                values: cells,
            };
            let rows = |model: Box<dyn PrivacyModel>| OfPersonRows {
                values: &values,
                model,
            };
            [
                PersonSensitivity(&values).figure(group),
                PersonDiversity(&values).figure(group),
                rows(Box::new(PSensitivity)).figure(group),
                rows(Box::new(LDiversity)).figure(group),
            ]
        };
        assert_eq!(figures(&[(0, 1), (1, 1)]), [2.0, 1.0, 3.0, 5.0 / 3.0]);
        assert_eq!(figures(&[(1, 1), (2, 1)]), [2.0, 2.0, 2.0, 1.5]);
        assert_eq!(figures(&[(0, 1)]), [1.0, 1.0, 3.0, 3.0]);
    }

    #[test]
    fn persons_count_by_their_most_sensitive_category() {
        // values 0, 1, 2 are of the categories 2, 0, 1
        let (persons, values) = persons();
        let categories = SensitivityCategories::new(vec![2, 0, 1], 3).unwrap();
        let values = PersonValues::of_persons(&persons, &values).unwrap();
        let figures = |cells: &[(u32, u64)]| {
            let group = Group {
                rows: 9,
                values: cells,
            };
            let models: [(Property, Box<dyn PrivacyModel>); 2] = [
                (Property::PPlus, Box::new(PPlus::new(&categories))),
                (
                    Property::AlphaWeight,
                    Box::new(AlphaWeight::new(&categories).unwrap()),
                ),
            ];
            models.map(|(property, model)| {
                let of_first = OfFirstCategories {
                    values: &values,
                    categories: &categories,
                    property,
                    model,
                };
                of_first.figure(group)
            })
        };
        assert_eq!(figures(&[(0, 1), (1, 1), (2, 1)]), [2.0, 1.0]);
        assert_eq!(figures(&[(0, 1), (2, 1)]), [1.0, 0.0]);
        assert_eq!(figures(&[(1, 2)]), [1.0, 1.0]);
    }

    #[test]
    fn a_person_may_be_in_two_groups_that_spoil_each_other() {
        let pairs = vec![(0, 0), (1, 1), (0, 1), (1, 0)];
        let values = PersonValues::of_pairs(pairs).unwrap();
        let diversity = |cells: &[(u32, u64)]| {
            let group = Group {
                rows: 9,
                values: cells,
            };
            PersonDiversity(&values).figure(group)
        };
        assert_eq!(diversity(&[(0, 1), (1, 4)]), 2.0);
        assert_eq!(diversity(&[(2, 1), (3, 1)]), 2.0);
        assert_eq!(diversity(&[(0, 1), (1, 4), (2, 1), (3, 1)]), 1.0);
    }
}
