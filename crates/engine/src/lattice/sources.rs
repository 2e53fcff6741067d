//! The groups of nodes that were evaluated and failed: from them the groups of nodes above
//! follow more quickly than from the bottom.

use super::frequency::FrequencySet;
use std::collections::VecDeque;

/// Keeps the latest sets, up to a number of bytes.
pub(super) struct Sources {
    sets: VecDeque<(Vec<usize>, FrequencySet)>,
    bytes: usize,
    room: usize,
}

impl Sources {
    /// Room for a few sets as large as the bottom's, and never for less than some megabytes.
    pub fn new(bottom: &FrequencySet) -> Self {
        Sources {
            sets: VecDeque::new(),
            bytes: 0,
            room: 4 * bottom.memory() + (16 << 20),
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
        self.bytes += set.memory();
        self.sets.push_back((levels, set));
        while self.bytes > self.room {
            let Some((_, oldest)) = self.sets.pop_front() else {
                break;
            };
            self.bytes -= oldest.memory();
        }
    }
}
