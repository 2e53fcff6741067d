//! Reading rows by SQL: through the executor, as the caller, one row at a time and without
//! copies.

use crate::pg::catalog_relations;
use crate::pg::cell::Cell;
use crate::pg::composite;
use crate::pg::errors::Failure;
use crate::pg::memory;
use crate::pg::memory_context::Arena;
use crate::pg::query_execution;
use crate::pg::settings;
use crate::pg::sql_types::Release;
use crate::pg::tuple_store::HeldRow;
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::{self, Datum, Oid};
use pgrx::prelude::*;
use std::ffi::{CStr, CString};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Takes the rows of a query.
pub trait RowSink {
    /// One row, valid during the call, and so is what is allocated in the current memory context.
    fn row(&mut self, row: &Row<'_>);

    /// Whether no further row is wanted.
    fn full(&self) -> bool {
        false
    }
}

/// PostgreSQL's receiver of rows, with ours behind it.
#[repr(C)]
struct Receiver<'a> {
    base: pg_sys::DestReceiver,
    sink: &'a mut dyn RowSink,
    /// the types that the sink was made for; `None` where it looks for itself
    expected: Option<&'a [Oid]>,
    /// the types of the query's columns
    types: Vec<Oid>,
    /// where a sink's leftovers go; freed every so many rows
    scratch: Arena,
    rows: u32,
}

const ROWS_BETWEEN_RESETS: u32 = 1024;

/// In which order rows are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// as the table has them, where the query is a plain scan: ties go to the earlier row, so
    /// the order must be the same each time
    Stored,
    /// as the query says; it may run in parallel
    Queried,
}

/// Runs a query and hands every row to the sink, which was made for columns of these types.
/// Others are refused: a relation may have become another one since it was looked up.
pub fn read(sql: &str, types: &[Oid], order: Order, sink: &mut dyn RowSink) {
    execute(sql, Some(types), order, sink);
}

/// Runs a query and collects what `take` makes of its rows.
pub fn select<T>(sql: &str, take: impl FnMut(&Row) -> T) -> Vec<T> {
    let mut collector = Collector {
        take,
        taken: Vec::new(),
    };
    execute(sql, None, Order::Queried, &mut collector);
    collector.taken
}

/// The one value of a query; `None` for NULL, and for no row.
pub fn value<T: FromDatum + IntoDatum>(sql: &str) -> Option<T> {
    select(sql, |row| row.get(1)).into_iter().next().flatten()
}

/// Runs a generated statement as the caller.
pub fn run(sql: &str) {
    settings::refuse_unwritable(sql);
    if let Err(error) = Spi::run(sql) {
        Failure::internal(format!("a generated statement failed: {error}")).raise();
    }
}

/// Runs an INSERT or UPDATE of the register that returns all columns of one row, its number first, and
/// makes a row of them. The row as a whole would have another type where the relation is one of Citus.
pub fn write_returning(relation: Oid, sql: &str, values: &[DatumWithOid<'_>]) -> Option<Release> {
    let entered = Spi::connect_mut(|client| {
        let entered = client.update(sql, None, values)?.first();
        let columns = (1..=entered.columns()?).map(|place| entered.get_datum_by_ordinal(place));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let id = entered.get::<i64>(1)?;
        // SAFETY: the columns are those of the relation, in their order.
        Ok::<_, spi::Error>(id.and_then(|id| unsafe { row_of(relation, id, &columns) }))
    });
    entered.ok().flatten()
}

/// A row of a relation, outside of SPI's memory; none where it has other columns.
///
/// # Safety
/// The columns must be values of the relation's.
unsafe fn row_of(relation: Oid, id: i64, columns: &[Option<Datum>]) -> Option<Release> {
    let mut nulls: Vec<bool> = columns.iter().map(Option::is_none).collect();
    let null = Datum::from(0usize);
    let mut values: Vec<Datum> = columns.iter().map(|c| c.unwrap_or(null)).collect();
    // SAFETY: as promised by the caller; a descriptor has as many attributes as it says.
    unsafe {
        let row_type = pg_sys::get_rel_type_id(relation);
        let descriptor = pg_sys::lookup_rowtype_tupdesc_copy(row_type, -1);
        if (*descriptor).natts as usize != columns.len() {
            return None;
        }
        pg_sys::BlessTupleDesc(descriptor);
        let tuple = pg_sys::heap_form_tuple(descriptor, values.as_mut_ptr(), nulls.as_mut_ptr());
        let row = pg_sys::heap_copy_tuple_as_datum(tuple, descriptor);
        Some(Release::new(pg_sys::SPI_datumTransfer(row, false, -1), id))
    }
}

/// Locks a pair of numbers to the end of the transaction; nobody else locks such pairs.
pub fn lock_pair(class: Oid, object: Oid) {
    // SAFETY: the lock manager compares the numbers and looks nothing up.
    unsafe { pg_sys::LockDatabaseObject(class, object, 0, pg_sys::ExclusiveLock as i32) };
}

/// Keeps everybody else from writing into a relation to the end of the transaction; reading goes on.
pub fn lock_against_writers(relation: Oid) {
    catalog_relations::lock(relation, pg_sys::ShareRowExclusiveLock);
}

/// A row of a query while it is being taken.
pub struct Row<'a> {
    slot: *mut pg_sys::TupleTableSlot,
    types: &'a [Oid],
    values: &'a [Datum],
    nulls: &'a [bool],
}

