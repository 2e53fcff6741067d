//! Memory that follows the size of the data. An allocation that fails must come back as an
//! error: left to itself it would abort the whole database server.

use crate::pg::errors::Failure;
use crate::pg::settings;
use pgrx::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An empty vector with room for `len` items.
pub fn reserved<T>(len: usize) -> Vec<T> {
    settings::check_memory(len * size_of::<T>());
    let mut items = Vec::new();
    if items.try_reserve_exact(len).is_err() {
        out_of_memory(len * size_of::<T>());
    }
    items
}

/// A vector of the items of an iterator that knows its length.
pub fn collected<T>(source: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut items = reserved(source.len());
    items.extend(source);
    items
}

/// Makes room for `more` items at least.
pub fn grow<T>(items: &mut Vec<T>, more: usize) {
    if items.try_reserve(more).is_err() {
        out_of_memory((items.len() + more) * size_of::<T>());
    }
}

/// Appends an item.
pub fn push<T>(items: &mut Vec<T>, item: T) {
    if items.len() == items.capacity() {
        grow(items, 1 + items.len() / 2);
    }
    items.push(item);
}

/// Appends bytes.
pub fn append(bytes: &mut Vec<u8>, more: &[u8]) {
    if bytes.capacity() - bytes.len() < more.len() {
        grow(bytes, more.len());
    }
    bytes.extend_from_slice(more);
}

#[cold]
pub fn out_of_memory(bytes: usize) -> ! {
    Failure::new(PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY, "out of memory")
        .detail(format!("Failed on a request for {bytes} bytes."))
        .raise()
}

/// What all accounts of this process hold together.
static HELD: AtomicUsize = AtomicUsize::new(0);

/// The memory of one of many states that live at the same time, as in GROUP BY: all of them
/// together must stay below `sdc.max_memory`.
#[derive(Default)]
pub struct Account {
    bytes: usize,
}

impl Account {
    /// Notes what is held now; an error if it is too much.
    pub fn set(&mut self, bytes: usize) {
        settings::check_memory(self.note(bytes));
    }

    /// Notes what is held now; false if it is too much.
    pub fn try_set(&mut self, bytes: usize) -> bool {
        settings::within_memory(self.note(bytes))
    }

    /// What all accounts hold when this one holds so many bytes.
    fn note(&mut self, bytes: usize) -> usize {
        let held = HELD.load(Ordering::Relaxed) - self.bytes + bytes;
        HELD.store(held, Ordering::Relaxed);
        self.bytes = bytes;
        held
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        HELD.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
