//! `sdc.p_sensitive`: p-sensitive microaggregation as a window function.

use crate::assign::assign;
use crate::pg::errors::{self, Names};
use crate::pg::function_call::v1;
use crate::pg::progress::Watch;
use crate::pg::settings;
use crate::read::arguments;
use crate::read::columns::{self, Role, categories};
use crate::read::window_rows::{Columns, WindowCall};
use sdc_engine::Partition;

fn p_sensitive(call: &WindowCall, watch: &mut Watch) -> Partition {
    let (k, p) = (call.count(0, "k"), call.count(1, "p"));
    let method = arguments::method(&call.required::<String>(4, "method"));
    let mut tables = call.read(
        &[
            Columns {
                arguments: 2..3,
                role: Role::Key,
            },
            Columns {
                arguments: 3..4,
                role: Role::Sensitive,
            },
        ],
        watch,
    );
    let (Some(sensitive), Some(keys)) = (tables.pop(), tables.pop()) else {
        return errors::engine(Partition::new(Vec::new(), 0), Names::default());
    };
    let (key_names, sensitive_names) = (keys.names(), sensitive.names());
    let names = Names {
        keys: &key_names,
        sensitive: &sensitive_names,
    };
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
