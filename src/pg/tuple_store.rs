//! Rows on their way from the engine to PostgreSQL: a tuplestore, which spills to disk
//! beyond work_mem.

use crate::pg::cell::Cell;
use crate::pg::composite::{self, Attribute};
use crate::pg::errors::Failure;
use crate::pg::memory;
use crate::pg::memory_context::Arena;
use crate::pg::type_capabilities::storage;
use pgrx::pg_sys::{self, Datum, Oid};
use pgrx::varlena;
use std::cell::RefCell;
use std::ffi::CString;
use std::rc::Rc;

/// A store that shares `work_mem` with others has so much at least.
const LEAST_KILOBYTES: i32 = 64;

/// Rows of one row type.
pub struct TupleStore {
    pub(super) store: *mut pg_sys::Tuplestorestate,
    pub(super) descriptor: pg_sys::TupleDesc,
    /// of the columns, in their order
    types: Rc<[Oid]>,
    /// whether the columns are of variable length
    varlena: Rc<[bool]>,
    /// values and nulls of the row that is being appended
    row: RefCell<(Vec<Datum>, Vec<bool>)>,
    /// whether PostgreSQL has taken the store over
    given_away: bool,
    /// where the rows are, if not in the memory context of the store's maker
    _memory: Option<Arena>,
}

