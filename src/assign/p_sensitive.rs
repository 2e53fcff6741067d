//! `sdc.p_sensitive`: p-sensitive microaggregation as a window function.

use crate::assign::{assign, no_groups, refuse_no_sensitive};
use crate::pg::errors;
use crate::pg::function_call::v1;
use crate::pg::progress::Watch;
use crate::pg::settings;
use crate::read::arguments;
use crate::read::columns::{self, Role, categories};
use crate::read::window_rows::{ColumnNames, WindowCall};
use sdc_engine::Partition;

fn p_sensitive(call: &WindowCall, watch: &mut Watch) -> Partition {
    let (k, p) = (call.count(0, "k"), call.count(1, "p"));
    let method = arguments::method(&call.required::<String>(4, "method"));
    let read = call.read_keys_and_sensitive(2..3, (3..4, Role::Sensitive), watch);
    let Some((keys, sensitive)) = read else {
        return no_groups();
    };
    let named = ColumnNames::of(&keys, &sensitive);
    let names = named.names();
    refuse_no_sensitive(p, names);
    let space = columns::space(keys.finish().0, true, names);
    let sensitive = categories(sensitive.finish().0);
    // a method that draws nothing needs no seed, not even a well-formed one
    let seed = match method.draws() {
        true => settings::seed().map(|seed| seed as u64),
        false => Some(0),
    };
    let mut rng = errors::engine(method.generator(seed), names);
    let groups = method.group(&space, &sensitive, k, p, &mut rng, watch);
    errors::engine(groups, names)
}

v1! {
    sdc_p_sensitive, pg_finfo_sdc_p_sensitive => |call| assign(call, p_sensitive);
}
