//! Interrupts and progress: the engine's monitor on PostgreSQL's side, and what `sdc.progress` reads.

use crate::pg::errors;
use crate::pg::memory::CallMemory;
use crate::pg::privileges;
use pgrx::prelude::*;
use sdc_engine::{Monitor, Phase, Result, limits};

/// The number that marks our entries among the progress commands of all backends.
const COMMAND: pg_sys::ProgressCommandType::Type = 0x5dc;
const PHASE: i32 = 0;
const DONE: i32 = 1;
const TOTAL: i32 = 2;

/// Interrupts and memory are looked at every so many rows that are read or written: often enough
/// to stop within milliseconds, rarely enough to cost nothing.
pub const ROWS_BETWEEN_CHECKS: usize = 4096;

/// Watches a call of the engine: answers Ctrl-C and shows progress as `pg_stat_progress_*` do.
pub struct Watch {
    reports: bool,
    /// whether the entry ends with this watch; a watch within another one shares its entry
    ends: bool,
    memory: CallMemory,
}

impl Watch {
    /// Watches work on `relation`, or on rows that come from no single relation.
    pub fn new(relation: Option<pg_sys::Oid>) -> Self {
        // SAFETY: MyBEEntry is this backend's own status entry or null; only read here.
        let command = unsafe { pg_sys::MyBEEntry.as_ref() }.map(|entry| entry.st_progress_command);
        let idle = command == Some(pg_sys::ProgressCommandType::PROGRESS_COMMAND_INVALID);
        if idle {
            let relation = relation.unwrap_or(pg_sys::InvalidOid);
            // SAFETY: no other command of this backend reports progress now.
            unsafe { pg_sys::pgstat_progress_start_command(COMMAND, relation) };
        }
        Watch {
            reports: idle || command == Some(COMMAND),
            ends: idle,
            memory: CallMemory::begin(),
        }
    }

    /// `done` units of the phase are done: shows it, and ends the statement where the caller
    /// wants that. The engine's own loops call [`Monitor::advance`] instead.
    pub fn tick(&mut self, done: u64) {
        errors::known(self.advance(done));
    }

    fn update(&self, parameter: i32, value: u64) {
        if self.reports {
            // SAFETY: the entry is ours since `new` and until `drop`.
            unsafe { pg_sys::pgstat_progress_update_param(parameter, value as i64) };
        }
    }
}

impl Monitor for Watch {
    fn start(&mut self, phase: Phase, total: u64) {
        self.update(PHASE, phase as u64);
        self.update(DONE, 0);
        self.update(TOTAL, total);
    }

    fn advance(&mut self, done: u64) -> Result<()> {
        self.update(DONE, done);
        self.memory.count();
        unless_interrupted()
    }
}

/// The one way in which long work learns that it must stop: the engine returns this error, and
/// [`errors::engine`] raises what PostgreSQL has to say about it once all frames of the
/// engine have returned. Other interrupts are dealt with here, and work goes on. Memory that many
/// small values took is looked at as well.
fn unless_interrupted() -> Result<()> {
    limits::pulse()?;
    let signals = Signals::now();
    if signals.pending && !signals.held {
        pgrx::check_for_interrupts!();
    }
    Ok(())
}

/// What this backend was told by its signal handlers.
struct Signals {
    /// whether there is an interrupt
    pending: bool,
    /// whether none may be served now
    held: bool,
    /// whether the statement is cancelled or timed out, or the backend told to go
    end: bool,
}

impl Signals {
    fn now() -> Self {
        // SAFETY: reads flags of this backend.
        unsafe {
            Signals {
                pending: (&raw const pg_sys::InterruptPending).read_volatile() != 0,
                held: pg_sys::InterruptHoldoffCount > 0 || pg_sys::CritSectionCount > 0,
                end: (&raw const pg_sys::QueryCancelPending).read_volatile() != 0
                    || (&raw const pg_sys::ProcDiePending).read_volatile() != 0,
            }
        }
    }
}

/// Whether the statement is cancelled, timed out, or its backend told to go. The engine asks
/// this wherever it works long.
pub fn stops() -> bool {
    let signals = Signals::now();
    signals.pending && !signals.held && signals.end
}

/// Answers interrupts and shows nothing.
pub struct Interrupts;

impl Monitor for Interrupts {
    fn advance(&mut self, _done: u64) -> Result<()> {
        unless_interrupted()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if self.ends {
            // SAFETY: ends the command that `new` started; harmless if an error ended it already.
            unsafe { pg_sys::pgstat_progress_end_command() };
        }
    }
}

const PHASES: [&str; 9] = [
    "initializing",
    "reading rows",
    "grouping rows",
    "refining groups",
    "searching lattice",
    "permuting columns",
    "writing rows",
    "checking groups",
    "reporting",
];

/// Others' work is shown as pg_stat_progress_* show it: to members of their role, and to
/// those who may read all statistics.
fn may_see(owner: pg_sys::Oid) -> bool {
    let readers = pg_sys::Oid::from(pg_sys::ROLE_PG_READ_ALL_STATS);
    privileges::has_rights_of(owner) || privileges::has_rights_of(readers)
}

/// Long-running calls of all sessions that the caller may see; read it through the view sdc.progress.
#[pg_extern(volatile, parallel_restricted)]
fn progress_info() -> TableIterator<
    'static,
    (
        name!(pid, i32),
        name!(relid, pg_sys::Oid),
        name!(datid, pg_sys::Oid),
        name!(phase, String),
        name!(done, i64),
        name!(total, i64),
    ),
> {
    let mut calls = Vec::new();
    // SAFETY: the functions return pointers into a local copy of the backend status array.
    unsafe {
        for index in 1..=pg_sys::pgstat_fetch_stat_numbackends() {
            #[cfg(any(feature = "pg14", feature = "pg15"))]
            let local = pg_sys::pgstat_fetch_stat_local_beentry(index);
            #[cfg(not(any(feature = "pg14", feature = "pg15")))]
            let local = pg_sys::pgstat_get_local_beentry_by_index(index);
            if local.is_null() || (*local).backendStatus.st_progress_command != COMMAND {
                continue;
            }
            let status = &(*local).backendStatus;
            if !may_see(status.st_userid) {
                continue;
            }
            let parameters = &status.st_progress_param;
            let phase = PHASES.get(parameters[PHASE as usize] as usize);
            calls.push((
                status.st_procpid,
                status.st_progress_command_target,
                status.st_databaseid,
                phase.copied().unwrap_or("unknown").to_string(),
                parameters[DONE as usize],
                parameters[TOTAL as usize],
            ));
        }
    }
    TableIterator::new(calls)
}
