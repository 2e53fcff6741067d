//! Groups in the population that a table was taken from: k-map and delta-presence of a node.

use super::{Combinations, Requirement, node_figures};
use crate::run::allocation;
use crate::{Monitor, Result};

/// What is required of the groups of a table in its population.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PopulationLimits {
    /// persons that each group has there at least
    pub k_map: u64,
    /// the largest share of them that may be in the table
    pub delta: Option<f64>,
}

/// What the groups that a node keeps have in the population.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PopulationFigures {
    /// persons of the group that has fewest
    pub k_map: u64,
    /// the largest share of a group that is in the table
    pub delta: f64,
}

/// The persons of each group of a node, and what is required of them.
#[derive(Debug)]
pub(super) struct GroupPopulation {
    persons: Vec<u64>,
    limits: PopulationLimits,
}

impl GroupPopulation {
    pub fn new(persons: &[u64], limits: PopulationLimits) -> Result<Self> {
        Ok(GroupPopulation {
            persons: allocation::collected(persons.iter().copied())?,
            limits,
        })
    }

    /// The same after each group has become part of the group that `group_of` names.
    pub fn merged(&self, group_of: &[u32], groups: usize) -> Result<Self> {
        let mut persons = allocation::filled(groups, 0)?;
        for (&group, count) in group_of.iter().zip(&self.persons) {
            persons[group as usize] += count;
        }
        Ok(GroupPopulation {
            persons,
            limits: self.limits,
        })
    }

    pub fn of(&self, group: usize) -> u64 {
        self.persons[group]
    }

    /// Whether a group has the persons that it needs. A group that it becomes part of has, too.
    pub fn are_enough(&self, group: usize) -> bool {
        self.persons[group] >= self.limits.k_map
    }

    /// Whether few enough of a group's persons are in the table.
    pub fn are_sparse(&self, group: usize, rows: u64) -> bool {
        let delta = self.limits.delta;
        delta.is_none_or(|delta| share(rows, self.persons[group]) <= delta)
    }

    pub fn memory(&self) -> usize {
        size_of_val(&self.persons[..])
    }
}

/// What a node achieves in the population; `None` where none was counted, or nothing is kept.
pub fn population_figures(
    combinations: &Combinations,
    requirement: &Requirement<'_>,
    node: usize,
    monitor: &mut dyn Monitor,
) -> Result<Option<PopulationFigures>> {
    let (_, set) = node_figures::evaluated(combinations, requirement, node, monitor)?;
    let Some(population) = set.population() else {
        return Ok(None);
    };
    let kept = (0..set.groups()).filter(|&group| requirement.is_met(&set, group));
    let figures = kept.map(|group| {
        let persons = population.of(group);
        PopulationFigures {
            k_map: persons,
            delta: share(set.rows()[group], persons),
        }
    });
    Ok(figures.reduce(|a, b| PopulationFigures {
        k_map: a.k_map.min(b.k_map),
        delta: a.delta.max(b.delta),
    }))
}

fn share(rows: u64, persons: u64) -> f64 {
    rows as f64 / persons.max(1) as f64
}
