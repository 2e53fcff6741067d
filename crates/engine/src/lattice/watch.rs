//! A monitor and how far the search has come.

use crate::{Monitor, Phase, Result};

/// Lets inner loops look at the monitor without knowing how much of the search is done.
pub(super) struct Watch<'a> {
    monitor: &'a mut dyn Monitor,
    /// nodes that are decided
    pub done: u64,
}

impl<'a> Watch<'a> {
    pub fn new(monitor: &'a mut dyn Monitor, nodes: usize) -> Self {
        monitor.start(Phase::Searching, nodes as u64);
        Watch { monitor, done: 0 }
    }

    /// Reports; an error stops the search.
    pub fn look(&mut self) -> Result<()> {
        self.monitor.advance(self.done)
    }
}
