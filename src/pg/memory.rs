//! Memory that follows the size of the data: one limit for all that a call holds, Rust's memory
//! and PostgreSQL's. An allocation that fails must come back as an error: left to itself it
//! would abort the whole database server.

use crate::pg::errors::known;
use crate::pg::memory_context::Context;
use crate::pg::progress::ROWS_BETWEEN_CHECKS;
use crate::pg::settings;
use pgrx::pg_sys;
use sdc_engine::{allocation, limits, threads};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

/// What this process held when the transaction made its first call.
static BASELINE: AtomicUsize = AtomicUsize::new(0);

/// A call begins: from now on it and whatever else the transaction holds stay below the limit
/// that the settings name now. What outlived earlier transactions (caches, and what an error
/// may have left behind) does not count.
pub fn begin_call() {
    static TRANSACTION: AtomicU64 = AtomicU64::new(0);
    let transaction = transaction();
    if TRANSACTION.load(Ordering::Relaxed) != transaction {
        TRANSACTION.store(transaction, Ordering::Relaxed);
        BASELINE.store(limits::held(), Ordering::Relaxed);
    }
    let baseline = BASELINE.load(Ordering::Relaxed);
    limits::set_limit(baseline.saturating_add(settings::most_memory()));
    threads::set_count(settings::threads());
}

/// The number of this process's transaction. Numbers are given out again after four billion.
fn transaction() -> u64 {
    // SAFETY: this process's own entry, which it alone changes; null before it has one.
    unsafe {
        let Some(process) = pg_sys::MyProc.as_ref() else {
            return 0;
        };
        #[cfg(any(feature = "pg14", feature = "pg15", feature = "pg16"))]
        return 1 + u64::from(process.lxid);
        #[cfg(not(any(feature = "pg14", feature = "pg15", feature = "pg16")))]
        return 1 + u64::from(process.vxid.lxid);
    }
}

/// How much of so many bytes the transaction took.
pub fn since_baseline(bytes: usize) -> usize {
    bytes.saturating_sub(BASELINE.load(Ordering::Relaxed))
}

/// An error unless so many bytes more are within the limit.
pub fn room(bytes: usize) {
    known(limits::room(bytes));
}

/// An empty vector with room for `len` items.
pub fn reserved<T>(len: usize) -> Vec<T> {
    known(allocation::reserved(len))
}

/// A vector of the items of an iterator that knows its length.
pub fn collected<T>(source: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    known(allocation::collected(source))
}

/// Makes room for `more` items at least.
#[inline]
pub fn grow<T>(items: &mut Vec<T>, more: usize) {
    known(allocation::make_room(items, more));
}

/// Appends an item.
#[inline]
pub fn push<T>(items: &mut Vec<T>, item: T) {
    grow(items, 1);
    items.push(item);
}

/// Appends bytes.
#[inline]
pub fn append(bytes: &mut Vec<u8>, more: &[u8]) {
    grow(bytes, more.len());
    bytes.extend_from_slice(more);
}

/// Memory that is not Rust's and counts all the same, as long as this lives.
pub struct Charge(usize);

impl Charge {
    /// Counts so many bytes; an error if they are too many.
    pub fn new(bytes: usize) -> Self {
        let mut charge = Charge(0);
        charge.set(bytes);
        charge
    }

    /// Counts so many bytes instead; an error if they are too many.
    pub fn set(&mut self, bytes: usize) {
        let before = std::mem::replace(&mut self.0, bytes);
        limits::take(bytes);
        limits::give_back(before);
        room(0);
    }

    /// Counts until a memory context of PostgreSQL is reset.
    pub fn until_reset(self, context: Context) {
        context.keep(self);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        limits::give_back(self.0);
    }
}

/// The memory context of the call that is watched, what was there when it began, and what has
/// been counted of it.
static CONTEXT: AtomicPtr<pg_sys::MemoryContextData> = AtomicPtr::new(null_mut());
static BEFORE: AtomicUsize = AtomicUsize::new(0);
static COUNTED: AtomicUsize = AtomicUsize::new(0);

/// Counts the memory of PostgreSQL that a call takes: all of the context it begins in, and of
/// those below. A call within another one is counted with it.
pub struct CallMemory {
    outermost: bool,
}

impl CallMemory {
    pub fn begin() -> Self {
        let outermost = CONTEXT.load(Ordering::Relaxed).is_null();
        if outermost {
            let context = Context::current();
            BEFORE.store(context.bytes(), Ordering::Relaxed);
            CONTEXT.store(context.raw(), Ordering::Relaxed);
        }
        CallMemory { outermost }
    }

    /// Counts what there is now.
    pub fn count(&self) {
        let context = CONTEXT.load(Ordering::Relaxed);
        if !context.is_null() {
            // SAFETY: the context of the outermost call, which still runs.
            let context = unsafe { Context::new(context) };
            recount(
                context
                    .bytes()
                    .saturating_sub(BEFORE.load(Ordering::Relaxed)),
            );
        }
    }
}

impl Drop for CallMemory {
    fn drop(&mut self) {
        if self.outermost {
            CONTEXT.store(null_mut(), Ordering::Relaxed);
            recount(0);
        }
    }
}

fn recount(bytes: usize) {
    limits::take(bytes);
    limits::give_back(COUNTED.swap(bytes, Ordering::Relaxed));
}

/// A vector of values that PostgreSQL makes, and holds until the call is over.
pub fn collected_values<T>(source: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut values = reserved(source.len());
    for value in source {
        values.push(value);
        if values.len().is_multiple_of(ROWS_BETWEEN_CHECKS) {
            CallMemory { outermost: false }.count();
            known(limits::pulse());
        }
    }
    values
}
