//! `sdc.mdav`: microaggregation as a window function.

use crate::columns::Role;
use crate::errors::{self, Failure, Names};
use crate::progress::Watch;
use crate::v1::v1;
use crate::window::{self, Columns, WindowCall};
use sdc_engine::{Partition, Space, Table};

fn mdav(call: &WindowCall) -> Partition {
    let k: i32 = call.required(0, "k");
    let k =
        usize::try_from(k).unwrap_or_else(|_| Failure::invalid("k must not be negative").raise());
    let mut tables = call.read(&[Columns {
        arguments: 1..call.arguments(),
        role: Role::Key,
    }]);
    let Some(keys) = tables.pop() else {
        return errors::engine(Partition::new(Vec::new(), 0), Names::default());
    };
    let labels = keys.names();
    let names = Names {
        keys: &labels,
        sensitive: &[],
    };
    let table = errors::engine(Table::new(keys.finish().0), names);
    let space = Space::new(&table, true);
    drop(table);
    let groups = sdc_engine::assign::mdav(&space, k, &mut Watch::new(None));
    errors::engine(groups, names)
}

v1! {
    sdc_mdav, pg_finfo_sdc_mdav => |fcinfo| window::assign(fcinfo, mdav);
}
