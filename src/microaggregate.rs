//! `sdc.microaggregate`: a whole table in, masked rows out.

use crate::arguments;
use crate::errors::{self, Failure, Names};
use crate::source;
use crate::srf::{self, Masking};
use crate::v1::{self, v1};
use pgrx::pg_sys::{Datum, FunctionCallInfo};
use pgrx::prelude::*;
use sdc_engine::{Space, Table};

/// The arguments of a call.
struct Call {
    keys: Vec<String>,
    k: usize,
    sensitive: Vec<String>,
    standardize: bool,
}

impl Call {
    unsafe fn new(fcinfo: FunctionCallInfo) -> Self {
        // SAFETY: types as in the SQL declaration.
        unsafe {
            Call {
                keys: arguments::names(fcinfo, 1, "keys"),
                k: count(required::<i32>(fcinfo, 2, "k"), "k"),
                sensitive: arguments::names(fcinfo, 3, "sensitive"),
                standardize: required(fcinfo, 6, "standardize"),
            }
        }
    }
}

unsafe fn required<T: FromDatum>(fcinfo: FunctionCallInfo, index: usize, name: &str) -> T {
    // SAFETY: the argument exists and is of the SQL type that T stands for.
    let value = unsafe {
        let (datum, null) = v1::argument(fcinfo, index);
        T::from_datum(datum, null)
    };
    value.unwrap_or_else(|| Failure::null(name).raise())
}

fn count(value: i32, name: &str) -> usize {
    usize::try_from(value)
        .unwrap_or_else(|_| Failure::invalid(format!("{name} must not be negative")).raise())
}

unsafe fn microaggregate(fcinfo: FunctionCallInfo) -> Datum {
    // SAFETY: the call is as the SQL declaration has it.
    unsafe {
        let call = Call::new(fcinfo);
        let source = srf::source_of_rowtype(fcinfo);
        if call.keys.is_empty() {
            Failure::invalid("keys must name at least one column").raise();
        }
        let keys = source.columns("keys", &call.keys);
        let sensitive = source.columns("sensitive", &call.sensitive);
        source::refuse_overlap(("keys", &call.keys), ("sensitive", &call.sensitive));
        let masking = Masking {
            fcinfo,
            source: &source,
            keys: &keys,
            sensitive: &sensitive,
        };
        masking.run(|keys, _sensitive, watch| {
            let names = Names {
                keys: &call.keys,
                sensitive: &call.sensitive,
            };
            let table = errors::engine(Table::new(keys.to_vec()), names);
            let space = Space::new(&table, call.standardize);
            drop(table);
            errors::engine(sdc_engine::assign::mdav(&space, call.k, watch), names)
        })
    }
}

v1! {
    sdc_microaggregate, pg_finfo_sdc_microaggregate => microaggregate;
}
