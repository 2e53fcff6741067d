//! `sdc.mdav`: microaggregation as a window function.

use crate::columns::Role;
use crate::errors::{self, Names};
use crate::microaggregation::{Method, Microaggregation, Refinement};
use crate::progress::Watch;
use crate::v1::v1;
use crate::window::{self, Columns, WindowCall};
use sdc_engine::Partition;

fn mdav(call: &WindowCall, watch: &mut Watch) -> Partition {
    let k = call.count(0, "k");
    let keys = Columns {
        arguments: 1..call.arguments(),
        role: Role::Key,
    };
    let Some(keys) = call.read(&[keys], watch).pop() else {
        return errors::engine(Partition::new(Vec::new(), 0), Names::default());
    };
    let labels = keys.names();
    let names = Names {
        keys: &labels,
        sensitive: &[],
    };
    let options = Microaggregation {
        k,
        p: 1,
        method: Some(Method::Mdav),
        standardize: true,
        seed: None,
        refinement: Refinement::None,
    };
    let space = options.space(keys.finish().0, names);
    options.partition(&space, &[], names, watch)
}

v1! {
    sdc_mdav, pg_finfo_sdc_mdav => |fcinfo| window::assign(fcinfo, mdav);
}
