//! The groups of one node, and how a coarser node's follow from them.

use super::{Combinations, numbering::Numbering, values::Values};
use crate::neighbours::Watch;
use crate::{Result, memory};

/// The groups of a node: their rows and sensitive values. Enough to derive the groups of any
/// node above without looking at the table again (the roll-up of Incognito).
#[derive(Debug)]
pub(super) struct FrequencySet {
    /// one combination of each group: with the node's levels it names the group
    members: Vec<u32>,
    rows: Vec<u64>,
    values: Vec<Values>,
}

impl FrequencySet {
    /// The groups of the bottom node, each a combination, with the sensitive columns given.
    pub fn bottom(combinations: &Combinations, values: Vec<Values>) -> Result<Self> {
        Ok(FrequencySet {
            members: memory::collected(0..combinations.len() as u32)?,
            rows: memory::collected(combinations.tally().sizes().iter().copied())?,
            values,
        })
    }

    /// The groups of a node at or above this one.
    pub fn roll_up(
        &self,
        combinations: &Combinations,
        node: usize,
        numbering: &mut Numbering,
        watch: &mut Watch<'_>,
    ) -> Result<Self> {
        let members = numbering.number(combinations, node, &self.members, watch)?;
        let group_of = numbering.group_of();
        let groups = members.len();
        let mut rows = memory::filled(groups, 0)?;
        for (&group, count) in group_of.iter().zip(&self.rows) {
            rows[group as usize] += count;
        }
        let merge = |values: &Values| values.merged(group_of, groups);
        let values = self.values.iter().map(merge).collect::<Result<_>>()?;
        Ok(FrequencySet {
            members,
            rows,
            values,
        })
    }

    pub fn groups(&self) -> usize {
        self.rows.len()
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let values = self.values.iter().map(Values::memory).sum::<usize>();
        let lists = size_of_val(&self.members[..]) + size_of_val(&self.rows[..]);
        lists + size_of_val(&self.values[..]) + values
    }

    /// One combination of each group.
    pub fn members(&self) -> &[u32] {
        &self.members
    }

    /// The number of rows of each group.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// The sensitive columns, in the order the bottom set was given them.
    pub fn values(&self) -> &[Values] {
        &self.values
    }
}
