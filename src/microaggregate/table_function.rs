//! `sdc.microaggregate`: a whole table in, masked rows out.

use crate::microaggregate::options::{Microaggregation, Refinement, checked_p};
use crate::pg::function_call::{Call, v1};
use crate::pg::progress::Watch;
use crate::pg::row_results;
use crate::pg::sql_types::NameList;
use crate::read::arguments::{self, count};
use crate::read::relation::{self, Source};
use crate::read::source_rows::{KeptRows, Selection};
use pgrx::pg_sys::Datum;

/// The arguments of a call.
struct Request {
    keys: Vec<String>,
    sensitive: Vec<String>,
    options: Microaggregation,
}

impl Request {
    fn new(call: &Call) -> Self {
        let method: Option<String> = call.optional(5);
        let sensitive = call.required::<NameList>(3, "sensitive").0;
        Request {
            keys: call.required::<NameList>(1, "keys").0,
            options: Microaggregation {
                k: count(call.required(2, "k"), "k"),
                p: checked_p(call.required(4, "p"), &sensitive),
                method: method.as_deref().map(arguments::method),
                standardize: call.required(6, "standardize"),
                seed: call.optional(7),
                refinement: Refinement::new(call.required(8, "refine"), call.optional(9)),
            },
            sensitive,
        }
    }
}

fn microaggregate(call: &Call) -> Option<Datum> {
    let request = Request::new(call);
    let source = Source::new(row_results::relation_of_rowtype(call));
    let (keys, sensitive) = (&request.keys, &request.sensitive);
    relation::refuse_empty("keys", keys);
    let selection = Selection {
        columns: (0..source.attributes.len()).collect(),
        keys: source.columns("keys", keys),
        sensitive: source.columns("sensitive", sensitive),
        source: &source,
    };
    relation::refuse_overlap(("keys", keys), ("sensitive", sensitive));
    row_results::answer_rowtype(call, |result| {
        let mut watch = Watch::new(Some(source.oid));
        let rows = KeptRows::read(&selection, &mut watch);
        let options = &request.options;
        let grouped = options.group(&rows.keys, &rows.sensitive, rows.names(), &mut watch);
        rows.mask(&grouped.partition, result, &mut watch);
    })
}

v1! {
    sdc_microaggregate, pg_finfo_sdc_microaggregate => microaggregate;
}
