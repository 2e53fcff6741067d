//! A window partition's argument values, read from its head a batch at a time.

use crate::pg::cell::Cell;
use crate::pg::memory_context::{Arena, Context};
use crate::pg::type_capabilities::{Storage, storage};
use crate::read::fetched_row::FetchedRow;
use crate::read::window_rows::WindowCall;
use pgrx::pg_sys::{self, Datum};
use std::ffi::{c_int, c_void};

const SEEK_HEAD: c_int = 1;
/// Rows read under one guard; also how often interrupts and memory are looked at.
const BATCH: usize = 1024;
/// A batch ends before its time when copies of its values take so much.
const BATCH_BYTES: usize = 8 << 20;

/// Functions of windowapi.h and datumCopy, which pgrx does not bind, without the guard of each
/// call: only inside `pg_guard_ffi_boundary`.
#[allow(non_snake_case)]
mod unguarded {
    use super::*;

    unsafe extern "C-unwind" {
        pub fn WinGetFuncArgInPartition(
            window: *mut c_void,
            arg: c_int,
            row: c_int,
            seek: c_int,
            set_mark: bool,
            null: *mut bool,
            out: *mut bool,
        ) -> Datum;
        pub fn datumCopy(datum: Datum, by_value: bool, length: c_int) -> Datum;
    }
}

#[derive(Clone, Copy)]
struct Value {
    datum: Datum,
    null: bool,
}

/// Rows of a partition, valid until the next batch is read.
pub struct Batch<'a> {
    arguments: &'a [Argument],
    values: &'a [Value],
    scratch: Context,
}

impl<'a> Batch<'a> {
    /// The values of the first row.
    pub fn first_row(&self) -> impl Iterator<Item = Cell<'a>> {
        cells(self.arguments, self.values)
    }

    /// The values of a batch of one argument, row after row.
    pub fn column(&self) -> impl Iterator<Item = Cell<'a>> {
        let argument = &self.arguments[0];
        let rows = self.values.chunks_exact(self.arguments.len());
        rows.flat_map(move |row| cells(std::slice::from_ref(argument), row))
    }

    /// Hands the rows to `take`, one after the other. What it allocates in the current memory
    /// context goes with the batch.
    pub fn for_each_row(&self, mut take: impl FnMut(Cells<'a>)) {
        self.scratch.within(|| {
            for row in self.values.chunks_exact(self.arguments.len()) {
                take(cells(self.arguments, row));
            }
        });
    }
}

/// The values of a row.
pub struct Cells<'a>(std::iter::Zip<std::slice::Iter<'a, Argument>, std::slice::Iter<'a, Value>>);

impl<'a> Iterator for Cells<'a> {
    type Item = Cell<'a>;

    fn next(&mut self) -> Option<Cell<'a>> {
        let (argument, value) = self.0.next()?;
        // SAFETY: the value was fetched for this argument, and lives as long as the batch.
        Some(unsafe { Cell::new(value.datum, value.null, argument.storage.typ) })
    }
}

fn cells<'a>(arguments: &'a [Argument], values: &'a [Value]) -> Cells<'a> {
    Cells(arguments.iter().zip(values))
}

/// Reads a partition's argument values from its head, a batch at a time.
pub struct Batches<'a> {
    call: &'a WindowCall<'a>,
    arguments: Vec<Argument>,
    /// for all arguments but a row's first
    row: Option<FetchedRow>,
    values: Vec<Value>,
    pub next_row: usize,
    /// what argument expressions and copies of values allocate, freed with each batch
    memory: Arena,
}

struct Argument {
    index: c_int,
    storage: Storage,
}

impl<'a> Batches<'a> {
    pub fn new(call: &'a WindowCall<'a>, arguments: Vec<usize>) -> Self {
        let argument = |index: usize| Argument {
            index: index as c_int,
            storage: storage(call.call.argument_type(index)),
        };
        Batches {
            call,
            arguments: arguments.into_iter().map(argument).collect(),
            // SAFETY: the window object of the running call.
            row: unsafe { FetchedRow::of(call.window, call.arguments()) },
            values: Vec::with_capacity(BATCH),
            next_row: 0,
            memory: Arena::new("pg_sdc window batch"),
        }
    }

