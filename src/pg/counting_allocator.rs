//! Rust's memory, counted. PostgreSQL's own is counted where it follows the data: see
//! [`memory`](crate::pg::memory).

use sdc_engine::limits;
use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, with a count of what it holds. It refuses nothing: a request that
/// cannot fail and is refused aborts the server. Code that allocates much asks
/// [`limits::room`] first.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

/// What the system's allocator takes for a request: a word beside it, sixteens of bytes, and
/// 32 of them at least. Millions of small values take several times their size.
#[inline]
fn footprint(bytes: usize) -> usize {
    (bytes.saturating_add(23) & !15).max(32)
}

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        taken(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        taken(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        let moved = unsafe { System.realloc(memory, layout, size) };
        if !moved.is_null() {
            limits::give_back(footprint(layout.size()));
        }
        taken(moved, size)
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        limits::give_back(footprint(layout.size()));
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Counts memory that was there.
#[inline]
fn taken(memory: *mut u8, bytes: usize) -> *mut u8 {
    if !memory.is_null() {
        limits::take(footprint(bytes));
    }
    memory
}
