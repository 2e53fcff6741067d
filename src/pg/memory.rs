//! Memory that follows the size of the data: one limit for all that a call holds, Rust's memory
//! and PostgreSQL's. An allocation that fails must come back as an error: left to itself it
//! would abort the whole database server.

use crate::pg::errors::known;
use crate::pg::settings;
use pgrx::PgMemoryContexts;
use pgrx::pg_sys::{self, MemoryContext};
use sdc_engine::{allocation, limits};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

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
    ///
    /// # Safety
    /// The context must be valid.
    pub unsafe fn until_reset(self, context: MemoryContext) {
        PgMemoryContexts::For(context).leak_and_drop_on_delete(self);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        limits::give_back(self.0);
    }
}

/// A memory context of PostgreSQL whose size follows the data.
pub struct CountedContext {
    memory: PgMemoryContexts,
    charge: Charge,
}

impl CountedContext {
    pub fn new(name: &'static str) -> Self {
        CountedContext {
            memory: PgMemoryContexts::new(name),
            charge: Charge::new(0),
        }
    }

    pub fn value(&self) -> MemoryContext {
        self.memory.value()
    }

    /// Does something in the context.
    ///
    /// # Safety
    /// What it allocates there must not be used after the context is gone.
    pub unsafe fn within<T>(&mut self, act: impl FnOnce() -> T) -> T {
        // SAFETY: as promised by the caller.
        unsafe {
            let before = pg_sys::MemoryContextSwitchTo(self.memory.value());
            let result = act();
            pg_sys::MemoryContextSwitchTo(before);
            result
        }
    }

    /// Counts what has been allocated in the context so far; an error if it is too much. To be
    /// called every thousand values or so.
    pub fn count(&mut self) {
        // SAFETY: the context is ours.
        let bytes = unsafe { pg_sys::MemoryContextMemAllocated(self.memory.value(), true) };
        self.charge.set(bytes as usize);
    }
}
