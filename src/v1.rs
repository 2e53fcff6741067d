//! Hand-declared functions: what `#[pg_extern]` cannot express (window functions, `VARIADIC
//! "any"`, polymorphic sets). Their SQL stands in `sql/`.

use crate::errors::Failure;
use pgrx::FromDatum;
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
            crate::guard::guarded(|| unsafe { ($body)(fcinfo) })
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

/// The value of an argument, `None` for NULL.
///
/// # Safety
/// The argument must exist and be of the SQL type that T stands for.
pub unsafe fn optional<T: FromDatum>(fcinfo: FunctionCallInfo, index: usize) -> Option<T> {
    // SAFETY: as promised by the caller.
    unsafe {
        let (datum, null) = argument(fcinfo, index);
        T::from_datum(datum, null)
    }
}

/// The value of an argument that must not be NULL.
///
/// # Safety
/// As for [`optional`].
pub unsafe fn required<T: FromDatum>(fcinfo: FunctionCallInfo, index: usize, name: &str) -> T {
    // SAFETY: as promised by the caller.
    unsafe { optional(fcinfo, index) }.unwrap_or_else(|| Failure::null(name).raise())
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

/// The collation under which GROUP BY would compare an argument. A function is only told one
/// collation for all arguments; an aggregate can look up each one's own.
///
/// # Safety
/// `fcinfo` must be valid and have more than `index` arguments.
pub unsafe fn argument_collation(fcinfo: FunctionCallInfo, index: usize) -> Oid {
    // SAFETY: arguments of a transition function follow the state in the aggregate's order.
    unsafe {
        let aggregate = pg_sys::AggGetAggref(fcinfo);
        if aggregate.is_null() {
            return common_collation(fcinfo);
        }
        let entry = pg_sys::list_nth((*aggregate).args, index as i32 - 1);
        let entry = &*entry.cast::<pg_sys::TargetEntry>();
        pg_sys::exprCollation(entry.expr.cast())
    }
}

/// The collation of a call; none where it need not be that of every argument: of one with a
/// collation of its own and others without, PostgreSQL names the former.
unsafe fn common_collation(fcinfo: FunctionCallInfo) -> Oid {
    // SAFETY: the call info is valid.
    unsafe {
        let collation = (*fcinfo).fncollation;
        let collatable = |&index: &usize| {
            let typ = argument_type(fcinfo, index);
            pg_sys::get_typcollation(typ) != pg_sys::InvalidOid
        };
        let several = (0..arguments(fcinfo)).filter(collatable).count() > 1;
        let bytes_decide =
            collation == pg_sys::InvalidOid || pg_sys::get_collation_isdeterministic(collation);
        if several && !bytes_decide {
            return pg_sys::InvalidOid;
        }
        collation
    }
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
