//! What groups must meet beside k and p: the figures of privacy models, such as l-diversity and
//! t-closeness. The models are those of the checks, so that a method promises what they test.

mod condition_check;
mod join_unmet;

pub(super) use condition_check::ConditionCheck;
pub(super) use join_unmet::join_unmet;

use crate::lattice::Condition;
use crate::{Categories, Error, Partition, PersonRows, Result};

/// What every group of points must meet. Points are rows, or the persons that rows are about.
#[derive(Clone, Copy, Default)]
pub struct GroupConditions<'a> {
    /// on the values of all rows (t-closeness)
    pub on_rows: &'a [Condition<'a>],
    /// on how many have each value: persons where there are any, else rows (l-diversity)
    pub on_persons: &'a [Condition<'a>],
    /// the sensitive columns, with the codes that the models know
    pub sensitive: &'a [Categories],
    /// the person of each row, where points are persons
    pub persons: Option<&'a PersonRows>,
    /// the order of the first sensitive column's values, where they have one: a rank for each code
    pub ranks: Option<&'a [u32]>,
    /// the points that are to be grouped, where these are not all
    pub points: Option<&'a [u32]>,
}

impl GroupConditions<'_> {
    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.on_rows.is_empty() && self.on_persons.is_empty()
    }

    /// Refuses what even one group of all points misses: smaller ones can do no better, because
    /// groups that meet a condition still meet it when they are joined.
    pub(super) fn require(&self, points: usize) -> Result<()> {
        if self.is_empty() || points == 0 {
            return Ok(());
        }
        match ConditionCheck::new(self)?.missed(0..points as u32)? {
            None => Ok(()),
            Some(missed) => Err(Error::OutOfReach {
                property: missed.condition.model.name(),
                column: missed.column,
                required: missed.condition.required,
                figure: missed.figure,
            }),
        }
    }

    /// Nothing leaves that breaks its promise.
    pub(super) fn check(&self, partition: &Partition) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let mut check = ConditionCheck::new(self)?;
        for rows in partition.members()?.iter() {
            if let Some(missed) = check.missed(rows.iter().copied())? {
                let (name, required) = (missed.condition.model.name(), missed.condition.required);
                let broken = format!("{name} of {} where {required} was promised", missed.figure);
                return Err(Error::Broken(broken));
            }
        }
        Ok(())
    }
}
