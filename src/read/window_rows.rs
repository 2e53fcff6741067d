//! The rows of a window partition → typed columns, and the group number of each row, kept in
//! memory that PostgreSQL frees with the partition.

use crate::pg::cell::Cell;
use crate::pg::errors::{self, Failure, Names};
use crate::pg::function_call::Call;
use crate::pg::memory;
use crate::pg::memory_context::Arena;
use crate::pg::progress::Watch;
use crate::pg::randomness;
use crate::read::arguments::{self, ArgumentColumn, ArgumentReader, Records};
use crate::read::columns::{ColumnReader, Role, TableReader};
use crate::read::window_batches::{Batch, Batches};
use pgrx::pg_sys::Datum;
use pgrx::prelude::*;
use sdc_engine::random::Generator;
use sdc_engine::{Monitor, Partition, Phase};
use std::ffi::{c_int, c_void};
use std::ops::Range;

/// What PostgreSQL gives for one partition at most.
const LARGEST_MEMORY: usize = 0x3fff_ffff - 1024;

/// windowapi.h, which pgrx does not bind.
#[allow(non_snake_case)]
mod api {
    use super::*;

    #[pg_guard]
    unsafe extern "C-unwind" {
        pub fn WinGetPartitionLocalMemory(window: *mut c_void, size: usize) -> *mut c_void;
        pub fn WinGetPartitionRowCount(window: *mut c_void) -> i64;
        pub fn WinGetFuncArgCurrent(window: *mut c_void, arg: c_int, null: *mut bool) -> Datum;
    }
}

/// Of windowapi.h what raises no errors, at all or once a call for the partition's first row has
/// come back: a guard for each row would cost more than the call.
#[allow(non_snake_case)]
mod unguarded {
    use super::*;

    unsafe extern "C-unwind" {
        pub fn WinGetCurrentPosition(window: *mut c_void) -> i64;
        pub fn WinGetPartitionLocalMemory(window: *mut c_void, size: usize) -> *mut c_void;
        pub fn WinGetPartitionRowCount(window: *mut c_void) -> i64;
    }
}

/// Arguments that bring the columns of one role.
pub struct Columns {
    pub arguments: Range<usize>,
    pub role: Role,
}

/// How messages call the columns of a call.
pub struct ColumnNames {
    keys: Vec<String>,
    sensitive: Vec<String>,
}

impl ColumnNames {
    pub fn of(keys: &TableReader, sensitive: &TableReader) -> Self {
        ColumnNames {
            keys: keys.names(),
            sensitive: sensitive.names(),
        }
    }

    pub fn names(&self) -> Names<'_> {
        Names {
            keys: &self.keys,
            sensitive: &self.sensitive,
        }
    }
}

/// A call of a window function.
pub struct WindowCall<'a> {
    pub(super) call: &'a Call,
    pub(super) window: *mut c_void,
    pub(super) rows: usize,
}

impl<'a> WindowCall<'a> {
    pub fn new(call: &'a Call) -> Self {
        let Some(window) = call.window() else {
            Failure::new(
                PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE,
                "this function must be called as a window function",
            )
            .hint("Add an OVER clause, for example OVER (ORDER BY id).")
            .raise()
        };
        let window = window.cast::<c_void>();
        // SAFETY: the window object of a call is valid while it runs. The first call reads the whole
        // partition, which may fail; the others only look the number up.
        let rows = unsafe {
            match unguarded::WinGetCurrentPosition(window) {
                0 => api::WinGetPartitionRowCount(window),
                _ => unguarded::WinGetPartitionRowCount(window),
            }
        };
        let rows = rows as usize;
        WindowCall { call, window, rows }
    }

    /// An argument's value in the partition's first row; for arguments that are the same in all rows.
    pub fn scalar<T: FromDatum>(&self, argument: usize) -> Option<T> {
        let mut null = false;
        // SAFETY: the window object is valid during the call, T fits the SQL declaration.
        unsafe {
            let datum = api::WinGetFuncArgCurrent(self.window, argument as c_int, &mut null);
            T::from_datum(datum, null)
        }
    }

    /// The same, refusing NULL.
    pub fn required<T: FromDatum>(&self, argument: usize, name: &str) -> T {
        errors::required(self.scalar(argument), name)
    }

    /// A number of rows or values, the same in all rows.
    pub fn count(&self, argument: usize, name: &str) -> usize {
        arguments::count(self.required(argument, name), name)
    }

    /// The number of arguments of this call, variadic ones counted.
    pub fn arguments(&self) -> usize {
        self.call.arguments()
    }

    /// The number of rows of the partition.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The row of the partition that the call is for, from 0.
    pub fn position(&self) -> usize {
        // SAFETY: the window object is valid during the call.
        unsafe { unguarded::WinGetCurrentPosition(self.window) as usize }
    }

