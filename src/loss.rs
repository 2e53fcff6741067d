//! `sdc.sse` and `sdc.information_loss`: what a grouping costs, in squares.

use crate::aggregate::{self, State};
use crate::v1::v1;
use pgrx::pg_sys::{Datum, FunctionCallInfo};
use sdc_engine::measure::{self, Squares};

fn squares(state: &State) -> Squares {
    measure::squares_of_groups(&state.moments, &state.counts.tally())
}

fn float(value: f64) -> Option<Datum> {
    Some(Datum::from(value.to_bits() as usize))
}

unsafe fn sse(fcinfo: FunctionCallInfo) -> Datum {
    // SAFETY: the SQL declaration makes this the final function over such a state.
    unsafe { aggregate::finish(fcinfo, |state| float(squares(state).within)) }
}

unsafe fn information_loss(fcinfo: FunctionCallInfo) -> Datum {
    // SAFETY: the SQL declaration makes this the final function over such a state.
    unsafe { aggregate::finish(fcinfo, |state| float(squares(state).information_loss())) }
}

v1! {
    sdc_sse, pg_finfo_sdc_sse => sse;
    sdc_information_loss, pg_finfo_sdc_information_loss => information_loss;
}
