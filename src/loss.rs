//! `sdc.sse` and `sdc.information_loss`: what a grouping costs, in squares.

use crate::aggregate::{self, State, float};
use crate::errors::{self, Names};
use crate::v1::v1;
use pgrx::pg_sys::{Datum, FunctionCallInfo};
use sdc_engine::measure::{self, Squares};

fn squares(state: &State) -> Squares {
    let tally = errors::engine(state.counts.tally(), Names::default());
    errors::engine(
        measure::squares_of_groups(&state.moments, &tally),
        Names::default(),
    )
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
