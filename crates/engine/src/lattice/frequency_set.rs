//! The groups of one node, and how a coarser node's follow from them.

use super::{
    Combinations, group_numbering::Numbering, group_population::GroupPopulation,
    group_values::GroupValues,
};
use crate::Result;
use crate::run::Meter;
use crate::run::allocation;

/// The groups of a node: their rows and sensitive values. Enough to derive the groups of any
/// node above without looking at the table again (the roll-up of Incognito).
#[derive(Debug)]
pub(super) struct FrequencySet {
    /// one combination of each group: with the node's levels it names the group
    members: Vec<u32>,
    rows: Vec<u64>,
    values: Vec<GroupValues>,
    population: Option<GroupPopulation>,
    /// which groups are kept, where NULL matches every value: then groups have no say of their own
    core: Option<Vec<bool>>,
}

impl FrequencySet {
    /// The groups of the bottom node, each a combination, with the sensitive columns given.
    pub fn bottom(combinations: &Combinations, values: Vec<GroupValues>) -> Result<Self> {
        Ok(FrequencySet {
            members: allocation::collected(0..combinations.len() as u32)?,
            rows: allocation::collected(combinations.tally().sizes().iter().copied())?,
            values,
            population: match combinations.population() {
                Some((persons, limits)) => Some(GroupPopulation::new(persons, limits)?),
                None => None,
            },
            core: None,
        })
    }

    /// The groups of a node at or above this one.
    pub fn roll_up(
        &self,
        combinations: &Combinations,
        node: usize,
        numbering: &mut Numbering,
        meter: &mut Meter<'_>,
    ) -> Result<Self> {
        let members = numbering.number(combinations, node, &self.members, meter)?;
        let group_of = numbering.group_of();
        let groups = members.len();
        let mut rows = allocation::filled(groups, 0)?;
        for (&group, count) in group_of.iter().zip(&self.rows) {
            rows[group as usize] += count;
        }
        let merge = |values: &GroupValues| values.merged(group_of, groups);
        let values = self.values.iter().map(merge).collect::<Result<_>>()?;
        let population = self.population.as_ref();
        let population = population.map(|population| population.merged(group_of, groups));
        Ok(FrequencySet {
            members,
            rows,
            values,
            population: population.transpose()?,
            core: None,
        })
    }

    pub fn groups(&self) -> usize {
        self.rows.len()
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let values = self.values.iter().map(GroupValues::memory).sum::<usize>();
        let lists = size_of_val(&self.members[..]) + size_of_val(&self.rows[..]);
        let population = self.population.as_ref().map_or(0, GroupPopulation::memory);
        let core = self.core.as_ref().map_or(0, Vec::len);
        lists + size_of_val(&self.values[..]) + values + population + core
    }

    /// The same with the groups that are kept.
    pub fn with_core(self, core: Vec<bool>) -> Self {
        FrequencySet {
            core: Some(core),
            ..self
        }
    }

    /// Which groups are kept, where NULL matches every value.
    pub fn core(&self) -> Option<&[bool]> {
        self.core.as_deref()
    }

    /// One combination of each group.
    pub fn members(&self) -> &[u32] {
        &self.members
    }

    /// The number of rows of each group.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// What the groups are in the population, where one was counted.
    pub fn population(&self) -> Option<&GroupPopulation> {
        self.population.as_ref()
    }

    /// The sensitive columns, in the order the bottom set was given them.
    pub fn values(&self) -> &[GroupValues] {
        &self.values
    }
}
