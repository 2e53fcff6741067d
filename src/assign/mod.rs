//! Window functions that give each row the number of its group, one file for each.

mod anatomy;
mod mdav;
pub mod mondrian;
pub mod p_alpha_sensitive;
mod p_sensitive;
pub mod permutation;
mod permute;

use crate::pg::errors::{self, Failure, Names};
use crate::pg::function_call::Call;
use crate::pg::progress::Watch;
use crate::read::window_rows::WindowCall;
use pgrx::pg_sys::Datum;
use sdc_engine::Partition;

/// The driver: `compute` cuts the partition's rows into groups when its first row comes by.
fn assign(call: &Call, compute: fn(&WindowCall, &mut Watch) -> Partition) -> Option<Datum> {
    let call = WindowCall::new(call);
    let group = call.group_number(|| compute(&call, &mut Watch::new(None)));
    Some(Datum::from(group))
}

/// Refuses a p that promises nothing.
fn refuse_no_sensitive(p: usize, names: Names<'_>) {
    if p > 1 && names.sensitive.is_empty() {
        Failure::invalid("p needs a sensitive column")
            .hint("Name it in sensitive => ROW(…).")
            .raise();
    }
}

/// The groups of a partition without rows.
fn no_groups() -> Partition {
    errors::engine(Partition::new(Vec::new(), 0), Names::default())
}
