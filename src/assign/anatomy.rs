//! `sdc.anatomy`: groups of l different sensitive values as a window function.

use crate::pg::errors::{self, Names};
use crate::pg::function_call::v1;
use crate::pg::progress::Watch;
use crate::read::columns::{Role, categories};
use crate::read::window_rows::{Columns, WindowCall};
use sdc_engine::{Categories, Partition, assign};

fn anatomy(call: &WindowCall, watch: &mut Watch) -> Partition {
    let l = call.count(0, "l");
    let sensitive = Columns {
        arguments: 1..2,
        role: Role::SensitiveValue,
    };
    let mut columns = Vec::new();
    for table in call.read(&[sensitive], watch) {
        columns.extend(categories(table.finish().0));
    }
    let sensitive = columns.pop().unwrap_or(Categories::new(Vec::new()));
    let groups = call.with_generator(|generator| assign::anatomy(&sensitive, l, generator, watch));
    errors::engine(groups, Names::default())
}

v1! {
    sdc_anatomy, pg_finfo_sdc_anatomy => |call| crate::assign::assign(call, anatomy);
}
