//! `sdc.mdav`: microaggregation as a window function.

use crate::assign::no_groups;
use crate::pg::errors::{self, Failure, Names};
use crate::pg::function_call::v1;
use crate::pg::progress::Watch;
use crate::read::arguments::count;
use crate::read::columns::{self, Role};
use crate::read::window_rows::{Columns, WindowCall};
use sdc_engine::Partition;
use sdc_engine::assign::Method;

fn mdav(call: &WindowCall, watch: &mut Watch) -> Partition {
    let no_k = || {
        let failure = Failure::null("k").hint("For example sdc.mdav(5, age, height) OVER ().");
        failure.raise()
    };
    let k = count(call.scalar(0).unwrap_or_else(no_k), "k");
    let keys = Columns {
        arguments: 1..call.arguments(),
        role: Role::Key,
    };
    let Some(keys) = call.read(&[keys], watch).pop() else {
        return no_groups();
    };
    let labels = keys.names();
    let names = Names {
        keys: &labels,
        sensitive: &[],
    };
    let space = columns::space(keys.finish().0, true, names);
    // MDAV draws nothing
    let mut rng = errors::engine(Method::Mdav.generator(Some(0)), names);
    let groups = Method::Mdav.group(&space, &[], k, 1, &mut rng, watch);
    errors::engine(groups, names)
}

v1! {
    sdc_mdav, pg_finfo_sdc_mdav => |call| crate::assign::assign(call, mdav);
}
