//! The groups of nodes that were evaluated and failed: from them the groups of nodes above
//! follow more quickly than from the bottom.

use super::{Lattice, frequency::FrequencySet};
use std::collections::VecDeque;

/// Keeps the latest sets, up to a number of groups in all.
pub(super) struct Sources {
    sets: VecDeque<(usize, FrequencySet)>,
    groups: usize,
    room: usize,
}

impl Sources {
    pub fn new(room: usize) -> Self {
        Sources {
            sets: VecDeque::new(),
            groups: 0,
            room,
        }
    }

    /// The smallest set from which the groups of `node` follow.
    pub fn best(&self, lattice: &Lattice, node: usize) -> Option<&FrequencySet> {
        let below = self
            .sets
            .iter()
            .filter(|(other, _)| lattice.covers(node, *other));
        below.map(|(_, set)| set).min_by_key(|set| set.groups())
    }

    /// Keeps a set; the oldest ones go when there is no room.
    pub fn keep(&mut self, node: usize, set: FrequencySet) {
        self.groups += set.groups();
        self.sets.push_back((node, set));
        while self.groups > self.room {
            let Some((_, oldest)) = self.sets.pop_front() else {
                break;
            };
            self.groups -= oldest.groups();
        }
    }
}
