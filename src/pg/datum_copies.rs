//! Values that outlive the row they came with.

use crate::pg::cell::Cell;
use crate::pg::memory;
use pgrx::PgMemoryContexts;
use pgrx::pg_sys::{self, Datum, MemoryContext, Oid};
use std::ffi::CStr;

/// Copies values of one type into a memory context.
pub struct Keeper {
    by_value: bool,
    length: i16,
    context: MemoryContext,
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
        }
    }

    /// A copy of a value, made plain if it was compressed or stored elsewhere.
    ///
    /// # Safety
    /// `datum` must be a valid value of the type unless `null`.
    pub unsafe fn keep(&self, datum: Datum, null: bool) -> Datum {
        if null || self.by_value {
            return datum;
        }
        // SAFETY: as promised by the caller; lengths are the type's own.
        unsafe {
            let before = pg_sys::MemoryContextSwitchTo(self.context);
            let copy = match self.length {
                -1 => Datum::from(pg_sys::pg_detoast_datum_copy(datum.cast_mut_ptr())),
                -2 => copy_bytes(
                    datum,
                    CStr::from_ptr(datum.cast_mut_ptr())
                        .to_bytes_with_nul()
                        .len(),
                ),
                length => copy_bytes(datum, length as usize),
            };
            pg_sys::MemoryContextSwitchTo(before);
            copy
        }
    }
}

unsafe fn copy_bytes(datum: Datum, length: usize) -> Datum {
    // SAFETY: palloc returns as many bytes as asked for, or raises.
    unsafe {
        let copy = pg_sys::palloc(length).cast::<u8>();
        std::ptr::copy_nonoverlapping(datum.cast_mut_ptr::<u8>(), copy, length);
        Datum::from(copy)
    }
}

/// Values of one type at numbered places, in memory of their own.
pub struct KeptValues {
    typ: Oid,
    keeper: Keeper,
    values: Vec<Datum>,
    nulls: Vec<bool>,
    /// holds what values by reference point to
    _memory: PgMemoryContexts,
}

impl KeptValues {
    /// So many places, all of them NULL.
    pub fn new(typ: Oid, places: usize) -> Self {
        let memory = PgMemoryContexts::new("pg_sdc kept values");
        let (mut values, mut nulls) = (memory::reserved(places), memory::reserved(places));
        values.resize(places, Datum::from(0usize));
        nulls.resize(places, true);
        KeptValues {
            typ,
            keeper: Keeper::new(typ, memory.value()),
            values,
            nulls,
            _memory: memory,
        }
    }

    /// Keeps a copy of a value at a place.
    pub fn put(&mut self, place: usize, cell: Cell<'_>) {
        cell.require(self.typ);
        let value = cell.datum().unwrap_or(Datum::from(0usize));
        // SAFETY: a value of the type.
        self.values[place] = unsafe { self.keeper.keep(value, cell.is_null()) };
        self.nulls[place] = cell.is_null();
    }

    /// The value at a place.
    pub fn get(&self, place: usize) -> Cell<'_> {
        // SAFETY: the copy lives as long as the memory context.
        unsafe { Cell::new(self.values[place], self.nulls[place], self.typ) }
    }
}
