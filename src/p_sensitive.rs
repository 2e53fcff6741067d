//! `sdc.p_sensitive`: p-sensitive microaggregation as a window function.

use crate::columns::{Role, categories};
use crate::errors::{self, Names};
use crate::microaggregation::{Method, Microaggregation, Refinement};
use crate::progress::Watch;
use crate::v1::v1;
use crate::window::{self, Columns, WindowCall};
use sdc_engine::Partition;

fn p_sensitive(call: &WindowCall, watch: &mut Watch) -> Partition {
    let method: String = call.required(4, "method");
    let options = Microaggregation {
        k: call.count(0, "k"),
        p: call.count(1, "p"),
        method: Some(Method::named(&method)),
        standardize: true,
        seed: None,
        refinement: Refinement::None,
    };
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
    let space = options.space(keys.finish().0, names);
    let sensitive = categories(sensitive.finish().0);
    options.partition(&space, &sensitive, names, watch)
}

v1! {
    sdc_p_sensitive, pg_finfo_sdc_p_sensitive => |fcinfo| window::assign(fcinfo, p_sensitive);
}
