//! Calls of an aggregate's support functions: where its state lives, and how it passes from
//! process to process of a parallel plan.

use crate::pg::errors::Failure;
use crate::pg::function_call::Call;
use crate::pg::memory;
use crate::pg::memory_context::Context;
use pgrx::pg_sys::Datum;
use pgrx::prelude::*;

/// PostgreSQL's limit on one value, here the serialized state.
const MOST_BYTES: usize = 0x3fff_ffff;

/// A state of type `internal`. A function that takes one is declared with that argument alone,
/// and there is one type of states, so that no other can stand there.
pub trait AggregateState: Sized {
    /// Adds what another process gathered.
    fn merge(&mut self, other: &Self);
    /// Leaves an empty state behind.
    fn take(&mut self) -> Self;
    fn to_bytes(&self) -> Vec<u8>;
    fn from_bytes(bytes: &[u8]) -> Self;
}

/// The state an argument points to; `None` while there is none.
fn state<S>(call: &Call, index: usize) -> Option<&S> {
    let (datum, null) = call.raw(index);
    (!null).then(|| &*state_at(datum))
}

/// The state that an `internal` argument of these functions points to.
fn state_at<'a, S>(internal: Datum) -> &'a mut S {
    // SAFETY: such arguments are always states made by `keep`, and no two are the same.
    unsafe { &mut *internal.cast_mut_ptr::<S>() }
}

/// Hands a state to a memory context, which drops it in the end.
fn keep<S>(state: S, context: Context) -> Datum {
    Datum::from(context.keep(state))
}

/// A transition: `add` takes the row of this call; `start` makes the state at the first row, in
/// the memory context in which it will live. That row begins the call.
pub fn transition<S>(
    call: &Call,
    start: impl FnOnce() -> S,
    add: impl FnOnce(&mut S),
) -> Option<Datum> {
    let datum = match call.raw(0) {
        (datum, false) => datum,
        (_, true) => {
            memory::begin_call();
            let context = call.aggregate_context();
            keep(context.within(start), context)
        }
    };
    add(state_at(datum));
    Some(datum)
}

pub fn combine<S: AggregateState>(call: &Call) -> Option<Datum> {
    let context = call.aggregate_context();
    let ((first, none), (second, nothing)) = (call.raw(0), call.raw(1));
    if nothing {
        return (!none).then_some(first);
    }
    let second: &mut S = state_at(second);
    if none {
        // the second state lives in a shorter-lived context, and nobody looks at it again
        return Some(keep(second.take(), context));
    }
    state_at::<S>(first).merge(second);
    Some(first)
}

pub fn serialize<S: AggregateState>(call: &Call) -> Option<Datum> {
    let bytes = state::<S>(call, 0).map(|state| state.to_bytes());
    let bytes = bytes.unwrap_or_default();
    if bytes.len() > MOST_BYTES {
        Failure::new(
            PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
            "too many groups for a parallel aggregate",
        )
        .hint("SET max_parallel_workers_per_gather = 0, or use sdc.check_anonymity().")
        .raise();
    }
    // PostgreSQL's copy, which it frees when it is sent
    memory::room(bytes.len());
    Some(Datum::from(
        pgrx::rust_byte_slice_to_bytea(&bytes).into_pg(),
    ))
}

pub fn deserialize<S: AggregateState>(call: &Call) -> Option<Datum> {
    // a bytea made by `serialize`; the state lives where the caller wants it
    let bytes = call.optional::<&[u8]>(0).unwrap_or_default();
    Some(keep(S::from_bytes(bytes), Context::current()))
}

/// A final function: NULL over no rows.
pub fn finish<S>(call: &Call, figure: impl FnOnce(&S) -> Option<Datum>) -> Option<Datum> {
    state::<S>(call, 0).and_then(figure)
}

/// An answer of type double precision.
pub fn float(value: f64) -> Option<Datum> {
    Some(Datum::from(value.to_bits() as usize))
}

/// An answer of type bigint.
pub fn bigint(value: u64) -> Option<Datum> {
    Some(Datum::from(value as i64))
}
