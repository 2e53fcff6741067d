//! The driver of window functions: a partition's rows → typed columns → the engine → a
//! value for each row. It is computed at the partition's first row and kept in memory that
//! PostgreSQL frees with the partition.

mod batches;

use crate::arguments::{self, ArgumentReader, Records};
use crate::columns::{ColumnReader, Role, TableReader};
use crate::errors::{self, Failure, Names};
use crate::progress::Watch;
use crate::randomness;
use crate::v1;
use pgrx::pg_sys::{self, Datum, FunctionCallInfo, Oid};
use pgrx::prelude::*;
use sdc_engine::random::Generator;
use sdc_engine::{Monitor, Partition, Phase};
use std::ffi::{c_int, c_void};
use std::ops::Range;

pub use batches::{Batches, Value};

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
        pub fn WinGetCurrentPosition(window: *mut c_void) -> i64;
        pub fn WinGetFuncArgCurrent(window: *mut c_void, arg: c_int, null: *mut bool) -> Datum;
    }
}

/// Arguments that bring the columns of one role.
pub struct Columns {
    pub arguments: Range<usize>,
    pub role: Role,
}

/// A call of a window function at the first row of a partition.
pub struct WindowCall {
    fcinfo: FunctionCallInfo,
    window: *mut c_void,
    rows: usize,
}

impl WindowCall {
    /// # Safety
    /// `fcinfo` must be valid.
    pub unsafe fn new(fcinfo: FunctionCallInfo) -> Self {
        // SAFETY: the context of a window function's call is its window object.
        unsafe {
            let window = (*fcinfo).context;
            if window.is_null() || !pgrx::is_a(window, pg_sys::NodeTag::T_WindowObjectData) {
                Failure::new(
                    PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE,
                    "this function must be called as a window function",
                )
                .hint("Add an OVER clause, for example OVER (ORDER BY id).")
                .raise();
            }
            let window = window.cast::<c_void>();
            let rows = api::WinGetPartitionRowCount(window) as usize;
            WindowCall {
                fcinfo,
                window,
                rows,
            }
        }
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
        self.scalar(argument)
            .unwrap_or_else(|| Failure::null(name).raise())
    }

    /// A number of rows or values, the same in all rows.
    pub fn count(&self, argument: usize, name: &str) -> usize {
        arguments::count(self.required(argument, name), name)
    }

    /// The number of arguments of this call, variadic ones counted.
    pub fn arguments(&self) -> usize {
        // SAFETY: valid during the call.
        unsafe { v1::arguments(self.fcinfo) }
    }

    /// The type of an argument as the query has it.
    pub fn argument_type(&self, argument: usize) -> Oid {
        // SAFETY: the call has this argument.
        unsafe { v1::argument_type(self.fcinfo, argument) }
    }

    /// The number of rows of the partition.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The row of the partition that the call is for, from 0.
    pub fn position(&self) -> usize {
        // SAFETY: the window object is valid during the call.
        unsafe { api::WinGetCurrentPosition(self.window) as usize }
    }

    /// Memory that PostgreSQL frees with the partition, zeroed at the partition's first row.
    pub fn partition_memory(&self, bytes: usize) -> *mut c_void {
        if bytes > LARGEST_MEMORY {
            Failure::new(
                PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
                format!("a window partition of {} rows is too large", self.rows),
            )
            .hint("Cut it into strata with PARTITION BY.")
            .raise();
        }
        // SAFETY: the window object is valid during the call.
        unsafe { api::WinGetPartitionLocalMemory(self.window, bytes) }
    }

    /// Lends this call's generator of random numbers, which goes on from partition to partition.
    pub fn with_generator<T>(&self, draw: impl FnOnce(&mut Generator) -> T) -> T {
        // SAFETY: the call info is valid; window functions keep nothing else.
        draw(unsafe { randomness::of_function(self.fcinfo) })
    }

