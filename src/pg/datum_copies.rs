//! Values that outlive the row they came with.

use crate::pg::cell::Cell;
use crate::pg::memory;
use crate::pg::memory_context::{Arena, Context};
use crate::pg::type_capabilities::{Storage, storage};
use pgrx::pg_sys::{self, Datum, Oid};
use std::ffi::CStr;

/// Copies values of one type into a memory context.
pub struct Keeper {
    storage: Storage,
    context: Context,
}

impl Keeper {
    /// The context must outlive all use of the copies.
    pub fn new(typ: Oid, context: Context) -> Self {
        Keeper {
            storage: storage(typ),
            context,
        }
    }

    /// A copy of a value, made plain if it was compressed or stored elsewhere; 0 for NULL.
    pub fn keep(&self, cell: Cell<'_>) -> Datum {
        cell.require(self.storage.typ);
        let datum = cell.word();
        if cell.is_null() || self.storage.by_value {
            return datum;
        }
        // SAFETY: a value of the type; lengths are the type's own.
        self.context.within(|| unsafe {
            match self.storage.length {
                -1 => Datum::from(pg_sys::pg_detoast_datum_copy(datum.cast_mut_ptr())),
                -2 => copied(CStr::from_ptr(datum.cast_mut_ptr()).to_bytes_with_nul()),
                length => copied(std::slice::from_raw_parts(
                    datum.cast_mut_ptr::<u8>(),
                    length as usize,
                )),
            }
        })
    }
}

/// A copy of something in the current memory context.
pub fn copied<T: Copy>(source: &[T]) -> Datum {
    // SAFETY: palloc returns as many bytes as asked for, aligned for every type, or raises.
    unsafe {
        let copy = pg_sys::palloc(size_of_val(source)).cast::<T>();
        std::ptr::copy_nonoverlapping(source.as_ptr(), copy, source.len());
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
    _memory: Arena,
}

impl KeptValues {
    /// So many places, all of them NULL.
    pub fn new(typ: Oid, places: usize) -> Self {
        let memory = Arena::new("pg_sdc kept values");
        let (mut values, mut nulls) = (memory::reserved(places), memory::reserved(places));
        values.resize(places, Datum::from(0usize));
        nulls.resize(places, true);
        KeptValues {
            typ,
            keeper: Keeper::new(typ, memory.context()),
            values,
            nulls,
            _memory: memory,
        }
    }

    /// Keeps a copy of a value at a place.
    pub fn put(&mut self, place: usize, cell: Cell<'_>) {
        self.values[place] = self.keeper.keep(cell);
        self.nulls[place] = cell.is_null();
    }

    /// The value at a place.
    pub fn get(&self, place: usize) -> Cell<'_> {
        // SAFETY: the copy lives as long as the memory context.
        unsafe { Cell::new(self.values[place], self.nulls[place], self.typ) }
    }
}