impl TupleStore {
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
        // SAFETY: allocated in the current memory context; the descriptor is valid.
        let (store, attributes) = unsafe {
            let store = pg_sys::tuplestore_begin_heap(random_access, false, pg_sys::work_mem);
            (store, composite::attributes(descriptor))
        };
        let varlena = |typ| storage(typ).length == -1;
        TupleStore {
            store,
            descriptor,
            varlena: attributes.iter().map(|a| varlena(a.typ)).collect(),
            types: attributes.into_iter().map(|a| a.typ).collect(),
            row: RefCell::default(),
            given_away: false,
            _memory: None,
        }
    }

    /// An empty store for rows of the same descriptor, one of so many that share `work_mem`.
    /// The descriptor must outlive it. Its rows have memory of their own, so that they stand
    /// close together, whatever else is being filled meanwhile.
    pub fn like(&self, share: usize) -> Self {
        let memory = Arena::new("pg_sdc rows");
        // SAFETY: the store is gone before its memory is.
        let store = memory.within(|| unsafe {
            let kilobytes = (pg_sys::work_mem / share as i32).max(LEAST_KILOBYTES);
            pg_sys::tuplestore_begin_heap(false, false, kilobytes)
        });
        TupleStore {
            store,
            descriptor: self.descriptor,
            types: Rc::clone(&self.types),
            varlena: Rc::clone(&self.varlena),
            row: RefCell::default(),
            given_away: false,
            _memory: Some(memory),
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        // SAFETY: the store is there as long as `self`.
        unsafe { pg_sys::tuplestore_tuple_count(self.store) as usize }
    }

    /// Appends a row that PostgreSQL holds.
    pub fn push_held(&self, row: &HeldRow<'_>) {
        assert_eq!(*self.types, *row.types, "rows of the same columns");
        // SAFETY: the slot holds a row of such columns.
        unsafe { pg_sys::tuplestore_puttupleslot(self.store, row.slot) };
    }

    /// Appends a row; values by reference are copied. A value that is compressed or stored
    /// elsewhere is made plain: how the source stores it must not show in a release.
    pub fn push(&self, cells: &[Cell<'_>]) {
        assert_eq!(cells.len(), self.types.len(), "a value for each column");
        let (values, nulls) = &mut *self.row.borrow_mut();
        values.clear();
        nulls.clear();
        let columns = self.types.iter().zip(self.varlena.iter());
        let mut copied = false;
        for (cell, (&typ, &varlena)) in cells.iter().zip(columns) {
            cell.require(typ);
            let mut value = cell.word();
            if varlena && !cell.is_null() {
                // SAFETY: a value of a type of variable length.
                let plain = unsafe { plain(value) };
                copied |= plain.value() != value.value();
                value = plain;
            }
            values.push(value);
            nulls.push(cell.is_null());
        }
        // SAFETY: the values are of the descriptor's types; PostgreSQL only reads them.
        unsafe {
            let (values, nulls) = (values.as_mut_ptr(), nulls.as_mut_ptr());
            pg_sys::tuplestore_putvalues(self.store, self.descriptor, values, nulls);
        }
        if copied {
            free_copies(values, nulls, cells, &self.varlena);
        }
    }

    /// Appends the row of another store of the same columns.
    pub fn push_stored(&self, row: &StoredRow<'_>) {
        self.push_held(&row.0);
    }

    /// Hands the first `rows` rows to `take` in the order they came: number and values, which
    /// are valid during the call.
    pub fn replay(&self, rows: usize, mut take: impl FnMut(usize, &[Cell<'_>])) {
        let mut row = 0;
        self.first(rows, |stored| {
            take(row, &stored.cells());
            row += 1;
            true
        });
    }

    /// Hands every row to `take` in the order they came, until it has enough.
    pub fn each(&self, take: impl FnMut(&StoredRow<'_>) -> bool) {
        self.first(self.rows(), take);
    }

    fn first(&self, rows: usize, mut take: impl FnMut(&StoredRow<'_>) -> bool) {
        // SAFETY: the slot is made for the rows of the store.
        unsafe {
            let slot = self.slot();
            pg_sys::tuplestore_rescan(self.store);
            for _ in 0..rows {
                if !pg_sys::tuplestore_gettupleslot(self.store, true, false, slot) {
                    Failure::internal("rows were lost between reading and writing").raise();
                }
                if !take(&StoredRow(HeldRow::new(slot, &self.types))) {
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

impl Drop for TupleStore {
    fn drop(&mut self) {
        // ending a store writes what it still holds: where that has failed it would fail again, and
        // PostgreSQL cleans up after an error by itself
        if !self.given_away && !std::thread::panicking() {
            // SAFETY: the store is ours alone.
            unsafe { pg_sys::tuplestore_end(self.store) };
        }
    }
}

/// The rows of a store, one at a time.
pub struct StoreCursor {
    store: TupleStore,
    slot: *mut pg_sys::TupleTableSlot,
}

impl StoreCursor {
    /// At the first row. The store's descriptor must outlive the cursor.
    pub fn new(store: TupleStore) -> Self {
        // SAFETY: the slot is made for the rows of the store, in the current memory context.
        let slot = unsafe {
            pg_sys::tuplestore_rescan(store.store);
            store.slot()
        };
        StoreCursor { store, slot }
    }

    /// The values of the next row, valid until another is asked for; `None` behind the last.
    pub fn next(&mut self) -> Option<Vec<Cell<'_>>> {
        // SAFETY: the slot holds rows of the store, which is there as long as `self`, and lent by
        // the cells of the one that has just filled it.
        unsafe {
            let found = pg_sys::tuplestore_gettupleslot(self.store.store, true, false, self.slot);
            found.then(|| cells_of(self.slot, &self.store.types))
        }
    }
}

/// The values of a row in the order of the columns.
///
/// # Safety
/// The slot must hold a row with columns of these types as long as the values are used.
unsafe fn cells_of<'a>(slot: *mut pg_sys::TupleTableSlot, types: &[Oid]) -> Vec<Cell<'a>> {
    // SAFETY: as promised by the caller; the slot has a place for each column.
    unsafe {
        if !types.is_empty() {
            pg_sys::slot_getsomeattrs_int(slot, types.len() as i32);
        }
        let (values, nulls) = ((*slot).tts_values, (*slot).tts_isnull);
        let cell =
            |(place, &typ): (usize, &Oid)| Cell::new(*values.add(place), *nulls.add(place), typ);
        types.iter().enumerate().map(cell).collect()
    }
}

/// The value itself, or a plain copy of one that is compressed or stored elsewhere.
///
/// # Safety
/// `value` must be a value of a type of variable length.
unsafe fn plain(value: Datum) -> Datum {
    let original = value.cast_mut_ptr::<pg_sys::varlena>();
    // SAFETY: as promised by the caller.
    unsafe {
        let as_it_is = !varlena::varatt_is_4b_c(original) && !varlena::varatt_is_1b_e(original);
        match as_it_is {
            true => value,
            false => Datum::from(pg_sys::pg_detoast_datum(original)),
        }
    }
}

/// Frees the plain copies among the values of a row.
#[cold]
fn free_copies(values: &[Datum], nulls: &[bool], cells: &[Cell<'_>], varlena: &[bool]) {
    for (place, cell) in cells.iter().enumerate() {
        let copy = varlena[place] && !nulls[place];
        if let Some(original) = cell.datum().filter(|_| copy)
            && original.value() != values[place].value()
        {
            // SAFETY: `plain` allocated it, and the store has its own copy.
            unsafe { pg_sys::pfree(values[place].cast_mut_ptr()) };
        }
    }
}

/// A row that PostgreSQL holds, with the types of its columns.
pub struct HeldRow<'a> {
    slot: *mut pg_sys::TupleTableSlot,
    types: &'a [Oid],
}

impl<'a> HeldRow<'a> {
    /// # Safety
    /// The slot must hold a row with columns of these types as long as this is used.
    pub unsafe fn new(slot: *mut pg_sys::TupleTableSlot, types: &'a [Oid]) -> Self {
        HeldRow { slot, types }
    }
}

/// A row of a store while it is being looked at.
pub struct StoredRow<'a>(HeldRow<'a>);

impl StoredRow<'_> {
    /// The values in the order of the columns.
    fn cells(&self) -> Vec<Cell<'_>> {
        let HeldRow { slot, types } = self.0;
        // SAFETY: the slot holds a row as long as this is lent.
        unsafe { cells_of(slot, types) }
    }
}

/// Rows in memory, which can be taken in any order.
pub struct TuplePile {
    types: Rc<[Oid]>,
    tuples: Vec<pg_sys::MinimalTuple>,
    bytes: usize,
    /// holds the tuples
    memory: Arena,
}

impl TuplePile {
    /// An empty pile with room for so many rows of a store.
    pub fn new(store: &TupleStore, rows: usize) -> Self {
        TuplePile {
            types: Rc::clone(&store.types),
            tuples: memory::reserved(rows),
            bytes: 0,
            memory: Arena::new("pg_sdc pile"),
        }
    }

    /// Copies a row onto the pile.
    pub fn push(&mut self, row: &StoredRow<'_>) {
        assert_eq!(*self.types, *row.0.types, "rows of the same columns");
        let mut ours = false;
        // SAFETY: the slot holds a minimal tuple, which is handed out as it is; the copy is made in
        // the pile's memory.
        unsafe {
            let tuple = pg_sys::ExecFetchSlotMinimalTuple(row.0.slot, &mut ours);
            self.bytes += (*tuple).t_len as usize;
            #[cfg(not(feature = "pg18"))]
            let copy = || pg_sys::heap_copy_minimal_tuple(tuple);
            #[cfg(feature = "pg18")]
            let copy = || pg_sys::heap_copy_minimal_tuple(tuple, 0);
            memory::push(&mut self.tuples, self.memory.within(copy));
        }
    }

    pub fn rows(&self) -> usize {
        self.tuples.len()
    }

    /// Bytes of the rows.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Appends the rows at these places to a store of the same columns.
    pub fn write(&self, places: &[u32], out: &TupleStore) {
        assert_eq!(self.types, out.types, "rows of the same columns");
        // SAFETY: the tuples are of the store's descriptor, and the slot does not own them.
        unsafe {
            let slot = out.slot();
            for &place in places {
                pg_sys::ExecStoreMinimalTuple(self.tuples[place as usize], slot, false);
                out.push_held(&HeldRow::new(slot, &self.types));
            }
            pg_sys::ExecDropSingleTupleTableSlot(slot);
        }
    }
}

/// What PostgreSQL lets one operation take before it spills, in bytes.
pub fn work_memory() -> usize {
    // SAFETY: reads a setting.
    unsafe { pg_sys::work_mem as usize * 1024 }
}