    /// Reads all rows of the partition: the columns of each role in one table.
    pub fn read(&self, wanted: &[Columns], watch: &mut Watch) -> Vec<TableReader> {
        let arguments: Vec<usize> = wanted.iter().flat_map(|w| w.arguments.clone()).collect();
        let mut rows = Batches::new(self, arguments);
        let scratch = rows.memory.value();
        let descriptors = pgrx::PgMemoryContexts::new("pg_sdc row types");
        let mut readers: Vec<ArgumentReader> = Vec::new();
        let mut tables: Vec<TableReader> = Vec::new();
        watch.start(Phase::Reading, self.rows as u64);
        while let Some(batch) = rows.next() {
            if readers.is_empty() {
                (readers, tables) = self.readers(wanted, batch, descriptors.value());
            }
            let width = readers.len();
            // SAFETY: what reading leaves behind goes with the batch, which outlives the loop;
            // a row holds one value for each reader, in the order of `wanted`.
            unsafe {
                let before = pg_sys::MemoryContextSwitchTo(scratch);
                for row in batch.chunks_exact(width) {
                    push_row(row, &mut readers, wanted, &mut tables);
                }
                pg_sys::MemoryContextSwitchTo(before);
            }
            tables.iter().for_each(TableReader::check_memory);
            errors::engine(watch.advance(rows.next_row as u64), Names::default());
        }
        tables
    }

    /// Readers for the wanted arguments and the tables they fill, from the first row's values.
    /// `context` must outlive the readers.
    fn readers(
        &self,
        wanted: &[Columns],
        row: &[Value],
        context: pg_sys::MemoryContext,
    ) -> (Vec<ArgumentReader>, Vec<TableReader>) {
        let mut values = row.iter();
        let mut readers = Vec::new();
        let mut tables = Vec::new();
        for Columns { arguments, role } in wanted {
            let mut columns = Vec::new();
            for (argument, value) in arguments.clone().zip(&mut values) {
                // SAFETY: the value is this argument's.
                let reader = unsafe {
                    let value = (value.datum, value.null);
                    let (label, records) = (role.label(), Records::Apart);
                    match role {
                        Role::SensitiveValue => ArgumentReader::whole(self.fcinfo, argument, label),
                        _ => ArgumentReader::new(
                            self.fcinfo,
                            argument,
                            label,
                            records,
                            value,
                            context,
                        ),
                    }
                };
                for column in reader.columns(columns.len() + 1) {
                    columns.push(ColumnReader::new(
                        column.label,
                        column.typ,
                        column.collation,
                        *role,
                        self.rows,
                    ));
                }
                readers.push(reader);
            }
            tables.push(TableReader { columns });
        }
        (readers, tables)
    }
}

unsafe fn push_row(
    row: &[Value],
    readers: &mut [ArgumentReader],
    wanted: &[Columns],
    tables: &mut [TableReader],
) {
    let mut pairs = row.iter().zip(readers);
    for (Columns { arguments, .. }, table) in wanted.iter().zip(tables) {
        let mut columns = table.columns.iter_mut();
        for (value, reader) in (&mut pairs).take(arguments.len()) {
            // SAFETY: value and reader belong to the same argument, which fills these columns.
            unsafe {
                reader.read(value.datum, value.null, |datum, null| {
                    if let Some(column) = columns.next() {
                        column.push(datum, null);
                    }
                });
            }
        }
    }
}

/// What a partition's local memory holds: this, then one group number for each row.
#[repr(C)]
struct Computed {
    ready: u64,
}

/// Answers a call of a group-assigning window function: `compute` cuts the partition's rows
/// into groups, which users see numbered from 1.
///
/// # Safety
/// `fcinfo` must be the call info of a window function.
pub unsafe fn assign(
    fcinfo: FunctionCallInfo,
    compute: fn(&WindowCall, &mut Watch) -> Partition,
) -> Datum {
    // SAFETY: the partition's memory holds the header and a number for each of its rows.
    unsafe {
        let call = WindowCall::new(fcinfo);
        let size = size_of::<Computed>() + call.rows * size_of::<i32>();
        let header = call.partition_memory(size).cast::<Computed>();
        let groups = std::slice::from_raw_parts_mut(header.add(1).cast::<i32>(), call.rows);
        if (*header).ready == 0 {
            let partition = compute(&call, &mut Watch::new(None));
            for (number, &group) in groups.iter_mut().zip(partition.group_of()) {
                *number = group as i32 + 1;
            }
            (*header).ready = 1;
        }
        v1::answer(fcinfo, Some(Datum::from(groups[call.position()])))
    }
}
