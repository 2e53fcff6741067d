//! The state behind all checking aggregates: groups and the sensitive values within them,
//! counted as rows come by. Transition, combine, serialize and deserialize functions are
//! shared; the aggregates differ in their final functions.

mod loss_figures;
mod population_figures;
mod privacy_figures;
mod state;
mod wire_format;

pub use state::{State, ValueColumn};

use crate::pg::aggregate_call;
use crate::pg::function_call::{Call, v1};
use crate::read::columns::Role;
use pgrx::pg_sys::Datum;
use std::ops::Range;

/// Which arguments of a transition function are keys, values and the parameter.
struct Arguments {
    keys: Range<usize>,
    values: Range<usize>,
    /// whether numeric values are measured rather than counted
    measure: bool,
    /// a key argument that is one value, whatever its type
    whole: Option<usize>,
    /// place and name of a number beside the columns
    parameter: Option<(usize, &'static str)>,
}

impl Arguments {
    fn new(keys: Range<usize>, values: Range<usize>) -> Self {
        Arguments {
            keys,
            values,
            measure: false,
            whole: None,
            parameter: None,
        }
    }

    /// What messages call the values.
    fn value_role(&self) -> Role {
        match self.measure {
            true => Role::Key,
            false => Role::Sensitive,
        }
    }
}

fn transition(call: &Call, arguments: Arguments) -> Option<Datum> {
    let start = || State::for_call(call, &arguments);
    aggregate_call::transition(call, start, |state| state.add(call, &arguments))
}

v1! {
    sdc_count_groups, pg_finfo_sdc_count_groups => |call| {
        transition(call, Arguments::new(1..call.arguments(), 0..0))
    };
    sdc_count_sample, pg_finfo_sdc_count_sample => |call| {
        let parameter = Some((1, "fraction"));
        transition(call, Arguments { parameter, ..Arguments::new(2..call.arguments(), 0..0) })
    };
    sdc_count_values, pg_finfo_sdc_count_values => |call| {
        transition(call, Arguments::new(1..2, 2..call.arguments()))
    };
    sdc_count_values_c, pg_finfo_sdc_count_values_c => |call| {
        let parameter = Some((3, "c"));
        transition(call, Arguments { parameter, ..Arguments::new(1..2, 2..3) })
    };
    sdc_count_values_categories, pg_finfo_sdc_count_values_categories => |call| {
        let parameter = Some((3, "categories"));
        transition(call, Arguments { parameter, ..Arguments::new(1..2, 2..3) })
    };
    sdc_count_values_hierarchy, pg_finfo_sdc_count_values_hierarchy => |call| {
        let parameter = Some((3, "hierarchy"));
        transition(call, Arguments { parameter, ..Arguments::new(1..2, 2..3) })
    };
    sdc_count_rows, pg_finfo_sdc_count_rows => |call| {
        let (whole, parameter) = (Some(3), Some((4, "permuted")));
        transition(call, Arguments { whole, parameter, ..Arguments::new(1..4, 0..0) })
    };
    sdc_measure_groups, pg_finfo_sdc_measure_groups => |call| {
        let arguments = Arguments::new(1..2, 2..call.arguments());
        transition(call, Arguments { measure: true, ..arguments })
    };
    sdc_counts_combine, pg_finfo_sdc_counts_combine => aggregate_call::combine::<State>;
    sdc_counts_serialize, pg_finfo_sdc_counts_serialize => aggregate_call::serialize::<State>;
    sdc_counts_deserialize, pg_finfo_sdc_counts_deserialize => aggregate_call::deserialize::<State>;
}
