//! `sdc.household_risk`: the risk that at least one member is re-identified, 1 − Π(1 − r).
//!
//! The state is Σ ln(1 − r), so that small risks of large households keep their digits, and so that
//! states of parallel workers are added.

use crate::pg::aggregate_call::float;
use crate::pg::errors::Failure;
use crate::pg::function_call::{Call, v1};
use pgrx::pg_sys::Datum;
use pgrx::prelude::*;

/// Adds a member; a risk that is null is that of nobody.
fn add(call: &Call) -> Option<Datum> {
    let (state, risk) = (call.optional::<f64>(0), call.optional::<f64>(1));
    if let Some(risk) = risk
        && !(0.0..=1.0).contains(&risk)
    {
        Failure::new(
            PgSqlErrorCode::ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
            "a risk is not between 0 and 1",
        )
        .hint("Pass the risk of each member, for example from sdc.individual_risk().")
        .raise();
    }
    let logarithm = risk.map(|risk| (-risk).ln_1p());
    match (state, logarithm) {
        (Some(state), Some(logarithm)) => float(state + logarithm),
        (state, logarithm) => state.or(logarithm).and_then(float),
    }
}

v1! {
    sdc_household_add, pg_finfo_sdc_household_add => add;
    sdc_household_final, pg_finfo_sdc_household_final =>
        |call| call.optional::<f64>(0).and_then(|state| float(-state.exp_m1()));
}
