//! The groups of nodes that were evaluated and failed: from them the groups of nodes above
//! follow more quickly than from the bottom.

use super::frequency_set::FrequencySet;
use crate::Result;
use crate::run::allocation::granted;
use crate::run::{Meter, limits};
use std::collections::VecDeque;

/// As many sets are kept as can be looked through for every node. In large lattices most sets
/// are small, and one more of them saves less than it costs to pass it by.
const MOST: usize = 128;

/// Keeps the latest sets, up to a number of them and of bytes.
pub(super) struct Sources {
    sets: VecDeque<Source>,
    bytes: usize,
    room: usize,
}

/// A node's levels and groups.
struct Source {
    levels: Vec<usize>,
    set: FrequencySet,
}

impl Source {
    fn memory(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.levels[..]) + self.set.memory()
    }

    /// Whether the groups of a node with these levels follow from it.
    fn is_below(&self, levels: &[usize]) -> bool {
        let mut levels = self.levels.iter().zip(levels);
        levels.all(|(own, level)| own <= level)
    }
}

impl Sources {
    /// Room for a few sets as large as the bottom's, and never for less than some megabytes
    /// unless the process has no more.
    pub fn new(bottom: &FrequencySet) -> Result<Self> {
        let mut sets = VecDeque::new();
        let bytes = (MOST + 1) * size_of::<Source>();
        granted(bytes, || sets.try_reserve_exact(MOST + 1))?;
        Ok(Sources {
            sets,
            bytes: 0,
            room: (4 * bottom.memory() + (16 << 20)).min(limits::left() / 2),
        })
    }

    /// The smallest set from which the groups of a node with these levels follow.
    pub fn best(&self, levels: &[usize], meter: &mut Meter<'_>) -> Result<Option<&FrequencySet>> {
        meter.spend(self.sets.len())?;
        let below = self.sets.iter().filter(|source| source.is_below(levels));
        Ok(below
            .map(|source| &source.set)
            .min_by_key(|set| set.groups()))
    }

    /// Keeps the groups of a node; the oldest sets go when there is no room.
    pub fn keep(&mut self, levels: Vec<usize>, set: FrequencySet) {
        let source = Source { levels, set };
        self.bytes += source.memory();
        self.sets.push_back(source);
        while self.bytes > self.room || self.sets.len() > MOST {
            let Some(oldest) = self.sets.pop_front() else {
                break;
            };
            self.bytes -= oldest.memory();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Combinations, Counter, Hierarchy};
    use super::*;

    fn combinations() -> Combinations {
        let hierarchy = Hierarchy::new(2, &[vec![0, 0]]).unwrap();
        let mut counter = Counter::new(vec![hierarchy], 0).unwrap();
        for key in 0..2 {
            counter.add(&[key], &[]).unwrap();
        }
        counter.combinations().unwrap()
    }

    #[test]
    fn small_sets_are_not_kept_in_any_number() {
        let combinations = combinations();
        let set = || FrequencySet::bottom(&combinations, Vec::new()).unwrap();
        let mut sources = Sources::new(&set()).unwrap();
        let room = sources.sets.capacity();
        for level in 0..10 * MOST {
            sources.keep(vec![level], set());
        }
        assert_eq!((sources.sets.len(), sources.sets.capacity()), (MOST, room));
        assert!(sources.bytes > MOST * (size_of::<Source>() + size_of::<usize>()));
        let oldest = 9 * MOST;
        let mut monitor = crate::Unwatched;
        let meter = &mut Meter::start(&mut monitor, crate::Phase::Searching, 0);
        assert!(sources.best(&[oldest - 1], meter).unwrap().is_none());
        assert!(sources.best(&[oldest], meter).unwrap().is_some());
    }
}
