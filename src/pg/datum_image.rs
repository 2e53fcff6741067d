//! Values of PostgreSQL outside of its memory contexts.

use crate::pg::memory;
use pgrx::pg_sys::{self, Datum};

/// The bytes that a value by reference points to, in words: so they are aligned for every type.
pub type Image = Box<[u64]>;

/// A copy of a value of variable length, plain where it was toasted.
///
/// # Safety
/// `datum` must be a non-null value of variable length.
pub unsafe fn of_varlena(datum: Datum) -> Image {
    // SAFETY: detoasting gives a plain value of the size its header says.
    unsafe {
        let plain = pg_sys::pg_detoast_datum(datum.cast_mut_ptr());
        of_bytes(plain.cast(), pgrx::varlena::varsize_any(plain))
    }
}

/// A copy of some bytes.
///
/// # Safety
/// `start` must point to `length` readable bytes.
pub unsafe fn of_bytes(start: *const u8, length: usize) -> Image {
    let words = length.div_ceil(size_of::<u64>());
    let mut image = memory::reserved(words);
    image.resize(words, 0u64);
    // SAFETY: the image has at least `length` bytes.
    unsafe { std::ptr::copy_nonoverlapping(start, image.as_mut_ptr().cast::<u8>(), length) };
    image.into_boxed_slice()
}
