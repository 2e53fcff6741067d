//! What all work of a process keeps to, whichever call asked for it: one limit on memory, and one way
//! to be stopped.
//!
//! Both are of the process. A limit that each piece of work kept for itself would not hold for all
//! of them together, and a loop that nobody handed a [`Monitor`](crate::Monitor) could not be
//! stopped. A program that embeds the engine says what the limit is, counts what is allocated (its
//! global allocator calls [`take`] and [`give_back`]), and says when to stop. Without that
//! nothing is refused and nothing is stopped.

use crate::{Error, Result};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

static HELD: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
static STOP: OnceLock<fn() -> bool> = OnceLock::new();

/// So many bytes were allocated.
#[inline]
pub fn take(bytes: usize) {
    HELD.fetch_add(bytes, Ordering::Relaxed);
}

/// So many bytes were freed.
#[inline]
pub fn give_back(bytes: usize) {
    HELD.fetch_sub(bytes, Ordering::Relaxed);
}

/// The bytes that are allocated now.
pub fn held() -> usize {
    HELD.load(Ordering::Relaxed)
}

/// The most bytes that may be allocated from now on.
pub fn set_limit(bytes: usize) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// Whether so many bytes more are within the limit.
pub fn fits(more: usize) -> bool {
    held().saturating_add(more) <= LIMIT.load(Ordering::Relaxed)
}

/// How many bytes more are within the limit: what a cache may take a part of.
pub fn left() -> usize {
    LIMIT.load(Ordering::Relaxed).saturating_sub(held())
}

/// An error unless so many bytes more are within the limit.
pub fn room(more: usize) -> Result<()> {
    match fits(more) {
        true => Ok(()),
        false => Err(Error::OverLimit {
            bytes: held().saturating_add(more),
        }),
    }
}

/// Names the function that says whether work must stop. It is asked often, by whatever runs
/// long, and must be quick. The first one stays.
pub fn stop_when(asked: fn() -> bool) {
    let _ = STOP.set(asked);
}

thread_local! {
    /// What a computing thread asks instead: the function may be for the first thread alone.
    static OWN_FLAG: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Lets a flag say when the work of this thread must stop.
pub(super) fn obey(flag: Arc<AtomicBool>) {
    OWN_FLAG.with(|own| *own.borrow_mut() = Some(flag));
}

/// Whether this thread has a flag of its own.
pub(super) fn has_own_flag() -> bool {
    OWN_FLAG.with(|own| own.borrow().is_some())
}

/// Whether work must stop.
pub(crate) fn stopped() -> bool {
    let own = OWN_FLAG.with(|own| {
        let own = own.borrow();
        own.as_ref().map(|flag| flag.load(Ordering::Relaxed))
    });
    own.unwrap_or_else(|| STOP.get().is_some_and(|asked| asked()))
}

/// An error if work must stop, or if the memory that it holds has passed the limit: many small
/// allocations, which nobody refuses, can do that.
pub fn pulse() -> Result<()> {
    if stopped() {
        return Err(Error::Interrupted);
    }
    room(0)
}

/// Items between two calls of [`pulse`]: about a millisecond.
const PACE: usize = 1 << 16;

/// Feels the pulse once in a while, in loops that have no monitor.
#[derive(Default)]
pub struct Pulse {
    steps: usize,
}

impl Pulse {
    /// `items` items were looked at; an `Err` says that the work must stop.
    #[inline]
    pub fn spend(&mut self, items: usize) -> Result<()> {
        self.steps += items;
        if self.steps < PACE {
            return Ok(());
        }
        self.steps = 0;
        pulse()
    }
}
