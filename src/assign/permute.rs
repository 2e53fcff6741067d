//! `sdc.permute`: a column's values in random order, within each window partition.

use crate::pg::errors::known;
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::read::window_batches::Batches;
use crate::read::window_rows::WindowCall;
use crate::read::window_values::WindowValues;
use pgrx::pg_sys::Datum;
use sdc_engine::{Monitor, Phase, permute};

fn permute(call: &Call) -> Option<Datum> {
    let call = WindowCall::new(call);
    let mut shuffled = WindowValues::of(&call);
    if !shuffled.is_ready() {
        fill(&mut shuffled, &call);
    }
    shuffled.get(call.position())
}

/// Reads the partition once; each value goes straight to its place.
fn fill(shuffled: &mut WindowValues<'_>, call: &WindowCall<'_>) {
    let rows = call.rows();
    let mut watch = Watch::new(None);
    let places = call.with_generator(|rng| permute::places(rows, rng, &mut watch));
    let places = known(places);
    let mut batches = Batches::new(call, vec![0]);
    let mut copies = shuffled.copies();
    let mut next = places.iter();
    watch.start(Phase::Reading, rows as u64);
    while let Some(batch) = batches.next() {
        for (cell, &place) in batch.column().zip(&mut next) {
            shuffled.put(place as usize, cell);
        }
        copies.count();
        watch.tick((rows - next.len()) as u64);
    }
    copies.count();
    copies.stay();
    shuffled.set_ready();
}

v1! {
    sdc_permute, pg_finfo_sdc_permute => permute;
}
