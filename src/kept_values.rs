//! Values that outlive the row they came with.

use pgrx::pg_sys::{self, Datum, MemoryContext, Oid};
use std::ffi::CStr;

/// Copies values of one type into a memory context.
pub struct Keeper {
    by_value: bool,
    length: i16,
    context: MemoryContext,
    /// taken by copies so far
    pub bytes: usize,
}

impl Keeper {
    /// The context must outlive all use of the copies.
    pub fn new(typ: Oid, context: MemoryContext) -> Self {
        let (mut length, mut by_value) = (0i16, false);
        // SAFETY: a catalog look-up that raises for an unknown type.
        unsafe { pg_sys::get_typlenbyval(typ, &mut length, &mut by_value) };
        Keeper {
            by_value,
            length,
            context,
            bytes: 0,
        }
    }

    /// A copy of a value, made plain if it was compressed or stored elsewhere.
    ///
    /// # Safety
    /// `datum` must be a valid value of the type unless `null`.
    pub unsafe fn keep(&mut self, datum: Datum, null: bool) -> Datum {
        if null || self.by_value {
            return datum;
        }
        // SAFETY: as promised by the caller; lengths are the type's own.
        unsafe {
            let before = pg_sys::MemoryContextSwitchTo(self.context);
            let copy = match self.length {
                -1 => {
                    let copy = pg_sys::pg_detoast_datum_copy(datum.cast_mut_ptr());
                    self.bytes += pgrx::varlena::varsize_any(copy);
                    Datum::from(copy)
                }
                -2 => self.copy_bytes(
                    datum,
                    CStr::from_ptr(datum.cast_mut_ptr())
                        .to_bytes_with_nul()
                        .len(),
                ),
                length => self.copy_bytes(datum, length as usize),
            };
            pg_sys::MemoryContextSwitchTo(before);
            copy
        }
    }

    unsafe fn copy_bytes(&mut self, datum: Datum, length: usize) -> Datum {
        self.bytes += length;
        // SAFETY: palloc returns as many bytes as asked for, or raises.
        unsafe {
            let copy = pg_sys::palloc(length).cast::<u8>();
            std::ptr::copy_nonoverlapping(datum.cast_mut_ptr::<u8>(), copy, length);
            Datum::from(copy)
        }
    }
}
