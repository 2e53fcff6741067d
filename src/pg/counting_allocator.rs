//! Rust's memory, counted. PostgreSQL's own is counted where it follows the data: see
//! [`memory`](crate::pg::memory).

use sdc_engine::limits;
use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, with a count of what it holds. It refuses nothing: a request that
/// cannot fail and is refused aborts the server. Whoever allocates much asks
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

// SAFETY: the system's allocator or the kernel does the work, the same one for requests of the
// same size.
unsafe impl GlobalAlloc for Counting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let memory = match pages::serve(layout) {
            true => pages::map(layout.size()),
            // SAFETY: as the caller promises.
            false => unsafe { System.alloc(layout) },
        };
        taken(memory, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let memory = match pages::serve(layout) {
            true => pages::map(layout.size()),
            // SAFETY: as the caller promises.
            false => unsafe { System.alloc_zeroed(layout) },
        };
        taken(memory, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises a size that is not 0 and does not overflow.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: as the caller promises.
        let moved = match (pages::serve(layout), pages::serve(wanted)) {
            (true, true) => unsafe { pages::remap(memory, layout.size(), size) },
            (false, false) => unsafe { System.realloc(memory, layout, size) },
            _ => return unsafe { self.copy(memory, layout, wanted) },
        };
        if !moved.is_null() {
            limits::give_back(footprint(layout.size()));
        }
        taken(moved, size)
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        limits::give_back(footprint(layout.size()));
        // SAFETY: as the caller promises.
        match pages::serve(layout) {
            true => unsafe { pages::unmap(memory, layout.size()) },
            false => unsafe { System.dealloc(memory, layout) },
        }
    }
}

impl Counting {
    /// Moves memory from the one to the other.
    #[cold]
    unsafe fn copy(&self, memory: *mut u8, old: Layout, new: Layout) -> *mut u8 {
        // SAFETY: both are as large as their layouts say.
        unsafe {
            let moved = self.alloc(new);
            if !moved.is_null() {
                let bytes = old.size().min(new.size());
                std::ptr::copy_nonoverlapping(memory, moved, bytes);
                self.dealloc(memory, old);
            }
            moved
        }
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

/// Large requests are served by the kernel itself. The system's allocator would keep what is
/// freed, and hold old and new where something grows, up to 32 MB each time: a limit of 100 MB
/// was passed by a third. Pages go back at once, and move instead of being copied.
#[cfg(target_os = "linux")]
mod pages {
    use std::alloc::Layout;
    use std::ptr::null_mut;

    const LARGE: usize = usize::MAX;
    const PAGE: usize = 4096;

    /// Whether a request is served here.
    #[inline]
    pub fn serve(layout: Layout) -> bool {
        layout.size() >= LARGE && layout.align() <= PAGE
    }

    /// Memory full of zeros; null if there is none.
    pub fn map(bytes: usize) -> *mut u8 {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: new pages that nobody else has.
        let pages = unsafe { libc::mmap(null_mut(), bytes, protection, flags, -1, 0) };
        or_null(pages)
    }

    /// # Safety
    /// The memory must have come from here with this size, and is not used any more.
    pub unsafe fn remap(memory: *mut u8, bytes: usize, size: usize) -> *mut u8 {
        // SAFETY: as promised by the caller; the pages may move.
        or_null(unsafe { libc::mremap(memory.cast(), bytes, size, libc::MREMAP_MAYMOVE) })
    }

    /// # Safety
    /// As for [`remap`].
    pub unsafe fn unmap(memory: *mut u8, bytes: usize) {
        // SAFETY: as promised by the caller. It cannot fail for pages that are there.
        unsafe { libc::munmap(memory.cast(), bytes) };
    }

    fn or_null(pages: *mut libc::c_void) -> *mut u8 {
        match pages == libc::MAP_FAILED {
            true => null_mut(),
            false => pages.cast(),
        }
    }
}

/// Elsewhere the system's allocator serves everything.
#[cfg(not(target_os = "linux"))]
mod pages {
    use std::alloc::Layout;

    pub fn serve(_layout: Layout) -> bool {
        false
    }

    pub fn map(_bytes: usize) -> *mut u8 {
        std::ptr::null_mut()
    }

    pub unsafe fn remap(_memory: *mut u8, _bytes: usize, _size: usize) -> *mut u8 {
        std::ptr::null_mut()
    }

    pub unsafe fn unmap(_memory: *mut u8, _bytes: usize) {}
}
