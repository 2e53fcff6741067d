//! `sdc.mondrian`: multidimensional local recoding as a window function.

use crate::columns::{Decoder, Role, categories};
use crate::errors::{self, Names};
use crate::memory::reserved;
use crate::order;
use crate::progress::Watch;
use crate::settings;
use crate::v1::v1;
use crate::window::{self, Columns, WindowCall};
use sdc_engine::{Categories, Column, Partition, Table, assign};

/// `mondrian(k, keys)` or `mondrian(k, p, keys, sensitive)`.
fn mondrian(call: &WindowCall) -> Partition {
    let k = call.count(0, "k");
    let diverse = call.arguments() == 4;
    let p = if diverse { call.count(1, "p") } else { 1 };
    let first = if diverse { 2 } else { 1 };
    let keys = Columns {
        arguments: first..first + 1,
        role: Role::Key,
    };
    let sensitive = Columns {
        arguments: first + 1..call.arguments(),
        role: Role::Sensitive,
    };
    let mut tables = call.read(&[keys, sensitive]);
    let (Some(sensitive), Some(keys)) = (tables.pop(), tables.pop()) else {
        return errors::engine(Partition::new(Vec::new(), 0), Names::default());
    };
    let (key_names, sensitive_names) = (keys.names(), sensitive.names());
    let names = Names {
        keys: &key_names,
        sensitive: &sensitive_names,
    };
    let (columns, decoders) = keys.finish();
    let ordered = columns.into_iter().zip(decoders).map(in_order).collect();
    let table = errors::engine(Table::new(ordered), names);
    settings::check_grouping_memory(table.rows(), table.columns().len());
    let sensitive = categories(sensitive.finish().0);
    let groups = assign::mondrian(&table, &sensitive, k, p, &mut Watch::new(None));
    errors::engine(groups, names)
}

/// Codes of a categorical key follow its type's order, so that a cut parts lower from higher
/// values; where the type has none, the order in which values came.
fn in_order((column, decoder): (Column, Decoder)) -> Column {
    let (Column::Categorical(categories), Decoder::Category { codec, seen }) = (&column, &decoder)
    else {
        return column;
    };
    let Some(places) = order::places(codec, seen) else {
        return column;
    };
    let mut codes = reserved(categories.codes().len());
    codes.extend(categories.codes().iter().map(|&code| places[code as usize]));
    Column::Categorical(Categories::new(codes))
}

v1! {
    sdc_mondrian, pg_finfo_sdc_mondrian => |fcinfo| window::assign(fcinfo, mondrian);
}