impl<'a> Row<'a> {
    /// The value at a place, counted from 0.
    pub fn cell(&self, place: usize) -> Cell<'a> {
        // SAFETY: the values are as the query's columns are typed, and valid as long as the row.
        unsafe { Cell::new(self.values[place], self.nulls[place], self.types[place]) }
    }

    /// All values in order.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = Cell<'a>> {
        (0..self.values.len()).map(|place| self.cell(place))
    }

    /// The value in a column, counted from 1 as in SQL; `None` for NULL.
    pub fn get<T: FromDatum + IntoDatum>(&self, column: usize) -> Option<T> {
        self.cell(column - 1).get()
    }

    /// The row as PostgreSQL holds it.
    pub fn held(&self) -> HeldRow<'a> {
        // SAFETY: the slot holds the row as long as it is lent, and its columns are of these types.
        unsafe { HeldRow::new(self.slot, self.types) }
    }
}

struct Collector<T, F> {
    take: F,
    taken: Vec<T>,
}

impl<T, F: FnMut(&Row) -> T> RowSink for Collector<T, F> {
    fn row(&mut self, row: &Row<'_>) {
        let taken = (self.take)(row);
        memory::push(&mut self.taken, taken);
    }
}

fn execute(sql: &str, types: Option<&[Oid]>, order: Order, sink: &mut dyn RowSink) {
    settings::refuse_unwritable(sql);
    let Ok(text) = CString::new(sql) else {
        Failure::internal("a generated query holds a zero byte").raise()
    };
    let mut receiver = Receiver {
        base: pg_sys::DestReceiver {
            receiveSlot: Some(receive),
            rStartup: Some(start),
            rShutdown: Some(finish),
            rDestroy: Some(finish),
            mydest: pg_sys::CommandDest::DestNone,
        },
        sink,
        expected: types,
        types: Vec::new(),
        scratch: Arena::new("pg_sdc rows"),
        rows: 0,
    };
    let settings: &[_] = match order {
        Order::Stored => &IN_TABLE_ORDER,
        Order::Queried => &[],
    };
    let _own = OwnStatement::begin();
    // SAFETY: the receiver outlives the execution.
    under(settings, || unsafe {
        query_execution::run(&text, (&raw mut receiver).cast());
    });
}

/// How many generated queries are being run, one within the other.
static OWN: AtomicUsize = AtomicUsize::new(0);

struct OwnStatement;

impl OwnStatement {
    fn begin() -> Self {
        OWN.fetch_add(1, Ordering::Relaxed);
        OwnStatement
    }
}

