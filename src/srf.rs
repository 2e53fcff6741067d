//! The driver of functions that take a row type and give rows: `f(rowtype anyelement, …)
//! RETURNS SETOF anyelement` or `RETURNS TABLE (…)`.

use crate::errors::Failure;
use crate::row_store::RowStore;
use crate::source::Source;
use crate::v1;
use pgrx::pg_sys::{self, Datum, FunctionCallInfo};
use pgrx::prelude::*;

/// The relation whose row type a call names by its polymorphic first argument, `NULL::patient`.
///
/// # Safety
/// `fcinfo` must be the call info of such a function.
pub unsafe fn source_of_rowtype(fcinfo: FunctionCallInfo) -> Source {
    // SAFETY: catalog look-ups on the argument's type.
    let relation = unsafe {
        let typ = v1::argument_type(fcinfo, 0);
        pg_sys::get_typ_typrelid(typ)
    };
    if relation == pg_sys::InvalidOid {
        Failure::new(
            PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH,
            "the first argument must be of a table's row type",
        )
        .hint("Pass a typed null: NULL::my_table.")
        .raise();
    }
    Source::new(relation)
}

/// Answers a call with the rows that `write` puts into the store, which are of the source's
/// row type.
///
/// # Safety
/// `fcinfo` must be valid and expect a set of the source's row type.
pub unsafe fn answer(
    fcinfo: FunctionCallInfo,
    source: &Source,
    write: impl FnOnce(&RowStore),
) -> Datum {
    // SAFETY: the row type's descriptor is made where the result lives.
    unsafe {
        let row_type = pg_sys::get_rel_type_id(source.oid);
        answer_rows(
            fcinfo,
            || pg_sys::lookup_rowtype_tupdesc_copy(row_type, -1),
            write,
        )
    }
}

/// Answers a call with rows as its declaration `RETURNS TABLE (…)` has them.
///
/// # Safety
/// `fcinfo` must be valid and of a function that is declared so.
pub unsafe fn answer_table(fcinfo: FunctionCallInfo, write: impl FnOnce(&RowStore)) -> Datum {
    // SAFETY: the declaration's descriptor, copied to where the result lives.
    unsafe {
        let declared = || {
            let mut descriptor = std::ptr::null_mut();
            pg_sys::get_call_result_type(fcinfo, std::ptr::null_mut(), &mut descriptor);
            pg_sys::CreateTupleDescCopy(descriptor)
        };
        answer_rows(fcinfo, declared, write)
    }
}

unsafe fn answer_rows(
    fcinfo: FunctionCallInfo,
    descriptor: impl FnOnce() -> pg_sys::TupleDesc,
    write: impl FnOnce(&RowStore),
) -> Datum {
    // SAFETY: the result info is checked to be one that takes a materialized set; store and
    // descriptor live as long as the query.
    unsafe {
        let info = (*fcinfo).resultinfo.cast::<pg_sys::ReturnSetInfo>();
        let materialize = pg_sys::SetFunctionReturnMode::SFRM_Materialize;
        if info.is_null() || (*info).allowedModes & materialize as i32 == 0 {
            no_set_expected();
        }
        let before = pg_sys::MemoryContextSwitchTo((*(*info).econtext).ecxt_per_query_memory);
        let random = pg_sys::SetFunctionReturnMode::SFRM_Materialize_Random as i32;
        let random = (*info).allowedModes & random != 0;
        let mut result = RowStore::with_descriptor(descriptor(), random);
        pg_sys::MemoryContextSwitchTo(before);
        write(&result);
        (*info).returnMode = materialize;
        (*info).setResult = result.store;
        (*info).setDesc = result.descriptor;
        result.give_away();
        v1::answer(fcinfo, None)
    }
}

fn no_set_expected() -> ! {
    Failure::new(
        PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED,
        "set-valued function called in a context that cannot accept a set",
    )
    .hint("Call it in FROM.")
    .raise()
}
