//! The driver of functions that take a row type and give rows: `f(rowtype anyelement, …)
//! RETURNS SETOF anyelement` or `RETURNS TABLE (…)`.

use crate::pg::cell::Cell;
use crate::pg::errors::Failure;
use crate::pg::function_call::Call;
use crate::pg::memory_context::Arena;
use crate::pg::tuple_store::TupleStore;
use pgrx::pg_sys::{self, Datum, Oid};
use pgrx::prelude::*;

/// The relation whose row type a call names by its polymorphic first argument, `NULL::patient`.
pub fn relation_of_rowtype(call: &Call) -> Oid {
    call.relation_of_argument(0).unwrap_or_else(|| {
        Failure::new(
            PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
            "the first argument must be of a table's row type",
        )
        .hint("Pass a typed null: NULL::my_table.")
        .raise()
    })
}

/// Answers a call with the rows that `write` puts into the store, which are of the row type
/// that its first argument names.
pub fn answer_rowtype(call: &Call, write: impl FnOnce(&TupleStore)) -> Option<Datum> {
    let descriptor = || {
        // SAFETY: the row type's descriptor is made where the result lives.
        unsafe { pg_sys::lookup_rowtype_tupdesc_copy(call.argument_type(0), -1) }
    };
    answer_rows(call, descriptor, write)
}

/// Answers a call with rows as its declaration `RETURNS TABLE (…)` has them.
pub fn answer_table(call: &Call, write: impl FnOnce(&TupleStore)) -> Option<Datum> {
    let declared = || {
        let mut descriptor = std::ptr::null_mut();
        // SAFETY: the declaration's descriptor, copied to where the result lives.
        unsafe {
            pg_sys::get_call_result_type(call.info(), std::ptr::null_mut(), &mut descriptor);
            pg_sys::CreateTupleDescCopy(descriptor)
        }
    };
    answer_rows(call, declared, write)
}

/// The same with a row for each item. What its values point to is freed before the next one is
/// made, so that the rows take no memory beside the store.
pub fn answer_items<T, const COLUMNS: usize>(
    call: &Call,
    items: impl IntoIterator<Item = T>,
    cells: impl Fn(T) -> [Cell<'static>; COLUMNS],
) -> Option<Datum> {
    answer_table(call, |result| {
        let mut row_memory = Arena::new("pg_sdc row");
        for item in items {
            pgrx::check_for_interrupts!();
            // the store copies the row before its memory is reset
            row_memory.within(|| result.push(&cells(item)));
            row_memory.reset();
        }
    })
}

fn answer_rows(
    call: &Call,
    descriptor: impl FnOnce() -> pg_sys::TupleDesc,
    write: impl FnOnce(&TupleStore),
) -> Option<Datum> {
    // SAFETY: the result info is checked to be one that takes a materialized set; store and
    // descriptor live as long as the query.
    unsafe {
        let info = (*call.info()).resultinfo.cast::<pg_sys::ReturnSetInfo>();
        let materialize = pg_sys::SetFunctionReturnMode::SFRM_Materialize;
        if info.is_null() || (*info).allowedModes & materialize as i32 == 0 {
            no_set_expected();
        }
        let before = pg_sys::MemoryContextSwitchTo((*(*info).econtext).ecxt_per_query_memory);
        let random = pg_sys::SetFunctionReturnMode::SFRM_Materialize_Random as i32;
        let random = (*info).allowedModes & random != 0;
        let mut result = TupleStore::with_descriptor(descriptor(), random);
        pg_sys::MemoryContextSwitchTo(before);
        write(&result);
        (*info).returnMode = materialize;
        (*info).setResult = result.store;
        (*info).setDesc = result.descriptor;
        result.give_away();
    }
    None
}

fn no_set_expected() -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED,
        "set-valued function called in a context that cannot accept a set",
    )
    .hint("Call it in FROM.")
    .raise()
}
