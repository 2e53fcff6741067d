//! Values of PostgreSQL outside of its memory contexts.

use crate::pg::cell::Cell;
use crate::pg::memory;
use crate::pg::type_capabilities::Storage;
use pgrx::pg_sys::{self, Datum};
use std::ffi::CStr;

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
        let length = pgrx::varlena::varsize_any(plain);
        of_bytes(std::slice::from_raw_parts(plain.cast(), length))
    }
}

/// A copy of a value, of the word itself where it is by value; empty for NULL.
pub fn of(value: Cell<'_>, storage: Storage) -> Image {
    value.require(storage.typ);
    let Some(datum) = value.datum() else {
        return Image::default();
    };
    if storage.by_value {
        return Box::new([datum.value() as u64]);
    }
    // SAFETY: lengths are the type's own; a toasted value is made plain first.
    unsafe {
        match storage.length {
            -1 => of_varlena(datum),
            -2 => of_bytes(CStr::from_ptr(datum.cast_mut_ptr()).to_bytes_with_nul()),
            length => of_bytes(std::slice::from_raw_parts(
                datum.cast_mut_ptr(),
                length as usize,
            )),
        }
    }
}

/// A copy of some bytes.
fn of_bytes(bytes: &[u8]) -> Image {
    let words = bytes.len().div_ceil(size_of::<u64>());
    let mut image = memory::reserved(words);
    let chunks = bytes.chunks(size_of::<u64>());
    image.extend(chunks.map(|chunk| {
        let mut word = [0; size_of::<u64>()];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_ne_bytes(word)
    }));
    image.into_boxed_slice()
}
