//! The groups of nodes that were evaluated and failed: from them the groups of nodes above
//! follow more quickly than from the bottom.

use super::frequency::FrequencySet;
use std::collections::VecDeque;

/// Keeps the latest sets, up to a number of groups in all.
pub(super) struct Sources {
    sets: VecDeque<(Vec<usize>, FrequencySet)>,
    groups: usize,
    room: usize,
}

impl Sources {
    /// Room for a few times the bottom's groups, and never for less than some megabytes.
    pub fn new(combinations: usize) -> Self {
        Sources {
            sets: VecDeque::new(),
            groups: 0,
            room: 4 * combinations + (1 << 19),
        }
    }

    /// The smallest set from which the groups of a node with these levels follow.
    pub fn best(&self, levels: &[usize]) -> Option<&FrequencySet> {
        let below = |(other, _): &&(Vec<usize>, FrequencySet)| {
            levels
                .iter()
                .zip(other)
                .all(|(level, other)| level >= other)
        };
        let sets = self.sets.iter().filter(below).map(|(_, set)| set);
        sets.min_by_key(|set| set.groups())
    }

    /// Keeps the groups of a node; the oldest sets go when there is no room.
    pub fn keep(&mut self, levels: Vec<usize>, set: FrequencySet) {
        self.groups += set.groups();
        self.sets.push_back((levels, set));
        while self.groups > self.room {
            let Some((_, oldest)) = self.sets.pop_front() else {
                break;
            };
            self.groups -= oldest.groups();
        }
    }
}
