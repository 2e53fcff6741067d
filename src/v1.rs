//! Hand-declared functions: what `#[pg_extern]` cannot express (window functions, `VARIADIC
//! "any"`, polymorphic sets). Their SQL stands in `sql/`.

use pgrx::pg_sys::{self, Datum, FunctionCallInfo, Oid};

/// Declares C functions of PostgreSQL's version-1 calling convention:
/// `v1! { symbol, info_symbol => body; }` where body takes the call info and gives a datum.
macro_rules! v1 {
    ($($name:ident, $info:ident => $body:expr;)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $info() -> &'static pgrx::pg_sys::Pg_finfo_record {
            const V1: pgrx::pg_sys::Pg_finfo_record =
                pgrx::pg_sys::Pg_finfo_record { api_version: 1 };
            &V1
        }

        #[unsafe(no_mangle)]
        #[pgrx::pg_guard]
        pub unsafe extern "C-unwind" fn $name(
            fcinfo: pgrx::pg_sys::FunctionCallInfo,
        ) -> pgrx::pg_sys::Datum {
            // SAFETY: PostgreSQL passes a valid call info that matches the SQL declaration.
            unsafe { ($body)(fcinfo) }
        }
    )*};
}
pub(crate) use v1;

/// The value and nullness of an argument.
///
/// # Safety
/// `fcinfo` must be valid and have more than `index` arguments.
pub unsafe fn argument(fcinfo: FunctionCallInfo, index: usize) -> (Datum, bool) {
    // SAFETY: as promised by the caller.
    let argument = unsafe { &*(*fcinfo).args.as_ptr().add(index) };
    (argument.value, argument.isnull)
}

/// The number of arguments of this call.
///
/// # Safety
/// `fcinfo` must be valid.
pub unsafe fn arguments(fcinfo: FunctionCallInfo) -> usize {
    // SAFETY: as promised by the caller.
    unsafe { (*fcinfo).nargs as usize }
}

/// The type of an argument as the query has it.
///
/// # Safety
/// `fcinfo` must be valid and have more than `index` arguments.
pub unsafe fn argument_type(fcinfo: FunctionCallInfo, index: usize) -> Oid {
    // SAFETY: as promised by the caller.
    unsafe { pg_sys::get_fn_expr_argtype((*fcinfo).flinfo, index as i32) }
}

/// Returns a value, or SQL NULL.
///
/// # Safety
/// `fcinfo` must be valid.
pub unsafe fn answer(fcinfo: FunctionCallInfo, value: Option<Datum>) -> Datum {
    // SAFETY: as promised by the caller.
    unsafe { (*fcinfo).isnull = value.is_none() };
    value.unwrap_or(Datum::from(0usize))
}