    /// Memory that PostgreSQL frees with the partition, zeroed at the partition's first row.
    pub(super) fn partition_memory(&self, bytes: usize) -> *mut c_void {
        if bytes > LARGEST_MEMORY {
            Failure::new(
                PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
                format!("a window partition of {} rows is too large", self.rows),
            )
            .hint("Cut it into strata with PARTITION BY.")
            .raise();
        }
        // SAFETY: the window object is valid during the call. The first one allocates.
        unsafe {
            if self.position() > 0 {
                return unguarded::WinGetPartitionLocalMemory(self.window, bytes);
            }
            memory::room(bytes);
            api::WinGetPartitionLocalMemory(self.window, bytes)
        }
    }

    /// Lends this call's generator of random numbers, which goes on from partition to partition.
    pub fn with_generator<T>(&self, draw: impl FnOnce(&mut Generator) -> T) -> T {
        randomness::with_generator(self.call, draw)
    }

    /// Reads all rows of the partition: the columns of each role in one table. Empty for a
    /// partition without rows.
    pub fn read(&self, wanted: &[Columns], watch: &mut Watch) -> Vec<TableReader> {
        let arguments: Vec<usize> = wanted.iter().flat_map(|w| w.arguments.clone()).collect();
        let mut batches = Batches::new(self, arguments);
        let descriptors = Arena::new("pg_sdc row types");
        let mut readers: Vec<ArgumentReader> = Vec::new();
        let mut tables: Vec<TableReader> = Vec::new();
        watch.start(Phase::Reading, self.rows as u64);
        while let Some(batch) = batches.next() {
            if readers.is_empty() {
                (readers, tables) = descriptors.within(|| self.readers(wanted, &batch));
            }
            batch.for_each_row(|row| push_row(row, &mut readers, wanted, &mut tables));
            watch.tick(batches.next_row as u64);
        }
        tables
    }

    /// The keys, and the sensitive columns of such a role, in a table each; `None` for a
    /// partition without rows.
    pub fn read_keys_and_sensitive(
        &self,
        keys: Range<usize>,
        sensitive: (Range<usize>, Role),
        watch: &mut Watch,
    ) -> Option<(TableReader, TableReader)> {
        let columns = |(arguments, role)| Columns { arguments, role };
        let wanted = [(keys, Role::Key), sensitive].map(columns);
        let mut tables = self.read(&wanted, watch).into_iter();
        tables.next().zip(tables.next())
    }

    /// Readers for the wanted arguments and the tables they fill, from the first row's values.
    fn readers(
        &self,
        wanted: &[Columns],
        batch: &Batch<'_>,
    ) -> (Vec<ArgumentReader>, Vec<TableReader>) {
        let mut cells = batch.first_row();
        let mut readers = Vec::new();
        let mut tables = Vec::new();
        for Columns { arguments, role } in wanted {
            let mut columns = Vec::new();
            for (argument, cell) in arguments.clone().zip(&mut cells) {
                let (call, label) = (self.call, role.label());
                let reader = match role {
                    Role::SensitiveValue => ArgumentReader::whole(call, argument, label),
                    _ => ArgumentReader::new(call, argument, label, Records::Apart, cell),
                };
                let brought = reader.columns(columns.len() + 1).into_iter();
                columns.extend(brought.map(|column| {
                    let ArgumentColumn {
                        label,
                        typ,
                        collation,
                    } = column;
                    ColumnReader::new(label, typ, collation, *role, self.rows)
                }));
                readers.push(reader);
            }
            tables.push(TableReader { columns });
        }
        (readers, tables)
    }

    /// The group of this call's row, numbered from 1 as users see it. `compute` cuts the rows of
    /// the partition into groups at its first row; the numbers are kept in memory that
    /// PostgreSQL frees with the partition.
    pub fn group_number(&self, compute: impl FnOnce() -> Partition) -> i32 {
        self.kept(|numbers: &mut [i32]| {
            for (number, &group) in numbers.iter_mut().zip(compute().group_of()) {
                *number = group as i32 + 1;
            }
        })
    }
}

fn push_row<'a>(
    mut row: impl Iterator<Item = Cell<'a>>,
    readers: &mut [ArgumentReader],
    wanted: &[Columns],
    tables: &mut [TableReader],
) {
    let mut readers = readers.iter_mut();
    for (Columns { arguments, .. }, table) in wanted.iter().zip(tables) {
        let mut columns = table.columns.iter_mut();
        for (cell, reader) in (&mut row).zip(&mut readers).take(arguments.len()) {
            reader.read(cell, |value| {
                if let Some(column) = columns.next() {
                    column.push(value);
                }
            });
        }
    }
}
