//! `sdc.microaggregate`: a whole table in, masked rows out.

use crate::arguments::count;
use crate::microaggregation::{Method, Microaggregation, Refinement, checked_p};
use crate::progress::Watch;
use crate::rows::{KeptRows, Selection};
use crate::source;
use crate::sql_types::NameList;
use crate::srf;
use crate::v1::{optional, required, v1};
use pgrx::pg_sys::{Datum, FunctionCallInfo};

/// The arguments of a call.
struct Call {
    keys: Vec<String>,
    sensitive: Vec<String>,
    options: Microaggregation,
}

impl Call {
    unsafe fn new(fcinfo: FunctionCallInfo) -> Self {
        // SAFETY: types as in the SQL declaration.
        unsafe {
            let method: Option<String> = optional(fcinfo, 5);
            let sensitive = required::<NameList>(fcinfo, 3, "sensitive").0;
            Call {
                keys: required::<NameList>(fcinfo, 1, "keys").0,
                options: Microaggregation {
                    k: count(required(fcinfo, 2, "k"), "k"),
                    p: checked_p(required(fcinfo, 4, "p"), &sensitive),
                    method: method.as_deref().map(Method::named),
                    standardize: required(fcinfo, 6, "standardize"),
                    seed: optional(fcinfo, 7),
                    refinement: Refinement::new(required(fcinfo, 8, "refine"), optional(fcinfo, 9)),
                },
                sensitive,
            }
        }
    }
}

unsafe fn microaggregate(fcinfo: FunctionCallInfo) -> Datum {
    // SAFETY: the call is as the SQL declaration has it.
    unsafe {
        let call = Call::new(fcinfo);
        let source = srf::source_of_rowtype(fcinfo);
        source::refuse_empty("keys", &call.keys);
        let selection = Selection {
            columns: (0..source.attributes.len()).collect(),
            keys: source.columns("keys", &call.keys),
            sensitive: source.columns("sensitive", &call.sensitive),
            source: &source,
        };
        source::refuse_overlap(("keys", &call.keys), ("sensitive", &call.sensitive));
        srf::answer(fcinfo, &source, |result| {
            let mut watch = Watch::new(Some(source.oid));
            let rows = KeptRows::read(&selection, &mut watch);
            let grouped = call
                .options
                .group(&rows.keys, &rows.sensitive, rows.names(), &mut watch);
            rows.mask(&grouped.partition, result, &mut watch);
        })
    }
}

v1! {
    sdc_microaggregate, pg_finfo_sdc_microaggregate => microaggregate;
}
