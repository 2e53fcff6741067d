//! `sdc.individual_risk`: the risk of each row of a weighted sample, as a window function.

use crate::pg::aggregate_call::float;
use crate::pg::function_call::{Call, v1};
use crate::pg::memory::collected;
use crate::pg::progress::Watch;
use crate::read::window_groups::WeightedGroups;
use crate::read::window_rows::WindowCall;
use pgrx::pg_sys::Datum;
use sdc_engine::risk;

fn individual_risk(call: &Call) -> Option<Datum> {
    let call = WindowCall::new(call);
    float(call.figure(|| risks(&call)))
}

/// The risk of each row of the partition: one computation for each group.
fn risks(call: &WindowCall<'_>) -> impl Iterator<Item = f64> + use<> {
    let found = WeightedGroups::read(call, &mut Watch::new(None));
    let risk = |&(rows, weight): &(u64, f64)| risk::individual_risk(rows, weight);
    let risks: Vec<f64> = collected(found.groups.iter().map(risk));
    let group_of = found.group_of.into_iter();
    group_of.map(move |group| risks[group as usize])
}

v1! {
    sdc_individual_risk, pg_finfo_sdc_individual_risk => individual_risk;
}