    /// The next rows; `None` after the last.
    pub fn next(&mut self) -> Option<Batch<'_>> {
        let rows = (self.call.rows - self.next_row).min(BATCH);
        if rows == 0 {
            return None;
        }
        let empty = Value {
            datum: Datum::from(0usize),
            null: true,
        };
        self.values.clear();
        self.values.resize(rows * self.arguments.len(), empty);
        let (arguments, values) = (&self.arguments[..], &mut self.values[..]);
        let rows = Fetching {
            window: self.call.window,
            first: self.next_row,
            row: self.row.as_ref(),
        };
        self.memory.reset();
        // SAFETY: inside the guard there are only plain values: nothing needs a destructor
        // when PostgreSQL jumps out, and nothing panics.
        let fetched = self.memory.within(|| unsafe {
            pg_sys::ffi::pg_guard_ffi_boundary(|| rows.fetch(arguments, values))
        });
        self.next_row += fetched;
        Some(Batch {
            arguments: &self.arguments,
            values: &self.values[..fetched * self.arguments.len()],
            scratch: self.memory.context(),
        })
    }
}

/// Where a batch comes from.
struct Fetching<'a> {
    window: *mut c_void,
    first: usize,
    row: Option<&'a FetchedRow>,
}

impl Fetching<'_> {
    /// Fetches rows, and says how many; values by reference are copied, as the row they point into
    /// goes away with the next fetch. Row by row: where rows are on disk, PostgreSQL would read a
    /// batch back for each further argument.
    ///
    /// # Safety
    /// The caller guards against PostgreSQL's errors, and the call of the window function goes on.
    unsafe fn fetch(&self, arguments: &[Argument], values: &mut [Value]) -> usize {
        let (mut rows, mut bytes) = (0, 0);
        for row in values.chunks_exact_mut(arguments.len()) {
            for (place, (argument, value)) in arguments.iter().zip(row).enumerate() {
                // SAFETY: the caller guards against PostgreSQL's errors; a row is fetched for its
                // first argument.
                unsafe {
                    (value.datum, value.null) = match self.row.filter(|_| place > 0) {
                        Some(row) => row.argument(argument.index as usize),
                        None => self.fetch_row(rows, argument),
                    };
                    bytes += keep(value, argument);
                }
            }
            rows += 1;
            if bytes > BATCH_BYTES {
                break;
            }
        }
        rows
    }

    /// Fetches a row for an argument.
    ///
    /// # Safety
    /// As for `fetch`.
    unsafe fn fetch_row(&self, row: usize, argument: &Argument) -> (Datum, bool) {
        let (mut null, mut out) = (false, false);
        let row = (self.first + row) as c_int;
        let (window, index) = (self.window, argument.index);
        // SAFETY: the caller guards against PostgreSQL's errors.
        let datum = unsafe {
            unguarded::WinGetFuncArgInPartition(
                window, index, row, SEEK_HEAD, false, &mut null, &mut out,
            )
        };
        (datum, null)
    }
}

/// Copies a value by reference, and says how many bytes the copy takes where they may be many.
///
/// # Safety
/// The value is of the argument's type, and what it points to is still there.
unsafe fn keep(value: &mut Value, argument: &Argument) -> usize {
    if value.null || argument.storage.by_value {
        return 0;
    }
    // SAFETY: the caller guards against PostgreSQL's errors; the value is of the argument's type.
    unsafe {
        value.datum =
            unguarded::datumCopy(value.datum, false, c_int::from(argument.storage.length));
        match argument.storage.length {
            -1 => pgrx::varlena::varsize_any(value.datum.cast_mut_ptr()),
            _ => 0,
        }
    }
}
