//! Rows on their way from the engine to PostgreSQL: a tuplestore, which spills to disk
//! beyond work_mem.

use crate::errors::Failure;
use crate::record::Attribute;
use pgrx::PgMemoryContexts;
use pgrx::pg_sys::{self, Datum};
use std::ffi::CString;

/// A store that shares `work_mem` with others has so much at least.
const LEAST_KILOBYTES: i32 = 64;

/// Rows of one row type.
pub struct RowStore {
    pub store: *mut pg_sys::Tuplestorestate,
    pub descriptor: pg_sys::TupleDesc,
    /// whether PostgreSQL has taken the store over
    given_away: bool,
    /// where the rows are, if not in the memory context of whoever made the store
    _memory: Option<PgMemoryContexts>,
}

impl RowStore {
    /// An empty store for rows of these columns, in the current memory context.
    pub fn new(columns: &[Attribute]) -> Self {
        // SAFETY: the descriptor has an entry for each column.
        unsafe {
            let descriptor = pg_sys::CreateTemplateTupleDesc(columns.len() as i32);
            for (number, column) in (1..).zip(columns) {
                let name = CString::new(column.name.as_str()).unwrap_or_default();
                pg_sys::TupleDescInitEntry(
                    descriptor,
                    number,
                    name.as_ptr(),
                    column.typ,
                    column.typmod,
                    0,
                );
                pg_sys::TupleDescInitEntryCollation(descriptor, number, column.collation);
            }
            Self::with_descriptor(descriptor, false)
        }
    }

    /// An empty store for rows of a descriptor.
    ///
    /// # Safety
    /// The descriptor must outlive the store.
    pub unsafe fn with_descriptor(descriptor: pg_sys::TupleDesc, random_access: bool) -> Self {
        // SAFETY: allocated in the current memory context.
        let store =
            unsafe { pg_sys::tuplestore_begin_heap(random_access, false, pg_sys::work_mem) };
        RowStore {
            store,
            descriptor,
            given_away: false,
            _memory: None,
        }
    }

    /// An empty store for rows of the same descriptor, one of so many that share `work_mem`.
    /// The descriptor must outlive it. Its rows have memory of their own, so that they stand
    /// close together, whatever else is being filled meanwhile.
    pub fn like(&self, share: usize) -> Self {
        let mut memory = PgMemoryContexts::new("pg_sdc rows");
        // SAFETY: the store is gone before its memory is.
        let store = unsafe {
            let kilobytes = (pg_sys::work_mem / share as i32).max(LEAST_KILOBYTES);
            memory.switch_to(|_| pg_sys::tuplestore_begin_heap(false, false, kilobytes))
        };
        RowStore {
            store,
            descriptor: self.descriptor,
            given_away: false,
            _memory: Some(memory),
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        // SAFETY: the store is there as long as `self`.
        unsafe { pg_sys::tuplestore_tuple_count(self.store) as usize }
    }

    /// Appends the row of a slot.
    ///
    /// # Safety
    /// The slot must hold a row of the store's descriptor.
    pub unsafe fn push_slot(&self, slot: *mut pg_sys::TupleTableSlot) {
        // SAFETY: as promised by the caller.
        unsafe { pg_sys::tuplestore_puttupleslot(self.store, slot) };
    }

    /// Appends rows.
    ///
    /// # Safety
    /// The tuples must be of the store's descriptor.
    pub unsafe fn push_tuples(&self, tuples: impl Iterator<Item = pg_sys::MinimalTuple>) {
        // SAFETY: as promised by the caller; the slot does not own the tuples.
        unsafe {
            let slot = self.slot();
            for tuple in tuples {
                pg_sys::ExecStoreMinimalTuple(tuple, slot, false);
                self.push_slot(slot);
            }
            pg_sys::ExecDropSingleTupleTableSlot(slot);
        }
    }

    /// Appends a row; values by reference are copied.
    ///
    /// # Safety
    /// Values must be as the descriptor has them.
    pub unsafe fn push(&self, values: &[Datum], nulls: &[bool]) {
        // SAFETY: as promised by the caller; PostgreSQL only reads them.
        unsafe {
            pg_sys::tuplestore_putvalues(
                self.store,
                self.descriptor,
                values.as_ptr().cast_mut(),
                nulls.as_ptr().cast_mut(),
            );
        }
    }

    /// Hands the first `rows` rows to `take` in the order they came: number, values, nulls.
    /// Values are valid during the call.
    pub fn replay(&self, rows: usize, mut take: impl FnMut(usize, &[Datum], &[bool])) {
        let mut row = 0;
        self.first(rows, |slot| {
            // SAFETY: the slot holds a row and has a place for each column.
            unsafe {
                let width = (*self.descriptor).natts;
                if width > 0 {
                    pg_sys::slot_getsomeattrs_int(slot, width);
                }
                let values = std::slice::from_raw_parts((*slot).tts_values, width as usize);
                let nulls = std::slice::from_raw_parts((*slot).tts_isnull, width as usize);
                take(row, values, nulls);
            }
            row += 1;
            true
        });
    }

    /// Hands every row to `take` in the order they came, in a slot that is valid during the
    /// call, until it has enough.
    pub fn each(&self, take: impl FnMut(*mut pg_sys::TupleTableSlot) -> bool) {
        self.first(self.rows(), take);
    }

    fn first(&self, rows: usize, mut take: impl FnMut(*mut pg_sys::TupleTableSlot) -> bool) {
        // SAFETY: the slot is made for the rows of the store.
        unsafe {
            let slot = self.slot();
            pg_sys::tuplestore_rescan(self.store);
            for _ in 0..rows {
                if !pg_sys::tuplestore_gettupleslot(self.store, true, false, slot) {
                    Failure::internal("rows were lost between reading and writing").raise();
                }
                if !take(slot) {
                    break;
                }
            }
            pg_sys::ExecDropSingleTupleTableSlot(slot);
        }
    }

    unsafe fn slot(&self) -> *mut pg_sys::TupleTableSlot {
        // SAFETY: the descriptor outlives the slot, which the caller drops.
        unsafe {
            pg_sys::MakeSingleTupleTableSlot(self.descriptor, &raw const pg_sys::TTSOpsMinimalTuple)
        }
    }

    /// PostgreSQL will free the store.
    pub fn give_away(&mut self) {
        self.given_away = true;
    }
}

impl Drop for RowStore {
    fn drop(&mut self) {
        // ending a store writes what it still holds: where that has failed it would fail again, and
        // PostgreSQL cleans up after an error by itself
        if !self.given_away && !std::thread::panicking() {
            // SAFETY: the store is ours alone.
            unsafe { pg_sys::tuplestore_end(self.store) };
        }
    }
}

/// The row in a slot of a store, which owns it.
///
/// # Safety
/// The slot must come from [`RowStore::each`].
pub unsafe fn tuple_of(slot: *mut pg_sys::TupleTableSlot) -> pg_sys::MinimalTuple {
    let mut ours = false;
    // SAFETY: the slot holds a minimal tuple, which is handed out as it is.
    unsafe { pg_sys::ExecFetchSlotMinimalTuple(slot, &mut ours) }
}

/// A copy of a row in the current memory context.
///
/// # Safety
/// The tuple must be valid.
pub unsafe fn copy_of(tuple: pg_sys::MinimalTuple) -> pg_sys::MinimalTuple {
    // SAFETY: as promised by the caller.
    unsafe {
        #[cfg(not(feature = "pg18"))]
        return pg_sys::heap_copy_minimal_tuple(tuple);
        #[cfg(feature = "pg18")]
        pg_sys::heap_copy_minimal_tuple(tuple, 0)
    }
}
