//! `sdc.k_anonymity`: the size of the smallest group.

use crate::aggregate;
use crate::v1::v1;
use pgrx::pg_sys::{Datum, FunctionCallInfo};

unsafe fn k_anonymity(fcinfo: FunctionCallInfo) -> Datum {
    let smallest = |state: &aggregate::State| {
        let sizes = state.counts.sizes().iter();
        sizes.min().map(|&size| Datum::from(size as i64))
    };
    // SAFETY: the SQL declaration makes this the final function over such a state.
    unsafe { aggregate::finish(fcinfo, smallest) }
}

v1! {
    sdc_k_anonymity, pg_finfo_sdc_k_anonymity => k_anonymity;
}
