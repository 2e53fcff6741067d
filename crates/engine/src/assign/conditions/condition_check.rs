//! The values of a group, counted, and the models asked about them.

use super::GroupConditions;
use crate::data::Members;
use crate::lattice::Condition;
use crate::model::Group;
use crate::run::allocation;
use crate::run::limits::Pulse;
use crate::{Partition, Result};

/// Counts the values of one group after the other. Its memory is used again.
pub(in crate::assign) struct ConditionCheck<'a> {
    asked: GroupConditions<'a>,
    /// the rows of each person
    rows: Option<Members>,
    /// for each sensitive column how often each value occurs in the group at hand
    counts: Vec<Vec<u64>>,
    values: Vec<(u32, u64)>,
    /// the values of one person
    own: Vec<u32>,
    pulse: Pulse,
}

/// A condition that a group does not meet.
pub(super) struct Missed<'a> {
    pub condition: &'a Condition<'a>,
    pub column: usize,
    pub figure: f64,
}

/// Whether values count once for each row, or once for each person who has them.
#[derive(Clone, Copy, PartialEq)]
enum Counting {
    Rows,
    Persons,
}

impl<'a> ConditionCheck<'a> {
    pub fn new(asked: &GroupConditions<'a>) -> Result<Self> {
        let counts = asked.sensitive.iter().map(|column| match asked.is_empty() {
            true => Ok(Vec::new()),
            false => allocation::filled(column.cardinality(), 0),
        });
        let rows = asked.persons.map(|persons| {
            let person_of = allocation::collected(persons.person_of().iter().copied())?;
            Partition::new(person_of, persons.len())?.members()
        });
        Ok(ConditionCheck {
            asked: *asked,
            counts: counts.collect::<Result<_>>()?,
            rows: rows.transpose()?,
            values: Vec::new(),
            own: Vec::new(),
            pulse: Pulse::default(),
        })
    }

    /// Whether points meet everything as one group.
    pub fn holds(&mut self, points: impl Iterator<Item = u32> + Clone) -> Result<bool> {
        Ok(self.missed(points)?.is_none())
    }

    /// The first condition that points miss as one group.
    pub(super) fn missed(
        &mut self,
        points: impl Iterator<Item = u32> + Clone,
    ) -> Result<Option<Missed<'a>>> {
        let GroupConditions {
            on_rows,
            on_persons,
            ..
        } = self.asked;
        for (conditions, counting) in [(on_persons, Counting::Persons), (on_rows, Counting::Rows)] {
            for condition in conditions {
                let column = condition.column.unwrap_or(0);
                let size = self.count(column, points.clone(), counting)?;
                let figure = condition.model.figure(Group {
                    rows: size,
                    values: &self.values,
                });
                if !condition.model.holds(figure, condition.required) {
                    return Ok(Some(Missed {
                        condition,
                        column,
                        figure,
                    }));
                }
            }
        }
        Ok(None)
    }

    /// Counts the values that points have of a column; how many are counted in all.
    fn count(
        &mut self,
        column: usize,
        points: impl Iterator<Item = u32>,
        counting: Counting,
    ) -> Result<u64> {
        self.values.clear();
        let codes = self.asked.sensitive[column].codes();
        let counts = &mut self.counts[column];
        let mut size = 0;
        for point in points {
            let point = match self.asked.points {
                Some(points) => points[point as usize],
                None => point,
            };
            let one = [point];
            let rows = match &self.rows {
                Some(rows) => rows.of(point as usize),
                None => &one[..],
            };
            self.own.clear();
            self.own.extend(rows.iter().map(|&row| codes[row as usize]));
            if counting == Counting::Persons {
                self.own.sort_unstable();
                self.own.dedup();
                size += 1;
            } else {
                size += rows.len() as u64;
            }
            for &code in &self.own {
                let count = &mut counts[code as usize];
                *count += 1;
                if *count == 1 {
                    allocation::make_room(&mut self.values, 1)?;
                    self.values.push((code, 0));
                }
            }
            self.pulse.spend(1 + rows.len())?;
        }
        self.values.sort_unstable();
        for (code, count) in &mut self.values {
            *count = std::mem::take(&mut counts[*code as usize]);
        }
        Ok(size)
    }
}
