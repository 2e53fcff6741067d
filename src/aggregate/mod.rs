//! The state behind all checking aggregates: groups and the sensitive values within them,
//! counted as rows come by. Transition, combine, serialize and deserialize functions are
//! shared; the aggregates differ in their final functions.

mod loss_figures;
mod population_figures;
mod privacy_figures;
mod state;
mod wire_format;

pub use state::{Parameter, State, ValueColumn};

use crate::pg::aggregate_call;
use crate::pg::function_call::{Call, v1};
use crate::read::arguments::{Given, RecordArguments};
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

    /// The same with a parameter.
    fn with(self, place: usize, name: &'static str) -> Self {
        Arguments {
            parameter: Some((place, name)),
            ..self
        }
    }

    /// Refuses arguments without a key, or without a value where there must be one.
    fn require(&self, given: &impl Given) {
        for columns in [&self.keys, &self.values] {
            if columns.is_empty() && columns.start > 0 {
                given.argument(columns.start);
            }
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

/// What the arguments of a transition function are, given the end of their numbers.
type Shape = fn(usize) -> Arguments;

const GROUPS: Shape = |end| Arguments::new(1..end, 0..0);
const SAMPLE: Shape = |end| Arguments::new(2..end, 0..0).with(1, "fraction");
const VALUES: Shape = |end| Arguments::new(1..2, 2..end);
const VALUE_AND_C: Shape = |_| Arguments::new(1..2, 2..3).with(3, "c");
const VALUE_AND_CATEGORIES: Shape = |_| Arguments::new(1..2, 2..3).with(3, "categories");
const VALUE_AND_HIERARCHY: Shape = |_| Arguments::new(1..2, 2..3).with(3, "hierarchy");
const ROWS: Shape = |_| Arguments {
    whole: Some(3),
    ..Arguments::new(1..4, 0..0).with(4, "permuted")
};
const MEASURED: Shape = |end| Arguments {
    measure: true,
    ..Arguments::new(1..2, 2..end)
};

fn transition(call: &Call, shape: Shape) -> Option<Datum> {
    let arguments = shape(call.end());
    let start = || State::of_given(call, &arguments);
    aggregate_call::transition(call, start, |state| state.add(call, &arguments))
}

/// The same where the arguments come as one record, and whether the last of them is variadic. An
/// aggregate with such arguments can be spread over servers: their types are declared.
fn transition_across(call: &Call, shape: Shape) -> Option<Datum> {
    let record = || call.argument(1);
    let start = || {
        let variadic = call.required::<bool>(2, "unfold");
        let mut given = RecordArguments::new(record(), variadic);
        given.load(record());
        let arguments = shape(given.end());
        arguments.require(&given);
        State::of_record(given, &arguments)
    };
    aggregate_call::transition(call, start, |state| state.add_record(record(), shape))
}

v1! {
    by row;
    sdc_count_groups, pg_finfo_sdc_count_groups => |call| transition(call, GROUPS);
    sdc_count_sample, pg_finfo_sdc_count_sample => |call| transition(call, SAMPLE);
    sdc_count_values, pg_finfo_sdc_count_values => |call| transition(call, VALUES);
    sdc_count_values_c, pg_finfo_sdc_count_values_c => |call| transition(call, VALUE_AND_C);
    sdc_count_values_categories, pg_finfo_sdc_count_values_categories =>
        |call| transition(call, VALUE_AND_CATEGORIES);
    sdc_count_values_hierarchy, pg_finfo_sdc_count_values_hierarchy =>
        |call| transition(call, VALUE_AND_HIERARCHY);
    sdc_count_rows, pg_finfo_sdc_count_rows => |call| transition(call, ROWS);
    sdc_measure_groups, pg_finfo_sdc_measure_groups => |call| transition(call, MEASURED);
    sdc_count_groups_across, pg_finfo_sdc_count_groups_across =>
        |call| transition_across(call, GROUPS);
    sdc_count_sample_across, pg_finfo_sdc_count_sample_across =>
        |call| transition_across(call, SAMPLE);
    sdc_count_values_across, pg_finfo_sdc_count_values_across =>
        |call| transition_across(call, VALUES);
    sdc_count_values_c_across, pg_finfo_sdc_count_values_c_across =>
        |call| transition_across(call, VALUE_AND_C);
    sdc_count_values_categories_across, pg_finfo_sdc_count_values_categories_across =>
        |call| transition_across(call, VALUE_AND_CATEGORIES);
    sdc_count_values_hierarchy_across, pg_finfo_sdc_count_values_hierarchy_across =>
        |call| transition_across(call, VALUE_AND_HIERARCHY);
    sdc_count_rows_across, pg_finfo_sdc_count_rows_across => |call| transition_across(call, ROWS);
    sdc_measure_groups_across, pg_finfo_sdc_measure_groups_across =>
        |call| transition_across(call, MEASURED);
}

v1! {
    sdc_counts_combine, pg_finfo_sdc_counts_combine => aggregate_call::combine::<State>;
    sdc_counts_serialize, pg_finfo_sdc_counts_serialize => aggregate_call::serialize::<State>;
    sdc_counts_deserialize, pg_finfo_sdc_counts_deserialize => aggregate_call::deserialize::<State>;
}
