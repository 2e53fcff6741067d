//! Turns work done into calls of the monitor, often enough and not too often.

use super::limits;
use crate::{Monitor, Phase, Result};

/// Rows looked at between two calls of the monitor: about a millisecond.
const PACE: usize = 1 << 18;

/// A monitor that is called once in a while, however small the steps of the work are.
pub struct Meter<'a> {
    monitor: &'a mut dyn Monitor,
    done: u64,
    work: usize,
}

impl<'a> Meter<'a> {
    /// A phase of `total` rows begins.
    pub fn start(monitor: &'a mut dyn Monitor, phase: Phase, total: usize) -> Self {
        monitor.start(phase, total as u64);
        Meter {
            monitor,
            done: 0,
            work: 0,
        }
    }

    /// `rows` more rows have their group.
    pub fn grouped(&mut self, rows: usize) {
        self.done += rows as u64;
    }

    /// `rows` rows were looked at; an `Err` says that the work must stop.
    #[inline]
    pub fn spend(&mut self, rows: usize) -> Result<()> {
        self.work += rows;
        if self.work < PACE {
            return Ok(());
        }
        self.report()
    }

    /// Calls the monitor now.
    pub fn report(&mut self) -> Result<()> {
        self.work = 0;
        limits::room(0)?;
        self.monitor.advance(self.done)
    }
}
