//! The state behind all checking aggregates: groups and the sensitive values within them,
//! counted as rows come by. Transition, combine, serialize and deserialize functions are
//! shared; the aggregates differ in their final functions.

mod state;
mod wire;

pub use state::{State, ValueColumn};

use crate::columns::Role;
use crate::errors::Failure;
use crate::v1::{self, v1};
use pgrx::pg_sys::{self, Datum, FunctionCallInfo};
use pgrx::prelude::*;
use std::ops::Range;

/// PostgreSQL's limit on one value, here the serialized state.
const MOST_BYTES: usize = 0x3fff_ffff;

/// Which arguments of a transition function are keys, values and the parameter.
struct Arguments {
    keys: Range<usize>,
    values: Range<usize>,
    /// whether numeric values are measured rather than counted
    measure: bool,
    /// a key argument that is one value, whatever its type
    whole: Option<usize>,
    /// place and name of a number beside the columns
    parameter: Option<(usize, &'static str)>,
}

impl Arguments {
    fn new(keys: Range<usize>, values: Range<usize>) -> Self {
        Arguments {
            keys,
            values,
            measure: false,
            whole: None,
            parameter: None,
        }
    }

    /// What messages call the values.
    fn value_role(&self) -> Role {
        match self.measure {
            true => Role::Key,
            false => Role::Sensitive,
        }
    }
}

/// The memory context of the aggregate this call belongs to.
unsafe fn aggregate_context(fcinfo: FunctionCallInfo) -> pg_sys::MemoryContext {
    let mut context = std::ptr::null_mut();
    // SAFETY: the call info is valid.
    if unsafe { pg_sys::AggCheckCallContext(fcinfo, &mut context) } == 0 {
        Failure::new(
            PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE,
            "aggregate support function called outside an aggregate",
        )
        .raise();
    }
    context
}

/// The state an argument points to; `None` while there is none.
unsafe fn state<'a>(fcinfo: FunctionCallInfo, index: usize) -> Option<&'a mut State> {
    // SAFETY: `internal` arguments of these functions are always states made by `keep`.
    unsafe {
        let (datum, null) = v1::argument(fcinfo, index);
        (!null).then(|| &mut *datum.cast_mut_ptr::<State>())
    }
}

/// Hands a state to a memory context, which drops it in the end.
unsafe fn keep(state: State, context: pg_sys::MemoryContext) -> Datum {
    Datum::from(pgrx::PgMemoryContexts::For(context).leak_and_drop_on_delete(state))
}

unsafe fn transition(fcinfo: FunctionCallInfo, arguments: Arguments) -> Datum {
    // SAFETY: argument 0 is the state, the others are as the SQL declaration has them.
    unsafe {
        let datum = match v1::argument(fcinfo, 0) {
            (datum, false) => datum,
            (_, true) => {
                let context = aggregate_context(fcinfo);
                keep(State::for_call(fcinfo, &arguments, context), context)
            }
        };
        (*datum.cast_mut_ptr::<State>()).add(fcinfo, &arguments);
        v1::answer(fcinfo, Some(datum))
    }
}

unsafe fn combine(fcinfo: FunctionCallInfo) -> Datum {
    // SAFETY: both arguments are states.
    unsafe {
        let context = aggregate_context(fcinfo);
        let first = v1::argument(fcinfo, 0);
        let Some(second) = state(fcinfo, 1) else {
            return v1::answer(fcinfo, (!first.1).then_some(first.0));
        };
        let datum = match first {
            (datum, false) => datum,
            // the second state lives in a shorter-lived context, and nobody looks at it again
            (_, true) => keep(second.take(), context),
        };
        if !first.1 {
            (*datum.cast_mut_ptr::<State>()).merge(second);
        }
        v1::answer(fcinfo, Some(datum))
    }
}

unsafe fn serialize(fcinfo: FunctionCallInfo) -> Datum {
    // SAFETY: the argument is a state; the function is strict.
    let bytes = unsafe { state(fcinfo, 0) }
        .map(|state| wire::write(state))
        .unwrap_or_default();
    if bytes.len() > MOST_BYTES {
        Failure::new(
            PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
            "too many groups for a parallel aggregate",
        )
        .hint("SET max_parallel_workers_per_gather = 0, or use sdc.check_anonymity().")
        .raise();
    }
    let datum = Datum::from(pgrx::rust_byte_slice_to_bytea(&bytes).into_pg());
    // SAFETY: the call info is valid.
    unsafe { v1::answer(fcinfo, Some(datum)) }
}

unsafe fn deserialize(fcinfo: FunctionCallInfo) -> Datum {
    // SAFETY: the argument is a bytea made by `serialize`; the function is strict.
    unsafe {
        let (datum, null) = v1::argument(fcinfo, 0);
        let bytes = <&[u8]>::from_datum(datum, null).unwrap_or_default();
        let state = keep(wire::read(bytes), pg_sys::CurrentMemoryContext);
        v1::answer(fcinfo, Some(state))
    }
}

/// Runs a final function: NULL over no rows.
///
/// # Safety
/// `fcinfo` must be the call info of a final function over a [`State`].
pub unsafe fn finish(
    fcinfo: FunctionCallInfo,
    figure: impl FnOnce(&State) -> Option<Datum>,
) -> Datum {
    // SAFETY: argument 0 is the state.
    unsafe {
        let answer = state(fcinfo, 0).and_then(|state| figure(state));
        v1::answer(fcinfo, answer)
    }
}

/// An answer of type double precision.
pub fn float(value: f64) -> Option<Datum> {
    Some(Datum::from(value.to_bits() as usize))
}

/// An answer of type bigint.
pub fn bigint(value: u64) -> Option<Datum> {
    Some(Datum::from(value as i64))
}

v1! {
    sdc_count_groups, pg_finfo_sdc_count_groups => |fcinfo| {
        transition(fcinfo, Arguments::new(1..v1::arguments(fcinfo), 0..0))
    };
    sdc_count_values, pg_finfo_sdc_count_values => |fcinfo| {
        transition(fcinfo, Arguments::new(1..2, 2..v1::arguments(fcinfo)))
    };
    sdc_count_values_c, pg_finfo_sdc_count_values_c => |fcinfo| {
        let parameter = Some((3, "c"));
        transition(fcinfo, Arguments { parameter, ..Arguments::new(1..2, 2..3) })
    };
    sdc_count_values_categories, pg_finfo_sdc_count_values_categories => |fcinfo| {
        let parameter = Some((3, "categories"));
        transition(fcinfo, Arguments { parameter, ..Arguments::new(1..2, 2..3) })
    };
    sdc_count_rows, pg_finfo_sdc_count_rows => |fcinfo| {
        let (whole, parameter) = (Some(3), Some((4, "permuted")));
        transition(fcinfo, Arguments { whole, parameter, ..Arguments::new(1..4, 0..0) })
    };
    sdc_measure_groups, pg_finfo_sdc_measure_groups => |fcinfo| {
        let arguments = Arguments::new(1..2, 2..v1::arguments(fcinfo));
        transition(fcinfo, Arguments { measure: true, ..arguments })
    };
    sdc_counts_combine, pg_finfo_sdc_counts_combine => combine;
    sdc_counts_serialize, pg_finfo_sdc_counts_serialize => serialize;
    sdc_counts_deserialize, pg_finfo_sdc_counts_deserialize => deserialize;
}
