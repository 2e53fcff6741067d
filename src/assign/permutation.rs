//! `sdc.permutation`: the groups of permutation anonymization as a window function.

use crate::assign::no_groups;
use crate::pg::errors::{self, Failure, Names};
use crate::pg::function_call::v1;
use crate::pg::progress::Watch;
use crate::read::columns::{Role, categories};
use crate::read::window_rows::WindowCall;
use sdc_engine::{Partition, Table, assign};

/// How often a set of rows is tried; 0 leaves the keys out of account.
pub fn rounds(value: i32) -> usize {
    usize::try_from(value).unwrap_or_else(|_| {
        Failure::invalid(format!("rounds must not be negative, but is {value}"))
            .hint("0 ignores the keys, 5 is the usual value.")
            .raise()
    })
}

fn permutation(call: &WindowCall, watch: &mut Watch) -> Partition {
    let l = call.count(0, "l");
    let rounds = rounds(call.required(3, "rounds"));
    let read = call.read_keys_and_sensitive(1..2, (2..3, Role::SensitiveValue), watch);
    let Some((keys, sensitive)) = read else {
        return no_groups();
    };
    let key_names = keys.names();
    let names = Names {
        keys: &key_names,
        sensitive: &[],
    };
    let keys = errors::engine(Table::new(keys.finish().0), names);
    let sensitive = categories(sensitive.finish().0);
    let groups = call.with_generator(|generator| {
        assign::permutation(&keys, &sensitive[0], l, rounds, generator, watch)
    });
    errors::engine(groups, names)
}

v1! {
    sdc_permutation, pg_finfo_sdc_permutation =>
        |call| crate::assign::assign(call, permutation);
}