impl Drop for OwnStatement {
    fn drop(&mut self) {
        OWN.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether a generated query is being run.
pub fn is_own() -> bool {
    OWN.load(Ordering::Relaxed) > 0
}

/// Lets the queries of `act` see what this statement has written so far: a read-only query
/// sees what its caller's snapshot does.
pub fn seeing_own_writes<T>(act: impl FnOnce() -> T) -> T {
    seeing(false, act)
}

/// The same, and what others have committed, whatever the transaction's isolation.
pub fn seeing_all_that_is_committed<T>(act: impl FnOnce() -> T) -> T {
    seeing(true, act)
}

/// Whether all statements of the transaction see what its first one did.
pub fn has_one_snapshot() -> bool {
    // SAFETY: reads a number of this process.
    unsafe { pg_sys::XactIsoLevel as u32 >= pg_sys::XACT_REPEATABLE_READ }
}

fn seeing<T>(latest: bool, act: impl FnOnce() -> T) -> T {
    // SAFETY: the snapshot is popped again; where an error comes first, the transaction's end does.
    unsafe {
        pg_sys::CommandCounterIncrement();
        pg_sys::PushActiveSnapshot(match latest {
            true => pg_sys::GetLatestSnapshot(),
            false => pg_sys::GetTransactionSnapshot(),
        });
    }
    let result = act();
    // SAFETY: the one that was pushed.
    unsafe { pg_sys::PopActiveSnapshot() };
    result
}

/// Settings under which scans start at the table's first page and run in one process.
const IN_TABLE_ORDER: [(&CStr, &CStr); 2] = [
    (c"synchronize_seqscans", c"off"),
    (c"max_parallel_workers_per_gather", c"0"),
];

/// Under this setting a name without a schema stands for an object of PostgreSQL's own, whoever else
/// has one of that name in the caller's search_path.
pub const OWN_NAMES: (&CStr, &CStr) = (c"search_path", c"pg_catalog, pg_temp");

/// Runs `act` under other settings; PostgreSQL itself undoes them where an error comes first.
pub fn under<T>(settings: &[(&CStr, &CStr)], act: impl FnOnce() -> T) -> T {
    // SAFETY: a new level of settings, which is left below.
    let level = unsafe { pg_sys::NewGUCNestLevel() };
    for (name, value) in settings {
        set(name, value, pg_sys::GucAction::GUC_ACTION_SAVE);
    }
    let result = act();
    // SAFETY: the level that was entered above.
    unsafe { pg_sys::AtEOXact_GUC(false, level) };
    result
}

/// As SET LOCAL does.
pub fn set_to_end_of_transaction(name: &CStr, value: &CStr) {
    set(name, value, pg_sys::GucAction::GUC_ACTION_LOCAL);
}

fn set(name: &CStr, value: &CStr, action: pg_sys::GucAction::Type) {
    // SAFETY: a setting that does not exist, or a value that is not valid, is an error.
    unsafe {
        pg_sys::set_config_option(
            name.as_ptr(),
            value.as_ptr(),
            pg_sys::GucContext::PGC_USERSET,
            pg_sys::GucSource::PGC_S_SESSION,
            action,
            true,
            0,
            false,
        );
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn receive(
    slot: *mut pg_sys::TupleTableSlot,
    receiver: *mut pg_sys::DestReceiver,
) -> bool {
    // SAFETY: PostgreSQL hands back our receiver and a slot with the query's columns.
    let (receiver, values, nulls) = unsafe {
        let columns = (*(*slot).tts_tupleDescriptor).natts as usize;
        if ((*slot).tts_nvalid as usize) < columns {
            pg_sys::slot_getsomeattrs_int(slot, columns as i32);
        }
        (
            &mut *receiver.cast::<Receiver>(),
            std::slice::from_raw_parts((*slot).tts_values, columns),
            std::slice::from_raw_parts((*slot).tts_isnull, columns),
        )
    };
    let row = Row {
        slot,
        types: &receiver.types,
        values,
        nulls,
    };
    let sink = &mut *receiver.sink;
    receiver.scratch.within(|| sink.row(&row));
    receiver.rows += 1;
    if receiver.rows.is_multiple_of(ROWS_BETWEEN_RESETS) {
        receiver.scratch.reset();
    }
    !receiver.sink.full()
}

#[pg_guard]
unsafe extern "C-unwind" fn start(
    receiver: *mut pg_sys::DestReceiver,
    _operation: i32,
    row: pg_sys::TupleDesc,
) {
    // SAFETY: PostgreSQL hands back our receiver, and the descriptor of the rows to come.
    let (receiver, attributes) = unsafe {
        (
            &mut *receiver.cast::<Receiver>(),
            composite::attributes(row),
        )
    };
    receiver.types = attributes.into_iter().map(|a| a.typ).collect();
    if receiver
        .expected
        .is_some_and(|types| receiver.types != types)
    {
        Failure::new(
            PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            "the columns of a relation changed while it was about to be read",
        )
        .hint("Try again.")
        .raise();
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn finish(_me: *mut pg_sys::DestReceiver) {}
