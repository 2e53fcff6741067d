//! What a grouping costs: `sdc.sse`, `sdc.information_loss`, `sdc.ncp`,
//! `sdc.reconstruction_error`, `sdc.discernibility`, `sdc.average_group_size`.

use crate::aggregate::State;
use crate::pg::aggregate_call::{finish, float};
use crate::pg::errors::known;
use crate::pg::function_call::Call;
use crate::pg::function_call::v1;
use crate::pg::memory::reserved;
use crate::read::numbers;
use pgrx::pg_sys::Datum;
use sdc_engine::limits::Pulse;
use sdc_engine::measure::{self, Squares};
use sdc_engine::{Categories, Interner, Partition, Tally};

fn tally(state: &State) -> Tally {
    known(state.counts.tally())
}

fn squares(state: &State) -> Squares {
    known(measure::squares_of_groups(&state.moments, &tally(state)))
}

fn ncp(state: &State) -> f64 {
    known(measure::ncp_of_groups(&state.moments, &tally(state)))
}

/// The state has counted the different rows of (group, keys, sensitive value): each is taken
/// apart again.
fn reconstruction_error(state: &State) -> f64 {
    let permuted = state.parameter.number() != 0.0;
    let columns = state.keys.len();
    let mut seen = vec![Interner::new(); columns];
    let rows = state.counts.groups();
    let mut codes: Vec<Vec<u32>> = (0..columns).map(|_| reserved(rows)).collect();
    let mut pulse = Pulse::default();
    for mut bytes in state.counts.keys().iter() {
        known(pulse.spend(16 * columns));
        for ((codec, seen), codes) in state.keys.iter().zip(&mut seen).zip(&mut codes) {
            codes.push(known(seen.intern(codec.split(&mut bytes))));
        }
    }
    let sensitive = codes.pop().unwrap_or_default();
    let mut columns: Vec<Categories> = codes.drain(1..).map(Categories::new).collect();
    if !permuted {
        columns.clear();
    }
    columns.push(Categories::new(sensitive));
    let groups = codes.pop().unwrap_or_default();
    let partition = known(Partition::new(groups, seen[0].len()));
    let rows = state.counts.sizes();
    known(measure::reconstruction_error_of_counts(
        &partition, &columns, rows,
    ))
}

/// An answer of type numeric: squares of counts pass the range of bigint.
fn numeric(value: u128) -> Option<Datum> {
    Some(numbers::numeric_from_text(&value.to_string(), -1))
}

/// Answers a final function.
fn answer(call: &Call, figure: fn(&State) -> Option<Datum>) -> Option<Datum> {
    finish(call, figure)
}

v1! {
    sdc_sse, pg_finfo_sdc_sse =>
        |call| answer(call, |state| float(squares(state).within));
    sdc_information_loss, pg_finfo_sdc_information_loss =>
        |call| answer(call, |state| float(squares(state).information_loss()));
    sdc_ncp, pg_finfo_sdc_ncp => |call| answer(call, |state| float(ncp(state)));
    sdc_reconstruction_error, pg_finfo_sdc_reconstruction_error =>
        |call| answer(call, |state| float(reconstruction_error(state)));
    sdc_discernibility, pg_finfo_sdc_discernibility =>
        |call| answer(call, |state| numeric(measure::discernibility(&tally(state))));
    sdc_average_group_size, pg_finfo_sdc_average_group_size =>
        |call| answer(call, |state| measure::average_group_size(&tally(state)).and_then(float));
}
