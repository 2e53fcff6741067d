//! How long work is watched and stopped without the engine knowing PostgreSQL.

use crate::Result;

/// What a long piece of work is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// rows are read into typed columns
    Reading = 1,
    /// rows are cut into groups
    Grouping = 2,
    /// a grouping is improved by local search
    Refining = 3,
    /// lattice nodes are evaluated
    Searching = 4,
    /// columns are permuted within groups
    Permuting = 5,
    /// masked rows are written
    Writing = 6,
    /// groups are checked against what is required of them
    Checking = 7,
    /// the figures of a report are gathered
    Reporting = 8,
}

/// Watches long work. Algorithms call [`advance`](Monitor::advance) at least every few
/// milliseconds; an `Err` makes them stop and return it.
pub trait Monitor {
    /// A phase begins; `total` counts its units of work (mostly rows), 0 when unknown.
    fn start(&mut self, _phase: Phase, _total: u64) {}

    /// `done` units of the phase are done. `Err(Error::Interrupted)` stops the work.
    fn advance(&mut self, _done: u64) -> Result<()> {
        Ok(())
    }
}

/// Nobody watches: tests and benchmarks.
pub struct Unwatched;

impl Monitor for Unwatched {}

/// Counts how often it is called: once for a fixed amount of work.
#[cfg(test)]
#[derive(Default)]
pub(crate) struct Calls(pub usize);

#[cfg(test)]
impl Monitor for Calls {
    fn advance(&mut self, _done: u64) -> Result<()> {
        self.0 += 1;
        Ok(())
    }
}
